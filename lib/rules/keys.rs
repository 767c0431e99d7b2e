//! The key table of the rule language: the reader checks by it, and `kz help rules` prints it.

use super::words::{At, Class, HOSTS, Kind, RedirectOp, Severity, Sink, Source, Vote, Way};

/// Words with a sentence each.
pub type WordList = &'static [(&'static str, &'static str)];

/// What a key wants.
#[derive(Clone, Copy, Debug)]
pub enum Wants {
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// A list of texts; a list within it means alternatives.
    Lists,
    /// A list of commands.
    Examples,
    /// A list of globs.
    Globs,
    /// A regular expression.
    Regex,
    /// `true` or `false`.
    Flag,
    /// A whole number within limits.
    Number(u16, u16),
    /// One word of a list.
    One(WordList),
    /// Several words of a list.
    Some(WordList),
    /// A table.
    Table(&'static Table),
    /// A list of tables.
    Tables(&'static Table),
}

impl Wants {
    /// For people: `a list of texts`.
    pub fn said(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Texts => "a list of texts",
            Self::Lists => "a list of texts, or of lists of alternatives",
            Self::Examples => "a list of commands",
            Self::Globs => "a list of globs of `*` and `?`, `(?i)` before one for any case",
            Self::Regex => "a regular expression (ASCII; size bounded)",
            Self::Flag => "`true` or `false`",
            Self::Number(..) => "a whole number",
            Self::One(_) => "one word of its list",
            Self::Some(_) => "a list of words of its list",
            Self::Table(_) => "a table `{ … }`",
            Self::Tables(_) => "a list of tables `[{ … }]`",
        }
    }
}

/// A key.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it wants.
    pub wants: Wants,
    /// One sentence.
    pub about: &'static str,
    /// One example.
    pub example: &'static str,
    /// Whether it must be there.
    pub needed: bool,
}

