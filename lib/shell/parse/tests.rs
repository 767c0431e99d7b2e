//! Each construct and each trap of the reader.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at what it did not expect")]

use super::parse;
use crate::shell::ast::*;

/// A word in short: text as it is, everything else by its kind in `«»`.
fn word(source: &str, script: &Script, word: Word) -> String {
    let mut out = String::new();
    for piece in script.pieces_of(&word).iter() {
        match piece.kind {
            PieceKind::Text => out.push_str(piece.span.text(source)),
            PieceKind::Decoded(span) => out.push_str(span.text(&script.decoded)),
            PieceKind::Glob => {
                out.push_str(&format!("«glob {}»", piece.span.text(source)));
            }
            PieceKind::Tilde => out.push_str(&format!("«tilde {}»", piece.span.text(source))),
            PieceKind::Ifs => out.push_str("«ifs»"),
            PieceKind::Variable(number) => {
                let Variable { name, op, words } = script.variable(number);
                out.push_str(&format!("«{}{}", name.text(source), op.text(source)));
                for (n, &w) in script.words[words.range()].iter().enumerate() {
                    out.push(if n == 0 { ' ' } else { '|' });
                    out.push_str(&self::word(source, script, w));
                }
                out.push('»');
            }
            PieceKind::Substitution { list } => {
                out.push_str(&format!("«sub {}»", self::list(source, script, list)));
            }
            PieceKind::Process { list, output } => {
                let sign = if output { '>' } else { '<' };
                out.push_str(&format!("«{sign} {}»", self::list(source, script, list)));
            }
            PieceKind::Arithmetic { words } => {
                let words = self::words(source, script, words);
                out.push_str(&format!("«arith {words}»"));
            }
            PieceKind::Array { words } => {
                let words = self::words(source, script, words);
                out.push_str(&format!("«array {words}»"));
            }
        }
    }
    out
}

fn words(source: &str, script: &Script, run: Run<Word>) -> String {
    let words: Vec<_> = script.words[run.range()].iter().map(|&w| word(source, script, w)).collect();
    words.join("·")
}

fn list(source: &str, script: &Script, run: Run<Pipeline>) -> String {
    let mut out = String::new();
    for pipeline in &script.pipelines[run.range()] {
        out.push_str(match pipeline.joint {
            Joint::First => "",
            Joint::Semicolon => "; ",
            Joint::Newline => "⏎ ",
            Joint::And => "&& ",
            Joint::Or => "|| ",
            Joint::Background => "& ",
        });
        if pipeline.negated {
            out.push_str("! ");
        }
        if pipeline.timed {
            out.push_str("time ");
        }
        for (n, command) in script.commands[pipeline.stages.range()].iter().enumerate() {
            if n > 0 {
                out.push_str("| ");
            }
            out.push_str(&self::command(source, script, command));
            out.push(' ');
            if command.pipes_both {
                out.push('&');
            }
        }
        if pipeline.background {
            out.push_str("(bg) ");
        }
    }
    out.trim_end().to_owned()
}

fn command(source: &str, script: &Script, command: &Command) -> String {
    let mut out = match command.kind {
        CommandKind::Simple { assigns, words } => {
            let mut out = words_of(source, script, assigns, "=");
            out.push_str(&self::words(source, script, words));
            out
        }
        CommandKind::Compound { what, words, blocks, name } => {
            let mut out = format!("{what:?}");
            if name != Span::default() {
                out.push_str(&format!(" {}", name.text(source)));
            }
            if !words.is_empty() {
                out.push_str(&format!(" ({})", self::words(source, script, words)));
            }
            for block in &script.blocks[block_range(blocks)] {
                let mark = if block.role == Role::Condition { "?" } else { "" };
                out.push_str(&format!(" {mark}{{{}}}", list(source, script, block.list)));
            }
            out
        }
    };
    for redirect in &script.redirects[command.redirects.range()] {
        let fd = match redirect.fd {
            Fd::Default => String::new(),
            Fd::Number(n) => n.to_string(),
            Fd::Named(span) => span.text(source).to_owned(),
        };
        let target = word(source, script, redirect.target);
        let literal = if redirect.literal { "'" } else { "" };
        out.push_str(&format!(" [{fd}{:?}{literal} {target}]", redirect.op));
    }
    out.trim().to_owned()
}

