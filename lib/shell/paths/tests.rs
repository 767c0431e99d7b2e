use std::path::Path;

use super::{Op, collapse, locate, touched};
use crate::shell::{Part, read};

/// As [`show`], and why a part is open.
pub(super) fn show_open(command: &str) -> String {
    let mut out = show(command);
    for part in &read(command).parts {
        if let Some(open) = touched(part).open {
            out.push_str(if out.is_empty() { "!" } else { " !" });
            out.push_str(&open);
        }
    }
    out
}

/// Paths of all parts as `W:/abs`, `?` where they are not certain.
fn show(command: &str) -> String {
    let read = read(command);
    let mut out = Vec::new();
    for part in &read.parts {
        for operand in touched(part).operands {
            let letter = match operand.op {
                Op::Read => 'R',
                Op::Write => 'W',
                Op::Delete => 'D',
                Op::List => 'L',
            };
            let at = locate(part, &operand, Path::new("/r"), Some(Path::new("/h")));
            let at = at.filter(|_| operand.sure);
            let at = at.map_or("?".to_owned(), |path| collapse(&path).display().to_string());
            out.push(format!("{letter}:{at}"));
        }
    }
    out.join(" ")
}

#[test]
fn paths_are_found() {
    for (command, expected) in [
        ("echo a > b 2>&1 < c", "W:/r/b R:/r/c"),
        ("echo a >& b; echo >/dev/null 2>>/dev/stderr", "W:/r/b"),
        ("F=b; echo a > $F; echo > $G", "W:/r/b W:?"),
        ("cat a ~/b \"$HOME/c\" $d - *.e", "R:/r/a R:/h/b R:/h/c R:? R:/r/*.e"),
        ("grep -r x a; grep -e x a; grep x", "R:/r/a R:/r/a"),
        ("sed s/x/y/ a; sed -i s/x/y/ a; sed --in-p=.b -e p a", "R:/r/a W:/r/a W:/r/a W:/r/a.b"),
        (
            "cp a b c; cp -t c a; mv a b; ln -s a b",
            "R:/r/a R:/r/b W:/r/c/a W:/r/c/b R:/r/a W:/r/c/a D:/r/a W:/r/b W:/r/b",
        ),
        ("tee -a a; touch b; mkdir -p c/d; chmod +x e", "W:/r/a W:/r/b W:/r/c/d W:/r/e"),
        ("rm -rf a; rmdir b; truncate -s 0 c", "D:/r/a D:/r/b W:/r/c"),
        ("dd if=a of=b bs=1", "R:/r/a W:/r/b"),
        ("find a -delete; find -name x; find a -fprint b", "D:/r/a W:/r/b L:/r/a"),
        ("find a -fprintf b '%p' -print; find a -fls b", "W:/r/b L:/r/a W:/r/b L:/r/a"),
        ("find a -exec rm {} +", "L:/r/a D:/r/a"),
        ("ls | xargs rm", "D:?"),
        ("tar xf a -C b; tar czf a b; tar tf a", "R:/r/a W:/r/b W:/r/a R:/r/b R:/r/a"),
        ("curl -o a u; curl -O u/b; wget -O c u", "W:/r/a W:/r/b W:/r/c"),
        ("git -C s add a; git rm b; git mv c d", "R:/r/s/a D:/r/b D:/r/c W:/r/d"),
        ("git checkout x; git checkout -- a; git restore b", "W:/r/a W:/r/b"),
        ("cd s && touch a; cd /t; touch b", "L:/r/s W:/r/s/a L:/t W:/t/b"),
        ("cd $x; touch a /b", "L:? W:? W:/b"),
        ("env -C s touch a", "W:/r/s/a"),
        ("ssh h touch /a", "W:?"),
        ("touch ../a ./b/../c", "W:/a W:/r/c"),
        ("awk '{print}' v=1 a; awk -i inplace 1 a", "R:/r/a W:/r/a"),
        ("jq --arg a b .x c; python3 a.py b; bash s x", "R:/r/c R:/r/a.py R:/r/s"),
        ("rsync -a a b/; rsync a h:b; scp h:a b", "R:/r/a W:/r/b/a R:/r/a W:/r/b"),
        ("sort -o a b; uniq a b; split -l 1 a b", "W:/r/a R:/r/b R:/r/a W:/r/b R:/r/a W:/r/b??"),
        ("A=~/x; rm $A; rm $PWD/y", "D:/h/x D:/r/y"),
        ("touch ~root/a", "W:?"),
        ("for f in a b; do touch $f.c k; done", "W:/r/a.c W:/r/k W:/r/b.c"),
        ("for d in a b; do (cd $d; echo > x); done", "L:/r/a L:/r/b W:/r/a/x W:/r/b/x"),
        ("for f in s/*.c; do rm \"$f\"; done", "D:/r/s/*.c"),
        (
            "for i in {1..3}; do for j in a b; do touch $i$j; done; done",
            "W:/r/1a W:/r/1b W:/r/2a W:/r/2b W:/r/3a W:/r/3b",
        ),
        ("for f in a $x; do touch $f; done", "W:?"),
        ("for f in a b; do touch $g; done", "W:?"),
    ] {
        assert_eq!(show(command), expected, "{command}");
    }
}

