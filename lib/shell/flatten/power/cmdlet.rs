//! A command of PowerShell: what its cmdlet touches, what it hands on, and what it runs.

use super::super::super::dynamic::{Dynamic, Dynamics};
use super::super::super::part::{Arg, Part};
use super::super::super::powershell;
use super::super::super::powershell::cmdlets::{self, Bound, Cmdlet, Takes};
use super::super::super::powershell::words::Stage;
use super::super::super::unwrap;
use super::super::Walk;
use super::super::state::Place;
use super::{Feed, Item, argv, redirs, span};
use crate::call::Op;

impl Walk<'_, '_> {
    pub(super) fn power_command(&mut self, stage: &Stage, item: Option<&Item>, feed: Feed, piped: bool) -> Feed {
        let redirs = redirs(stage);
        let part =
            Part { redirs: redirs.into(), span: span(stage.span), argv: argv(&stage.words).into(), ..Part::default() };
        let Some(first) = stage.words.first().and_then(|word| word.items.first()) else {
            stage.calls.iter().for_each(|call| self.power_method(call, stage));
            if !part.redirs.is_empty() {
                self.out.push(part);
            }
            return Feed::default();
        };
        // `& { … }`
        if first.text == "{}" && stage.words.first().is_some_and(|word| !word.groups.is_empty()) {
            stage.calls.iter().for_each(|call| self.power_method(call, stage));
            for group in &stage.groups {
                self.power_list(&group.body, item);
            }
            return Feed::default();
        }
        // One of several programs is none that is known.
        let name =
            if stage.words.first().is_some_and(|word| word.each) { String::new() } else { powershell::base(first) };
        if name.is_empty() {
            self.out.doubt(format!("command from {}", unwrap::source_of(first)));
        }
        let found = if first.text.contains(['/', '\\']) { None } else { cmdlets::command(&name, &stage.words) };
        match found {
            Some(cmdlet) => self.power_cmdlet(cmdlet, &name, part, stage, item, feed, piped),
            None => {
                let known = powershell::by_path(&part.argv);
                let Some(n) = self.out.push(Part { head: name.into(), known, ..part }) else {
                    return Feed::default();
                };
                self.power_groups(n, stage, "", item);
                self.runs(n, &[]);
                Feed::default()
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what a stage is made of")]
    fn power_cmdlet(
        &mut self,
        cmdlet: &'static Cmdlet,
        name: &str,
        part: Part,
        stage: &Stage,
        item: Option<&Item>,
        feed: Feed,
        piped: bool,
    ) -> Feed {
        let head = if cmdlet.name.is_empty() { name } else { cmdlet.name };
        let mut bound = cmdlet.bind(stage.words.get(1..).unwrap_or_default());
        let mut whole = false;
        if let Some(item) = item {
            for parameter in bound.iter_mut().filter(|parameter| parameter.item) {
                parameter.values = vec![item.path.clone()];
                whole |= item.whole;
            }
        }
        if let Some(op) = cmdlet.piped.filter(|_| piped && !bound.iter().any(|one| matches!(one.takes, Takes::Path(_))))
        {
            let known = !feed.items.is_empty() && (feed.files || head != "select-string");
            let values = match known {
                true => feed.items.clone(),
                // What is searched there is text.
                false if head == "select-string" => Vec::new(),
                false => vec![Arg { text: "«var»".into(), dynamic: Dynamic::Var.into() }],
            };
            if !values.is_empty() {
                bound.push(Bound { name: "path", takes: Takes::Path(op), values, item: false, written: false });
                whole |= feed.whole;
            }
        }
        if whole && cmdlet.piped == Some(Op::Delete) && !bound.iter().any(|parameter| parameter.name == "recurse") {
            bound.push(Bound::switch("recurse"));
        }
        let known = powershell::plain_words(head, &bound);
        let known = Some(known).filter(|known| *known != part.argv);
        let code = powershell::touches(cmdlet, &bound);
        let paths: Vec<Arg> = code.paths.iter().map(|touch| touch.path.clone()).collect();
        let Some(n) = self.out.push(Part { head: head.into(), known, code: Some(Box::new(code)), ..part }) else {
            return Feed::default();
        };
        let each = matches!(head, "foreach-object" | "where-object");
        let inner = feed.item().filter(|_| each);
        let inner = if each { inner.as_ref() } else { item };
        let (saved, elsewhere) = (self.out.state.clone(), self.out.elsewhere);
        self.out.elsewhere |= bound.iter().any(|parameter| parameter.name == "computername");
        self.power_groups(n, stage, head, inner);
        self.out.elsewhere = elsewhere;
        if matches!(head, "invoke-command" | "start-job") {
            self.out.state = saved;
        }
        let values = |name: &str| {
            bound.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.values.as_slice())
        };
        match head {
            "set-location" => self.power_place("cd", &paths),
            "push-location" => self.power_place("pushd", &paths),
            "pop-location" => self.power_place("popd", &[]),
            "invoke-expression" => {
                let given = values("command").and_then(<[Arg]>::first);
                self.power_evaluates(n, given.or(feed.items.first()), stage);
            }
            "start-process" => {
                self.power_starts(n, values("filepath"), values("argumentlist").or_else(|| values("args")))
            }
            "get-childitem" => {
                let deep = bound.iter().any(|parameter| matches!(parameter.name, "recurse" | "depth"));
                let name = values("filter").or_else(|| values("include"));
                let named = paths.iter().any(|path| path.dynamic.contains(&Dynamic::Glob));
                let whole = deep && name.is_none() && !named;
                let found = |path: &Arg| listed(path, name.unwrap_or_default(), deep);
                return Feed { items: paths.iter().flat_map(found).collect(), files: true, whole };
            }
            "get-item" | "resolve-path" | "convert-path" => {
                return Feed { items: paths, files: true, whole: false };
            }
            "sort-object" => return feed,
            // Some of them, and nobody knows which.
            "where-object" | "select-object" => return Feed { whole: false, ..feed },
            "write-output" => {
                let items = bound.into_iter().flat_map(|parameter| parameter.values).collect();
                return Feed { items, ..Feed::default() };
            }
            _ => {}
        }
        Feed::default()
    }

    /// What stands in brackets in the words of part `n`, and the methods that they call.
    fn power_groups(&mut self, n: u32, stage: &Stage, head: &str, item: Option<&Item>) {
        if !stage.calls.is_empty() {
            self.aside("cmdsub", Some(n), |walk| stage.calls.iter().for_each(|call| walk.power_method(call, stage)));
        }
        for group in &stage.groups {
            if !group.block {
                self.aside("cmdsub", Some(n), |walk| walk.power_list(&group.body, item));
                continue;
            }
            let inside = self.out.inside.replace(n);
            let (by, from) = (std::mem::take(&mut self.out.by), std::mem::take(&mut self.out.from));
            self.out.ctx.push(head.into());
            self.power_list(&group.body, item);
            self.out.ctx.pop();
            (self.out.by, self.out.from) = (by, from);
            self.out.inside = inside;
        }
    }

    fn power_place(&mut self, command: &str, paths: &[Arg]) {
        self.out.moves();
        let drive = |arg: &Arg| arg.text.starts_with("\\\\") || arg.text.as_bytes().get(1) == Some(&b':');
        self.out.state.change(command, paths);
        if paths.iter().any(drive) {
            self.out.state.place = Place::unknown();
        }
    }

    /// `iex`: the text is PowerShell again.
    fn power_evaluates(&mut self, n: u32, text: Option<&Arg>, stage: &Stage) {
        match text {
            Some(text) => self.power_inner(n, &text.clone(), span(stage.span), "iex".to_owned()),
            None => {
                let from = self.out.from.last().and_then(|from| self.out.parts.get(*from as usize));
                let name = from.map_or("", |from| from.head.as_str());
                let why = if name.is_empty() {
                    "code from a pipe".to_owned()
                } else {
                    format!("code from the output of `{name}`")
                };
                self.out.doubt(why);
            }
        }
    }

    /// `Start-Process file -ArgumentList a, b`
    fn power_starts(&mut self, n: u32, file: Option<&[Arg]>, args: Option<&[Arg]>) {
        let Some(file) = file.and_then(<[Arg]>::first) else { return };
        let mut argv = vec![file.clone()];
        for arg in args.unwrap_or_default() {
            let fields = arg.text.split_ascii_whitespace();
            argv.extend(fields.map(|text| Arg { text: text.trim_matches(['"', '\'']).into(), dynamic: arg.dynamic }));
        }
        let span = self.out.parts.get(n as usize).map_or([0, 0], |part| part.span);
        // A name with an ending is looked for in the folder first.
        let known = match argv.first_mut() {
            Some(first) if first.text.contains('.') && !first.text.contains(['/', '\\', ':']) => {
                first.text = format!("./{}", first.text).into();
                None
            }
            _ => powershell::by_path(&argv),
        };
        let part = Part { head: powershell::base(file).into(), argv: argv.into(), known, span, ..Part::default() };
        let inside = self.out.inside.replace(n);
        self.out.ctx.push("start-process".into());
        if let Some(m) = self.out.push(part) {
            self.runs(m, &[]);
        }
        self.out.ctx.pop();
        self.out.inside = inside;
    }
}

/// What `Get-ChildItem` gives of a path: what is in a folder, or what the path's own pattern or `names` ask for.
fn listed(path: &Arg, names: &[Arg], deep: bool) -> Vec<Arg> {
    let (folder, own) = match path.text.rsplit_once(['/', '\\']) {
        _ if !path.dynamic.contains(&Dynamic::Glob) => (path.text.as_str(), None),
        Some((folder, name)) if !folder.contains(['*', '?', '[']) => (folder, Some(name)),
        Some(_) => return vec![path.clone()],
        None => (".", Some(path.text.as_str())),
    };
    let folder = folder.trim_end_matches(['/', '\\']);
    let between = if deep && (own.is_some() || !names.is_empty()) { "**/" } else { "" };
    let one = |name: &str, dynamic: Dynamics| {
        let text = match folder {
            "." if path.text != "." || !between.is_empty() => format!("{between}{name}"),
            folder => format!("{folder}/{between}{name}"),
        };
        let mut found = Arg { text: text.into(), dynamic: path.dynamic };
        found.mark_all(dynamic);
        found.mark(Dynamic::Glob);
        found
    };
    match names {
        [] => vec![one(own.unwrap_or("*"), Dynamics::NONE)],
        names => names.iter().map(|name| one(&name.text, name.dynamic)).collect(),
    }
}
