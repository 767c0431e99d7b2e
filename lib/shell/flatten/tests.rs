#![expect(clippy::panic, reason = "a test may stop at what it did not expect")]

use super::read;
use crate::shell::dynamic::Dynamic;
use crate::shell::part::Part;

/// Parts as `ctx: words`, words joined by `|`, certain values put in.
fn lines(command: &str) -> Vec<String> {
    read(command).parts.iter().map(line).collect()
}

fn line(part: &Part) -> String {
    let words: Vec<&str> = part.words().iter().map(|word| word.text.as_str()).collect();
    match part.ctx.is_empty() {
        true => words.join("|"),
        false => format!("{}: {}", part.ctx.join(" > "), words.join("|")),
    }
}

#[track_caller]
fn check(command: &str, expected: &[&str]) {
    assert_eq!(lines(command), expected, "{command}");
}

/// The folder of the last part; `?` if unknown.
#[track_caller]
fn place(command: &str, expected: &str) {
    let read = read(command);
    let Some(last) = read.parts.last() else { panic!("no part: {command}") };
    let found = if last.cwd_unknown { "?" } else { last.cwd.as_deref().unwrap_or("") };
    assert_eq!(found, expected, "{command}");
}

#[test]
fn parts_come_in_reading_order_with_their_context() {
    check("ls a | wc -l && pwd", &["pipe 1/2: ls|a", "pipe 2/2: wc|-l", "pwd"]);
    check("mkdir \"$(date +%F)\"", &["mkdir|«sub»", "cmdsub: date|+%F"]);
    check("for x in 1 2; do (touch a); done", &["for > subshell: touch|a"]);
    check("while read l; do cat; done < list", &["while: read|l", "while: cat", "while: "]);
    check("diff <(sort a) b", &["diff|«proc»|b", "procsub: sort|a"]);
    check("go() { ls; }", &["func go: ls"]);
}

#[test]
fn joints_and_feeding_parts() {
    let read = read("a && b | { c; d; } || e & f");
    let by: Vec<&str> = read.parts.iter().map(|part| part.by.as_ref()).collect();
    assert_eq!(by, ["", "&&", "|", ";", "||", "&"]);
    let from: Vec<&[u32]> = read.parts.iter().map(|part| part.from.as_slice()).collect();
    assert_eq!(from, [&[][..], &[], &[1], &[1], &[], &[]]);
}

#[test]
fn wrappers_are_parts_and_are_seen_through() {
    check("sudo -u x nice -5 touch a", &["sudo|-u|x|nice|-5|touch|a", "sudo: nice|-5|touch|a", "sudo > nice: touch|a"]);
    check("env -S 'touch a' b", &["env|-S|touch a|b", "env: touch|a|b"]);
    check("flock -w 3 l -c 'touch a'", &["flock|-w|3|l|-c|touch a", "flock -c: touch|a"]);
    check("su - bob -c 'touch a'", &["su|-|bob|-c|touch a", "su -c: touch|a"]);
    check("fd -e o -x touch a", &["fd|-e|o|-x|touch|a", "fd -x: touch|a"]);
    check("busybox touch a", &["busybox|touch|a", "busybox: touch|a"]);
    check("docker exec -u 0 box touch a", &["docker|exec|-u|0|box|touch|a", "docker exec: touch|a"]);
    check("kubectl exec p -c q -- touch a", &["kubectl|exec|p|-c|q|--|touch|a", "kubectl exec: touch|a"]);
    check("parallel touch ::: a b", &["parallel|touch|:::|a|b", "parallel: touch|a|b"]);
    check(
        "git submodule foreach 'touch a; ls'",
        &["git|submodule|foreach|touch a; ls", "git submodule foreach: touch|a", "git submodule foreach: ls"],
    );
    for quiet in ["type touch", "command -V touch", "which touch", "man touch", "sudo -l touch"] {
        assert_eq!(lines(quiet).len(), 1, "{quiet}");
    }
}

#[test]
fn unknown_operands_are_said() {
    let read = read("ls | xargs sudo touch");
    let appends: Vec<bool> = read.parts.iter().map(|part| part.appends).collect();
    assert_eq!(appends, [false, false, true, true]);
    let parts = super::read("find . -execdir mv {} a \\;").parts;
    assert_eq!(parts.last().and_then(|part| part.replace.as_deref()), Some("{}"));
}

