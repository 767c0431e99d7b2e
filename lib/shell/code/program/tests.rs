//! What the tests of the readers of Python and JavaScript share.

use proptest::prelude::*;

use crate::call::Op;
use crate::shell::code::{Found, Lang, Run, read};
use crate::shell::part::Arg;

/// What a program text says, in short: `r path`, `$ line`, `! word word`, `net address`, `open why`, `base`.
pub fn line(found: &Found) -> String {
    let mut out: Vec<String> = Vec::new();
    for path in &found.paths {
        let op = match path.op {
            Op::Read => "r",
            Op::Write => "w",
            Op::Delete => "d",
            Op::List => "l",
        };
        out.push(format!("{op} {}", path.path.text));
    }
    for run in &found.runs {
        out.push(match run {
            Run::Text(text) => format!("$ {}", text.text),
            Run::Argv(argv) => {
                format!("! {}", argv.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" "))
            }
        });
    }
    out.extend(found.net.iter().map(|net| format!("net {net}")));
    out.extend(found.open.map(|why| format!("open {why}")));
    if found.writes_base {
        out.push("base".to_owned());
    }
    out.join("; ")
}

/// What a program text with two arguments says, in short.
pub fn reads(lang: Lang, text: &str) -> String {
    line(&read(lang, &Arg::literal(text), &[Arg::literal("one.txt"), Arg::literal("two.txt")]))
}

fn both(text: &str) {
    reads(Lang::Python, text);
    reads(Lang::JavaScript, text);
}

#[test]
fn hostile_texts_are_read_quickly() {
    let deep = [
        "(", "[", "{", "f(", "a.b[", "not ", "-", "lambda: ", "if x:\n ", "x if ", "`${", "a => ", "{a: ", "\"", "'''",
        "\\", "/", "for (", "(for ",
    ];
    for piece in deep {
        both(&piece.repeat(20_000));
    }
    both(&format!("x = [{}]\nfor y in x: open(y, 'w')", "'a', ".repeat(20_000)));
    both(&"x = x + 'a'; ".repeat(5000));
    both(&"f'{f\"{x}\"}' ".repeat(5000));
    both(&format!("def f(x): return f(x) + f(x)\n{}", "f(f(f(1)))\n".repeat(2000)));
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        both(&text);
    }

    #[test]
    fn any_tokens_are_read(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        both(&pieces.concat());
    }
}

const PIECES: &[&str] = &[
    "a",
    "open",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'x'",
    "\"",
    "`",
    "${",
    ":",
    "\n",
    "\n    ",
    "if ",
    "else",
    "for ",
    " in ",
    " of ",
    "=",
    "=>",
    "+",
    "/",
    ".",
    ",",
    ";",
    "def ",
    "function ",
    "return ",
    "class ",
    "lambda ",
    "f'{",
    "import ",
    "from ",
    "try",
    "except ",
    "const ",
    "«var»",
    "1",
    "*",
    "?",
    "with ",
    " as ",
    "%",
    "async ",
    "await ",
    "\\",
    "#",
    "é",
];
