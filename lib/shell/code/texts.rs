//! Tests of the readers of sed, awk, Perl, Ruby, PHP and SQL.

use super::{Found, Lang, Run, read};
use crate::call::Op;
use crate::shell::Arg;

/// A finding in short: `R:path`, `$ line`, `$ word|word`, `@ address`, `? why`.
fn short(found: &Found) -> String {
    let mut out = Vec::new();
    for path in &found.paths {
        let letter = match path.op {
            Op::Read => 'R',
            Op::Write => 'W',
            Op::Delete => 'D',
            Op::List => 'L',
        };
        out.push(format!("{letter}:{}", path.path.text));
    }
    for run in &found.runs {
        out.push(match run {
            Run::Text(line) => format!("$ {}", line.text),
            Run::Argv(words) => {
                format!("$ {}", words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join("|"))
            }
        });
    }
    out.extend(found.net.iter().map(|to| format!("@ {to}")));
    out.extend(found.open.map(|why| format!("? {why}")));
    if found.writes_base {
        out.push("!".to_owned());
    }
    out.join(" ")
}

#[track_caller]
fn check(lang: Lang, rows: &[(&str, &str)]) {
    let args = [Arg::literal("in.txt")];
    for (text, expected) in rows {
        let args = if lang == Lang::Sql { &[][..] } else { &args[..] };
        assert_eq!(short(&read(lang, &Arg::literal(*text), args)), *expected, "{text}");
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
            ("s|a|b|w out", "W:out"),
            ("/x/w out.txt", "W:out.txt"),
            ("/x/{s/a/b/;w out\n}", "W:out"),
            ("s/a/b/w /dev/stdout", ""),
            ("$r tail.txt", "R:tail.txt"),
            ("1R a\n2W b", "R:a W:b"),
            ("s/[/]w/x/;w f", "W:f"),
            ("\\,a/w b,d", ""),
            ("y/abc/wre/", ""),
            ("a\\\nw file\n1d", ""),
            ("1i e rm x", ""),
            ("a\\\none\\\nw two\nw three", "W:three"),
            ("e touch x", "$ touch x"),
            ("s/.*/date/e", "? runs its input"),
            ("1e", "? runs its input"),
            (":w out\nb w out", ""),
            ("# w x", ""),
            ("5!b;w rest", "W:rest"),
            ("s/a/b/gw f\ns/x/y/", "W:f"),
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
            ("{print > \"out\"}", "W:out"),
            ("{print $1, $2 >> \"out\"; next}", "W:out"),
            ("{ printf(\"%s\", $1) > \"o.txt\" }", "W:o.txt"),
            ("{print > $1\".txt\"}", "W:«var».txt"),
            ("{print > (\"a-\" $2)}", "W:a-«var»"),
            ("BEGIN{f = \"a\" \".txt\"} {print > f}", "W:a.txt"),
            ("{print > FILENAME \".bak\"}", "W:in.txt.bak"),
            ("{print | \"sort > s.txt\"}", "$ sort > s.txt"),
            ("BEGIN{print \"touch a\" | \"sh\"}", "$ sh $ touch a"),
            ("BEGIN { \"date\" | getline d; print d }", "$ date"),
            ("BEGIN { while ((getline l < \"list\") > 0) n++ }", "R:list"),
            ("BEGIN { system(\"rm \" \"x\") }", "$ rm x"),
            ("{ system($0) }", "? runs a computed command"),
            ("{ print (1 > 2) }", ""),
            ("/a > b/ { print }", ""),
            ("{ print \"a\" > \"/dev/stderr\" }", ""),
            ("# print > \"x\"\n{ print }", ""),
            ("@include \"lib.awk\"\n{ print }", "R:lib.awk ? runs a script"),
            ("{ print ENVIRON[\"HOME\"] > ENVIRON[\"HOME\"] \"/x\" }", "W:$HOME/x"),
            ("$3 / 2 > 1 { print $3 / 4 }", ""),
            ("NR>1{print >> \"n\" NR}", "W:n«var»"),
            ("{ f = ($1 > 2) ? \"a\" : \"b\"; print > f }", "W:a W:b"),
            ("{ print > ($1 ~ /x/ ? \"a\" : \"b\") \".txt\" }", "W:a.txt W:b.txt"),
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
            ("open(my $f, '>', 'a'); print $f 1", "W:a"),
            ("open my $f, '<', 'a' or die; open F, \">>b\"; open(G, 'c')", "R:a W:b R:c"),
            ("open(my $p, '-|', 'ls', '-l')", "$ ls|-l"),
            ("open(P, 'sort |'); open(Q, '| cat > x')", "$ sort $ cat > x"),
            ("unlink 'a', \"b\"; rename 'c', 'd'; mkdir('e', 0755)", "D:a D:b D:c W:d W:e"),
            ("for (qw(a b)) { unlink }", "D:a D:b"),
            ("for my $f ('a', 'b') { unlink \"$f.o\" }", "D:a.o D:b.o"),
            ("unlink $_ for qw(a b)", "D:a D:b"),
            ("unlink glob('*.o'); unlink <*.a>", "D:*.o D:*.a"),
            ("my $d = 'x'; my $f = $d . '/y'; open(F, '>', $f)", "W:x/y"),
            ("open(F, '>', $x)", "W:«var»"),
            ("open(F, '>', \\$buffer)", ""),
            ("system('rm', '-f', 'x'); system(\"ls > y\"); `date`", "$ rm|-f|x $ ls > y $ date"),
            ("exec $cmd", "? runs a computed command"),
            ("use File::Copy; copy('a', 'b'); move('c', 'd')", "R:a W:b D:c W:d"),
            ("use File::Path qw(remove_tree make_path); remove_tree('x', {safe => 1}); make_path('y')", "D:x W:y"),
            ("use Path::Tiny; path('a', 'b')->spew('x'); print path('c')->slurp", "W:a/b R:c"),
            ("open(F, '>', $ARGV[0]); open(G, '<', shift)", "W:in.txt R:in.txt"),
            ("unlink \"$ENV{HOME}/x\"", "D:$HOME/x"),
            ("print <<EOT;\nunlink 'x'\nEOT\nunlink 'y'", "D:y"),
            ("eval { 1 }; eval $x", "? runs computed code"),
            ("eval q(unlink 'x')", "D:x"),
            ("do 'lib.pl'; require Foo::Bar", "R:lib.pl ? runs a script"),
            ("s/(\\d+)/unlink($1)/e", "D:«var»"),
            ("=pod\n\nunlink 'x'\n\n=cut\n\nunlink 'y'", "D:y"),
            ("my %h = (unlink => 1); print $h{unlink} > 0", ""),
            ("m{unlink 'x'}; tr/a-z/b-y/; s{'}{\"}", ""),
            ("while (<>) { print }", "R:in.txt"),
            ("use LWP::Simple; getstore('http://h/x', 'y')", "W:y @ http://h/x"),
            ("chdir 'd'; unlink 'x'", "D:d/x"),
            ("@ARGV = ('a'); $^I = '.old'; while (<>) { print }", "W:a W:a.old"),
            ("local ($^I, @ARGV) = ('.old', 'a', 'b'); while (<>) { print }", "W:a W:b W:a.old W:b.old"),
            ("my ($p) = @ARGV; open(F, '>', $p); open(G, '<', $ARGV[0])", "W:in.txt R:in.txt"),
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
            ("File.write('a', 'x'); puts File.read(\"b\")", "W:a R:b"),
            ("File.open('a', 'w') { |f| f.write('x') }", "W:a"),
            ("File.open('a') { |f| f.read }; open('b', 'a')", "R:a W:b"),
            ("File.open('a', File::WRONLY | File::CREAT)", "W:a"),
            ("require 'fileutils'; FileUtils.rm_rf('x'); FileUtils.cp 'a', 'b'", "D:x R:a W:b"),
            ("FileUtils.mv('a', 'b'); FileUtils.mkdir_p(\"c/d\"); FileUtils.rm_rf %w[e f]", "D:a W:b W:c/d D:e D:f"),
            ("Dir['*.o'].each { |f| File.delete(f) }", "D:*.o"),
            ("Dir.glob('t/*.rb').sort.each do |f|\n  File.write(f, 1)\nend", "W:t/*.rb"),
            ("%w(a b).each { |n| File.unlink(\"#{n}.o\") }", "D:a.o D:b.o"),
            ("d = 'x'\nf = File.join(d, 'y')\nFile.write(f, <<~EOS)\n  File.delete('q')\nEOS", "W:x/y"),
            ("system('rm', '-f', 'x'); system(\"ls > y\"); `date`; %x(pwd)", "$ rm|-f|x $ ls > y $ date $ pwd"),
            ("system(cmd)", "? runs a computed command"),
            ("require 'open3'; o, s = Open3.capture2e('git', 'gc')", "$ git|gc"),
            ("IO.popen(['ls', '-l']) { |io| io.read }", "$ ls|-l"),
            ("File.write(ARGV[0], ENV['HOME'])", "W:in.txt"),
            ("File.delete(\"#{ENV['HOME']}/x\")", "D:$HOME/x"),
            ("eval('File.delete(\"x\")'); eval(gets)", "D:x R:in.txt ? runs computed code"),
            ("require 'json'; require_relative 'lib'", "R:lib ? runs a script"),
            ("require 'pathname'; Pathname.new('a').write('x'); Pathname('b').delete", "W:a D:b"),
            ("'abc'.delete('b'); x = 1; x.write(2)", ""),
            ("require 'net/http'; Net::HTTP.get(URI('https://h/x'))", "@ https://h/x"),
            ("s = \"a\" + \".txt\"\nFile.write s, 1 if s", "W:a.txt"),
            ("puts 4 / 2; puts %q(File.delete('x'))", ""),
            ("File.foreach('a') { |l| puts l }; CSV.foreach(\"b\") do |r| end", "R:a R:b"),
            ("require 'pathname'; (Pathname.new('d') + 'x').write('y')", "W:d/x W:dx"),
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
            ("file_put_contents('a', 'x'); echo file_get_contents(\"b\");", "W:a R:b"),
            ("$f = fopen('a', 'w'); $g = fopen('b', 'r'); fwrite($f, 1);", "W:a R:b"),
            ("unlink('a'); rename('b', 'c'); copy('d', 'e'); mkdir('f');", "D:a D:b W:c R:d W:e W:f"),
            ("$d = 'x'; file_put_contents($d . '/y', 1); unlink(\"$d/z\"); unlink(\"{$d}q\");", "W:x/y D:x/z D:xq"),
            ("foreach (glob('*.o') as $f) unlink($f);", "D:*.o"),
            ("foreach (['a', 'b'] as $k => $f) { unlink($f); }", "D:a D:b"),
            ("array_map('unlink', glob('*.tmp'));", "D:*.tmp"),
            ("exec('rm -f x'); shell_exec($c); `ls`;", "$ rm -f x $ ls ? runs a computed command"),
            ("include 'lib.php';", "R:lib.php ? runs a script"),
            ("unlink($argv[1]); unlink(getenv('HOME') . '/x'); touch(__DIR__ . '/y');", "D:in.txt D:$HOME/x W:./y"),
            ("echo file_get_contents('https://h/x');", "@ https://h/x"),
            ("$c = curl_init('https://h/y'); curl_exec($c);", "@ https://h/y"),
            ("fopen('php://stdin', 'r');", ""),
            ("<p>unlink('x')</p><?php unlink('y'); ?> unlink('z')", "D:y"),
            ("$x = <<<EOT\nunlink('a')\nEOT;\nunlink('b');", "D:b"),
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
            ("create table t(x); insert into t values(1)", "!"),
            ("with a as (select 1) insert into t select * from a", "!"),
            ("with a as (select 1) select replace(x, 'a', 'b') from a", ""),
            ("pragma table_info(t)", ""),
            ("pragma journal_mode = wal", "!"),
            (".output dump.sql\n.dump", "W:dump.sql"),
            (".once '|sort > x'\nselect 1;", "$ sort > x"),
            (".mode csv\n.headers on\nselect 1;", ""),
            (".import data.csv t", "R:data.csv !"),
            (".read init.sql", "R:init.sql ? runs a script !"),
            (".backup b.db", "W:b.db"),
            (".shell ls -l", "$ ls -l"),
            ("vacuum into 'copy.db'", "W:copy.db"),
            ("attach 'other.db' as o; select * from o.t", "R:other.db"),
            ("attach 'other.db' as o; delete from o.t", "W:other.db !"),
            ("select writefile('o.bin', x) from t", "W:o.bin"),
            ("select readfile('i.bin')", "R:i.bin"),
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

const ALL: [Lang; 6] = [Lang::Sed, Lang::Awk, Lang::Perl, Lang::Ruby, Lang::Php, Lang::Sql];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(400))]
    #[test]
    fn any_text_has_an_answer(text in any_text()) {
        for lang in ALL {
            read(lang, &Arg::literal(text.as_str()), &[Arg::literal("x")]);
        }
    }
}

