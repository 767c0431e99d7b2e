//! The walk over a PowerShell text, and what else a shell line runs that is read by its own reader:
//! PowerShell in a shell line, its cmdlets, patches.

use super::super::ast::{self, Bound, Command, CommandKind, Script, Stop};
use super::super::dynamic::{Dynamic, Dynamics};
use super::super::part::{Arg, Code, CodePath, Part, Redir, RedirFd};
use super::super::powershell::cmdlets::{self, Cmdlet};
use super::super::powershell::words::{Group, Method, Pipeline, Stage, What, Word, parse};
use super::super::powershell::{self, Dotnet, NAME, Program};
use super::super::unwrap;
use super::out::MOST_NESTING;
use super::state::Place;
use super::word::{MARKED, mark};
use super::{Flow, Walk};
use crate::call::patch;
use thin_vec::ThinVec;

mod cmdlet;
#[cfg(test)]
mod tests;

/// Most texts in texts.
const MOST_TEXTS: usize = 10;

/// What a stage hands to the next one.
#[derive(Clone, Debug, Default)]
struct Feed {
    /// The values, if they are known.
    items: Vec<Arg>,
    /// Whether they are files and folders, and no text.
    files: bool,
    /// Whether with each folder all that is below it.
    whole: bool,
}

impl Feed {
    /// What `$_` is in a block, if it is one value.
    fn item(&self) -> Option<Item> {
        match self.items.as_slice() {
            [only] => Some(Item { path: only.clone(), whole: self.whole }),
            _ => None,
        }
    }
}

/// The object of a pipeline in a block.
#[derive(Clone, Debug)]
struct Item {
    path: Arg,
    /// Whether a folder comes with all that is below it.
    whole: bool,
}

/// Whether a text that bash does not run is one of PowerShell.
pub(super) fn is_meant(text: &str, script: &Script) -> bool {
    let fails = script.error.is_some_and(|error| error.stop == Stop::Syntax);
    let lines = script.pipelines.get(script.body.range()).unwrap_or_default();
    if !fails || !lines.iter().all(|line| assigns(line, text, script)) {
        return false;
    }
    let read = parse(text, Dynamics::NONE);
    read.broken.is_none() && read.body.iter().any(speaks)
}

/// `$x = …` as bash reads it: a command whose name nobody knows, with nothing in it that bash alone would run.
fn assigns(line: &ast::Pipeline, text: &str, script: &Script) -> bool {
    let commands = script.commands.get(line.stages.range()).unwrap_or_default();
    let [Command { kind: CommandKind::Simple { words, .. }, redirects, .. }] = commands else { return false };
    let whole = text.get(line.span.range()).unwrap_or_default();
    if !redirects.is_empty() || ["`", "<(", ">("].iter().any(|sign| whole.contains(sign)) {
        return false;
    }
    let words = script.words.get(words.range()).unwrap_or_default();
    let written = |at: usize| words.get(at).and_then(|word| text.get(word.span.range())).unwrap_or_default();
    written(0).starts_with('$') && written(1).starts_with('=')
}

/// Whether a statement has what only PowerShell has: a cmdlet, a block after brackets, a method, `$x = …`.
fn speaks(pipeline: &Pipeline) -> bool {
    pipeline.assigned.is_some()
        || pipeline.stages.iter().any(|stage| {
            let first = stage.words.first().and_then(|word| word.items.first());
            let cmdlet = first.filter(|word| word.dynamic.is_empty());
            let block = stage.groups.iter().any(|group| group.block);
            matches!(&stage.what, What::Control(label) if block && !label.is_empty())
                || stage.calls.iter().any(|call| call.name.contains("]::"))
                || cmdlet.is_some_and(|word| cmdlets::is_only_here(&word.text.to_ascii_lowercase()))
                || stage.groups.iter().any(|group| group.body.iter().any(speaks))
        })
}