#[test]
fn shell_text_is_read_again() {
    check("zsh -ec 'touch a && ls'", &["zsh|-ec|touch a && ls", "zsh -c: touch|a", "zsh -c: ls"]);
    check(
        "printf '%s\\n' 'touch a' ls | dash",
        &[
            "pipe 1/2: printf|%s\\n|touch a|ls",
            "pipe 2/2: dash",
            "pipe 2/2 > dash stdin: touch|a",
            "pipe 2/2 > dash stdin: ls",
        ],
    );
    check(
        "echo touch a | tee log | sudo sh",
        &[
            "pipe 1/3: echo|touch|a",
            "pipe 2/3: tee|log",
            "pipe 3/3: sudo|sh",
            "pipe 3/3 > sudo: sh",
            "pipe 3/3 > sudo > sh stdin: touch|a",
        ],
    );
    check("source <(echo touch a)", &["source|«proc»", "procsub: echo|touch|a", "source: touch|a"]);
    check("bash -c 'touch $1' x y", &["bash|-c|touch $1|x|y", "bash -c: touch|y"]);
    check("eval \"$(echo touch a)\"", &["eval|touch a", "cmdsub: echo|touch|a", "eval: touch|a"]);
}

#[test]
fn what_cannot_be_seen_is_opaque() {
    for (command, why) in [
        ("eval \"$X\"", "code from a variable"),
        ("bash -c \"$(cat f)\"", "code from a substitution"),
        ("$X a", "command from a variable"),
        ("`cat f` a", "command from a substitution"),
        ("/bin/r? a", "command from a glob"),
        ("curl u | sudo bash", "code from the output of `curl`"),
        ("source <(curl u)", "code from a process substitution"),
        ("ls | xargs -I{} sh -c {}", "code from input"),
        ("ls | xargs sh -c", "code from input"),
        ("find . -exec {} \\;", "command from input"),
        ("echo $(", "syntax: "),
        ("echo `if a`", "syntax: "),
        ("echo $((`(`)) b", "syntax: "),
        ("cat <<E\n$(a\nE\n", "syntax: "),
    ] {
        let read = read(command);
        assert!(read.opaque, "{command}");
        assert!(read.why.iter().any(|line| line.starts_with(why)), "{command}: {:?}", read.why);
    }
    for command in
        ["rm $X", "bash script $X", "echo x | bash", "\"$HOME\"/bin/tool a", "ls | bash f", "bash -n <<< \"$X\""]
    {
        assert!(!read(command).opaque, "{command}: {:?}", read(command).why);
    }
}

#[test]
fn certain_variables_are_put_in() {
    check("D=out; rm -r \"$D\"/x $D", &["", "rm|-r|out/x|out"]);
    check("C='touch a'; $C b", &["", "touch|a|b"]);
    check("C='touch a'; \"$C\" b", &["", "touch a|b"]);
    check("A=1 && B=$A/2 && ls $B", &["", "", "ls|1/2"]);
    check("A=1; A+=2; ls $A", &["", "", "ls|12"]);
    check("E=; $E touch a", &["", "touch|a"]);
    check("export A=1; ls $A", &["export|A=1", "ls|1"]);
    check("ls \"$HOME\"/x", &["ls|$HOME/x"]);
    check("touch${IFS}a", &["touch|a"]);
    check("N=$(echo x); ls $N", &["", "cmdsub: echo|x", "ls|x"]);
    check("F=a/b.c; ls ${F%.c} ${F##*/} ${F%/*} ${F:-x}", &["", "ls|a/b|b.c|a|a/b.c"]);
    check("F=a/b.c; ls $(dirname $F)", &["", "ls|a", "cmdsub: dirname|a/b.c"]);
    check("$(command -v touch) a", &["touch|a", "cmdsub: command|-v|touch"]);
    check("cd d; P=$PWD; cd e; ls $P", &["cd|d", "", "cd|e", "ls|$PWD/d"]);
}

#[test]
fn certain_input_of_xargs_is_put_in() {
    check("echo a ~ | xargs rm -r", &["pipe 1/2: echo|a|~", "pipe 2/2: xargs|rm|-r", "pipe 2/2 > xargs: rm|-r|a|~"]);
    check("xargs -I% touch x% <<< a", &["xargs|-I%|touch|x%", "xargs: touch|xa"]);
    check(
        "printf '%s\\0' 'a b' | xargs -0 ls",
        &["pipe 1/2: printf|%s\\0|a b", "pipe 2/2: xargs|-0|ls", "pipe 2/2 > xargs: ls|a b"],
    );
    assert!(read("ls | xargs rm").parts.iter().any(|part| part.appends));
}

#[test]
fn doubtful_variables_stay_unknown() {
    for command in [
        "true || A=1; ls $A",
        "if x; then A=1; fi; ls $A",
        "A=1; if x; then A=2; fi; ls $A",
        "(A=1); ls $A",
        "A=1 | x; ls $A",
        "A=1 & ls $A",
        "A=1; read A; ls $A",
        "A=1; eval \"$X\"; ls $A",
        "A=1; . f; ls $A",
        "A=1; for i in 1 2; do ls $A; A=2; done",
        "for A in 1 2; do ls $A; done",
        "A=$X; ls $A",
        "A=1; ((A += B)); ls $A",
        "f() { local -n r=A; r=2; }; A=1; f; ls $A",
        "set -- a b; while x; do ls $1; shift; done",
        "A=1 ls $A",
        "HOME=$X; ls $HOME",
    ] {
        let read = read(command);
        let seen = read.parts.iter().find(|part| part.head == "ls").map(line).unwrap_or_default();
        assert!(seen.ends_with("ls|«var»"), "{command}: {seen}");
    }
}