#[test]
fn copies_name_what_they_make() {
    for (command, expected) in [
        ("cp a.txt b/", "R:/r/a.txt W:/r/b/a.txt"),
        ("cp x/a.txt .", "R:/r/x/a.txt W:/r/a.txt"),
        ("cp a/*.c b/", "R:/r/a/*.c W:/r/b/*.c"),
        ("cp $x b/", "R:? W:/r/b"),
        ("cp -r src/. out", "R:/r/src W:/r/out"),
        ("cp --parents a/b/c out/", "R:/r/a/b/c W:/r/out/a/b/c"),
        ("cp -S .old -b a b", "R:/r/a W:/r/b.old W:/r/b"),
        ("cp --backup=t a b", "R:/r/a W:/r/b.~*~ W:/r/b"),
        ("cp --backup=none a b", "R:/r/a W:/r/b"),
        ("cp -l a b; cp -s a c", "L:/r/a W:/r/b L:/r/a W:/r/c"),
        ("mv -t out a b/c", "D:/r/a D:/r/b/c W:/r/out/a W:/r/out/c"),
        ("ln -s ../x/a; ln -s a b c/", "W:/r/a W:/r/c/a W:/r/c/b"),
        ("install -d a b; install -D a b/c", "W:/r/a W:/r/b R:/r/a W:/r/b/c"),
        ("git mv a b; git mv -n a b", "D:/r/a W:/r/b L:/r/a L:/r/b"),
        ("rsync -a a/ b; rsync -a a b/; rsync -n a b", "R:/r/a W:/r/b R:/r/a W:/r/b/a L:/r/a"),
        ("rsync -a --delete a b/", "R:/r/a W:/r/b"),
        ("scp h:x/a .; scp a h:", "W:/r/a R:/r/a"),
        ("xargs cp -t out < l", "R:/r/l R:? W:/r/out"),
    ] {
        assert_eq!(show(command), expected, "{command}");
    }
}

#[test]
fn archives_say_what_they_make() {
    for (command, expected) in [
        ("tar -C a -cf b c -C d e", "W:/r/b R:/r/a/c R:/r/a/d/e"),
        ("tar xf a b/c -C d", "R:/r/a W:/r/d/b/c"),
        ("tar xf a --strip-components=1 b -C d", "R:/r/a W:/r/d"),
        ("tar cf a --remove-files b; tar xOf a b", "W:/r/a D:/r/b R:/r/a"),
        ("zip -m a b; zip -r c.zip d -x e f", "W:/r/a.zip D:/r/b W:/r/c.zip R:/r/d"),
        ("unzip a b; unzip a.zip -d c; unzip -l a.zip", "R:/r/a.zip W:/r/b R:/r/a.zip W:/r/c R:/r/a.zip"),
        ("gzip a; gzip -d a.gz; gunzip -k b.tgz", "D:/r/a W:/r/a.gz D:/r/a.gz W:/r/a R:/r/b.tgz W:/r/b.tar"),
        ("gzip -c a; xz -k a; zstd a; zstd a -o b", "R:/r/a R:/r/a W:/r/a.xz R:/r/a W:/r/a.zst R:/r/a W:/r/b"),
        ("7z x a.7z -oout b; 7z a c.7z d", "R:/r/a.7z W:/r/out/b W:/r/c.7z R:/r/d"),
        ("ar rcs a b c; ar t a", "W:/r/a R:/r/b R:/r/c R:/r/a"),
        ("cpio -pd a; cpio -o -F b; cpio -i -D c", "W:/r/a W:/r/b W:/r/c"),
    ] {
        assert_eq!(show(command), expected, "{command}");
    }
}

