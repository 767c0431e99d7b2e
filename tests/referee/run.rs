//! Runs made commands in real bash and compares what it started with what our reader says.
//!
//! The programs in reach are stubs, which are this program under other names: each notes its
//! arguments and its folder. Bash runs with an empty environment in a folder of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kibitzer::call::Op;
use kibitzer::shell::{self, Dynamic, Part, Shell};

use super::generate::{FOLDERS, Made, Maker, STUBS, WRAPPERS};
use super::matching::{Start, certain, may_be, stubs};
use super::random::Random;
use super::{Row, accept, mutate};

/// Names the file that stubs write to.
pub const RECORD: &str = "REFEREE";
const PATIENCE: Duration = Duration::from_secs(10);
/// The share of mutants on which bash must agree, in thousandths.
const AGREED: usize = 990;

/// Notes how this stub was started, if it is one.
pub fn record() -> bool {
    let Some(file) = std::env::var_os(RECORD) else { return false };
    let mut text = Vec::new();
    let cwd = std::env::current_dir().unwrap_or_default();
    let argv: Vec<_> = std::env::args_os().collect();
    text.extend_from_slice(format!("{}\0{}\0", cwd.display(), argv.len()).as_bytes());
    for word in &argv {
        text.extend_from_slice(word.as_encoded_bytes());
        text.push(0);
    }
    // One write: stubs run side by side.
    let file = fs::OpenOptions::new().append(true).create(true).open(file);
    let _ = file.and_then(|mut file| file.write_all(&text));
    // Its output is what it is given, which the reader counts on.
    if argv.len() == 1 && argv.iter().all(|name| name == "cat") {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::stdout());
    }
    true
}