#[test]
fn folders_are_followed() {
    place("cd a; ls", "a");
    place("cd a && cd ../b && ls", "b");
    place("cd /x/y/.. && ls", "/x");
    place("cd; ls", "~");
    place("cd ~/a; ls", "~/a");
    place("cd \"$HOME/a\"; ls", "~/a");
    place("cd a; cd -; ls", "");
    place("(cd a); ls", "");
    place("cd a | x; ls", "");
    place("cd a & ls", "");
    place("pushd a; pushd b; popd; ls", "a");
    place("D=a; cd $D; ls", "a");
    place("cd $D; ls", "?");
    place("cd $D; cd /a; ls", "/a");
    place("cd a || exit 1; ls", "a");
    place("cd a || { x; exit 1; }; ls", "a");
    place("cd a || cd b; ls", "?");
    place("cd a || ls", "");
    place("x && cd a; ls", "?");
    place("if x; then cd a; fi; ls", "?");
    place("if x; then cd a; else cd a; fi; ls", "a");
    place("while x; do cd a; ls; done", "?");
    place("builtin cd a; ls", "a");
    place("eval 'cd a'; ls", "a");
    place("bash -c 'cd a; ls'", "a");
    place("bash -c 'cd a'; ls", "");
    place("env -C a ls", "a");
    place("ssh h ls", "?");
    place(". venv/bin/activate; ls", "");
    place(". f; ls", "?");
    place("cd \"~\"; ls", "./~");
}

#[test]
fn bounds_are_said() {
    let deep = (0..14).fold("ls".to_owned(), |text, _| format!("eval '{}'", text.replace('\'', "'\\''")));
    for (command, why) in [
        ("nice ".repeat(100), "bound: wrappers"),
        (deep, "bound: wrappers"),
        ("ls;".repeat(500), "bound: parts"),
        ("ls -la some/file;".repeat(10_001), "bound: parts"),
        ("ls | ".repeat(500) + "ls", "bound: parts"),
        (format!("pwsh -c '{}'", "ls;".repeat(500)), "bound: parts"),
        ("ls ".to_owned() + &"{a,b}".repeat(40), "bound: braces"),
        ("ls ".to_owned() + &"{1..900} ".repeat(100), "bound: braces"),
    ] {
        let read = read(&command);
        assert!(read.opaque);
        assert_eq!(read.why, [why]);
    }
}

#[test]
fn many_doubts_hide_neither_a_bound_nor_broken_syntax() {
    let doubts: String = (0..40).map(|n| format!("p{n} | sh; ")).collect();
    for (end, why) in [("nice ".repeat(100), "bound: wrappers"), ("eval 'ls ('".to_owned(), "syntax: ")] {
        let read = read(&format!("{doubts}{end}"));
        assert!(read.why.len() <= 34 && read.why.iter().any(|known| known.starts_with(why)), "{:?}", read.why);
    }
}

#[test]
fn shells_are_read_ten_deep() {
    let nested =
        |deep: u32| (0..deep).fold("ls".to_owned(), |text, _| format!("sh -c '{}'", text.replace('\'', "'\\''")));
    let ten = read(&nested(10));
    assert_eq!((ten.opaque, ten.parts.last().map(|part| part.head.as_str())), (false, Some("ls")));
    assert_eq!(read(&nested(11)).why, ["bound: wrappers"]);
    let parts = read(&"ls -la some/file;".repeat(10_000));
    assert_eq!((parts.opaque, parts.parts.len()), (false, 10_000));
}

#[test]
fn what_stands_before_too_many_commands_is_read() {
    for command in ["rm -rf a; ".to_owned() + &"b;".repeat(5_000), "rm -rf a\n".to_owned() + &"(b);".repeat(5_000)] {
        let read = read(&command);
        assert_eq!(
            (read.why.as_slice(), lines(&command).first().cloned()),
            (&["bound: parts".to_owned()][..], Some("rm|-rf|a".into()))
        );
    }
}

#[test]
fn values_do_not_grow_without_bound() {
    let command = "A=xxxxxxxxxxxxxxxx;".to_owned() + &"A=$A$A;".repeat(40) + "ls $A";
    assert_eq!(lines(&command).last().map(String::as_str), Some("ls|«var»"));
}