impl Walk<'_, '_> {
    /// Commands that have a reader of their own; whether that is all to be said of them.
    pub(super) fn runs_apart(&mut self, n: u32, spans: &[[u32; 2]]) -> bool {
        let Some(part) = self.out.parts.get(n as usize) else { return true };
        let head = part.head.as_str();
        match head {
            "apply_patch" | "applypatch" => self.patched(n, 0, part.words().get(1).cloned()),
            _ if head.starts_with(['p', 'P']) && powershell::is_shell(head) => {
                self.runs_powershell(n, spans);
                return true;
            }
            _ if head.starts_with(|first: char| first.is_ascii_uppercase()) && head.contains('-') => {
                if let Some(cmdlet) = cmdlets::find(&head.to_ascii_lowercase()) {
                    self.cmdlet_in_shell(n, cmdlet);
                }
            }
            _ => {}
        }
        false
    }

    /// A cmdlet in a text that bash may run: bash knows none, so its words are PowerShell's.
    fn cmdlet_in_shell(&mut self, n: u32, cmdlet: &'static Cmdlet) {
        let Some(part) = self.out.parts.get(n as usize) else { return };
        let written = self.text.get(part.span[0] as usize..part.span[1] as usize).unwrap_or_default();
        let escaped = self.out.span.is_none() && written.contains('\\');
        let mut read = parse(if escaped { written } else { "" }, Dynamics::NONE).body;
        let stage =
            read.first_mut().and_then(|line| line.stages.first_mut()).map(|stage| std::mem::take(&mut stage.words));
        let words = stage.unwrap_or_else(|| words_of(part.words()));
        let code = powershell::touches(cmdlet, &cmdlet.bind(words.get(1..).unwrap_or_default()));
        if let Some(part) = self.out.parts.get_mut(n as usize) {
            part.code = Some(Box::new(code));
        }
        // PowerShell is elsewhere then, bash is not.
        if matches!(cmdlet.name, "set-location" | "push-location" | "pop-location") {
            self.out.moves();
            self.out.state.place = Place::unknown();
        }
    }

    /// The files of a patch that part `n` is given in a word or on its standard input.
    fn patched(&mut self, n: u32, strip: usize, word: Option<Arg>) {
        let text = match word {
            Some(word) => Some(word),
            None => self.stdin_text(n).map(|(text, _)| text),
        };
        let Some(text) = text else { return };
        let files = patch::files(&text.text, strip);
        if files.is_empty() {
            return;
        }
        let whole = text.dynamic.is_empty();
        let marked = |path: &str| if whole || !path.contains('«') { Dynamics::NONE } else { text.dynamic };
        let paths = files.into_iter().map(|file| {
            let dynamic = marked(&file.path);
            CodePath { path: Arg { text: file.path.into(), dynamic }, op: file.op }
        });
        let open = if whole { String::new() } else { "a patch that is not known in full".to_owned() };
        if let Some(part) = self.out.parts.get_mut(n as usize) {
            part.code =
                Some(Box::new(Code { lang: "patch".to_owned(), paths: paths.collect(), open, ..Code::default() }));
        }
    }

    /// `pwsh -Command …` and its like.
    fn runs_powershell(&mut self, n: u32, spans: &[[u32; 2]]) {
        let Some(part) = self.out.parts.get(n as usize) else { return };
        let mut code = Code { lang: NAME.to_owned(), ..Code::default() };
        let span = part.span;
        let mut text = None;
        match powershell::program(&part.head, part.words()) {
            Program::Text(found, at) => text = Some((found, spans.get(at).copied().unwrap_or(span), "-Command")),
            Program::File(at) => {
                let path = part.words().get(at).and_then(powershell::file);
                code.paths.extend(path.map(|path| CodePath { path, op: crate::call::Op::Read }));
                code.open = "runs a script".to_owned();
            }
            Program::Stdin => match self.stdin_text(n) {
                Some((found, at)) => text = Some((found, at.unwrap_or(span), "stdin")),
                None => {
                    code.open = "powershell code that cannot be seen".to_owned();
                    let from = self.out.from.last().and_then(|from| self.out.parts.get(*from as usize));
                    let why = from.map(|from| format!("code from the output of `{}`", from.head));
                    why.into_iter().for_each(|why| self.out.doubt(why));
                }
            },
            Program::Unknown(why) => {
                code.open = why.to_owned();
                self.out.doubt(why);
            }
            Program::Nothing => {}
        }
        let Some(part) = self.out.parts.get_mut(n as usize) else { return };
        part.code = Some(Box::new(code));
        if let Some((text, span, what)) = text {
            let label = format!("{} {what}", part.head);
            let saved = self.out.state.clone();
            self.out.state = saved.child();
            self.power_inner(n, &text, span, label);
            self.out.state = saved;
            self.out.flow = Flow::Open;
        }
    }