/// The bash of this machine, if it is new enough.
pub fn version() -> Option<String> {
    let output =
        Command::new("bash").args(["-c", "echo ${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]} $BASH"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut fields = text.split_whitespace();
    let (major, minor): (u32, u32) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    ((major, minor) >= (5, 1)).then(|| fields.next().map(str::to_owned))?
}

#[derive(Default)]
struct Tally {
    commands: usize,
    failed: usize,
    opaque: usize,
    starts: usize,
    certain: usize,
    open: usize,
    parts: usize,
    unrun: usize,
    files: usize,
    /// Of commands with each kind of template: starts, those foretold in part, disagreements.
    kinds: BTreeMap<&'static str, (usize, usize, usize)>,
    wrong: Vec<String>,
}

/// Makes, runs and compares `count` commands; whether all is as it should be.
pub fn run(count: u64, seed: u64) -> Result<bool, String> {
    let Some(bash) = version() else {
        println!("generated: skipped, there is no bash 5.1 or later");
        return Ok(true);
    };
    let place = Place::new(&bash)?;
    let mut maker = Maker::new(seed);
    let made: Vec<Made> = (0..count).map(|_| maker.next()).collect();
    let good = all(&place, &made)?;
    let accepted = accepted(&made, seed)?;
    Ok(good && accepted)
}

/// Runs and compares the rows that may run.
pub fn rows(rows: &[Row]) -> Result<bool, String> {
    let Some(bash) = version() else {
        println!("run: skipped, there is no bash 5.1 or later");
        return Ok(true);
    };
    let made = |row: &Row| Made { text: row.command.clone(), straight: false, all_run: false, kinds: Vec::new() };
    let made: Vec<Made> = rows.iter().filter(|row| row.run).map(made).collect();
    all(&Place::new(&bash)?, &made)
}

fn all(place: &Place, made: &[Made]) -> Result<bool, String> {
    let mut tally = Tally::default();
    for made in made {
        place.compare(made, &mut tally)?;
    }
    println!("run: {} commands, {} that bash refused, {} opaque", tally.commands, tally.failed, tally.opaque);
    println!("  starts of programs   {:6}", tally.starts);
    println!("  foretold for certain {:6}", tally.certain);
    println!("  foretold in part     {:6}", tally.open);
    println!("  certain parts        {:6}, {} of them need not have run", tally.parts, tally.unrun);
    println!("  new files            {:6}", tally.files);
    println!("  disagreements        {:6}", tally.wrong.len());
    for (kind, (starts, open, wrong)) in &tally.kinds {
        println!("  with {kind:16} {starts:6} starts, {open:6} foretold in part, {wrong:6} disagreements");
    }
    for wrong in tally.wrong.iter().take(20) {
        println!("{wrong}");
    }
    Ok(tally.wrong.is_empty())
}

/// Asks `bash -n` for the made commands, which must all agree, and for damaged ones.
fn accepted(made: &[Made], seed: u64) -> Result<bool, String> {
    let row = |n: usize, command: String| Row { place: format!("made {n}"), command, run: true };
    let rows: Vec<Row> = made.iter().enumerate().map(|(n, made)| row(n, made.text.clone())).collect();
    let exact = accept::run(&rows)?;
    let commands: Vec<&str> = made.iter().map(|made| made.text.as_str()).collect();
    let mut random = Random::new(seed.wrapping_add(7));
    let damaged: Vec<Row> = (0..made.len())
        .map(|n| row(n, mutate::mutant(&mut random, &commands)))
        .filter(|row| !row.command.contains('\0') && row.command.len() < 4096)
        .collect();
    // What damage repeats may meet a bound, which is said.
    let misses = accept::misses(&damaged, false)?;
    Ok(exact && misses * 1000 <= damaged.len() * (1000 - AGREED))
}

/// Where commands run.
struct Place {
    root: PathBuf,
    bash: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

impl Place {
    fn new(bash: &str) -> Result<Self, String> {
        let root = std::env::temp_dir().join(format!("shell-referee-run-{}", std::process::id()));
        let io = |e: std::io::Error| format!("cannot make a folder to run in: {e}");
        fs::create_dir_all(root.join("bin")).map_err(io)?;
        let root = root.canonicalize().map_err(io)?;
        let place = Self { root, bash: bash.to_owned() };
        let me = std::env::current_exe().map_err(io)?;
        for stub in STUBS {
            std::os::unix::fs::symlink(&me, place.root.join("bin").join(stub)).map_err(io)?;
        }
        for wrapper in WRAPPERS {
            let real = match *wrapper {
                "bash" | "sh" => Some(PathBuf::from(bash)),
                other => ["/usr/bin", "/bin"].iter().map(|dir| Path::new(dir).join(other)).find(|path| path.exists()),
            };
            if let Some(real) = real {
                std::os::unix::fs::symlink(real, place.root.join("bin").join(wrapper)).map_err(io)?;
            }
        }
        Ok(place)
    }

    fn compare(&self, made: &Made, tally: &mut Tally) -> Result<(), String> {
        let read = shell::read(&made.text);
        let work = self.root.join("w");
        Self::fresh(&work)?;
        let (mut starts, mut complaint) = self.start(&made.text, &work)?;
        // A stub that nobody waits for may come too late on a busy machine.
        let late = |starts: &[Start]| {
            let mut wrong = Vec::new();
            all_ran(&read, starts, &work, &mut Tally::default(), &mut wrong);
            !wrong.is_empty()
        };
        for _ in 0..3 {
            if !complaint.is_empty() || !made.all_run || read.opaque || !late(&starts) {
                break;
            }
            Self::fresh(&work)?;
            (starts, complaint) = self.start(&made.text, &work)?;
        }
        tally.commands += 1;
        tally.opaque += usize::from(read.opaque);
        tally.starts += starts.len();
        if complaint.contains("syntax error") {
            tally.failed += 1;
        }
        let mut wrong = Vec::new();
        // The reader takes it that a folder can be entered.
        let lost = complaint.contains(": cd: ") || complaint.contains(": pushd: ") || complaint.contains(": popd: ");
        let open = tally.open;
        if !lost {
            foretold(&read, &starts, &work, tally, &mut wrong);
        }
        let open = tally.open - open;
        for kind in &made.kinds {
            let counts = tally.kinds.entry(kind).or_default();
            counts.0 += starts.len();
            counts.1 += open;
            counts.2 += wrong.len();
        }
        if complaint.is_empty() && made.all_run && !read.opaque {
            all_ran(&read, &starts, &work, tally, &mut wrong);
        }
        if complaint.is_empty() && made.straight && !read.opaque {
            in_order(&read, &starts, &mut wrong);
        }
        if !lost {
            written(&read, &work, tally, &mut wrong);
        }
        if !wrong.is_empty() {
            let started: Vec<String> = starts.iter().map(|start| shown(start, &work)).collect();
            let mut text = format!("  {:?}\n    {}\n    kinds {:?}", made.text, wrong.join("\n    "), made.kinds);
            text.push_str(&format!("\n    bash started {}\n    bash said {complaint:?}", started.join(", ")));
            tally.wrong.push(text);
        }
        Ok(())
    }

    /// Empties the folder that commands run in.
    fn fresh(work: &Path) -> Result<(), String> {
        let _ = fs::remove_dir_all(work);
        for folder in FOLDERS {
            fs::create_dir_all(work.join(folder)).map_err(|e| format!("cannot make a folder: {e}"))?;
        }
        Ok(())
    }

    /// What bash starts, and what it complains of.
    fn start(&self, command: &str, work: &Path) -> Result<(Vec<Start>, String), String> {
        let record = self.root.join("record");
        let _ = fs::remove_file(&record);
        let mut child = Command::new(&self.bash)
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("HOME", work.join("a"))
            .env("TMPDIR", &self.root)
            .env("LC_ALL", "C.UTF-8")
            .env(RECORD, &record)
            .args(["--norc", "--noprofile", "-c", "--", command])
            .current_dir(work)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("cannot run bash: {e}"))?;
        let complaint = wait(&mut child)?;
        let bytes = fs::read(&record).unwrap_or_default();
        Ok((starts(&bytes), complaint))
    }
}

/// Waits until nobody holds the error output any more, which is after the last stub.
fn wait(child: &mut Child) -> Result<String, String> {
    let Some(mut errors) = child.stderr.take() else { return Ok(String::new()) };
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = errors.read_to_string(&mut text);
        text
    });
    let begin = Instant::now();
    while !reader.is_finished() {
        if begin.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err("a made command did not end".into());
        }
        std::thread::sleep(Duration::from_micros(300));
    }
    let _ = child.wait();
    reader.join().map_err(|_| "reading what bash says failed".to_owned())
}

