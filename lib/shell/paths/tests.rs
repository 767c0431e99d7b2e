use std::path::Path;

use super::{Op, locate, paths};
use crate::shell::read;

/// Paths of all parts as `W:/abs`, `?` where they are not certain.
fn show(command: &str) -> String {
    let read = read(command);
    let mut out = Vec::new();
    for part in &read.parts {
        for operand in paths(part) {
            let letter = match operand.op {
                Op::Read => 'R',
                Op::Write => 'W',
                Op::Delete => 'D',
                Op::List => 'L',
            };
            let at = locate(part, &operand, Path::new("/r"), Some(Path::new("/h")));
            let at = at.filter(|_| operand.sure);
            let at = at.map_or("?".to_owned(), |path| path.display().to_string());
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
        ("cp a b c; cp -t c a; mv a b; ln -s a b", "R:/r/a R:/r/b W:/r/c W:/r/c R:/r/a D:/r/a W:/r/b W:/r/b"),
        ("tee -a a; touch b; mkdir -p c/d; chmod +x e", "W:/r/a W:/r/b W:/r/c/d W:/r/e"),
        ("rm -rf a; rmdir b; truncate -s 0 c", "D:/r/a D:/r/b W:/r/c"),
        ("dd if=a of=b bs=1", "R:/r/a W:/r/b"),
        ("find a -delete; find -name x; find a -fprint b", "D:/r/a L:/r W:/r/b L:/r/a"),
        ("find a -exec rm {} +", "L:/r/a D:/r/a/**"),
        ("ls | xargs rm", "L:/r D:?"),
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
        ("rsync -a a b/; rsync a h:b; scp h:a b", "R:/r/a W:/r/b R:/r/a W:/r/b"),
        ("sort -o a b; uniq a b; split -l 1 a b", "W:/r/a R:/r/b R:/r/a W:/r/b R:/r/a W:/r/b"),
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
