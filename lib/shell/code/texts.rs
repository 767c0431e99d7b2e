//! Tests of the readers of sed, awk, Perl, Ruby, PHP and SQL.

use super::program::tests::line;
use super::{Lang, read};
use crate::shell::Arg;

#[track_caller]
fn check(lang: Lang, rows: &[(&str, &str)]) {
    let args = [Arg::literal("in.txt")];
    for (text, expected) in rows {
        let args = if lang == Lang::Sql { &[][..] } else { &args[..] };
        assert_eq!(line(&read(lang, &Arg::literal(*text), args)), *expected, "{text}");
    }
}

#[test]
fn sed_scripts() {
    check(
        Lang::Sed,
        &[
            ("s/a/b/", ""),
            ("1,5p", ""),
            ("s/w x/r y/g;p", ""),
            ("s|a|b|w out", "w out"),
            ("/x/w out.txt", "w out.txt"),
            ("/x/{s/a/b/;w out\n}", "w out"),
            ("s/a/b/w /dev/stdout", ""),
            ("$r tail.txt", "r tail.txt"),
            ("1R a\n2W b", "r a; w b"),
            ("s/[/]w/x/;w f", "w f"),
            ("\\,a/w b,d", ""),
            ("y/abc/wre/", ""),
            ("a\\\nw file\n1d", ""),
            ("1i e rm x", ""),
            ("a\\\none\\\nw two\nw three", "w three"),
            ("e touch x", "$ touch x"),
            ("s/.*/date/e", "open runs its input"),
            ("1e", "open runs its input"),
            (":w out\nb w out", ""),
            ("# w x", ""),
            ("5!b;w rest", "w rest"),
            ("s/a/b/gw f\ns/x/y/", "w f"),
            ("s/unended", ""),
        ],
    );
}

#[test]
fn awk_programs() {
    check(
        Lang::Awk,
        &[
            ("{print $1}", ""),
            ("$1 > 5 {print $1}", ""),
            ("BEGIN { if (1 > 0) print \"a > b\" }", ""),
            ("{print > \"out\"}", "w out"),
            ("{print $1, $2 >> \"out\"; next}", "w out"),
            ("{ printf(\"%s\", $1) > \"o.txt\" }", "w o.txt"),
            ("{print > $1\".txt\"}", "w «var».txt"),
            ("{print > (\"a-\" $2)}", "w a-«var»"),
            ("BEGIN{f = \"a\" \".txt\"} {print > f}", "w a.txt"),
            ("{print > FILENAME \".bak\"}", "w in.txt.bak"),
            ("{print | \"sort > s.txt\"}", "$ sort > s.txt"),
            ("BEGIN{print \"touch a\" | \"sh\"}", "$ sh; $ touch a"),
            ("BEGIN { \"date\" | getline d; print d }", "$ date"),
            ("BEGIN { while ((getline l < \"list\") > 0) n++ }", "r list"),
            ("BEGIN { system(\"rm \" \"x\") }", "$ rm x"),
            ("{ system($0) }", "open runs a computed command"),
            ("{ print (1 > 2) }", ""),
            ("/a > b/ { print }", ""),
            ("{ print \"a\" > \"/dev/stderr\" }", ""),
            ("# print > \"x\"\n{ print }", ""),
            ("@include \"lib.awk\"\n{ print }", "r lib.awk; open runs a script"),
            ("{ print ENVIRON[\"HOME\"] > ENVIRON[\"HOME\"] \"/x\" }", "w $HOME/x"),
            ("$3 / 2 > 1 { print $3 / 4 }", ""),
            ("NR>1{print >> \"n\" NR}", "w n«var»"),
            ("{ f = ($1 > 2) ? \"a\" : \"b\"; print > f }", "w a; w b"),
            ("{ print > ($1 ~ /x/ ? \"a\" : \"b\") \".txt\" }", "w a.txt; w b.txt"),
        ],
    );
}