    /// PowerShell text inside of part `n`.
    fn power_inner(&mut self, n: u32, text: &Arg, span: [u32; 2], label: String) {
        let bare = text.dynamic.iter().fold(text.text.clone(), |bare, kind| match mark(*kind) {
            "" => bare,
            mark => bare.replace(mark, ""),
        });
        if !text.dynamic.is_empty() && bare.trim().is_empty() {
            self.out.doubt(format!("code from {}", unwrap::source_of(text)));
            return;
        }
        if !self.out.may_read(text) || self.out.shells >= MOST_TEXTS {
            self.out.bound(Bound::Wrappers);
            return;
        }
        self.out.shells += 1;
        self.out.reading += text.text.len();
        let fixed = self.out.span;
        self.out.span = Some(fixed.unwrap_or(span));
        let inside = self.out.inside.replace(n);
        let by = std::mem::take(&mut self.out.by);
        let from = std::mem::take(&mut self.out.from);
        let elsewhere = self.out.elsewhere;
        self.out.elsewhere |= self.out.parts.get(n as usize).is_some_and(|part| part.elsewhere);
        self.out.ctx.push(label.into());
        let marks: Dynamics = text.dynamic.iter().copied().filter(|kind| MARKED.contains(kind)).collect();
        self.power_text(&text.text, marks);
        self.out.ctx.pop();
        self.out.elsewhere = elsewhere;
        self.out.from = from;
        self.out.by = by;
        self.out.inside = inside;
        self.out.span = fixed;
        self.out.reading -= text.text.len();
        self.out.shells -= 1;
    }

    /// All commands of a PowerShell text.
    pub(super) fn power_text(&mut self, text: &str, marks: Dynamics) {
        let script = parse(text, marks);
        if let Some(why) = script.broken {
            let bound = why.starts_with("bound");
            self.out.doubt(if bound { why.to_owned() } else { format!("syntax: {why}") });
        }
        self.power_list(&script.body, None);
    }

    fn power_list(&mut self, body: &[Pipeline], item: Option<&Item>) {
        self.out.nesting += 1;
        if self.out.nesting > MOST_NESTING {
            self.out.bound(Bound::Nesting);
        } else {
            for pipeline in body {
                if self.out.full {
                    break;
                }
                if !pipeline.joint.is_empty() {
                    self.out.by = pipeline.joint;
                }
                match &pipeline.assigned {
                    Some(name) => self.power_assigned(name, pipeline, item),
                    None => self.power_pipeline(&pipeline.stages, item),
                }
            }
        }
        self.out.nesting -= 1;
    }

    /// `$x = …`: what it runs stands inside of a part that keeps the value, as in a shell line.
    fn power_assigned(&mut self, name: &str, pipeline: &Pipeline, item: Option<&Item>) {
        let value = Arg { text: format!("{name}=«sub»").into(), dynamic: Dynamic::Sub.into() };
        let span = match (pipeline.stages.first(), pipeline.stages.last()) {
            (Some(first), Some(last)) => span([first.span[0], last.span[1]]),
            _ => return,
        };
        let part = Part { assign: [value].into_iter().collect(), span, ..Part::default() };
        let Some(n) = self.out.push(part) else { return };
        let inside = self.out.inside.replace(n);
        let by = std::mem::take(&mut self.out.by);
        self.out.ctx.push("cmdsub".into());
        self.power_pipeline(&pipeline.stages, item);
        self.out.ctx.pop();
        self.out.by = by;
        self.out.inside = inside;
    }

