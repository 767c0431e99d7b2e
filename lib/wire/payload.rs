//! The payload of a hook, as far as anybody here reads it: one pass, lenient, total.
//!
//! Only known keys are kept; everything else, a whole file in `content` among it, is passed
//! over without being decoded. As in JavaScript, the last of several equal keys counts. `null`
//! is missing. A value of the wrong type is missing too and leaves a complaint, because one
//! odd field must not switch the checks off. What was read before a text broke off is kept.

use super::json::{Kind, Scan, Stop, unescape};
use crate::call::patch::{self, Touch};

/// Bytes of a call's output that are kept.
const TAIL: usize = 4_000;

/// What is known of a hook's input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// `hook_event_name`
    pub event: Option<String>,
    /// `session_id`
    pub session: Option<String>,
    /// `cwd`
    pub cwd: Option<String>,
    /// `transcript_path`
    pub transcript: Option<String>,
    /// `agent_id`
    pub agent_id: Option<String>,
    /// `permission_mode`
    pub permission_mode: Option<String>,
    /// `tool_name`
    pub tool: Option<String>,
    /// `tool_use_id`
    pub tool_use_id: Option<String>,
    /// `prompt`
    pub prompt: Option<String>,
    /// `source`
    pub source: Option<String>,
    /// `trigger`
    pub trigger: Option<String>,
    /// `reason`
    pub reason: Option<String>,
    /// `error`
    pub error: Option<String>,
    /// `model`
    pub model: Option<String>,
    /// Whether there is a `timestamp`, which tells forks of other clients from the original.
    pub has_timestamp: bool,
    /// `is_interrupt`
    pub is_interrupt: Option<bool>,
    /// `stop_hook_active`
    pub stop_hook_active: Option<bool>,
    /// `tools`, as JSON
    pub tools: Option<String>,
    /// `tool_input`
    pub input: Option<Input>,
    /// `tool_response`
    pub response: Option<Response>,
    /// One sentence for each value of a wrong type.
    pub complaints: Vec<String>,
}

/// What is known of a tool's input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// `command`
    pub command: Option<String>,
    /// `pattern`, if it is short enough for a glob.
    pub pattern: Option<String>,
    /// `glob`, which names files to search.
    pub glob: Option<String>,
    /// Values of keys that name a path, in the order met, those in nested values too.
    pub paths: Vec<InputPath>,
    /// Files of a patch under a key that usually holds one.
    pub patch: Vec<Touch>,
}

/// A key of a tool's input that may name a path, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPath {
    /// The key.
    pub key: &'static str,
    /// The value.
    pub raw: String,
    /// The key of the input that it stands under, if that one names a path too.
    pub top: Option<&'static str>,
}

/// What is known of a tool's response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// `interrupted`
    pub interrupted: bool,
    /// The end of `stdout` and `stderr`, of the text blocks, or of the response if it is a string.
    pub tail: String,
}

/// Keys of a tool's input that name a path. MCP servers agree on no spelling.
#[rustfmt::skip]
static PATH_KEYS: &[&str] = &[
    "file_path", "path", "notebook_path", "paths", "filePath", "filepath", "file_paths", "filePaths", "absolute_path",
    "absolutePath", "relative_path", "relativePath", "file", "files", "filename", "filenames", "file_name",
    "fileName", "target_file", "targetFile", "directory", "dir", "folder", "directory_path", "directoryPath",
    "dir_path", "dirPath", "folder_path", "folderPath", "root", "uri", "input_path", "inputPath", "output_path",
    "outputPath", "output_file", "outputFile", "output_dir", "outputDir", "save_path", "savePath", "source", "src",
    "source_path", "sourcePath", "source_file", "sourceFile", "from", "old_path", "oldPath", "destination", "dest",
    "dst", "destination_path", "destinationPath", "to", "target", "target_path", "targetPath", "new_path", "newPath",
];

/// Keys whose value may be a patch.
static PATCH_KEYS: &[&str] = &["input", "patch", "patch_text", "patchText", "diff"];

/// Longest value that is taken for a path, in bytes; the longest path that an open call takes.
const LONGEST: usize = 4_096;
/// Most paths that are kept of one input.
const MOST_PATHS: usize = 1_000;
/// Most values around a path.
const DEEPEST: usize = 4;