fn words_of(source: &str, script: &Script, run: Run<Word>, mark: &str) -> String {
    if run.is_empty() {
        return String::new();
    }
    format!("{mark}({}) ", words(source, script, run))
}

fn block_range(run: Run<Block>) -> std::ops::Range<usize> {
    run.range()
}

/// The whole text in short, with `✗` and the message after what was read.
fn show(source: &str) -> String {
    let script = parse(source);
    let mut out = list(source, &script, script.body);
    if let Some(error) = script.error {
        out.push_str(&format!(" ✗ {}", error.message));
    }
    if let Some(late) = script.late {
        out.push_str(&format!(" ✗late {}", late.message));
    }
    out.trim().to_owned()
}

fn check(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(show(source), *expected, "{source:?}");
    }
}

#[test]
fn words_and_quotes() {
    check(&[
        ("a 'b c' \"d e\" f\\ g", "a·b c·d e·f g"),
        ("r''m r\"\"m \\rm", "rm·rm·rm"),
        ("\"\\$a \\`b\\` \\\\ \\\" \\n\"", "$a `b` \\ \" \\n"),
        ("a\\\nb \\\n c", "ab·c"),
        ("ls &\\\n& i\\\nf x; then y; f\\\ni", "ls && If ?{x} {y}"),
        ("a#b #c\n#d\ne", "a#b ⏎ e"),
        ("x\\", "x\\"),
        ("a\rb\u{a0}c\u{feff}d", "a\rb\u{a0}c\u{feff}d"),
        ("\u{feff}ls", "\u{feff}ls"),
        ("echo $ \"$\" $% a$", "echo·$·$·$%·a$"),
        ("é\\éé", "ééé"),
    ]);
}

#[test]
fn a_plain_word_is_one_text() {
    let script = parse("git  --no-pager log");
    assert_eq!((script.words.len(), script.pieces.len()), (3, 0));
    assert!(script.decoded.is_empty());
    for word in &script.words {
        let pieces = script.pieces_of(word);
        assert!(matches!(&pieces[..], [p] if matches!(p.kind, PieceKind::Text) && !p.quoted && p.span == word.span));
    }
    for source in ["''", "\"\""] {
        let script = parse(source);
        let pieces = script.pieces_of(&script.words[0]);
        assert!(matches!(&pieces[..], [p] if p.quoted && p.span == Span { start: 1, end: 1 }));
    }
    assert_eq!((size_of::<Word>(), size_of::<Piece>()), (16, 24));
}

#[test]
fn ansi_escapes() {
    check(&[
        ("$'\\x72\\155' $'a\\tb'", "rm·a\tb"),
        ("$'\\x{72}\\x{0000072}m'", "rrm"),
        ("$'rm\\0zz' $'rm\\x00z'b", "rm·rmb"),
        ("$'\\u0072\\U6d\\u' $'\\xz'", "rm\\u·\\xz"),
        ("$'\\cA\\c?' $'\\q\\'\\\"\\?'", "\u{1}\u{7f}·\\q'\"?"),
        ("$'plain' $\"rm\"", "plain·rm"),
        ("\"$'a'\"", "$'a'"),
    ]);
}

#[test]
fn many_tildes_of_a_word_share_a_piece() {
    let word = format!("a={} b", "~:".repeat(10_000));
    let script = parse(&word);
    assert!(script.pieces.len() < 200, "{}", script.pieces.len());
    let end = script.pieces.iter().map(|piece| piece.span.end).max();
    assert_eq!(end, u32::try_from(word.len() - 2).ok());
}