    fn power_pipeline(&mut self, stages: &[Stage], item: Option<&Item>) {
        let outer = self.out.from.clone();
        let mut start = self.out.parts.len();
        let mut feed = Feed::default();
        for (number, stage) in stages.iter().enumerate() {
            if number > 0 {
                self.out.by = "|";
                self.out.from = self.feeding(start);
                start = self.out.parts.len();
            }
            if stages.len() > 1 {
                self.out.ctx.push(super::stage_of(number, stages.len()));
            }
            feed = match &stage.what {
                What::Command => self.power_command(stage, item, feed, number > 0),
                What::Expression => self.power_expression(stage, item),
                What::Control(label) => {
                    self.power_control(label, &stage.groups, item);
                    Feed::default()
                }
            };
            if stages.len() > 1 {
                self.out.ctx.pop();
            }
        }
        self.out.from = outer;
    }

    fn power_control(&mut self, label: &str, groups: &[Group], item: Option<&Item>) {
        let depth = self.out.ctx.len();
        if !matches!(label, "" | "param" | "try") {
            self.out.ctx.push(label.into());
        }
        let before = self.out.state.clone();
        for group in groups {
            self.power_list(&group.body, item);
        }
        let after = std::mem::take(&mut self.out.state);
        // A function runs where it is called, if at all.
        self.out.state = if label.starts_with("func ") { before } else { before.merge(&after) };
        self.out.ctx.truncate(depth);
    }

    fn power_expression(&mut self, stage: &Stage, item: Option<&Item>) -> Feed {
        for call in &stage.calls {
            self.power_method(call, stage);
        }
        for group in &stage.groups {
            self.power_list(&group.body, item);
        }
        if !stage.redirects.is_empty() {
            let (redirs, span) = (redirs(stage), span(stage.span));
            self.out.push(Part { redirs: redirs.into(), span, ..Part::default() });
        }
        let items = match stage.words.as_slice() {
            [only] if stage.plain => only.items.clone(),
            _ => Vec::new(),
        };
        Feed { items, ..Feed::default() }
    }

    fn power_method(&mut self, call: &Method, stage: &Stage) {
        let argv: ThinVec<Arg> = [Arg::literal(&call.name)].into_iter().chain(call.args.iter().cloned()).collect();
        let part = Part { span: span(stage.span), argv, ..Part::default() };
        let part = match powershell::method(&call.name, &call.args) {
            Dotnet::Harmless => return,
            Dotnet::Decodes => {
                let code = Code { lang: NAME.to_owned(), ..Code::default() };
                Part { head: call.name.clone().into(), code: Some(Box::new(code)), ..part }
            }
            Dotnet::Open => {
                let open = "a method that is not known".to_owned();
                let code = Code { lang: NAME.to_owned(), open, ..Code::default() };
                Part { head: call.name.clone().into(), code: Some(Box::new(code)), ..part }
            }
            Dotnet::Cmdlet(words) => {
                let head = words.first().map(|word| word.text.clone()).unwrap_or_default();
                let Some(cmdlet) = cmdlets::find(&head) else { return };
                let bound = cmdlet.bind(words_of(&words).get(1..).unwrap_or_default());
                let known = Some(powershell::plain_words(&head, &bound));
                Part { head, known, code: Some(Box::new(powershell::touches(cmdlet, &bound))), ..part }
            }
        };
        self.out.push(part);
    }
}

/// Words that are certain to be one argument each.
fn words_of(args: &[Arg]) -> Vec<Word> {
    args.iter().map(|arg| Word { items: vec![arg.clone()], ..Word::default() }).collect()
}

fn argv(words: &[Word]) -> Vec<Arg> {
    words
        .iter()
        .map(|word| match word.items.as_slice() {
            [only] => only.clone(),
            items => {
                let texts: Vec<&str> = items.iter().map(|arg| arg.text.as_str()).collect();
                let mut list = Arg::literal(texts.join(","));
                items.iter().for_each(|arg| list.mark_all(arg.dynamic));
                list
            }
        })
        .collect()
}

fn redirs(stage: &Stage) -> Vec<Redir> {
    stage
        .redirects
        .iter()
        .flat_map(|redirect| {
            let targets = redirect.target.items.iter().filter_map(powershell::file);
            targets.map(|target| Redir {
                fd: RedirFd::Number(redirect.stream),
                op: redirect.op.into(),
                target,
                known: None,
            })
        })
        .collect()
}

fn span(span: [usize; 2]) -> [u32; 2] {
    span.map(|at| u32::try_from(at).unwrap_or(u32::MAX))
}
