//! The call: one reading of a hook payload that is the same for every agent.

pub mod patch;
pub mod tools;

pub use tools::Tool;

use crate::envelope::Blank;
use crate::record;
use crate::shell::Shell;
use serde::{Deserialize, Serialize};

/// What happened, in one vocabulary for all hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A session begins or is resumed.
    SessionStart,
    /// A prompt was submitted.
    Prompt,
    /// A tool is about to run.
    PreTool,
    /// The host is about to ask for permission.
    Permission,
    /// A tool ran; success or failure is in `call.result.ok`.
    PostTool,
    /// All calls of one model answer are done.
    ToolBatch,
    /// The main turn ends.
    Stop,
    /// A subagent starts.
    SubagentStart,
    /// A subagent ends.
    SubagentStop,
    /// Before compaction.
    PreCompact,
    /// After compaction.
    PostCompact,
    /// The session ends.
    SessionEnd,
    /// The set of tools changed.
    ToolsChange,
    /// Anything else.
    #[default]
    #[serde(other)]
    Other,
}
impl Blank for EventKind {}

impl EventKind {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::Prompt => "prompt",
            Self::PreTool => "pre_tool",
            Self::Permission => "permission",
            Self::PostTool => "post_tool",
            Self::ToolBatch => "tool_batch",
            Self::Stop => "stop",
            Self::SubagentStart => "subagent_start",
            Self::SubagentStop => "subagent_stop",
            Self::PreCompact => "pre_compact",
            Self::PostCompact => "post_compact",
            Self::SessionEnd => "session_end",
            Self::ToolsChange => "tools_change",
            Self::Other => "other",
        }
    }
}

/// What kind of thing a tool does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Does {
    /// Runs a shell command.
    Shell,
    /// Reads a file.
    Read,
    /// Writes a whole file.
    Write,
    /// Changes a file.
    Edit,
    /// Deletes a file.
    Delete,
    /// Searches file contents.
    Search,
    /// Lists files.
    List,
    /// Fetches from the network.
    Fetch,
    /// Starts an agent.
    Agent,
    /// Calls a tool of an MCP server.
    Mcp,
    /// Anything else.
    #[default]
    #[serde(other)]
    Other,
}
impl Blank for Does {}

/// What happens to a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Its name or what lies in it is looked at.
    List,
    /// Its content is read.
    #[default]
    Read,
    /// It is made or changed.
    Write,
    /// It is removed.
    Delete,
}
impl Blank for Op {}

record! {
    /// The agent that calls.
    pub struct Agent {
        /// `claude`, `codex`, `gemini`, `unknown`.
        kind: String,
        /// `main`, or the id of a subagent.
        id: String,
    }
}

impl Blank for Agent {}

record! {
    /// A path that the call touches.
    pub struct CallPath {
        /// As written.
        raw: String,
        /// Absolute, `.` and `..` collapsed, links of existing parts followed. Empty if it cannot be known.
        path: String,
        /// Relative to the root, if inside.
        rel: Option<String>,
        /// What happens to it.
        op: Op,
        /// Whether path and operation are certain.
        sure: bool,
        /// Number of the part that touches it.
        part: Option<u32>,
        /// `true` if `path` is a glob; absent if it is none and its stars and brackets are letters.
        glob: Option<bool>,
    }
}

record! {
    /// How a call went.
    pub struct CallResult {
        /// Whether it succeeded; `None` for an interrupt.
        ok: Option<bool>,
        /// Exit code, where the host says one.
        code: Option<i64>,
        /// Whether the person interrupted it.
        interrupt: bool,
        /// The last 4,000 bytes of its output, at a character boundary.
        tail: String,
    }
}

record! {
    /// One reading of a hook payload.
    pub struct Call {
        /// What happened.
        event: EventKind,
        /// The host's own name of the event.
        host_event: String,
        /// Who calls.
        agent: Agent,
        /// Session id as the host gave it.
        session: String,
        /// Id of the tool call, if the host gives one.
        id: String,
        /// Current folder, absolute.
        cwd: String,
        /// Session root, absolute.
        root: String,
        /// Whether nobody can answer a question: `permission_mode` dontAsk or bypassPermissions.
        unattended: bool,
        /// The host's name of the tool.
        tool: String,
        /// What the tool does.
        does: Does,
        /// The command of a shell call.
        command: String,
        /// The text of a prompt.
        prompt: String,
        /// What started a session, a compaction, a prompt (`startup`, `manual`, `user`, …).
        source: String,
        /// Whether a stop hook already kept this turn going.
        stop_active: bool,
        /// The session's transcript, as the host named it, where a stage reads it: on Stop and PreCompact.
        transcript: String,
        /// Paths it touches.
        paths: Vec<CallPath>,
        /// The reading of a shell command.
        shell: Option<Shell>,
        /// Tools that the host says the session has.
        tools: Vec<Tool>,
        /// How it went, after the call.
        result: Option<CallResult>,
    }
}

/// Canonical name of a tool (`Bash` → `bash`), as the ladder's ledger prints it.
pub fn canonical_tool(tool: &str) -> &str {
    match tool {
        "Bash" | "bash" | "Shell" | "run_shell_command" | "shell" | "exec_command" | "local_shell" => "bash",
        "PowerShell" | "powershell" | "pwsh" => "pwsh",
        "Read" | "read" | "read_file" | "read_many_files" | "view" | "NotebookRead" => "read",
        "Write" | "write" | "write_file" | "create" => "write",
        "Edit" | "edit" | "MultiEdit" | "multiedit" | "replace" | "apply_patch" | "patch" => "edit",
        "NotebookEdit" => "notebook_edit",
        "Grep" | "grep" | "grep_search" | "search_file_content" => "grep",
        "Glob" | "glob" => "glob",
        "LS" | "ls" | "list" | "list_directory" => "LS",
        "Agent" | "Task" | "task" => "task",
        other => other,
    }
}