fn starts(bytes: &[u8]) -> Vec<Start> {
    let mut fields = bytes.split(|&b| b == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut starts = Vec::new();
    while let Some(cwd) = fields.next().filter(|cwd| !cwd.is_empty()) {
        let count = fields.next().and_then(|n| n.parse().ok()).unwrap_or(0);
        starts.push(Start { cwd: cwd.into(), argv: fields.by_ref().take(count).collect() });
    }
    starts
}

fn shown(start: &Start, work: &Path) -> String {
    let cwd = start.cwd.strip_prefix(work).unwrap_or(&start.cwd);
    format!("{:?} in `{}`", start.argv, cwd.display())
}

/// Each start must be foretold by a part.
fn foretold(read: &Shell, starts: &[Start], work: &Path, tally: &mut Tally, wrong: &mut Vec<String>) {
    let unknown_head = read.parts.iter().any(|part| part.words().first().is_some_and(|word| word.certain().is_none()));
    // Of a script whose text is not known nobody says what it starts.
    let script = |part: &Part| matches!(part.head.as_str(), "sh" | "bash" | "." | "source") && part.code.is_none();
    let unseen = read.opaque || unknown_head || read.parts.iter().any(|part| part.cwd_unknown && script(part));
    for start in starts {
        let mut sure = false;
        let mut open = false;
        for part in stubs(read).filter(|part| may_be(part, start, work)) {
            match certain(part, work) {
                Some(_) => sure = true,
                None => open = true,
            }
        }
        match (sure, open) {
            (true, _) => tally.certain += 1,
            (false, true) => tally.open += 1,
            (false, false) if unseen => tally.open += 1,
            _ => wrong.push(format!("not foretold: {}", shown(start, work))),
        }
    }
}

/// Each certain part must have run.
fn all_ran(read: &Shell, starts: &[Start], work: &Path, tally: &mut Tally, wrong: &mut Vec<String>) {
    // What a function of that name does is said by its own parts.
    for part in stubs(read).filter(|part| !part.calls) {
        let Some(words) = certain(part, work) else { continue };
        tally.parts += 1;
        if !starts.iter().any(|start| may_be(part, start, work)) {
            wrong.push(format!("did not run: {words:?} in {:?}", part.cwd));
        }
    }
}

/// Parts come as often as starts and in their order.
fn in_order(read: &Shell, starts: &[Start], wrong: &mut Vec<String>) {
    let heads: Vec<&str> = stubs(read).map(|part| part.head.as_str()).collect();
    let names: Vec<&str> = starts.iter().filter_map(|start| start.argv.first()).map(String::as_str).collect();
    if heads != names {
        wrong.push(format!("order: ours {heads:?}, of bash {names:?}"));
    }
}

/// Each new file must be among the writes.
fn written(read: &Shell, work: &Path, tally: &mut Tally, wrong: &mut Vec<String>) {
    let mut files = BTreeMap::new();
    list(work, &mut files);
    if files.is_empty() {
        return;
    }
    let home = work.join("a");
    let mut unsure = read.opaque;
    for operand in read.parts.iter().flat_map(shell::paths).filter(|operand| operand.op == Op::Write) {
        let part = read.parts.get(operand.part as usize);
        match part.and_then(|part| shell::locate(part, &operand, work, Some(&home))) {
            Some(path) if operand.sure => {
                files.insert(shell::collapse(&path), true);
            }
            _ => unsure = true,
        }
        unsure |= operand.raw.dynamic.iter().any(|&why| why != Dynamic::Tilde);
    }
    tally.files += files.len();
    for (file, _) in files.iter().filter(|&(file, &told)| !told && file.exists() && !unsure) {
        wrong.push(format!("not among the writes: `{}`", file.strip_prefix(work).unwrap_or(file).display()));
    }
}

fn list(folder: &Path, files: &mut BTreeMap<PathBuf, bool>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => list(&entry.path(), files),
            Ok(_) => {
                files.insert(entry.path(), false);
            }
            Err(_) => {}
        }
    }
}
