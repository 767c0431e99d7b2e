//! What a shell looks at; pieces of it make texts that get far before they fail.

/// Signs and beginnings of commands.
#[rustfmt::skip]
pub const SIGNS: &[&str] = &[
    "'", "\"", "`", "\\", "$", "(", ")", "{", "}", "[",
    "]", ";", "&", "|", "<", ">", "\n", " ", "\t", "#",
    "!", "~", "*", "?", "=", "$(", "$((", "((", "))", "${",
    "$[", "<<E", "<<-E", "\nE\n", "<<<", "<(", ">(", "[[ ", " ]]", "&&",
    "||", ";;", ";&", "if ", "then ", "fi", "for x in ", "do ", "done", "case a in ",
    "esac", "while ", "{ ", "; }", "f() ", "coproc ", "select ", "time ", "\\\n", "$'",
    "@(", "a=(", "a[", "|&", "&>", "2>&1", "é", "\u{3000}", "\0", "\r",
    "${ ", ":-", "//", "x", "cp ", "rm -rf ", "cd ", "sudo ", "bash -c ", "xargs ",
    "eval ", "find . -exec ", "git ", "$x", "y=1 ", "{a,b}", "{1..9}", "«var»", "tee ", "sed -i ",
    "python3 -c ", "env ", "--", "-o", "/", "..", "<<", "<<-", "[[", "]]",
    "for ", "in ", "case ", " }", "function ", "EOF", "\nEOF\n", "$\"", "=~ ", "${| ",
    "##",
];