#[test]
fn spans_point_at_the_words() {
    let command = "sudo touch a; bash -c 'ls b'";
    let spans: Vec<&str> = read(command)
        .parts
        .iter()
        .filter_map(|part| command.get(part.span[0] as usize..part.span[1] as usize))
        .collect();
    assert_eq!(spans, ["sudo touch a", "touch a", "bash -c 'ls b'", "'ls b'"]);
}

#[test]
fn the_wire_form_comes_back() {
    let command = "A=x; cd d && sudo rm $A *.o > \"$HOME/l\"; ls | xargs -I{} cp {} e";
    let read = read(command);
    let text = serde_json::to_string(&read).unwrap_or_default();
    let back: crate::shell::Shell = match serde_json::from_str(&text) {
        Ok(back) => back,
        Err(error) => panic!("{error}: {text}"),
    };
    assert_eq!(back, read);
}

#[test]
fn loops_over_written_lists_have_turns() {
    let parts = read("for f in a b; do rm $f; ls; done").parts;
    let turns: Vec<Vec<String>> = parts.iter().map(|part| part.turns.iter().map(line).collect()).collect();
    assert_eq!(turns, [vec!["for: rm|a", "for: rm|b"], vec![]]);
    check("for f in a b; do rm $f; done; ls $f", &["for: rm|«var»", "ls|«var»"]);
    // More values than are followed: nothing is claimed.
    let many = read("for a in {1..30}; do for b in {1..30}; do for c in {1..30}; do rm $a$b$c; done; done; done");
    assert_eq!(many.parts.len(), 1);
    let paths = many.parts.iter().flat_map(crate::shell::paths);
    assert!(paths.into_iter().all(|path| !path.sure));
    assert!(!read("for i in {1..5000}; do ls; done").opaque);
}

/// The words of every turn of every part, without its context.
fn turned(command: &str) -> Vec<String> {
    let parts = read(command).parts;
    let turns = parts.iter().flat_map(|part| &part.turns);
    turns.map(|turn| turn.words().iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join("|")).collect()
}

#[test]
fn the_last_part_has_certain_words() {
    for (command, expected) in [
        ("export A='a b'; B=\"$A\"; ls \"$B\"", "ls|a b"),
        ("export A=1; bash -c 'ls $A'", "ls|1"),
        ("A=1 bash -c 'ls $A'", "ls|1"),
        ("A=1; bash -c 'ls x$A'", "ls|x"),
        ("env A=1 sh -c 'ls $A'", "ls|1"),
        ("set -a; A=z; sh -c 'ls $A'", "ls|z"),
        ("A=1; unset A; ls x$A", "ls|x"),
        ("unset x; ls ${x:-d} ${x-e} ${x:+f}", "ls|d|e"),
        ("A=1; f() { A=2; }; f; ls $A", "ls|2"),
        ("A=1; f() { local A=2; }; f; ls $A", "ls|1"),
        ("A=1; ((A++)); ls $A $((A * 3)) $((2 ** 70 == 0))", "ls|2|6|1"),
        ("i=1; i=$((i+1)); ls f$i", "ls|f2"),
        (
            "P=a/b.tar.gz; ls ${P%%.*} \"${P##*/}\" ${P/b/c} ${P//a/z} ${P^^} ${P:2:3} ${#P}",
            "ls|a/b|b.tar.gz|a/c.tar.gz|z/b.tzr.gz|A/B.TAR.GZ|b.t|10",
        ),
        ("n=P; P=v; ls ${!n}", "ls|v"),
        ("printf -v x '%03d' 7; ls f$x", "ls|f007"),
        ("read x y <<< 'one two three'; ls \"$x\" \"$y\"", "ls|one|two three"),
        ("IFS=, read -ra p <<< 'p,q'; ls ${p[1]} ${#p[@]}", "ls|q|2"),
        ("a=(x 'y z'); a+=(w); ls \"${a[@]}\" ${a[0]} \"${a[@]:1:1}\"", "ls|x|y z|w|x|y z"),
        ("IFS=,; L=a,b,; ls $L", "ls|a|b"),
        ("mapfile -t a <<< $'q\\nr'; ls \"${a[@]}\"", "ls|q|r"),
        ("set -- a 'b c'; shift; ls \"$@\" $#", "ls|b c|1"),
        ("bash -c 'ls $2 $0' n x y", "ls|y|n"),
        ("HOME=/h; ls ~/x", "ls|/h/x"),
        ("cd a; cd b; ls ~-/x ~+/y", "ls|$PWD/a/x|$PWD/a/b/y"),
        ("T=$(echo Ab.md | tr A-Z a-z | sed 's/\\.md$/.txt/'); ls $T", "ls|ab.txt"),
        ("ls $(seq -s, 1 3) $(printf '%-3s|%+d' a 4 | cut -d'|' -f2)", "ls|1,2,3|+4"),
        ("unset x; ls ${x:=a} $x", "ls|a|a"),
        ("A=1; ls $((A++)) $A", "ls|«arith»|«var»"),
        ("D=$(cd d && pwd); ls $D/x", "ls|$PWD/d/x"),
        ("D=$(mktemp -d); ls $D/x", "ls|/tmp/tmp.XXXXXXXXXX/x"),
        ("D=/tmp/x-$$; ls \"$D\" /tmp/x-$$", "ls|/tmp/x-$$|/tmp/x-«var»"),
        ("D=/tmp/$RANDOM/../a; ls $D", "ls|/tmp/$RANDOM/../a"),
        ("D=x-$$; ls $D", "ls|«var»"),
        ("printf 'a b\\n' | { read x y; ls $y; }", "ls|b"),
        ("shopt -s expand_aliases\nalias l='ls -a'\nl b", "ls|-a|b"),
        ("alias l='ls -a'\nshopt -s expand_aliases\nl b", "ls|-a|b"),
        ("alias l='ls -a'; shopt -s expand_aliases\nl b", "ls|-a|b"),
        ("alias l='ls -a'; shopt -s expand_aliases; l b", ""),
        ("alias l='ls -a'\nl b", ""),
    ] {
        let read = read(command);
        let seen = read.parts.iter().rfind(|part| part.head == "ls").map(line).unwrap_or_default();
        let words = seen.rsplit(": ").next().unwrap_or_default();
        assert_eq!(words, expected, "{command}");
    }
}