#[test]
fn hostile_texts_have_an_answer() {
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
        for lang in ALL {
            read(lang, &text, &[]);
        }
    }
}

#[test]
fn lua_calls() {
    check(
        Lang::Lua,
        &[
            ("os.execute('rm a') -- os.remove('b')", "$ rm a ? does more than its known calls say"),
            ("--[[ os.remove('b') ]] print(\"os.remove('c')\")", "? does more than its known calls say"),
            ("io.open('a', 'w'):write(x) io.open(\"b\")", "W:a R:b ? does more than its known calls say"),
            ("os.rename('a', 'b' .. n)", "D:a W:b«var» ? does more than its known calls say"),
            ("os.execute(line)", "? runs a computed command"),
            ("os.remove [[a b]]", "D:a b ? does more than its known calls say"),
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
                "D:b D:c $ rm a ? does more than its known calls say",
            ),
            (
                "write.csv(d, file = 'a.csv'); x <- read.csv('b.csv')",
                "W:a.csv R:b.csv ? does more than its known calls say",
            ),
            ("cat('x', file = 'out'); cat('unlink(1)')", "W:out ? does more than its known calls say"),
            ("system2('rm', c('-r', 'a'))", "$ rm|-r|a ? does more than its known calls say"),
            ("download.file('https://h/x', 'y')", "W:y @ https://h/x ? does more than its known calls say"),
            ("source('x.R') # unlink('a')", "R:x.R ? runs a script"),
        ],
    );
}