#[test]
fn what_is_found_is_handed_on() {
    for (command, expected) in [
        ("find a -name '*.o' -delete", "D:/r/a/**/*.o"),
        ("find a -maxdepth 1 -type f -delete", "D:/r/a/*"),
        ("find a \\( -name '*.o' -o -name '*.d' \\) -delete", "D:/r/a/**/*.o D:/r/a/**/*.d"),
        ("find a -name '*.o' -o -size 1 -delete", "D:/r/a"),
        ("find a ! -path b -name '*.c' -exec sed -i s/x/y/ {} +", "L:/r/a W:/r/a/**/*.c"),
        ("find a -name '*.c' -exec cp {} {}.old ';'", "L:/r/a R:/r/a/**/*.c W:/r/a/**/*.c.old"),
        ("find a -iname x.c | xargs rm", "L:/r/a D:/r/a/**/[xX].[cC]"),
        ("grep -rl x a | xargs sed -i s/x/y/", "R:/r/a W:/r/a"),
        ("ls *.log | tail -n +3 | xargs -I{} mv {} {}.old", "L:/r/*.log D:/r/*.log W:/r/*.log.old"),
        ("cat l | xargs rm", "R:/r/l D:?"),
        ("printf 'a\\nb\\n' | xargs -I{} cp {} {}.old", "R:/r/a W:/r/a.old R:/r/b W:/r/b.old"),
        ("seq 2 | xargs -I N touch x-N", "W:/r/x-1 W:/r/x-2"),
        ("echo a | tee >(cat > b)", "W:/r/b"),
    ] {
        assert_eq!(show(command), expected, "{command}");
    }
}

#[test]
fn single_programs() {
    for (command, expected) in [
        (
            "patch -p1 <<'E'\n--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/d/y\n@@ -0,0 +1 @@\n+z\nE",
            "W:/r/x.c W:/r/d/y",
        ),
        ("patch a b; patch -o c a b; patch --dry-run a b", "R:/r/b W:/r/a R:/r/b R:/r/a W:/r/c R:/r/b R:/r/a"),
        ("ed -s a <<'E'\n1d\nw\nq\nE", "W:/r/a"),
        ("ed -s a <<< ',p'", "R:/r/a"),
        ("vim -es -c '%s/a/b/' -c wq a; vim -es -c 'w b' -c q! a", "W:/r/a W:/r/b R:/r/a"),
        ("ex -s '+%s/a/b/|x' a; vim a", "W:/r/a W:/r/a"),
        ("split -l 2 a; split -a 3 a b-; csplit -f c a /x/", "R:/r/a W:/r/x?? R:/r/a W:/r/b-??? R:/r/a W:/r/c??"),
        ("rmdir -p a/b; shred a; shred -u a", "D:/r/a/b D:/r/a W:/r/a D:/r/a"),
        ("mktemp -p a b.XXX; mktemp; mktemp -u x.XXX", "W:/r/a/b.???"),
        ("sed -i'o_*' s/x/y/ a", "W:/r/a W:/r/o_a"),
        ("gawk -i inplace -v INPLACE_SUFFIX=.old 1 a", "W:/r/a W:/r/a.old"),
        ("test -f a && [ b -nt c ]; [ -n x -a -e d ]", "L:/r/a L:/r/b L:/r/c L:/r/d"),
        ("chmod -x a; chmod -R 755 b", "W:/r/a W:/r/b"),
        ("curl -sO file:///x/y; curl -F f=@a -d @b u", "R:/x/y W:/r/y R:/r/a R:/r/b"),
        ("curl --output-dir d -o a u; wget -P d http://h/a/b?c", "W:/r/d/a W:/r/d/b?c"),
        ("wget http://h; iconv -f a -t b c -o d", "W:/r/index.html W:/r/d R:/r/c"),
        ("gpg -e a; gpg -o b -d a; ssh-keygen -t rsa -f k", "R:/r/a W:/r/a.gpg W:/r/b R:/r/a W:/r/k W:/r/k.pub"),
        ("openssl dgst -sha256 a; jq --args .x a", "R:/r/a"),
        ("./x.sh a; bin/tool", "R:/r/x.sh R:/r/bin/tool"),
        ("git rm 'a/*.c'; python3 -m json.tool a b; sqlite3 :memory: 1", "D:/r/a/*.c R:/r/a W:/r/b"),
        ("readlink -f a; stat -c %s b; wc -l c", "L:/r/a L:/r/b R:/r/c"),
    ] {
        assert_eq!(show(command), expected, "{command}");
    }
}