#[test]
fn perl_programs() {
    check(
        Lang::Perl,
        &[
            ("print if /x/", ""),
            ("s/a/b/g", ""),
            ("print \"rm -rf /\"", ""),
            ("print 'unlink \"x\"'; # unlink 'y'", ""),
            ("open(my $f, '>', 'a'); print $f 1", "w a"),
            ("open my $f, '<', 'a' or die; open F, \">>b\"; open(G, 'c')", "r a; w b; r c"),
            ("open(my $p, '-|', 'ls', '-l')", "! ls -l"),
            ("open(P, 'sort |'); open(Q, '| cat > x')", "$ sort; $ cat > x"),
            ("unlink 'a', \"b\"; rename 'c', 'd'; mkdir('e', 0755)", "d a; d b; d c; w d; w e"),
            ("for (qw(a b)) { unlink }", "d a; d b"),
            ("for my $f ('a', 'b') { unlink \"$f.o\" }", "d a.o; d b.o"),
            ("unlink $_ for qw(a b)", "d a; d b"),
            ("unlink glob('*.o'); unlink <*.a>", "d *.o; d *.a"),
            ("my $d = 'x'; my $f = $d . '/y'; open(F, '>', $f)", "w x/y"),
            ("open(F, '>', $x)", "w «var»"),
            ("open(F, '>', \\$buffer)", ""),
            ("system('rm', '-f', 'x'); system(\"ls > y\"); `date`", "! rm -f x; $ ls > y; $ date"),
            ("exec $cmd", "open runs a computed command"),
            ("use File::Copy; copy('a', 'b'); move('c', 'd')", "r a; w b; d c; w d"),
            ("use File::Path qw(remove_tree make_path); remove_tree('x', {safe => 1}); make_path('y')", "d x; w y"),
            ("use Path::Tiny; path('a', 'b')->spew('x'); print path('c')->slurp", "w a/b; r c"),
            ("open(F, '>', $ARGV[0]); open(G, '<', shift)", "w in.txt; r in.txt"),
            ("unlink \"$ENV{HOME}/x\"", "d $HOME/x"),
            ("print <<EOT;\nunlink 'x'\nEOT\nunlink 'y'", "d y"),
            ("eval { 1 }; eval $x", "open runs computed code"),
            ("eval q(unlink 'x')", "d x"),
            ("do 'lib.pl'; require Foo::Bar", "r lib.pl; open runs a script"),
            ("s/(\\d+)/unlink($1)/e", "d «var»"),
            ("=pod\n\nunlink 'x'\n\n=cut\n\nunlink 'y'", "d y"),
            ("my %h = (unlink => 1); print $h{unlink} > 0", ""),
            ("m{unlink 'x'}; tr/a-z/b-y/; s{'}{\"}", ""),
            ("while (<>) { print }", "r in.txt"),
            ("use LWP::Simple; getstore('http://h/x', 'y')", "w y; net http://h/x"),
            ("chdir 'd'; unlink 'x'", "d d/x"),
            ("@ARGV = ('a'); $^I = '.old'; while (<>) { print }", "w a; w a.old"),
            ("local ($^I, @ARGV) = ('.old', 'a', 'b'); while (<>) { print }", "w a; w b; w a.old; w b.old"),
            ("my ($p) = @ARGV; open(F, '>', $p); open(G, '<', $ARGV[0])", "w in.txt; r in.txt"),
        ],
    );
}

#[test]
fn ruby_programs() {
    check(
        Lang::Ruby,
        &[
            ("puts $_", ""),
            ("puts 'File.delete(\"x\")' # File.delete('y')", ""),
            ("File.write('a', 'x'); puts File.read(\"b\")", "w a; r b"),
            ("File.open('a', 'w') { |f| f.write('x') }", "w a"),
            ("File.open('a') { |f| f.read }; open('b', 'a')", "r a; w b"),
            ("File.open('a', File::WRONLY | File::CREAT)", "w a"),
            ("require 'fileutils'; FileUtils.rm_rf('x'); FileUtils.cp 'a', 'b'", "d x; r a; w b"),
            (
                "FileUtils.mv('a', 'b'); FileUtils.mkdir_p(\"c/d\"); FileUtils.rm_rf %w[e f]",
                "d a; w b; w c/d; d e; d f",
            ),
            ("Dir['*.o'].each { |f| File.delete(f) }", "d *.o"),
            ("Dir.glob('t/*.rb').sort.each do |f|\n  File.write(f, 1)\nend", "w t/*.rb"),
            ("%w(a b).each { |n| File.unlink(\"#{n}.o\") }", "d a.o; d b.o"),
            ("d = 'x'\nf = File.join(d, 'y')\nFile.write(f, <<~EOS)\n  File.delete('q')\nEOS", "w x/y"),
            ("system('rm', '-f', 'x'); system(\"ls > y\"); `date`; %x(pwd)", "! rm -f x; $ ls > y; $ date; $ pwd"),
            ("system(cmd)", "open runs a computed command"),
            ("require 'open3'; o, s = Open3.capture2e('git', 'gc')", "! git gc"),
            ("IO.popen(['ls', '-l']) { |io| io.read }", "! ls -l"),
            ("File.write(ARGV[0], ENV['HOME'])", "w in.txt"),
            ("File.delete(\"#{ENV['HOME']}/x\")", "d $HOME/x"),
            ("eval('File.delete(\"x\")'); eval(gets)", "d x; r in.txt; open runs computed code"),
            ("require 'json'; require_relative 'lib'", "r lib; open runs a script"),
            ("require 'pathname'; Pathname.new('a').write('x'); Pathname('b').delete", "w a; d b"),
            ("'abc'.delete('b'); x = 1; x.write(2)", ""),
            ("require 'net/http'; Net::HTTP.get(URI('https://h/x'))", "net https://h/x"),
            ("s = \"a\" + \".txt\"\nFile.write s, 1 if s", "w a.txt"),
            ("puts 4 / 2; puts %q(File.delete('x'))", ""),
            ("File.foreach('a') { |l| puts l }; CSV.foreach(\"b\") do |r| end", "r a; r b"),
            ("require 'pathname'; (Pathname.new('d') + 'x').write('y')", "w d/x; w dx"),
        ],
    );
}