#[test]
fn calls_and_loops_are_walked_with_their_values() {
    for (command, expected) in [
        ("f() { rm \"$1\"; }; f x; f y", &["rm|x", "rm|y"][..]),
        ("f() { for i in 1 2; do rm $1$i; done; }; f p", &["rm|p1", "rm|p2"]),
        ("g() { f \"$1\"; }; f() { rm $1; }; g z", &["f|z", "rm|z"]),
        ("f() { rm $1; }; for x in a b; do f $x; done", &["rm|a", "rm|b", "f|a", "f|b"]),
        ("set -- a b; for f; do rm $f; done", &["rm|a", "rm|b"]),
        ("a=(x y); for f in \"${a[@]}\"; do rm $f.o; done", &["rm|x.o", "rm|y.o"]),
        ("for ((i=0;i<2;i++)); do rm c$i; done", &["rm|c0", "rm|c1"]),
        ("printf 'a\\nb\\n' | while read -r f; do rm $f; done", &["rm|a", "rm|b"]),
        ("while read a b; do mv $a $b; done <<E\np q\nr s\nE", &["mv|p|q", "mv|r|s"]),
        ("select x in u v; do rm $x; done", &["rm|u", "rm|v"]),
        (
            "for f in a/*.c; do cp $f ${f%.c}.o ${f##*/} $(basename $f .c) $(dirname $f); done",
            &["cp|a/*.c|a/*.o|*.c|*|a", "basename|a/*.c|.c", "dirname|a/*.c"],
        ),
        ("ls | while read f; do rm $f; done", &[]),
    ] {
        assert_eq!(turned(command), expected, "{command}");
    }
    check(
        "f() { eval \"$1\"; }; f 'rm x'",
        &["func f: eval|«var»", "f|rm x", "func f: eval|rm x", "func f > eval: rm|x"],
    );
    check("f() { \"$@\"; }; f rm x", &["func f: rm|x", "f|rm|x"]);
    check("f() { \"$@\"; }; f rm x; f ls", &["func f: «var»", "f|rm|x", "f|ls"]);
    assert!(!read("f() { \"$@\"; }; f rm x").opaque && read("f() { \"$@\"; }").opaque);
    assert!(!read("for c in 'rm x'; do $c; done").opaque);
    place("f() { cd a; }; f; ls", "a");
    place("d() { exit 1; }; cd a || d; ls", "a");
    place("CDPATH=/x; cd a; ls", "?");
}

#[test]
fn a_script_that_was_written_is_read() {
    for command in [
        "cat > x.sh <<'E'\nrm $1\nE\nbash x.sh gone",
        "printf '#!/bin/sh\\nrm gone\\n' > x.sh; chmod +x x.sh; ./x.sh",
        "echo 'x=1' > x.sh; echo 'rm gone' >> x.sh; . ./x.sh",
        "echo 'rm gone' | tee d/x.sh; cd d && sh x.sh",
    ] {
        let parts = read(command).parts;
        assert!(
            parts.iter().any(|part| part.words().iter().map(|word| word.text.as_str()).eq(["rm", "gone"])),
            "{command}"
        );
    }
    for command in ["echo rm a > x.sh; sed -i s/a/b/ x.sh; bash x.sh", "bash x.sh; echo rm a > x.sh"] {
        assert!(!read(command).parts.iter().any(|part| part.head == "rm"), "{command}");
    }
}

