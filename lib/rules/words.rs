//! The words of the rule language: each list is an enum, and each word has its sentence.
//!
//! The build script reads packs with these too, so nothing here knows the rest of the library.

/// Makes an enum out of a list of words, each with the sentence that help prints.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $word:literal, $about:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = $about] $variant,)*
        }

        impl $name {
            /// The words, each with what it means.
            pub const WORDS: &'static [(&'static str, &'static str)] = &[$(($word, $about)),*];

            /// The word in packs and on the wire.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// What a word stands for.
            pub fn of(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

words! {
    /// What kind of thing a rule recognises.
    Class {
        Write = "write", "writes a file";
        Read = "read", "reads a file";
        Search = "search", "searches contents";
        Discovery = "discovery", "lists files";
        Control = "control", "steers processes";
        Build = "build", "builds, tests, lints";
        Vcs = "vcs", "version control";
        Danger = "danger", "could lose or leak something; the guard votes on it";
        Download = "download", "puts bytes of the network on its output; no finding, but other rules ask for it";
        Fetch = "fetch", "saves bytes of the network in files; no finding, but other rules ask for it";
        Decoder = "decoder", "puts decoded bytes on its output; no finding, but other rules ask for it";
        Upload = "upload", "sends what it reads to the network; no finding, but other rules ask for it";
        Shell = "shell", "runs its standard input as shell commands; no finding, but other rules ask for it";
        Interpreter = "interpreter", "runs its standard input as a program; no finding, but other rules ask for it";
        Glue = "glue", "moves, prints, tests: nothing by itself; no finding";
        Filter = "filter", "reshapes what a pipe brings; no finding";
    }
}

impl Class {
    /// Whether a hit becomes a finding.
    pub fn is_finding(self) -> bool {
        !self.is_end() && !matches!(self, Self::Glue | Self::Filter)
    }

    /// Whether a dedicated tool can do better what it is about (seed 001).
    pub fn is_offense(self) -> bool {
        matches!(self, Self::Write | Self::Read | Self::Search | Self::Discovery | Self::Control)
    }

    /// Whether it is an end of a pipe, which only other rules ask for.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Download | Self::Fetch | Self::Decoder | Self::Upload | Self::Shell | Self::Interpreter)
    }

    /// Whether a repo's rules may be of this class: a hit can then only add a vote or a finding.
    pub fn only_adds(self) -> bool {
        matches!(self, Self::Danger | Self::Write | Self::Read | Self::Search | Self::Discovery | Self::Control)
    }
}

words! {
    /// What a danger rule votes unless config says otherwise.
    Vote {
        None = "none", "only a finding";
        Ask = "ask", "a person should look";
        Deny = "deny", "stop it";
    }
}

words! {
    /// How bad it is if a danger rule is right.
    Severity {
        Low = "low", "a nuisance";
        Medium = "medium", "work to repeat";
        High = "high", "work is lost";
        Critical = "critical", "the machine, the history or a secret is lost";
    }
}

words! {
    /// What stands behind a pipe or a substitution.
    Source {
        Download = "download", "bytes of the network";
        Decoder = "decoder", "decoded or unpacked bytes";
        Secret = "secret", "the content of a file of credentials";
        Any = "any", "anything";
    }
}

words! {
    /// Where the output of a part ends up, through any filters.
    Sink {
        Network = "network", "a program that sends it away (also as one of its words), or `/dev/tcp`";
        Shell = "shell", "the standard input of a shell that runs it as commands";
        Interpreter = "interpreter", "the same of a shell, or of Python, Node, Perl and their like";
        File = "file", "a file, by redirect or `tee`; the null device is none";
        Any = "any", "anything but the terminal: a pipe, a file, the words of another command";
    }
}

words! {
    /// Which words a matcher looks at.
    At {
        Any = "any", "all operands; what it is if left out";
        First = "first", "the first operand";
        Last = "last", "the last operand";
        Rest = "rest", "all operands but the first";
        Dashed = "dashed", "operands behind `--`";
        Start = "start", "operands before the first word that begins like an expression: where `find` starts";
        Words = "words", "every word behind the command word, options too";
        Assign = "assign", "assignments before the command";
        Redirect = "redirect", "targets of redirects";
        Reads = "reads", "files whose content it reads; all operands of a program that kz does not know";
        Writes = "writes", "files that it writes or deletes; all operands of a program that kz does not know";
        Written = "written", "files whose content it certainly writes; none of a program that kz does not know";
        Deleted = "deleted", "files and folders that it certainly deletes; none of a program that kz does not know";
        Net = "net", "URLs and hosts that it sends to or fetches from";
        Fed = "fed", "words that stand for input which nobody has seen: `{}` of xargs, what xargs appends";
        Option = "option", "values of the options that `option` names";
        Key = "key", "values of `name=value` operands that `key` names";
        Code = "code", "program text: values of code options, here-documents, here-strings, text piped in by echo or printf";
        Literal = "literal", "string literals of that program text";
        Statement = "statement", "statements of SQL in options, operands or on standard input: lower case, single blanks, no comments, nothing of what strings say";
        Input = "input", "text that reaches standard input, as far as it is written in the line";
    }
}

words! {
    /// What an agent should do now, instead of what a rule stops.
    Way {
        UseAlternative = "use_alternative", "something else does it without the harm";
        ScopeDown = "scope_down", "the same on less: name what is meant";
        AskPerson = "ask_person", "only a person may want this";
        Stop = "stop", "nothing does it; go on with something else";
    }
}

words! {
    /// Direction of a redirect.
    RedirectOp {
        Read = "read", "from a file";
        Write = "write", "to a file";
        Heredoc = "heredoc", "a here-document or here-string";
    }
}

words! {
    /// A kind of path. A word can be of several kinds.
    Kind {
        Root = "root", "`/`";
        Home = "home", "a user's home folder itself, or the folder of all homes";
        System = "system", "a tree of the operating system";
        Repo = "repo", "the session root itself";
        Parent = "parent", "a folder that holds the session root";
        Git = "git", "a repository's `.git`, or something in it";
        Temp = "temp", "below a temp folder";
        TempRoot = "temp_root", "a temp folder itself";
        Build = "build", "a build or cache folder below the root, or something in it";
        Inside = "inside", "a named file or folder below the root";
        Outside = "outside", "a named place elsewhere";
        Device = "device", "a device";
        Null = "null", "`/dev/null`, standard streams, descriptors";
        Unknown = "unknown", "begins with something unknown and may be anything";
        UnknownBelow = "unknown_below", "a name below something unknown";
        Secret = "secret", "a file of credentials";
        SecretFolder = "secret_folder", "a folder that holds credentials by its name, such as `.ssh` or `certs`";
        Guard = "guard", "files of the guard itself and the host's settings";
        Credential = "credential", "holds a variable of the environment that is named like a credential, in addition to another kind";
        Glob = "glob", "a glob, in addition to another kind";
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kinds {
    /// No kind.
    pub const NONE: Self = Self(0);

    /// With one more.
    pub const fn with(self, kind: Kind) -> Self {
        Self(self.0 | 1 << kind as u32)
    }

    /// Whether it has none.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether both have a kind in common.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it has this kind.
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// All kinds of both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set as one number, for the generated tables.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The set of such a number.
    pub const fn of_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Its words.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        Kind::WORDS.iter().map(|(word, _)| *word).filter(move |word| Kind::of(word).is_some_and(|kind| self.has(kind)))
    }
}

impl From<Kind> for Kinds {
    fn from(kind: Kind) -> Self {
        Self::NONE.with(kind)
    }
}

/// Agents that can be a rule's `hosts`: the words of `call.agent.kind`.
pub const HOSTS: &[(&str, &str)] = &[
    ("claude", "Claude Code"),
    ("codex", "Codex"),
    ("gemini", "Gemini CLI"),
    ("copilot", "GitHub Copilot CLI"),
    ("cursor", "Cursor"),
    ("opencode", "opencode"),
    ("unknown", "a host whose payload has no form of its own"),
];