#[test]
fn julia_and_elixir_calls() {
    check(
        Lang::Julia,
        &[
            ("run(`rm -r a`); rm(\"b\"; recursive=true)", "D:b $ rm -r a ? does more than its known calls say"),
            ("write(\"$d/x\", s)", "W:«var»/x ? does more than its known calls say"),
        ],
    );
    check(
        Lang::Elixir,
        &[
            ("System.cmd(\"rm\", [\"-rf\", \"a\"])", "$ rm|-rf|a ? does more than its known calls say"),
            ("File.rm_rf!(\"a\"); File.write(\"x#{n}\", s)", "D:a W:x«var» ? does more than its known calls say"),
            (":os.cmd('rm a')", "$ rm a ? does more than its known calls say"),
        ],
    );
}

#[test]
fn tcl_commands() {
    check(
        Lang::Tcl,
        &[
            ("exec rm -r a", "$ rm|-r|a ? does more than its known calls say"),
            ("spawn bash\nsend \"rm a b\\r\"", "$ bash $ rm a b\r ? does more than its known calls say"),
            ("if {1} { file delete -force a {b c} }", "D:a D:b c ? does more than its known calls say"),
            ("set f [open out.txt w]; puts $f x", "W:out.txt ? does more than its known calls say"),
            ("# exec rm a\nputs {exec rm b}", "$ rm|b ? does more than its known calls say"),
            ("exec $cmd", "? runs a computed command"),
        ],
    );
}

#[test]
fn apple_phrases() {
    check(
        Lang::AppleScript,
        &[
            ("do shell script \"rm a\" with administrator privileges", "$ rm a ? does more than its known calls say"),
            ("display dialog \"do shell script\" -- do shell script \"x\"", "? does more than its known calls say"),
            ("tell app \"Terminal\" to do script \"make all\"", "$ make all ? does more than its known calls say"),
            ("do shell script \"rm \" & quoted form of p", "$ rm «var» ? does more than its known calls say"),
        ],
    );
}