#[test]
fn hostile_texts_stay_within_bounds() {
    let calls = "f() { ls \"$1\"; g; }; g() { ls; }; ".to_owned() + &"f x;".repeat(3_000);
    let parts = read(&calls).parts;
    assert!(parts.len() < 4_000 && parts.iter().all(|part| part.turns.len() < 300));
    let knot = "f() { f a; f b; f c; }; f x; ".repeat(30);
    assert!(read(&knot).parts.len() < 2_000);
    let loops = "for i in 1 2 3 4 5 6 7 8 9; do ".repeat(40) + "ls $i" + &"; done".repeat(40);
    assert!(read(&loops).parts.len() < 2_000);
    let doubling = "f() { set -- \"$@\" \"$@\"; f \"$@\"; }; f a; x=$(printf '%9999s'); ".to_owned()
        + &"y=${x//?/$x}; a=(\"${a[@]}\" \"${a[@]}\" z);".repeat(60);
    assert!(read(&doubling).parts.len() < 1_000);
    let scripts = "echo 'bash x.sh' > x.sh; bash x.sh;".repeat(100);
    assert!(read(&scripts).parts.len() < 2_000);
}

#[test]
fn the_last_word_of_the_command_before() {
    place("mkdir -p k/l && cd $_ && ls", "k/l");
    place("mkdir k; cd \"$_\" && ls", "k");
    place("a || mkdir k && cd $_ && ls", "?");
    place("a && mkdir k; cd $_ && ls", "?");
    place("ls | wc k && cd $_ && ls", "?");
    place("mkdir \"$(pwd)\" && cd $_ && ls", "?");
    place("if a; then b k; fi && cd $_ && ls", "?");
}

#[test]
fn a_shell_that_reads_its_input_has_arguments() {
    check(
        "bash -s -- k l <<'E'\ntouch $1; rm \"$@\"\nE",
        &["bash|-s|--|k|l", "bash stdin: touch|k", "bash stdin: rm|k|l"],
    );
}

#[test]
fn prefixes_and_suffixes_are_put_to_values() {
    check("a=(k l); touch \"${a[@]/%/.x}\" \"${a[1]/#/w-}\"", &["", "touch|k.x|l.x|w-l"]);
}

#[test]
fn program_text_from_standard_input_by_name() {
    let read = read("awk -f - k <<'E'\n{ print > \"o\" }\nE");
    let paths: Vec<String> = read
        .parts
        .iter()
        .flat_map(|part| &part.code)
        .flat_map(|code| &code.paths)
        .map(|path| path.path.text.to_string())
        .collect();
    assert_eq!(paths, ["o"]);
}

#[test]
fn copies_stay_within_bounds() {
    let chain = "env A=1 ".repeat(3_000) + "rm a";
    let held = read(&chain);
    assert!(held.why.iter().any(|why| why == "bound: wrappers"));
    let words: usize = held.parts.iter().map(|part| part.argv.len()).sum();
    assert!(words < chain.len() * 2, "{words} words");
    let list = "sudo nice rm ".to_owned() + &"file.txt ".repeat(2_000);
    assert!(!read(&list).opaque, "an honest list of words");
    let folders = "cd abcdefgh; ".repeat(5_000) + "rm b";
    let bytes: usize = read(&folders).parts.iter().filter_map(|part| part.cwd.as_ref()).map(|path| path.len()).sum();
    assert!(bytes < folders.len() * 6, "{bytes} bytes");
    place(&folders, "?");
}

#[test]
fn a_turn_without_certain_values_stands_beside_the_others() {
    assert_eq!(turned("for f in ~ b; do rm \"${f//a}\"; done"), ["rm|«var»", "rm|b"]);
    assert_eq!(turned("for f in b ~ c; do rm \"${f//a}\"; done"), ["rm|b", "rm|«var»", "rm|c"]);
    assert_eq!(turned("f() { rm x; }; f; cd y; f"), ["rm|x", "rm|x"]);
    assert_eq!(turned("for f in a b; do rm x; done"), [""; 0]);
}

#[test]
fn slices_of_parameters_begin_with_the_first() {
    for (command, expected) in [
        ("set -- a b c; rm \"${@:2}\"", "rm|b|c"),
        ("set -- a b c; rm \"${@:1:2}\"", "rm|a|b"),
        ("set -- a b c; rm \"${@: -1}\"", "rm|c"),
        ("set -- a b c; rm \"${@:9}\"", "rm"),
        ("x=(a b c); rm \"${x[@]:1}\"", "rm|b|c"),
        ("x=(a b c); rm \"${x[@]: -2:1}\"", "rm|b"),
        ("set -- *.c b; rm \"${@:2}\"", "rm|«var»"),
    ] {
        assert_eq!(lines(command).last().map(String::as_str), Some(expected), "{command}");
    }
}