#[test]
fn globs_and_tildes() {
    check(&[
        ("ls *.[ch] \\* '*' [ a ] [!]x] [a", "ls·«glob *».«glob [ch]»·*·*·[·a·]·«glob [!]x]»·[a"),
        ("ls @(a|b) x!(c).d +(e)", "ls·«glob @(a|b)»·x«glob !(c)».d·«glob +(e)»"),
        ("ls [\"a\"b]", "ls·«glob [»ab]"),
        ("ls ~ ~/a ~bob/b x~ \\~ '~' ~\"a\" HEAD~1", "ls·«tilde ~»·«tilde ~»/a·«tilde ~bob»/b·x~·~·~·~a·HEAD~1"),
        ("A=~/x:~/y B=a~", "=(A=«tilde ~»/x:«tilde ~»/y·B=a~)"),
        ("echo a=~/b --c=~/d", "echo·a=«tilde ~»/b·--c=~/d"),
        (
            "a b=~:~/x:y~ c[0]=~ d+=x:~ 1e=~ f=g=~",
            "a·b=«tilde ~»:«tilde ~»/x:y~·c«glob [0]»=«tilde ~»·d+=x:«tilde ~»·1e=~·f=g=~",
        ),
        ("a b:~ ~:~ ~c:d x=\"y\":~ x=':'~", "a·b:~·«tilde ~»:~·«tilde ~c»:d·x=y:«tilde ~»·x=:~"),
        ("a=(b=~ c:~ ~:~)", "=(a=«array b=~·c:~·«tilde ~»:~»)"),
        ("a ${b:-~:~} ${b:-c=~}", "a·«b:- «tilde ~»:~»·«b:- c=~»"),
        ("echo a\\\nb=~/c a\\\n-b=~", "echo·ab=«tilde ~»/c·a-b=~"),
        ("rm a=~:~ a=x:~/y:~ ~:~", "rm·a=«tilde ~»:«tilde ~»·a=x:«tilde ~»/y:«tilde ~»·«tilde ~»:~"),
        ("rm a:~ 1a=~ a-b=~ =~ a==~ a=b=~ a=x,~", "rm·a:~·1a=~·a-b=~·=~·a==~·a=b=~·a=x,~"),
        ("rm a=x':'~ a=x\\:~ 'a'=~ a''=~", "rm·a=x:~·a=x:~·a=~·a=~"),
        ("rm a+=~ a=x'y':~", "rm·a+=«tilde ~»·a=xy:«tilde ~»"),
        ("rm {a,b}=~ a={b,c}:~", "rm·{a,b}=~·a={b,c}:~"),
        ("w=(~ a=~ x:~ [5]=~)", "=(w=«array «tilde ~»·a=~·x:~·[5]=«tilde ~»»)"),
        ("a[5]=~:~", "=(a[5]=«tilde ~»:«tilde ~»)"),
    ]);
}

#[test]
fn parameters() {
    check(&[
        ("$x ${x} $1 ${10} $@ \"$*\" $? $$", "«x»·«x»·«1»·«10»·«@»·«*»·«?»·«$»"),
        ("${x:-a b} ${x-$(y)}", "«x:- a b»·«x- «sub y»»"),
        ("${x#*/} ${x%%'}'} ${x/a/b\\/c} ${x//\\//}", "«x# «glob *»/»·«x%% }»·«x/ a|b/c»·«x// /|»"),
        ("\"${x##*/}\" \"${x%'*'[b-c]}\" \"${x/?/'y'}\"", "«x## «glob *»/»·«x% *«glob [b-c]»»·«x/ «glob ?»|y»"),
        ("\"${x:-*}\" \"${x:-<(a)}\" ${x:-<(a)} \"${x?<(a)}\"", "«x:- *»·«x:- <(a)»·«x:- «< a»»·«x? «< a»»"),
        ("${x:1:2} ${x^^} ${x@Q} ${#x} ${!x} ${!p*} ${#} ${!}", "«x: 1|2»·«x^^»·«x@ Q»·«#x»·«!x»·«!p*»·«#»·«!»"),
        ("${a[1]} ${a[$(y)]:-z} ${#a[@]}", "«a[ 1»·«a:- «sub y»|z»·«#a[ @»"),
        ("\"${x:-\"a b\"}\" \"${x:-'$(y)'}\"", "«x:- a b»·«x:- '«sub y»'»"),
        ("rm${IFS}-rf$IFS\"$IFS\"", "rm«ifs»-rf«ifs»«IFS»"),
        ("${x:-${y:-${z}}}", "«x:- «y:- «z»»»"),
        ("${x", "✗ no `}` for this `${`"),
    ]);
}