impl Payload {
    /// Reads one JSON value. `Ok` with no keys if it is no object.
    pub(super) fn scan(&mut self, scan: &mut Scan) -> Result<(), Stop> {
        scan.object(|scan, key| match key {
            "hook_event_name" => text(scan, key, &mut self.event, &mut self.complaints),
            "session_id" => text(scan, key, &mut self.session, &mut self.complaints),
            "cwd" => text(scan, key, &mut self.cwd, &mut self.complaints),
            "transcript_path" => text(scan, key, &mut self.transcript, &mut self.complaints),
            "agent_id" => text(scan, key, &mut self.agent_id, &mut self.complaints),
            "permission_mode" => text(scan, key, &mut self.permission_mode, &mut self.complaints),
            "tool_name" => text(scan, key, &mut self.tool, &mut self.complaints),
            "tool_use_id" => text(scan, key, &mut self.tool_use_id, &mut self.complaints),
            "prompt" => text(scan, key, &mut self.prompt, &mut self.complaints),
            "source" => text(scan, key, &mut self.source, &mut self.complaints),
            "trigger" => text(scan, key, &mut self.trigger, &mut self.complaints),
            "reason" => text(scan, key, &mut self.reason, &mut self.complaints),
            "error" => text(scan, key, &mut self.error, &mut self.complaints),
            "model" => text(scan, key, &mut self.model, &mut self.complaints),
            "is_interrupt" => flag(scan, key, &mut self.is_interrupt, &mut self.complaints),
            // Some hosts that copied the contract spell it in camel case.
            "stop_hook_active" | "stopHookActive" => flag(scan, key, &mut self.stop_hook_active, &mut self.complaints),
            "timestamp" => {
                self.has_timestamp = true;
                scan.skip().map(|_| ())
            }
            "tools" => {
                self.tools = Some(scan.skip()?.to_owned());
                Ok(())
            }
            "tool_input" => {
                self.input = None;
                match scan.kind()? {
                    Kind::Object => self.input.insert(Input::default()).scan(scan, &mut self.complaints),
                    kind => wrong(scan, key, kind, "an object", &mut self.complaints),
                }
            }
            "tool_response" => {
                self.response = None;
                match scan.kind()? {
                    Kind::Null => scan.skip().map(|_| ()),
                    _ => self.response.insert(Response::default()).scan(scan),
                }
            }
            _ => scan.skip().map(|_| ()),
        })
    }

    /// Reads a text that holds one JSON object. Total: what cannot be read is missing.
    pub fn read(json: &str) -> Self {
        let mut payload = Self::default();
        // What was read before the text broke off is all that can be had.
        let _ = payload.scan(&mut Scan::new(json.trim_start(), 0));
        payload
    }
}

impl Input {
    fn scan(&mut self, scan: &mut Scan, complaints: &mut Vec<String>) -> Result<(), Stop> {
        scan.object(|scan, key| match key {
            "command" => text(scan, "tool_input.command", &mut self.command, complaints),
            "pattern" => short(scan, &mut self.pattern),
            "glob" => short(scan, &mut self.glob),
            key if PATCH_KEYS.contains(&key) => self.patch(scan),
            key => {
                let known = known_key(key);
                if let Some(known) = known {
                    self.paths.retain(|path| path.top != Some(known));
                }
                let kind = scan.kind()?;
                match known {
                    // An MCP tool may call anything `source` or `to`; only the host's own keys are held to a type.
                    Some(known @ ("file_path" | "notebook_path")) if !matches!(kind, Kind::String | Kind::Array) => {
                        wrong(scan, &format!("tool_input.{known}"), kind, "a string", complaints)
                    }
                    known => self.value(scan, [known, known], 0),
                }
            }
        })
    }

    /// Takes the paths out of one value; `keys` are the input's own key that it stands under and the
    /// nearest one.
    fn value(&mut self, scan: &mut Scan, keys: [Option<&'static str>; 2], depth: usize) -> Result<(), Stop> {
        let [top, key] = keys;
        let full = self.paths.len() >= MOST_PATHS;
        match scan.kind()? {
            Kind::String if key.is_some() && !full => {
                let raw = scan.string()?;
                if let Some(key) = key.filter(|_| raw.len() <= LONGEST) {
                    self.paths.push(InputPath { key, raw: unescape(raw).into_owned(), top });
                }
                Ok(())
            }
            Kind::Array if depth < DEEPEST && !full => scan.array(|scan| self.value(scan, keys, depth + 1)),
            Kind::Object if depth < DEEPEST && !full => {
                scan.object(|scan, key| self.value(scan, [top, known_key(key)], depth + 1))
            }
            _ => scan.skip().map(|_| ()),
        }
    }

    /// Keeps the files of a patch and nothing of its text.
    fn patch(&mut self, scan: &mut Scan) -> Result<(), Stop> {
        self.patch.clear();
        if scan.kind()? != Kind::String {
            return self.value(scan, [None, None], 0);
        }
        let raw = scan.string()?;
        if raw.contains("*** Begin Patch") || raw.contains("+++ ") {
            self.patch = patch::files(&unescape(raw), 1);
        }
        Ok(())
    }
}

fn known_key(key: &str) -> Option<&'static str> {
    PATH_KEYS.iter().copied().find(|known| *known == key)
}

