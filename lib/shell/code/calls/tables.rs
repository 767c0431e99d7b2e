//! What the calls of Lua, R, Julia and Elixir do that are known.

use crate::call::Op;

/// What a call does with its arguments.
#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    /// Something to the path at this place.
    Touch(Op, usize),
    /// Opens the first argument in the mode of the second.
    Open,
    /// Reads the first argument and writes the second.
    Duplicate,
    /// Deletes the first argument and writes the second.
    Move,
    /// Fetches the first argument and writes it to the second.
    Fetch,
    /// Runs its first argument in a shell.
    Shell,
    /// Runs its arguments as words.
    Words,
    /// Runs a script.
    Script,
    /// Changes to the folder.
    Enter,
}

/// A call: its name, what it does, and the name that its path may be given by (`file = "x"`).
pub(super) type Row = (&'static str, Does, &'static str);

use Does::{Duplicate, Enter, Fetch, Move, Open, Script, Shell, Touch, Words};
use Op::{Delete, List, Read, Write};

pub(super) const LUA: &[Row] = &[
    ("os.execute", Shell, ""),
    ("io.popen", Shell, ""),
    ("os.remove", Touch(Delete, 0), ""),
    ("os.rename", Move, ""),
    ("io.open", Open, ""),
    ("io.lines", Touch(Read, 0), ""),
    ("io.input", Touch(Read, 0), ""),
    ("io.output", Touch(Write, 0), ""),
    ("dofile", Script, ""),
    ("loadfile", Script, ""),
    ("lfs.mkdir", Touch(Write, 0), ""),
    ("lfs.rmdir", Touch(Delete, 0), ""),
    ("lfs.dir", Touch(List, 0), ""),
    ("lfs.chdir", Enter, ""),
];

pub(super) const R: &[Row] = &[
    ("system", Shell, "command"),
    ("shell", Shell, "cmd"),
    ("pipe", Shell, ""),
    ("system2", Words, "command"),
    ("unlink", Touch(Delete, 0), "x"),
    ("file.remove", Touch(Delete, 0), ""),
    ("file_delete", Touch(Delete, 0), "path"),
    ("file.rename", Move, ""),
    ("file.copy", Duplicate, ""),
    ("file.create", Touch(Write, 0), ""),
    ("dir.create", Touch(Write, 0), "path"),
    ("readLines", Touch(Read, 0), "con"),
    ("readRDS", Touch(Read, 0), "file"),
    ("read.csv", Touch(Read, 0), "file"),
    ("read.table", Touch(Read, 0), "file"),
    ("read.delim", Touch(Read, 0), "file"),
    ("read_csv", Touch(Read, 0), "file"),
    ("fread", Touch(Read, 0), "file"),
    ("scan", Touch(Read, 0), "file"),
    ("load", Touch(Read, 0), "file"),
    ("fromJSON", Touch(Read, 0), "txt"),
    ("writeLines", Touch(Write, 1), "con"),
    ("write", Touch(Write, 1), "file"),
    ("write.csv", Touch(Write, 1), "file"),
    ("write.table", Touch(Write, 1), "file"),
    ("write_csv", Touch(Write, 1), "file"),
    ("fwrite", Touch(Write, 1), "file"),
    ("saveRDS", Touch(Write, 1), "file"),
    ("save", Touch(Write, usize::MAX), "file"),
    ("cat", Touch(Write, usize::MAX), "file"),
    ("save.image", Touch(Write, 0), "file"),
    ("sink", Touch(Write, 0), "file"),
    ("ggsave", Touch(Write, 0), "filename"),
    ("pdf", Touch(Write, 0), "file"),
    ("png", Touch(Write, 0), "filename"),
    ("svg", Touch(Write, 0), "filename"),
    ("jpeg", Touch(Write, 0), "filename"),
    ("file", Open, "description"),
    ("list.files", Touch(List, 0), "path"),
    ("dir", Touch(List, 0), "path"),
    ("download.file", Fetch, "destfile"),
    ("source", Script, "file"),
    ("setwd", Enter, ""),
];

pub(super) const JULIA: &[Row] = &[
    ("run", Shell, ""),
    ("rm", Touch(Delete, 0), ""),
    ("mv", Move, ""),
    ("cp", Duplicate, ""),
    ("touch", Touch(Write, 0), ""),
    ("mkdir", Touch(Write, 0), ""),
    ("mkpath", Touch(Write, 0), ""),
    ("write", Touch(Write, 0), ""),
    ("read", Touch(Read, 0), ""),
    ("readlines", Touch(Read, 0), ""),
    ("eachline", Touch(Read, 0), ""),
    ("readdir", Touch(List, 0), ""),
    ("open", Open, ""),
    ("download", Fetch, ""),
    ("include", Script, ""),
    ("cd", Enter, ""),
];

pub(super) const ELIXIR: &[Row] = &[
    ("System.shell", Shell, ""),
    (":os.cmd", Shell, ""),
    ("System.cmd", Words, ""),
    ("File.rm", Touch(Delete, 0), ""),
    ("File.rm_rf", Touch(Delete, 0), ""),
    ("File.rmdir", Touch(Delete, 0), ""),
    ("File.rename", Move, ""),
    ("File.cp", Duplicate, ""),
    ("File.cp_r", Duplicate, ""),
    ("File.write", Touch(Write, 0), ""),
    ("File.touch", Touch(Write, 0), ""),
    ("File.mkdir", Touch(Write, 0), ""),
    ("File.mkdir_p", Touch(Write, 0), ""),
    ("File.read", Touch(Read, 0), ""),
    ("File.stream", Touch(Read, 0), ""),
    ("File.ls", Touch(List, 0), ""),
    ("File.cd", Enter, ""),
    ("Code.eval_file", Script, ""),
    ("Code.require_file", Script, ""),
];