#[test]
fn substitutions() {
    check(&[
        ("$(a) \"$(b \"c d\")\" `e`", "«sub a»·«sub b·c d»·«sub e»"),
        ("echo $(a\nb) $()", "echo·«sub a ⏎ b»·«sub »"),
        ("`a \\`b \\\\\\`c\\\\\\`\\``", "«sub a·«sub b·«sub c»»»"),
        ("\"`a \\\"b c\\\"`\"", "«sub a·b c»"),
        ("`rm 'x`", "«sub » ✗late no closing `'` for this one"),
        ("`a\nb )`", "«sub a» ✗late unexpected `)`"),
        ("$((1 + $(a))) $[b]", "«arith 1 + «sub a»»·«arith b»"),
        ("$((a) | b) $(((1)*2)+1)", "«sub Subshell {a} | b»·«sub » ✗late unexpected word"),
        ("$( (a) )", "«sub Subshell {a}»"),
        ("${ a; } \"${ b\n}\" ${| c; }", "«sub a»·«sub b»·«sub c»"),
        ("${ a}", "«  a» ✗late unexpected end of the text"),
        ("a <(b) >(c) x<(d)", "a·«< b»·«> c»·x«< d»"),
        ("$(case x in a) b;; esac)", "«sub Case (x·a) {b}»"),
        ("$(a # )\n)", "«sub a»"),
        ("$(a", "✗ no `)` for this substitution"),
    ]);
}

#[test]
fn lists_and_pipelines() {
    check(&[
        ("a && b || c; d & e", "a && b || c ; d (bg) & e"),
        ("a | b |& c", "a | b &| c"),
        ("a && b & c", "a (bg) && b (bg) & c"),
        ("! a; ! ! b; time -p -- c | d; !", "! a ; b ; time c | d ; !"),
        ("a |\n\n b &&\n # x\n c", "a | b && c"),
        ("a\n\nb;\nc &\nd", "a ⏎ b ⏎ c (bg) ⏎ d"),
        ("a | time b", "a | time·b"),
        ("a ;; b", "✗ unexpected `;`"),
        ("a | ! b", "✗ unexpected `!`"),
        ("! & b", "✗ unexpected `&`"),
        ("| a", "✗ unexpected `|`"),
        ("a &&", "✗ unexpected end of the text"),
    ]);
}

#[test]
fn assignments_and_arrays() {
    check(&[
        ("A=1 B+=2 c D=3", "=(A=1·B+=2) c·D=3"),
        ("a=(b 'c d' $(e) [1]=f [x y]=g) h", "=(a=«array b·c d·«sub e»·[1]=f·[x y]=g») h"),
        ("declare -a a=(b) c+=(d\n# e\nf)", "declare·-a·a=«array b»·c+=«array d·f»"),
        ("a[1 + $(b)]=c d[x]", "=(a[1 + «sub b»]=c) d[x]"),
        ("echo a=(b)", "✗ unexpected `(`"),
        ("a[", "✗ no closing bracket for this one"),
        ("a\\\nb=(c) d", "=(ab=«array c») d"),
    ]);
}