/// A value that is of interest only if it is a short string.
fn short(scan: &mut Scan, slot: &mut Option<String>) -> Result<(), Stop> {
    *slot = None;
    if scan.kind()? != Kind::String {
        return scan.skip().map(|_| ());
    }
    let raw = scan.string()?;
    if raw.len() <= LONGEST {
        *slot = Some(unescape(raw).into_owned());
    }
    Ok(())
}

impl Response {
    fn scan(&mut self, scan: &mut Scan) -> Result<(), Stop> {
        match scan.kind()? {
            Kind::String => self.tail = tail(&unescape(scan.string()?)),
            Kind::Array => self.tail = tail(&blocks(scan)?),
            Kind::Object => {
                let (mut out, mut err, mut other) = (String::new(), String::new(), String::new());
                scan.object(|scan, key| {
                    let kind = scan.kind()?;
                    match (key, kind) {
                        ("stdout", Kind::String) => out = tail(&unescape(scan.string()?)),
                        ("stderr", Kind::String) => err = tail(&unescape(scan.string()?)),
                        ("text" | "error", Kind::String) => other = tail(&unescape(scan.string()?)),
                        ("content", Kind::Array) => other = tail(&blocks(scan)?),
                        ("interrupted", Kind::Bool) => self.interrupted = scan.skip()? == "true",
                        _ => {
                            scan.skip()?;
                        }
                    }
                    Ok(())
                })?;
                self.tail = tail(&join([out, err, other]));
            }
            _ => {
                scan.skip()?;
            }
        }
        Ok(())
    }
}

/// The texts of content blocks, one below the other.
fn blocks(scan: &mut Scan) -> Result<String, Stop> {
    let mut all = String::new();
    scan.array(|scan| {
        if scan.kind()? != Kind::Object {
            return scan.skip().map(|_| ());
        }
        scan.object(|scan, key| {
            if key == "text" && scan.kind()? == Kind::String {
                if !all.is_empty() {
                    all.push('\n');
                }
                all.push_str(&unescape(scan.string()?));
                return Ok(());
            }
            scan.skip().map(|_| ())
        })
    })?;
    Ok(all)
}

fn join(texts: [String; 3]) -> String {
    let mut all = String::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        if !all.is_empty() && !all.ends_with('\n') {
            all.push('\n');
        }
        all.push_str(text);
    }
    all
}

/// The last bytes of a text, at a character boundary.
pub(super) fn tail(text: &str) -> String {
    let mut from = text.len().saturating_sub(TAIL);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..].to_owned()
}

fn text(scan: &mut Scan, key: &str, slot: &mut Option<String>, complaints: &mut Vec<String>) -> Result<(), Stop> {
    *slot = None;
    match scan.kind()? {
        Kind::String => {
            *slot = Some(unescape(scan.string()?).into_owned());
            Ok(())
        }
        kind => wrong(scan, key, kind, "a string", complaints),
    }
}

fn flag(scan: &mut Scan, key: &str, slot: &mut Option<bool>, complaints: &mut Vec<String>) -> Result<(), Stop> {
    *slot = None;
    match scan.kind()? {
        Kind::Bool => {
            *slot = Some(scan.skip()? == "true");
            Ok(())
        }
        kind => wrong(scan, key, kind, "true or false", complaints),
    }
}

fn wrong(scan: &mut Scan, key: &str, kind: Kind, want: &str, complaints: &mut Vec<String>) -> Result<(), Stop> {
    scan.skip()?;
    let found = match kind {
        Kind::Null => return Ok(()),
        Kind::Bool => "true or false",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    };
    complaints.push(format!("`{key}` of the payload is {found}, not {want}, and was left out"));
    Ok(())
}