#[test]
fn names_are_replaced_or_followed() {
    let entry = |command: &str| {
        let read = read(command);
        let part = read.parts.first().into_iter();
        let all = part.flat_map(|part| touched(part).operands);
        all.filter(|operand| operand.op == Op::Write).map(|operand| operand.entry).collect::<Vec<_>>()
    };
    for command in ["sed -i s/x/y/ a", "mv a b", "ln -sf a b", "install a b", "cp --remove-destination a b"] {
        assert_eq!(entry(command), [true], "{command}");
    }
    for command in ["cp a b", "tee a", "touch a", "echo > a", "sed -i --follow-symlinks s/x/y/ a", "truncate -s 0 a"] {
        assert_eq!(entry(command), [false], "{command}");
    }
}

#[test]
fn what_is_more_than_paths_is_open() {
    let open = |command: &str| {
        let read = read(command);
        read.parts.first().and_then(|part| touched(part).open.map(std::borrow::Cow::into_owned))
    };
    for (command, why) in [
        ("nosuch a", Some("unknown program")),
        ("nosuch --version", None),
        ("./x", Some("runs a script")),
        ("patch -p1 < a", Some(super::PATCH)),
        ("patch a b", None),
        ("curl -OJ u", Some("the server names the file")),
        ("uptime", None),
        ("cp a b", None),
    ] {
        assert_eq!(open(command).as_deref(), why, "{command}");
    }
}

#[test]
fn odd_spellings_of_common_programs() {
    for (command, expected) in [
        ("node -pe 'require(\"fs\").writeFileSync(\"k\", 1)'", "W:/r/k"),
        ("sed -i '' k; sed -i '' s/a/b/ l; sed -i '' -e p m", "W:/r/k W:/r/l W:/r/m"),
        ("touch -h k; dos2unix -n k l; unix2dos m", "W:/r/k R:/r/k W:/r/l W:/r/m"),
        ("flock l touch k; flock -n 9; flock d/l -c 'touch m'", "W:/r/l W:/r/k W:/r/d/l W:/r/m"),
        ("patch --dry-run -p1 < k", "R:/r/k"),
        ("pee 'cat > k' 'sort > l'; logger k", "W:/r/k W:/r/l"),
        ("find s -execdir touch k {} +", "L:/r/s W:? W:?"),
        ("exec {f}>k; echo x >&$f; exec {f}>&-", "W:/r/k"),
        ("coproc cat > k; echo x >&${COPROC[1]}", "W:/r/k"),
        ("find s -name '*.c' | cpio -o > k", "L:/r/s W:/r/k R:/r/s/**/*.c"),
        (
            "printf 'a\\nb\\n' | tar cf k -T -; printf 'c\\n' | zip -q l.zip -@",
            "W:/r/k R:/r/a R:/r/b W:/r/l.zip R:/r/c",
        ),
        ("BASH_ENV=k bash -c 'touch l'; BASH_ENV= bash -c ls", "R:/r/k W:/r/l !runs a script"),
        ("parallel rm -- k l; parallel -i cp {} {}.b -- m n", "D:/r/k D:/r/l R:/r/m W:/r/m.b R:/r/n W:/r/n.b"),
        ("parallel -i sh -c 'echo {} > {}.o' -- k l", "W:/r/k.o W:/r/l.o"),
        ("nice xargs rm <<< k", "D:/r/k"),
        ("ctags -R s; ctags -f k s; etags l", "R:/r/s W:/r/tags W:/r/k R:/r/s R:/r/l W:/r/TAGS"),
        ("rsync -b --suffix=.o k l.c; rsync -b k l.c", "R:/r/k W:/r/l.c.o W:/r/l.c R:/r/k W:/r/l.c~ W:/r/l.c"),
        ("rsync -a --backup-dir=o k d/l.c", "R:/r/k W:/r/d/o W:/r/d/l.c"),
        ("shopt -s extglob\nrm d/!(k|l).o; cp @(k|l).c m/", "D:/r/d/*.o R:/r/*.c W:/r/m/*.c"),
        ("sqlite3 k <<'E'\n.import --csv --skip 1 l t\nE", "W:/r/k R:/r/l"),
        ("printf 'touch k\n' > s; bash < s", "W:/r/s R:/r/s W:/r/k"),
        ("source ./.env && touch k", "R:/r/.env W:/r/k"),
    ] {
        let shown = show_open(command);
        assert_eq!(shown, expected, "{command}");
    }
}