#[test]
fn redirects() {
    check(&[
        (">a b 2>c <d >>e", "b [Write a] [2Write c] [Read d] [Append e]"),
        (
            "a &>b &>>c >|d <>e 2>&1 <&3- >&-",
            "a [Both b] [BothAppend c] [Clobber d] [ReadWrite e] [2DupOut 1] [DupIn 3-] [DupOut -]",
        ),
        (
            "a 2>b c2>d \"2\">e 2 >f 99999999999>g",
            "a·c2·2·2·99999999999 [2Write b] [Write d] [Write e] [Write f] [Write g]",
        ),
        ("exec {fd}>a {x[1]}<b {1}>c", "exec·{1} [{fd}Write a] [{x[1]}Read b] [Write c]"),
        ("a <<<\"b c\" > >(d)", "a [HereString b c] [Write «> d»]"),
        ("(a) >b 2>&1; { c; } <d", "Subshell {a} [Write b] [2DupOut 1] ; Group {c} [Read d]"),
        ("a >", "✗ a redirect without a target"),
        ("a >&-b", "a·b [DupOut -]"),
        ("a >\\\n>b", "a [Append b]"),
    ]);
}

#[test]
fn heredocs() {
    check(&[
        ("cat <<E\na $(b) \\$c $d\nE\ne", "cat [Heredoc a «sub b» $c «d»\n] ⏎ e"),
        ("cat <<'E' | x\na $(b)\nE", "cat [Heredoc' a $(b)\n] | x"),
        ("cat <<A <<-\"B\"; c\na\nA\n\t\tb\n\tB\nd", "cat [Heredoc a\n] [HeredocTabs' b\n] ; c ⏎ d"),
        ("cat <<-E\n\ta $(b\n\tc)\n\tE\nd", "cat [HeredocTabs a «sub b ⏎ c»\n] ⏎ d"),
        ("x \"$(cat <<'E'\na)\nE\n)\" y", "x·«sub cat [Heredoc' a)\n]»·y"),
        ("x $(cat <<E\na\nE) y", "x·«sub cat [Heredoc a\n]»·y"),
        ("cat <<E\na", "cat [Heredoc a]"),
        ("cat <<E", "cat [Heredoc ]"),
        ("cat <<E\nE", "cat [Heredoc ]"),
        ("cat <<E\na\\\nE\nE\nb", "cat [Heredoc aE\n] ⏎ b"),
        ("cat <<E\na\nE\\\n\nb", "cat [Heredoc a\n] ⏎ b"),
        ("cat <<\\E\n$a\nE\nb", "cat [Heredoc' $a\n] ⏎ b"),
        ("while a <<E; do b\nx\nE\ndone <<F\ny\nF", "While ?{a [Heredoc x\n]} {b} [Heredoc y\n]"),
        ("cat <<E\n$(a\nE\nb", "cat [Heredoc ] ⏎ b ✗late no `)` for this substitution"),
        ("cat <<E\n\"a\" 'b' \\\"\nE", "cat [Heredoc \"a\" 'b' \\\"\n]"),
    ]);
}

