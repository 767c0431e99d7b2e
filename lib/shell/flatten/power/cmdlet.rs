//! A command of PowerShell: what its cmdlet touches, what it hands on, and what it runs.

use super::super::super::dynamic::Dynamic;
use super::super::super::part::{Arg, Part};
use super::super::super::powershell;
use super::super::super::powershell::cmdlets::{self, Cmdlet, Takes};
use super::super::super::powershell::words::Stage;
use super::super::super::unwrap;
use super::super::Walk;
use super::super::state::Place;
use super::{Feed, argv, redirs, span};

impl Walk<'_, '_> {
    pub(super) fn power_command(&mut self, stage: &Stage, item: Option<&Arg>, feed: Feed, piped: bool) -> Feed {
        for call in &stage.calls {
            self.power_method(call, stage);
        }
        let redirs = redirs(stage);
        let part =
            Part { redirs: redirs.into(), span: span(stage.span), argv: argv(&stage.words).into(), ..Part::default() };
        let Some(first) = stage.words.first().and_then(|word| word.items.first()) else {
            if !part.redirs.is_empty() {
                self.out.push(part);
            }
            return Feed::default();
        };
        // `& { … }`
        if first.text == "{}" && stage.words.first().is_some_and(|word| !word.groups.is_empty()) {
            for group in &stage.groups {
                self.power_list(&group.body, item);
            }
            return Feed::default();
        }
        let name = powershell::base(first);
        if name.is_empty() {
            self.out.doubt(format!("command from {}", unwrap::source_of(first)));
        }
        let found = if first.text.contains(['/', '\\']) { None } else { cmdlets::command(&name, &stage.words) };
        match found {
            Some(cmdlet) => self.power_cmdlet(cmdlet, &name, part, stage, item, feed, piped),
            None => {
                let Some(n) = self.out.push(Part { head: name.into(), ..part }) else { return Feed::default() };
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
        item: Option<&Arg>,
        feed: Feed,
        piped: bool,
    ) -> Feed {
        let head = if cmdlet.name.is_empty() { name } else { cmdlet.name };
        let mut bound = cmdlet.bind(stage.words.get(1..).unwrap_or_default());
        if let Some(item) = item {
            for parameter in bound.iter_mut().filter(|parameter| parameter.item) {
                parameter.values = vec![item.clone()];
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
                bound.push(cmdlets::Bound {
                    name: "path",
                    takes: Takes::Path(op),
                    values,
                    item: false,
                    written: false,
                });
            }
        }
        let known = powershell::plain_words(head, &bound);
        let known = Some(known).filter(|known| *known != part.argv);
        let code = powershell::touches(cmdlet, &bound);
        let paths: Vec<Arg> = code.paths.iter().map(|touch| touch.path.clone()).collect();
        let Some(n) = self.out.push(Part { head: head.into(), known, code: Some(Box::new(code)), ..part }) else {
            return Feed::default();
        };
        let inner = match feed.items.as_slice() {
            [only] if matches!(head, "foreach-object" | "where-object") => Some(only),
            _ if matches!(head, "foreach-object" | "where-object") => None,
            _ => item,
        };
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
                let all = |path: Arg| match path.dynamic.contains(&Dynamic::Glob) {
                    true => path,
                    false => globbed(path),
                };
                return Feed { items: paths.into_iter().map(all).collect(), files: true };
            }
            "get-item" | "resolve-path" | "convert-path" => return Feed { items: paths, files: true },
            "where-object" | "select-object" | "sort-object" => return feed,
            "write-output" => {
                let items = bound.into_iter().flat_map(|parameter| parameter.values).collect();
                return Feed { items, files: false };
            }
            _ => {}
        }
        Feed::default()
    }

    /// What stands in brackets in the words of part `n`.
    fn power_groups(&mut self, n: u32, stage: &Stage, head: &str, item: Option<&Arg>) {
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
        let part = Part { head: powershell::base(file).into(), argv: argv.into(), span, ..Part::default() };
        let inside = self.out.inside.replace(n);
        self.out.ctx.push("start-process".into());
        if let Some(m) = self.out.push(part) {
            self.runs(m, &[]);
        }
        self.out.ctx.pop();
        self.out.inside = inside;
    }
}

/// Everything in a folder.
fn globbed(path: Arg) -> Arg {
    let mut all = Arg { text: format!("{}/*", path.text.trim_end_matches('/')).into(), dynamic: path.dynamic };
    all.mark(Dynamic::Glob);
    all
}