#[test]
fn names_that_a_command_prints_are_followed() {
    for (command, expected) in [
        // Handed to a shell text as a parameter.
        ("find s -name '*.c' -exec sh -c 'mv \"$1\" \"${1%.c}.d\"' _ {} \\;", "L:/r/s D:/r/s/**/*.c W:/r/s/**/*.d"),
        ("find s -name '*.c' -exec bash -c 'rm \"$0\"' {} \\;", "L:/r/s D:/r/s/**/*.c"),
        (
            "find s t -name '*.c' -exec sh -c 'for f do rm \"$f\"; done' _ {} +",
            "L:/r/s L:/r/t D:/r/s/**/*.c D:/r/t/**/*.c",
        ),
        ("ls d/*.c | xargs -n1 sh -c 'wc -l \"$0\" > \"$0.n\"'", "L:/r/d/*.c W:/r/d/*.c.n R:/r/d/*.c"),
        // What is made of an input that is put in later.
        ("ls d/*.c | xargs -I% sh -c 'echo > \"o/$(basename \"%\").n\"'", "L:/r/d/*.c W:/r/o/*.c.n"),
        ("ls d/*.c | xargs -I% sh -c 'f=%; echo > \"${f%.c}.o\"'", "L:/r/d/*.c W:?"),
        // Read by a loop.
        ("find s -name '*.c' | while read -r f; do rm \"$f\"; done", "L:/r/s D:/r/s/**/*.c"),
        ("while IFS= read -r -d '' f; do rm \"$f\"; done < <(find s -name '*.o' -print0)", "D:/r/s/**/*.o L:/r/s"),
        ("git ls-files 's/*.c' t/u.c | while read f; do rm \"$f\"; done", "D:/r/s/**/*.c D:/r/t/u.c"),
        ("find s -name '*.c' | while read f rest; do rm \"$f\"; done", "L:/r/s D:?"),
        ("find s -name '*.c' | while read f; do read g < k; rm \"$g\"; done", "L:/r/s R:/r/k D:?"),
        ("find s -name '*.c' | sed s/c/d/ | while read f; do rm \"$f\"; done", "L:/r/s D:?"),
        ("find . | while read f; do rm \"$f\"; done", "L:/r D:?"),
        // Put in for a substitution.
        ("rm $(find s -name '*.o')", "D:/r/s/**/*.o L:/r/s"),
        ("for f in $(grep -rl x s --include='*.c'); do rm \"$f\"; done", "R:/r/s D:/r/s/**/*.c"),
        ("f=$(ls -t l/*.log | head -1); rm \"$f\"", "L:/r/l/*.log D:/r/l/*.log"),
        ("rm $(ls); rm \"$(find s t -name '*.o')\"", "D:? D:? L:/r/s L:/r/t"),
        // Behind others.
        ("git grep -l x -- '*.c' | xargs rm", "R:/r/*.c D:/r/**/*.c"),
        ("find s -name '*.c' | xargs grep -l x | xargs rm", "L:/r/s R:/r/s/**/*.c D:/r/s/**/*.c"),
        ("find s -name '*.c' -exec grep -l x {} + | xargs rm", "L:/r/s R:/r/s/**/*.c D:/r/s/**/*.c"),
    ] {
        assert_eq!(show(command), expected, "{command}");
    }
}