#[test]
fn local_outside_a_function_is_not_certain() {
    let read = read("x=a; local x=b; rm $x");
    assert!(read.parts.last().is_some_and(|part| part.words().iter().any(|word| !word.dynamic.is_empty())));
}

/// The paths of a command as `op:path`, `?` where they are not certain.
fn touched(command: &str) -> Vec<String> {
    let read = read(command);
    let operands = read.parts.iter().flat_map(crate::shell::paths);
    operands
        .filter(|operand| operand.op == crate::call::Op::Write)
        .map(|operand| format!("{}{}", operand.raw.text, if operand.sure { "" } else { "?" }))
        .collect()
}

#[test]
fn redirects_of_a_group_are_opened_before_it_runs() {
    let read = read("{ cd sub; ls; } > log");
    assert_eq!(read.parts.last().and_then(|part| part.cwd.as_deref()), None);
    assert_eq!(touched("x=one; { x=two; touch $x; } > $x; touch $x"), ["two", "one", "two"]);
    place("{ cd sub; } > log; ls", "sub");
}

#[test]
fn attributes_and_arrays_change_what_is_assigned() {
    let cases = [
        ("x=(a b); x=c; touch \"${x[@]}\"", vec!["c", "b"]),
        ("declare -u x; x=abc; touch $x", vec!["«var»?"]),
        ("declare -i x=1; x=1+2; touch $x", vec!["«var»?"]),
        ("declare -i x; unset x; x=1; touch $x", vec!["1"]),
        ("declare -n r=x; x=a; r=b; touch $x", vec!["«var»?"]),
        ("f() { local -n r=x; }; f; x=a; touch $x", vec!["a"]),
        ("f() { local x=a; local x; touch $x; }; f", vec!["a"]),
        ("x=(a b); f() { local x=q; touch \"${x[@]}\"; }; f", vec!["q"]),
        ("a=x; touch $a{1,2} $a{1..2} ${a}{1,2}", vec!["«var»?", "«var»?", "«var»?", "«var»?", "x1", "x2"]),
        ("x='a*b'; touch \"${x%\\**}\" \"${x/\\*/-}\"", vec!["a", "a-b"]),
    ];
    for (command, expected) in cases {
        assert_eq!(touched(command), expected, "{command}");
    }
}

#[test]
fn a_trap_runs_where_the_shell_is_then() {
    let unknown =
        |command: &str| read(command).parts.iter().filter(|part| part.head == "rm").all(|part| part.cwd_unknown);
    assert!(unknown("trap 'rm -f tmp' EXIT; cd sub; ls"));
    assert!(!unknown("cd sub; trap 'rm -f tmp' EXIT; ls"));
    assert!(!unknown("trap 'rm -f tmp' EXIT; (cd sub; ls); ls"));
    assert!(!unknown("trap 'rm -f /tmp/x' EXIT; ls"));
}

#[test]
fn every_turn_counts_also_one_that_is_as_the_first_reading() {
    assert_eq!(touched("echo a b | xargs -n1 sh -c 'touch $0 x$0'"), ["a", "xa", "b", "xb"]);
    assert_eq!(touched("printf 'a b\\nc\\n' | xargs -L1 touch"), ["a", "b", "c"]);
    assert_eq!(touched("printf 'a b\\nc d\\n' | xargs -L1 cp"), ["b", "d"]);
}

#[test]
fn a_script_written_in_a_branch_may_hold_something_else() {
    let sure = |command: &str| !read(command).opaque;
    assert!(sure("echo 'touch a' > s.sh && bash s.sh"));
    assert!(sure("f() { echo 'touch a' > s.sh; }; f; bash s.sh"));
    assert!(sure("if x; then echo 'touch a' > s.sh; bash s.sh; fi"));
    assert!(!sure("if x; then echo 'touch a' > s.sh; fi; bash s.sh"));
    assert!(!sure("echo 'touch a' > s.sh; f() { echo 'touch b' > s.sh; }; bash s.sh"));
    assert!(!sure("x || echo 'touch a' > s.sh; bash s.sh"));
}

#[test]
fn execdir_runs_in_the_folder_of_what_is_found() {
    let unknown = |command: &str| read(command).parts.last().is_some_and(|part| part.cwd_unknown);
    assert!(unknown("find . -name b -execdir touch q \\;"));
    assert!(!unknown("find . -name b -execdir rm -f {} \\;"));
}