/// A table of keys.
#[derive(Debug)]
pub struct Table {
    /// Its name in help: `[[rule]]`.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

impl Table {
    /// A key by name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

const fn key(name: &'static str, wants: Wants, about: &'static str, example: &'static str) -> Key {
    Key { name, wants, about, example, needed: false }
}

const fn needed(name: &'static str, wants: Wants, about: &'static str, example: &'static str) -> Key {
    Key { name, wants, about, example, needed: true }
}

/// The tables, in the order in which help prints them.
pub static TABLES: &[&Table] = &[&PACK, &RULE, &FLAGS, &OPERAND, &REDIRECT, &WHEN, &GRADE];

/// Table `[pack]`.
pub static PACK: Table = Table {
    name: "[pack]",
    about: "What the rules of the file have in common. May be left out: the pack is then named for the file.",
    keys: &[
        key("name", Wants::Text, "the part of its rules' ids before the slash", "name = \"deploy\""),
        key("about", Wants::Text, "one sentence", "about = \"Our own release tools.\""),
        key("heads", Wants::Texts, "the heads of rules that name none", "heads = [\"shipit\"]"),
        key("harmless", Wants::Texts, "options with which none of its rules matches", "harmless = [\"--help\"]"),
        key("by_name", Wants::Flag, "whether its rules only vote where `[guard] packs` names it", "by_name = true"),
    ],
};

const ARGS: Key = key(
    "args",
    Wants::Lists,
    "subcommand words in order; options may stand between them, a list within the list means alternatives",
    "args = [\"deploy\", [\"prod\", \"production\"]]",
);

const FLAGS_KEY: Key = key(
    "flags",
    Wants::Table(&FLAGS),
    "options by name, wherever they stand; bundles (`-rf`), `--name=value` and abbreviations of long options count",
    "flags = { any = [\"-f\", \"--force\"], none = [\"--dry-run\"] }",
);

const OPERANDS: Key = key(
    "operands",
    Wants::Tables(&OPERAND),
    "matchers over words; each must find a word that fits",
    "operands = [{ at = \"first\", text = [\"prod*\"] }]",
);

const REDIRECT_KEY: Key = key(
    "redirect",
    Wants::Table(&REDIRECT),
    "a redirect that it has",
    "redirect = { op = \"write\", kinds = [\"device\"] }",
);

const STDIN_FROM: Key = key(
    "stdin_from",
    Wants::One(Source::WORDS),
    "what reaches its standard input, through any filters",
    "stdin_from = \"download\"",
);

const STDOUT_TO: Key = key(
    "stdout_to",
    Wants::One(Sink::WORDS),
    "where its output ends up, through any filters",
    "stdout_to = \"network\"",
);

const RUNS_CODE_FROM: Key = key(
    "runs_code_from",
    Wants::One(Source::WORDS),
    "what a substitution in its words runs, or gave the variable that it runs",
    "runs_code_from = \"download\"",
);

const READS_FILE_FROM: Key = key(
    "reads_file_from",
    Wants::One(Source::WORDS),
    "what wrote a file, earlier in the line, that it reads",
    "reads_file_from = \"secret\"",
);

const RUNS_FILE_FROM: Key = key(
    "runs_file_from",
    Wants::One(Source::WORDS),
    "what wrote a file, earlier in the line, that it runs as a program or script",
    "runs_file_from = \"download\"",
);

const INSIDE: Key = key(
    "inside",
    Wants::Texts,
    "contexts, one of which it stands in, as `kz explain` shows them; besides these `func self`, `forking loop`, `forking cycle`, `fresh repository` and `fresh worktree` (made in a temp folder by the same call), `background`, `traced` (behind `set -x`), `made temp folder` (in a trap or a function, of variables that only `mktemp` gives a value), `among caches`, `published branch`, `fed by PROGRAM`",
    "inside = [\"xargs\", \"find -exec\"]",
);

const NOT_INSIDE: Key =
    key("not_inside", Wants::Texts, "contexts, none of which it stands in", "not_inside = [\"docker exec\"]");

const OUTER: Key = key(
    "outer",
    Wants::Tables(&OPERAND),
    "matchers over the command that it stands in",
    "outer = [{ at = \"start\", kinds = [\"home\"] }]",
);

const REGEX: Key = key(
    "regex",
    Wants::Regex,
    "the escape hatch: over the words as the program sees them, joined by one blank; tried only when all else fits",
    "regex = '^shipit .*--to[ =]prod'",
);

/// Table `[[rule]]`.
pub static RULE: Table = Table {
    name: "[[rule]]",
    about: "One rule. All that it says must hold.",
    keys: &[
        needed("id", Wants::Text, "`<pack>/<pattern>`, named for what it recognises", "id = \"deploy/to-production\""),
        needed("class", Wants::One(Class::WORDS), "what kind of thing it recognises", "class = \"danger\""),
        key(
            "heads",
            Wants::Texts,
            "programs, in lower case and without folder; `*` for any; the pack's if left out",
            "heads = [\"shipit\"]",
        ),
        key(
            "tools",
            Wants::Texts,
            "tools that are no shell: `read` and `write` for whatever reads or writes a file, else the tool's name, with `*` for any letters \
             (`writ*` is the tool Write alone, not Edit); `operands` then look at its paths",
            "tools = [\"mcp__deploy__*\"]",
        ),
        key("hosts", Wants::Some(HOSTS), "agents that it is for; all if left out", "hosts = [\"claude\"]"),
        ARGS,
        FLAGS_KEY,
        OPERANDS,
        REDIRECT_KEY,
        STDIN_FROM,
        STDOUT_TO,
        RUNS_CODE_FROM,
        READS_FILE_FROM,
        RUNS_FILE_FROM,
        INSIDE,
        NOT_INSIDE,
        OUTER,
        REGEX,
        key(
            "when",
            Wants::Tables(&WHEN),
            "ways to match, one of which must hold too",
            "when = [{ flags = { any = [\"-f\"] } }, { stdin_from = \"any\" }]",
        ),
        needed(
            "reason",
            Wants::Text,
            "why, for the agent: half a sentence without final stop",
            "reason = \"ships to production\"",
        ),
        key(
            "instead",
            Wants::Text,
            "the way on, for the agent; commands in backticks, which must pass themselves",
            "instead = \"Ship to staging: `shipit deploy staging`\"",
        ),
        key(
            "offer",
            Wants::Text,
            "the dedicated tool that would have done it: makes it an offense that the ladder counts",
            "offer = \"read\"",
        ),
        key(
            "verdict",
            Wants::One(Vote::WORDS),
            "what a danger rule votes unless `[guard.rules]` says otherwise; deny if left out",
            "verdict = \"ask\"",
        ),
        key(
            "way",
            Wants::One(Way::WORDS),
            "what kind of thing `instead` is; made out from its text if left out",
            "way = \"scope_down\"",
        ),
        key(
            "severity",
            Wants::One(Severity::WORDS),
            "how bad it is if it is right; high if left out",
            "severity = \"critical\"",
        ),
        key("plugin", Wants::Text, "the plugin it belongs to", "plugin = \"jetsam\""),
        key("grade", Wants::Table(&GRADE), "levels before and after, for plugins", "grade = { before = 4, after = 2 }"),
        needed(
            "match",
            Wants::Examples,
            "at least two commands that it matches; `@Read PATH` for a tool",
            "match = [\"shipit deploy prod\", \"shipit -v deploy prod\"]",
        ),
        needed(
            "not_match",
            Wants::Examples,
            "at least two commands that it does not match",
            "not_match = [\"shipit deploy staging\", \"echo shipit deploy prod\"]",
        ),
    ],
};

/// Table `flags`.
pub static FLAGS: Table = Table {
    name: "flags",
    about: "Options by name.",
    keys: &[
        key("any", Wants::Texts, "one of these is there", "flags = { any = [\"-f\", \"--force\"] }"),
        key(
            "all",
            Wants::Lists,
            "each of these is there; a list within the list means alternatives",
            "flags = { all = [\"-v\", [\"-f\", \"--force\"]] }",
        ),
        key("none", Wants::Texts, "none of these is there", "flags = { none = [\"-n\", \"--dry-run\"] }"),
    ],
};

/// Table `operands` and `outer`.
pub static OPERAND: Table = Table {
    name: "operands, outer",
    about: "A matcher over words: picks some, and wants one of them (or every) to fit.",
    keys: &[
        key(
            "at",
            Wants::One(At::WORDS),
            "which words it picks",
            "operands = [{ at = \"last\", kinds = [\"system\"] }]",
        ),
        key(
            "option",
            Wants::Texts,
            "pick the values of these options",
            "operands = [{ option = [\"-o\", \"--output\"], kinds = [\"home\"] }]",
        ),
        key(
            "key",
            Wants::Texts,
            "pick the values of these `name=value` operands",
            "operands = [{ key = [\"of\"], kinds = [\"device\"] }]",
        ),
        key(
            "kinds",
            Wants::Some(Kind::WORDS),
            "kinds of path, one of which the word is",
            "operands = [{ kinds = [\"root\", \"home\"] }]",
        ),
        key(
            "not_kinds",
            Wants::Some(Kind::WORDS),
            "kinds of path, none of which the word is",
            "operands = [{ not_kinds = [\"temp\", \"build\"] }]",
        ),
        key(
            "text",
            Wants::Globs,
            "globs, one of which fits the whole word",
            "operands = [{ text = [\"prod*\", \"(?i)*live*\"] }]",
        ),
        key("not_text", Wants::Globs, "globs, none of which fits the word", "operands = [{ not_text = [\"*.log\"] }]"),
        key(
            "regex",
            Wants::Regex,
            "fits somewhere in the word; tried only when all else of the rule fits",
            "operands = [{ regex = '^v[0-9]+$' }]",
        ),
        key(
            "every",
            Wants::Flag,
            "whether every picked word must fit, not one",
            "operands = [{ kinds = [\"temp\"], every = true }]",
        ),
        key("min", Wants::Number(0, u16::MAX), "least number of picked words", "operands = [{ min = 1 }]"),
        key("max", Wants::Number(0, u16::MAX), "largest number of picked words", "operands = [{ max = 0 }]"),
    ],
};

/// Table `redirect`.
pub static REDIRECT: Table = Table {
    name: "redirect",
    about: "A redirect of the command.",
    keys: &[
        needed("op", Wants::One(RedirectOp::WORDS), "its direction", "redirect = { op = \"write\" }"),
        key(
            "kinds",
            Wants::Some(Kind::WORDS),
            "kinds of path, one of which its target is",
            "redirect = { op = \"write\", kinds = [\"system\"] }",
        ),
        key(
            "not_kinds",
            Wants::Some(Kind::WORDS),
            "kinds of path, none of which its target is",
            "redirect = { op = \"write\", not_kinds = [\"temp\"] }",
        ),
    ],
};

/// Table `when`.
pub static WHEN: Table = Table {
    name: "when",
    about: "One way to match: the same matchers as a rule has.",
    keys: &[
        FLAGS_KEY,
        OPERANDS,
        REDIRECT_KEY,
        STDIN_FROM,
        STDOUT_TO,
        RUNS_CODE_FROM,
        READS_FILE_FROM,
        RUNS_FILE_FROM,
        INSIDE,
        NOT_INSIDE,
        OUTER,
        REGEX,
    ],
};

/// Table `grade`.
pub static GRADE: Table = Table {
    name: "grade",
    about: "Levels of the habit ladder, for rules of plugins.",
    keys: &[
        needed("before", Wants::Number(0, 255), "level of the shell command", "grade = { before = 4, after = 2 }"),
        needed("after", Wants::Number(0, 255), "level of the alternative", "grade = { before = 4, after = 2 }"),
    ],
};