#[test]
fn names_that_a_command_prints_are_globs() {
    for (command, expected) in [
        ("find a -name '*.c' | while read -r f; do cp \"$f\" \"$f.o\"; done", "R:/r/a/**/*.c W:/r/a/**/*.c.o"),
        ("while IFS= read -r -d '' f; do rm \"$f\"; done < <(find a -name '*.c' -print0)", "D:/r/a/**/*.c"),
        ("ls a/*.c | sort | while read f; do touch b/$(basename $f .c).o; done", "W:/r/b/*.o"),
        ("grep -rl x src | while read f; do sed -i s/x/y/ \"$f\"; done", "W:/r/src/**"),
        ("for f in $(find a -name '*.c'); do rm $f; done", "D:/r/a/**/*.c"),
        ("for f in $(git ls-files 'a/*.c'); do rm $f; done", "D:/r/a/**/*.c"),
        ("x=$(ls a/*.c); rm $x", "D:/r/a/*.c"),
        ("mapfile -t x < <(find a -name '*.c'); rm \"${x[@]}\"", "D:/r/a/**/*.c"),
        ("find a -name '*.c' -exec sh -c 'mv \"$1\" \"${1%.c}.o\"' _ {} \\;", "D:/r/a/**/*.c W:/r/a/**/*.o"),
        ("find a -name '*.c' -print0 | xargs -0 sh -c 'for f; do rm \"$f\"; done' _", "D:/r/a/**/*.c"),
        ("for f in a/*.c; do rm \"${f%.*}.o\" \"${f/a/b}\" \"x.${f##*.}\"; done", "D:/r/a/*.o D:/r/b/*.c D:/r/x.c"),
        // Lines of a file, or of many programs, are names of which nothing is known.
        ("cat a | while read -r f; do rm \"$f\"; done", "D:?"),
        ("find . -type f | while read -r f; do rm \"$f\"; done", "D:?"),
        ("echo \"$(ls *.c) x\" > b", "W:/r/b"),
    ] {
        let shown = show(command);
        let shown = shown.split(' ').filter(|path| !path.starts_with("L:") && !path.starts_with("R:/r/src"));
        let shown: Vec<&str> =
            shown.filter(|path| *path != "R:/r/a" && (command.contains("cp ") || !path.starts_with("R:"))).collect();
        assert_eq!(shown.join(" "), expected, "{command}");
    }
}

#[test]
fn programs_find_what_the_line_gives_them() {
    for (command, expected) in [
        ("X=a python3 -c \"import os; open(os.environ['X'], 'w')\"", "W:/r/a"),
        ("export X=a; python3 -c \"import os; open(os.getenv('X', 'b'), 'w')\"", "W:/r/a"),
        ("X=a; python3 -c \"import os; open(os.getenv('X', 'b'), 'w')\"", "W:? W:/r/b"),
        ("X=a node -e \"require('fs').writeFileSync(process.env.X, '')\"", "W:/r/a"),
        ("env X=a perl -e 'unlink $ENV{X}'; X=b ruby -e 'File.delete(ENV[\"X\"])'", "D:/r/a D:/r/b"),
        ("X=a awk 'BEGIN { print 1 > ENVIRON[\"X\"] }'; X=b php -r 'unlink(getenv(\"X\"));'", "W:/r/a D:/r/b"),
        ("node - a <<'E'\nrequire('fs').writeFileSync(process.argv[2], '')\nE", "W:/r/a"),
        ("node -e \"require('fs').writeFileSync(process.argv[1], '')\" a", "W:/r/a"),
        (
            "php -r 'copy($argv[1], $argv[2]);' a b; perl -e 'rename $ARGV[0], $ARGV[1]' c d",
            "R:/r/a W:/r/b D:/r/c W:/r/d",
        ),
        ("echo '{ print > \"o\" }' > p.awk; awk -f p.awk", "W:/r/p.awk R:/r/p.awk W:/r/o"),
        ("echo 'w o' > p.sed; sed -n -f p.sed a", "W:/r/p.sed R:/r/p.sed R:/r/a W:/r/o"),
    ] {
        assert_eq!(show(command), expected, "{command}");
    }
}

#[test]
fn very_many_short_names_are_too_many() {
    let open = |command: &str| {
        let read = read(command);
        let touched = touched(read.parts.first().unwrap_or(&Part::default()));
        (touched.operands.len(), touched.open.map(std::borrow::Cow::into_owned))
    };
    assert_eq!(open(&format!("rm{}", " a".repeat(500))), (500, None));
    let (found, why) = open(&format!("rm{}", " a".repeat(5_000)));
    assert!(found < 2_000 && why.is_some_and(|why| why.starts_with("bound: ")), "{found}");
    assert_eq!(open(&format!("rm{}", " some/folder/a.txt".repeat(5_000))), (5_000, None));
}