#[test]
fn compounds() {
    check(&[
        ("if a; then b; elif c; then d; else e; fi", "If ?{a} {b} ?{c} {d} {e}"),
        ("if (a) then (b) fi", "If ?{Subshell {a}} {Subshell {b}}"),
        ("while a; do b; done; until c\ndo d\ndone", "While ?{a} {b} ; Until ?{c} {d}"),
        ("for x in a \"b c\"; do d; done", "For x (a·b c) {d}"),
        ("for x\ndo a; done; for x; do b; done; for x do c; done", "For x {a} ; For x {b} ; For x {c}"),
        ("for x in a; { b; }", "For x (a) {b}"),
        ("for ((i=0; i<$(n); i++)); do b; done", "ArithFor (i=0· i<«sub n»· i++) {b}"),
        ("for ((a;$(b;c);${d:-;})); do f; done", "ArithFor (a·«sub b ; c»·«d:- ;») {f}"),
        ("for ((a;(b;c);d)); do e; done", "✗ `for ((` needs three expressions"),
        ("select x in a; do b; done", "Select x (a) {b}"),
        ("case $x in a|b) c;; (d) e;& *) ;;& f) g\nesac", "Case («x»·a·b·d·«glob *»·f) {c} {e} {} {g}"),
        ("case x in esac", "Case (x)"),
        ("{ a; b; }; (c; d)", "Group {a ; b} ; Subshell {c ; d}"),
        ("((a > b)) && ((c))", "Arith (a > b) && Arith (c)"),
        ("((a); b)", "Subshell {Subshell {a} ; b}"),
        (
            "f() { a; }; function g { b; }; function h () (c)",
            "Function f {Group {a}} ; Function g {Group {b}} ; Function h {Subshell {c}}",
        ),
        ("f ( )\n{ a; } >b", "Function f {Group {a} [Write b]}"),
        ("coproc a b; coproc N { c; }", "Coproc {a·b} ; Coproc N {Group {c}}"),
        ("coproc f() { a; }", "✗ a coprocess cannot be a function definition"),
        ("{ a }", "✗ unexpected end of the text"),
        ("{ (a) >b }", "✗ unexpected `}`"),
        ("{ }", "✗ unexpected `}`"),
        ("if a; fi", "✗ unexpected `fi`"),
        ("do a", "✗ unexpected `do`"),
        ("f() a", "✗ unexpected word"),
        ("echo if then { } [[ ]]", "echo·if·then·{·}·[[·]]"),
        ("\\if a", "if·a"),
    ]);
}

#[test]
fn conditions() {
    check(&[
        ("[[ -f a && ! $b == c* || ( d < e ) ]]", "Test (-f·a·«b»·==·c«glob *»·d·e)"),
        ("[[ $a =~ ^(b|c d)$ ]] && e", "Test («a»·=~·^(b|c d)$) && e"),
        ("[[ a\n&& b\n]]", "Test (a·b)"),
        ("[[ -f <(a) ]]", "Test (-f·«< a»)"),
        ("[[ -1 -le 0 ]]", "Test (-1·-le·0)"),
        ("[[ a b ]]", "✗ no operator of `[[`"),
        ("[[ ]]", "✗ unexpected word"),
        ("]]", "✗ unexpected word"),
    ]);
}

#[test]
fn only_whole_lines_before_an_error_run() {
    check(&[
        ("a\nb 'c", "a ✗ no closing `'` for this one"),
        ("a; b 'c", "✗ no closing `'` for this one"),
        ("a\nb )\nc", "a ✗ unexpected `)`"),
        ("if a; then\nb\nfi; c )", "✗ unexpected `)`"),
        ("a\nif b; then c", "a ✗ unexpected end of the text"),
    ]);
}

#[test]
fn spans_are_those_of_the_source() {
    let source = "x=1 `echo \\`a\\$b cd\\``";
    let script = parse(source);
    let pieces: Vec<_> = script.words.iter().flat_map(|word| script.pieces_of(word).to_vec()).collect();
    for piece in &pieces {
        assert!(piece.span.end as usize <= source.len());
    }
    let texts: Vec<_> =
        pieces.iter().filter(|p| matches!(p.kind, PieceKind::Text)).map(|p| p.span.text(source)).collect();
    assert!(texts.contains(&"cd") && texts.contains(&"echo"), "{texts:?}");
}