#[test]
fn php_programs() {
    check(
        Lang::Php,
        &[
            ("echo 1;", ""),
            ("echo 'unlink(\"x\")'; // unlink('y');", ""),
            ("file_put_contents('a', 'x'); echo file_get_contents(\"b\");", "w a; r b"),
            ("$f = fopen('a', 'w'); $g = fopen('b', 'r'); fwrite($f, 1);", "w a; r b"),
            ("unlink('a'); rename('b', 'c'); copy('d', 'e'); mkdir('f');", "d a; d b; w c; r d; w e; w f"),
            ("$d = 'x'; file_put_contents($d . '/y', 1); unlink(\"$d/z\"); unlink(\"{$d}q\");", "w x/y; d x/z; d xq"),
            ("foreach (glob('*.o') as $f) unlink($f);", "d *.o"),
            ("foreach (['a', 'b'] as $k => $f) { unlink($f); }", "d a; d b"),
            ("array_map('unlink', glob('*.tmp'));", "d *.tmp"),
            ("exec('rm -f x'); shell_exec($c); `ls`;", "$ rm -f x; $ ls; open runs a computed command"),
            ("include 'lib.php';", "r lib.php; open runs a script"),
            ("unlink($argv[1]); unlink(getenv('HOME') . '/x'); touch(__DIR__ . '/y');", "d in.txt; d $HOME/x; w ./y"),
            ("echo file_get_contents('https://h/x');", "net https://h/x"),
            ("$c = curl_init('https://h/y'); curl_exec($c);", "net https://h/y"),
            ("fopen('php://stdin', 'r');", ""),
            ("<p>unlink('x')</p><?php unlink('y'); ?> unlink('z')", "d y"),
            ("$x = <<<EOT\nunlink('a')\nEOT;\nunlink('b');", "d b"),
        ],
    );
}

#[test]
fn sql_texts() {
    check(
        Lang::Sql,
        &[
            ("select * from t", ""),
            ("select 'insert into t; drop table x' -- delete\n", ""),
            ("/* drop */ explain select [drop] from \"delete\"", ""),
            ("create table t(x); insert into t values(1)", "base"),
            ("with a as (select 1) insert into t select * from a", "base"),
            ("with a as (select 1) select replace(x, 'a', 'b') from a", ""),
            ("pragma table_info(t)", ""),
            ("pragma journal_mode = wal", "base"),
            (".output dump.sql\n.dump", "w dump.sql"),
            (".once '|sort > x'\nselect 1;", "$ sort > x"),
            (".mode csv\n.headers on\nselect 1;", ""),
            (".import data.csv t", "r data.csv; base"),
            (".read init.sql", "r init.sql; open runs a script; base"),
            (".backup b.db", "w b.db"),
            (".shell ls -l", "$ ls -l"),
            ("vacuum into 'copy.db'", "w copy.db"),
            ("attach 'other.db' as o; select * from o.t", "r other.db"),
            ("attach 'other.db' as o; delete from o.t", "w other.db; base"),
            ("select writefile('o.bin', x) from t", "w o.bin"),
            ("select readfile('i.bin')", "r i.bin"),
        ],
    );
}

fn any_text() -> impl proptest::strategy::Strategy<Value = String> {
    let words = proptest::sample::select(vec![
        "'",
        "\"",
        "`",
        "/",
        "\\",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<<EOS",
        "<<~A\n",
        "\nA\n",
        "<<<E\n",
        "#{",
        "${",
        "@{",
        "$x",
        "@ARGV",
        "%w(",
        "%",
        "q{",
        "qq",
        "qw ",
        "s/",
        "m{",
        "tr",
        "=pod\n",
        "=begin",
        "<?php",
        "?>",
        "for ",
        "each",
        "|f|",
        "do ",
        "open",
        "unlink",
        "system",
        "print",
        ">",
        ">>",
        "|",
        "getline",
        "<",
        ",",
        ";",
        "\n",
        " ",
        "=",
        ".",
        ".=",
        "eval",
        "a",
        "é",
        "«var»",
        "«",
        "--",
        "/*",
        "$$",
        "$a$",
        ".read",
        "\\o",
        "w f",
        "e ",
        "\\\n",
        "File.write",
        "File",
        "unlink(",
        "x = ",
        "$",
        "->",
        "::",
        "?",
        ":",
        "0",
    ]);
    use proptest::strategy::Strategy as _;
    proptest::collection::vec(words, 0..40).prop_map(|words| words.concat())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(400))]
    #[test]
    fn any_text_has_an_answer(text in any_text()) {
        for lang in Lang::ALL {
            read(lang, &Arg::literal(text.as_str()), &[Arg::literal("x")]);
        }
    }
}