#[test]
fn here_documents_that_exec_opened_are_read() {
    assert_eq!(touched("exec 3<<<'touch a'; . /dev/fd/3"), ["a"]);
    assert_eq!(touched("exec 3<<<'touch a'; bash <&3"), ["a"]);
    assert_eq!(touched("exec 4<<'E'\ntouch a\nE\nsh /dev/fd/4"), ["a"]);
    assert_eq!(touched("exec <<<'touch a'; bash"), ["a"]);
    assert_eq!(touched("bash /dev/fd/5 5<<<'touch a'"), ["a"]);
    assert_eq!(touched("cat <<<'touch a'; bash"), [""; 0]);
    assert_eq!(touched("(exec <<<'touch a'); bash"), [""; 0]);
    assert_eq!(touched("exec 3<<<'touch a'; exec 3<other; bash <&3"), [""; 0]);
}

#[test]
fn what_the_shell_reads_again_leaves_doubt() {
    assert_eq!(touched("x=1; . /dev/stdin <<< x=2; touch $x"), ["«var»?"]);
    assert_eq!(touched("x=1; trap 'x=2' DEBUG; touch $x"), ["«var»?"]);
    assert_eq!(touched("x=1; trap 'x=2' EXIT; touch $x"), ["1"]);
    assert_eq!(touched("set a b; set -; touch $2"), ["b"]);
    assert_eq!(touched("declare x={p,q}; touch $x"), ["q"]);
}

#[test]
fn a_command_that_a_variable_named_once_has_its_name() {
    let read = read("W='rm -rf x'; f() { $W; }; f");
    assert!(read.parts.iter().any(|part| part.head == "rm" && part.words().len() == 3));
}

#[test]
fn endless_loops_and_what_they_leave_behind() {
    let last = |command: &str| {
        let read = read(command);
        let Some(last) = read.parts.last() else { panic!("no part: {command}") };
        (last.head.to_string(), last.forks, last.behind)
    };
    for head in ["while true; do", "until false; do", "while [[ 1 ]]; do", "while :; do", "for ((;;)); do"] {
        let command = format!("{head} (touch a) & done");
        assert_eq!(last(&command), ("touch".to_owned(), true, false), "{command}");
    }
    for command in [
        "while true; do touch a; done",
        "while true; do ls & touch a; done",
        "until [ -f a ]; do touch a & done",
        "for ((i=0;i<2;i++)); do touch a & done",
        "while true; do ls; done; touch a & ls; touch a",
    ] {
        assert_eq!(last(command), ("touch".to_owned(), false, false), "{command}");
    }
    assert_eq!(last("go() { touch & }"), ("touch".to_owned(), false, true));
}

#[test]
fn names_that_stand_for_programs() {
    check("hash -p /bin/touch t; t a", &["hash|-p|/bin/touch|t", "t|a", "alias: /bin/touch|a"]);
    check("hash -p /bin/touch t; PATH=/x; t a", &["hash|-p|/bin/touch|t", "", "t|a"]);
    check("XARGS touch", &["XARGS|touch", "xargs: touch"]);
    check("1A=2 touch a", &["1A=2|touch|a", "no assignment: touch|a"]);
    check("cmd /c 'touch a'", &["cmd|/c|touch a", "cmd: touch|a"]);
}

#[test]
fn some_temp_folder() {
    check("rm $TMPDIR/a", &["rm|/tmp/a"]);
    check("S=$TMPDIR/a; rm \"$S\"", &["", "rm|/tmp/a"]);
    check("TMPDIR=/x; rm $TMPDIR/a", &["", "rm|/x/a"]);
    let dynamic =
        read("rm $TMPDIR/a").parts.first().map(|part| part.words().iter().any(|word| !word.dynamic.is_empty()));
    assert_eq!(dynamic, Some(true));
}

#[test]
fn a_variable_of_the_environment_may_be_named_like_a_credential() {
    let found = |command: &str| {
        let parts = read(command).parts;
        parts.iter().flat_map(|part| part.words()).any(|word| word.dynamic.contains(&Dynamic::Credential))
    };
    for command in [
        "echo $DEPLOY_TOKEN",
        "echo \"a=${DB_PASSWORD}\"",
        "bash -c \"echo $MAPS_API_KEY\"",
        "for f in a; do echo \"$f $CR_PAT\"; done",
        "k=$DEPLOY_TOKEN; echo \"$k\"",
        "k=\"Bearer $DEPLOY_TOKEN\"; h=\"X: $k\"; echo \"$h\"",
    ] {
        assert!(found(command), "{command}");
    }
    for command in [
        "echo $MAX_TOKENS $NEXT_TOKEN $TOKEN_URL $AWS_ACCESS_KEY_ID $PATH",
        "echo '$DEPLOY_TOKEN' $token",
        "DEPLOY_TOKEN=a; echo $DEPLOY_TOKEN",
        "k=$DEPLOY_TOKEN; k=a; echo \"$k\"",
        "DEPLOY_TOKEN=$(date); echo $DEPLOY_TOKEN",
    ] {
        assert!(!found(command), "{command}");
    }
}