#[test]
fn nesting_is_bounded_and_needs_little_stack() {
    // A debug build needs some times what a release build does.
    let stack = if cfg!(debug_assertions) { 2 << 20 } else { 256 << 10 };
    let work = || {
        for open in [
            "(",
            "{ ",
            "$(",
            "$((",
            "((",
            "${x:-",
            "\"${x:-",
            "\"$(",
            "<(",
            "`",
            "if ",
            "while ",
            "case a in b) ",
            "[[ ( ",
            "f() { ",
            "a=($(",
            "${ ",
            "coproc { ",
            "@(",
            "[[ a =~ (",
            "a[$(",
            "! ",
            "for x in $(",
            "cat <<E\n$(",
            "$[",
            "$'",
        ] {
            for times in [100, 1_000, 20_000] {
                let script = parse(&open.repeat(times));
                let deep = |e: SyntaxError| e.stop == Stop::Bound(Bound::Nesting);
                assert!(open != "( " || times == 100 || script.error.is_some_and(deep));
            }
        }
    };
    std::thread::Builder::new().stack_size(stack).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_script_is_used_again() {
    let mut script = Script::default();
    super::parse_into("a $(b) <<E\nc\nE\n", &mut script);
    let room = (script.pieces.capacity(), script.words.capacity());
    super::parse_into("d", &mut script);
    assert_eq!((script.pieces.len(), script.words.len(), script.redirects.len()), (0, 1, 0));
    assert_eq!((script.pieces.capacity(), script.words.capacity()), room);
    super::parse_into("a 'b", &mut script);
    assert!(script.error.is_some() && script.body.is_empty());
    super::parse_into("", &mut script);
    assert!(script.error.is_none() && script.body.is_empty());
}

/// Every run and span of a tree lies in its arena.
fn sound(source: &str, script: &Script) {
    let text = |span: Span| assert!(source.get(span.range()).is_some(), "{source:?} {span:?}");
    for piece in &script.pieces {
        text(piece.span);
        match piece.kind {
            PieceKind::Decoded(span) => assert!(script.decoded.get(span.range()).is_some()),
            PieceKind::Variable(number) => {
                assert!((number as usize) < script.variables.len());
                let Variable { name, op, words } = script.variable(number);
                text(name);
                text(op);
                assert!(words.range().end <= script.words.len());
            }
            PieceKind::Substitution { list } | PieceKind::Process { list, .. } => {
                assert!(list.range().end <= script.pipelines.len());
            }
            _ => {}
        }
    }
    for word in &script.words {
        text(word.span);
        for piece in script.pieces_of(word).iter() {
            text(piece.span);
        }
    }
    for command in &script.commands {
        text(command.span);
        assert!(command.redirects.range().end <= script.redirects.len());
    }
    for redirect in &script.redirects {
        text(redirect.span);
        text(redirect.target.span);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in ".{0,200}") {
        sound(&text, &parse(&text));
    }

    #[test]
    fn any_mix_of_signs_is_read(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "a", " ", "\n", ";", "&", "|", "<", ">", "(", ")", "{ ", " }", "$", "$(", "$((", "((",
            "))", "${", "[", "]", "[[ ", " ]]", "'", "\"", "`", "\\", "\\`", "\\\n", "#", "*", "~",
            "=", "a=", "if ", "then ", "fi", "do ", "done", "case ", " in ", "esac", "<<E", "<<-'E'",
            "\nE\n", "\n\t", "$'", "@(", "é", "${ ", ":-", "/", "=~ ", "f()", "2>", "&>", "for ",
        ]), 0..60)
    ) {
        let text = parts.concat();
        sound(&text, &parse(&text));
    }

    #[test]
    fn a_quoted_word_comes_back(value in ".{0,40}") {
        let source = format!("x {}", shell_words::quote(&value));
        let script = parse(&source);
        proptest::prop_assert!(script.error.is_none());
        let CommandKind::Simple { words, .. } = script.commands[0].kind else { panic!("{source}") };
        let last = script.words[words.range()][1];
        proptest::prop_assert_eq!(word(&source, &script, last), value);
    }

    #[test]
    fn an_escaped_word_comes_back(value in "[^\n\0]{1,40}") {
        let escaped: String = value.chars().flat_map(|c| ['\\', c]).collect();
        let double = value.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`");
        let source = format!("x {escaped} \"{double}\"");
        let script = parse(&source);
        proptest::prop_assert!(script.error.is_none());
        let CommandKind::Simple { words, .. } = script.commands[0].kind else { panic!("{source}") };
        for &last in &script.words[words.range()][1..] {
            proptest::prop_assert_eq!(word(&source, &script, last), value.as_str());
        }
    }
}