#[test]
fn hostile_texts_end() {
    for piece in [
        "(",
        "[",
        "{",
        "\"#{",
        "f(",
        "unlink ",
        "$x=",
        "x = ",
        "<<A\n",
        "s/a/",
        "\"$x[",
        "'",
        "a.",
        "[[",
        "@{",
        "${",
        "%w(",
        "print > ",
        "\"a\" ",
        "for (",
        "x.each{|x|",
        "eval '",
        "$x=$x.$x;",
        "/",
        "«",
        "select [",
        "$",
        "a;",
        "if x\n",
        "`",
    ] {
        let text = Arg::literal(piece.repeat(3_000));
        for lang in Lang::ALL {
            read(lang, &text, &[]);
        }
    }
}

#[test]
fn lua_calls() {
    check(
        Lang::Lua,
        &[
            ("os.execute('rm a') -- os.remove('b')", "$ rm a; open does more than its known calls say"),
            ("--[[ os.remove('b') ]] print(\"os.remove('c')\")", "open does more than its known calls say"),
            ("io.open('a', 'w'):write(x) io.open(\"b\")", "w a; r b; open does more than its known calls say"),
            ("os.rename('a', 'b' .. n)", "d a; w b«var»; open does more than its known calls say"),
            ("os.execute(line)", "open runs a computed command"),
            ("os.remove [[a b]]", "d a b; open does more than its known calls say"),
        ],
    );
}

#[test]
fn r_calls() {
    check(
        Lang::R,
        &[
            (
                "system(\"rm a\"); base::unlink(c('b', 'c'), recursive = TRUE)",
                "d b; d c; $ rm a; open does more than its known calls say",
            ),
            (
                "write.csv(d, file = 'a.csv'); x <- read.csv('b.csv')",
                "w a.csv; r b.csv; open does more than its known calls say",
            ),
            ("cat('x', file = 'out'); cat('unlink(1)')", "w out; open does more than its known calls say"),
            ("system2('rm', c('-r', 'a'))", "! rm -r a; open does more than its known calls say"),
            ("download.file('https://h/x', 'y')", "w y; net https://h/x; open does more than its known calls say"),
            ("source('x.R') # unlink('a')", "r x.R; open runs a script"),
        ],
    );
}

#[test]
fn julia_and_elixir_calls() {
    check(
        Lang::Julia,
        &[
            ("run(`rm -r a`); rm(\"b\"; recursive=true)", "d b; $ rm -r a; open does more than its known calls say"),
            ("write(\"$d/x\", s)", "w «var»/x; open does more than its known calls say"),
        ],
    );
    check(
        Lang::Elixir,
        &[
            ("System.cmd(\"rm\", [\"-rf\", \"a\"])", "! rm -rf a; open does more than its known calls say"),
            ("File.rm_rf!(\"a\"); File.write(\"x#{n}\", s)", "d a; w x«var»; open does more than its known calls say"),
            (":os.cmd('rm a')", "$ rm a; open does more than its known calls say"),
        ],
    );
}

#[test]
fn tcl_commands() {
    check(
        Lang::Tcl,
        &[
            ("exec rm -r a", "! rm -r a; open does more than its known calls say"),
            ("spawn bash\nsend \"rm a b\\r\"", "! bash; $ rm a b\r; open does more than its known calls say"),
            ("if {1} { file delete -force a {b c} }", "d a; d b c; open does more than its known calls say"),
            ("set f [open out.txt w]; puts $f x", "w out.txt; open does more than its known calls say"),
            ("# exec rm a\nputs {exec rm b}", "! rm b; open does more than its known calls say"),
            ("exec $cmd", "open runs a computed command"),
        ],
    );
}

#[test]
fn apple_phrases() {
    check(
        Lang::AppleScript,
        &[
            (
                "do shell script \"rm a\" with administrator privileges",
                "$ rm a; open does more than its known calls say",
            ),
            ("display dialog \"do shell script\" -- do shell script \"x\"", "open does more than its known calls say"),
            ("tell app \"Terminal\" to do script \"make all\"", "$ make all; open does more than its known calls say"),
            ("do shell script \"rm \" & quoted form of p", "$ rm «var»; open does more than its known calls say"),
        ],
    );
}
