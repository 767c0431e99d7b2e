//! Well-known cmdlets: their aliases, their parameters, and what they do with the paths among them.

use super::words::Word;
use crate::call::Op;
use crate::shell::part::Arg;

/// A cmdlet. The texts are lists, split when the cmdlet is met.
#[derive(Debug)]
pub struct Cmdlet {
    /// Its name in lower case.
    pub name: &'static str,
    aliases: &'static str,
    /// `name` for a switch, `name=` with a value, `name:r`, `:w`, `:d`, `:l` for a path that is read,
    /// written, deleted or looked at.
    parameters: &'static str,
    /// Parameters that words without a name are for, in order; the last takes all that are left if
    /// it is a list.
    positions: &'static str,
    /// What happens to paths that the pipe brings.
    pub piped: Option<Op>,
    /// Why it may touch more.
    pub open: Option<&'static str>,
}

const fn row(name: &'static str, aliases: &'static str, parameters: &'static str, positions: &'static str) -> Cmdlet {
    Cmdlet { name, aliases, parameters, positions, piped: None, open: None }
}

const fn piped(cmdlet: Cmdlet, op: Op) -> Cmdlet {
    Cmdlet { piped: Some(op), ..cmdlet }
}

const fn open(
    name: &'static str,
    aliases: &'static str,
    parameters: &'static str,
    positions: &'static str,
    why: &'static str,
) -> Cmdlet {
    Cmdlet { name, aliases, parameters, positions, piped: None, open: Some(why) }
}

/// Parameters of every cmdlet.
const COMMON: &str = "erroraction= ea= warningaction= wa= informationaction= verbose debug whatif confirm errorvariable= outvariable= outbuffer= pipelinevariable= filter= include= exclude= credential= force passthru progressaction=";

const RUNS: &str = "runs what it is given";

#[rustfmt::skip]
static CMDLETS: &[Cmdlet] = &[
    piped(row("remove-item", "ri rm rmdir del erase rd", "path:d literalpath:d recurse stream=", "path"), Op::Delete),
    piped(row("clear-content", "clc", "path:w literalpath:w stream=", "path"), Op::Write),
    piped(row("get-content", "gc cat type", "path:r literalpath:r totalcount= head= first= tail= last= readcount= raw wait encoding= delimiter= stream= asbytestream", "path"), Op::Read),
    row("set-content", "sc", "path:w literalpath:w value= nonewline encoding= stream= asbytestream", "path value"),
    row("add-content", "ac", "path:w literalpath:w value= nonewline encoding= stream= asbytestream", "path value"),
    row("out-file", "", "filepath:w path:w literalpath:w encoding= append noclobber width= inputobject= nonewline", "filepath encoding"),
    row("tee-object", "tee", "filepath:w path:w literalpath:w append inputobject= variable= encoding=", "filepath"),
    piped(row("copy-item", "cp copy cpi", "path:r literalpath:r destination:w recurse container tosession= fromsession=", "path destination"), Op::Read),
    piped(row("move-item", "mv move mi", "path:d literalpath:d destination:w", "path destination"), Op::Delete),
    piped(row("rename-item", "ren rni", "path:d literalpath:d newname=", "path newname"), Op::Delete),
    row("new-item", "ni mkdir md", "path:w name= itemtype= type= value= target=", "path"),
    row("get-childitem", "gci ls dir", "path:l literalpath:l recurse depth= name directory ad file af hidden readonly system attributes= followsymlink", "path filter"),
    row("get-item", "gi", "path:l literalpath:l stream=", "path"),
    piped(row("select-string", "sls", "path:r literalpath:r pattern= simplematch casesensitive quiet list notmatch allmatches raw noemphasis encoding= context= inputobject= culture=", "pattern path"), Op::Read),
    row("set-location", "sl cd chdir", "path:l literalpath:l stackname=", "path"),
    row("push-location", "pushd", "path:l literalpath:l stackname=", "path"),
    row("pop-location", "popd", "stackname=", ""),
    row("test-path", "", "path:l literalpath:l pathtype= type= isvalid newerthan= olderthan=", "path"),
    row("resolve-path", "rvpa", "path:l literalpath:l relative relativebasepath=", "path"),
    row("convert-path", "cvpa", "path:l literalpath:l", "path"),
    row("split-path", "", "path= parent leaf leafbase extension isabsolute noqualifier qualifier resolve", "path"),
    row("join-path", "", "path= childpath= additionalchildpath= resolve", "path childpath"),
    row("invoke-expression", "iex", "command=", "command"),
    row("invoke-webrequest", "iwr curl wget", "uri= outfile:w infile:r method= body= form= headers= usebasicparsing contenttype= useragent= timeoutsec= websession= sessionvariable= proxy= token= authentication= maximumredirection= skipcertificatecheck resume", "uri"),
    row("invoke-restmethod", "irm", "uri= outfile:w infile:r method= body= form= headers= usebasicparsing contenttype= useragent= timeoutsec= websession= sessionvariable= proxy= token= authentication= maximumredirection= skipcertificatecheck resume", "uri"),
    row("start-bitstransfer", "", "source= destination:w asynchronous displayname= priority=", "source destination"),
    row("start-process", "start saps", "filepath= argumentlist= args= workingdirectory= wait nonewwindow verb= windowstyle= redirectstandardoutput:w rso:w redirectstandarderror:w rse:w redirectstandardinput:r", "filepath argumentlist"),
    row("stop-process", "spps kill", "id= name= inputobject=", "id"),
    row("expand-archive", "", "path:r literalpath:r destinationpath:w", "path destinationpath"),
    row("compress-archive", "", "path:r literalpath:r destinationpath:w update compressionlevel=", "path destinationpath"),
    row("export-csv", "epcsv", "path:w literalpath:w inputobject= delimiter= notypeinformation nti append noclobber encoding= useculture usequotes=", "path delimiter"),
    row("import-csv", "ipcsv", "path:r literalpath:r delimiter= header= encoding= useculture", "path delimiter"),
    row("export-clixml", "", "path:w literalpath:w inputobject= depth= noclobber encoding=", "path"),
    row("import-clixml", "", "path:r literalpath:r", "path"),
    piped(row("get-filehash", "", "path:r literalpath:r algorithm= inputstream=", "path"), Op::Read),
    piped(row("unblock-file", "", "path:w literalpath:w", "path"), Op::Write),
    row("set-itemproperty", "sp", "path:w literalpath:w name= value= type=", "path name value"),
    row("get-itemproperty", "gp", "path:l literalpath:l name=", "path name"),
    row("set-item", "si", "path:w literalpath:w value=", "path value"),
    row("get-acl", "", "path:l literalpath:l audit", "path"),
    row("set-acl", "", "path:w literalpath:w aclobject=", "path aclobject"),
    row("start-transcript", "", "path:w literalpath:w append noclobber outputdirectory=", "path"),
    row("get-authenticodesignature", "", "filepath:r literalpath:r", "filepath"),
    row("format-hex", "fhx", "path:r literalpath:r inputobject= encoding= count= offset=", "path"),
    open("import-module", "ipmo", "name= global scope=", "name", "loads a module"),
    open("add-type", "", "typedefinition= path:r literalpath:r assemblyname= memberdefinition= language=", "typedefinition", "compiles code"),
    open("new-object", "", "typename= argumentlist= args= property= comobject= strict", "typename argumentlist", ""),
    open("invoke-command", "icm", "scriptblock= computername= filepath:r argumentlist= args= session=", "scriptblock", ""),
    open("start-job", "sajb", "scriptblock= name= filepath:r argumentlist= args= workingdirectory=", "scriptblock", ""),
    open("invoke-item", "ii", "path:r literalpath:r", "path", RUNS),
    row("write-output", "echo write", "inputobject= noenumerate", "inputobject"),
    row("write-host", "", "object= nonewline separator= foregroundcolor= backgroundcolor=", "object"),
    row("foreach-object", "% foreach", "process= begin= end= membername= parallel= throttlelimit= inputobject= argumentlist=", ""),
    row("where-object", "? where", "filterscript= property= value= eq ne like notlike match notmatch gt lt ge le contains in", ""),
    row("select-object", "select", "property= first= last= skip= skiplast= unique expandproperty= excludeproperty= index= wait inputobject=", "property"),
    row("sort-object", "sort", "property= descending unique top= bottom= stable culture= casesensitive inputobject=", "property"),
    row("measure-object", "measure", "property= line word character sum average minimum maximum allstats inputobject=", "property"),
    row("group-object", "group", "property= noelement ashashtable asstring", "property"),
    row("out-null", "", "inputobject=", ""),
    row("out-string", "oss", "stream width= inputobject=", ""),
    row("out-host", "oh", "paging inputobject=", ""),
    row("out-default", "", "", ""),
    row("compare-object", "diff compare", "referenceobject= differenceobject= property= includeequal excludedifferent", "referenceobject differenceobject"),
    row("start-sleep", "sleep", "seconds= milliseconds= s= m= ms=", "seconds"),
    row("set-variable", "sv set", "name= value= scope= option=", "name value"),
    row("clear-host", "clear cls", "", ""),
    row("get-process", "gps ps", "name= id=", "name"),
    row("get-location", "gl pwd", "", ""),
    row("get-command", "gcm", "name= all syntax commandtype=", "name"),
    row("get-help", "help man", "name= full detailed examples online parameter=", "name"),
    row("get-member", "gm", "name= membertype= static inputobject=", "name"),
    row("get-service", "gsv", "name= displayname=", "name"),
    row("get-variable", "gv", "name= scope= valueonly", "name"),
    row("set-strictmode", "", "version= off", ""),
    row("set-executionpolicy", "", "executionpolicy= scope=", "executionpolicy scope"),
    row("read-host", "", "prompt= assecurestring", "prompt"),
    row("wait-process", "", "name= id= timeout=", "name"),
    row("wait-job", "wjb", "job= name= id= timeout=", "job"),
    row("receive-job", "rcjb", "job= name= id= keep wait autoremovejob", "job"),
    row("remove-job", "rjb", "job= name= id=", "job"),
    row("remove-variable", "rv", "name= scope=", "name"),
    row("stop-service", "spsv", "name= displayname=", "name"),
    row("start-service", "sasv", "name= displayname=", "name"),
    row("restart-service", "", "name= displayname=", "name"),
    row("format-volume", "", "driveletter= drive= filesystem= newfilesystemlabel= full path= partition=", "driveletter"),
    row("clear-disk", "", "number= removedata removeoem path= friendlyname= uniqueid=", "number"),
    row("initialize-disk", "", "number= partitionstyle=", "number"),
    row("remove-partition", "", "disknumber= partitionnumber= driveletter=", "disknumber partitionnumber"),
    row("stop-computer", "", "computername=", "computername"),
    row("restart-computer", "", "computername= wait timeout=", "computername"),
];

/// Verbs whose cmdlets change no file, whatever their noun is.
const LOOKS: &[&str] = &[
    "get",
    "test",
    "measure",
    "convertto",
    "convertfrom",
    "format",
    "write",
    "select",
    "show",
    "find",
    "compare",
    "join",
    "split",
    "wait",
    "resolve",
    "debug",
];

/// Aliases that are programs of their own where PowerShell runs on anything but Windows.
const PROGRAMS: &[&str] = &[
    "rm", "rmdir", "cp", "mv", "cat", "ls", "tee", "sort", "curl", "wget", "diff", "kill", "ps", "sleep", "man",
    "echo", "mkdir", "clear", "pwd", "type", "set", "write", "start", "group", "select", "where", "measure",
];

/// What a name without a row is: a cmdlet that only looks.
static LOOK: Cmdlet = row("", "", "", "");

/// The cmdlet of a name in lower case.
pub fn find(name: &str) -> Option<&'static Cmdlet> {
    if let Some(found) = CMDLETS.iter().find(|row| row.name == name) {
        return Some(found);
    }
    let (verb, noun) = name.split_once('-')?;
    (LOOKS.contains(&verb) && noun.len() > 1 && noun.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(&LOOK)
}

/// Whether a name in lower case is a cmdlet, or an alias of one that is no program elsewhere.
pub fn is_only_here(name: &str) -> bool {
    let alias = |row: &Cmdlet| row.aliases.split(' ').any(|alias| alias == name);
    find(name).is_some() || !name.is_empty() && !PROGRAMS.contains(&name) && CMDLETS.iter().any(alias)
}

/// The cmdlet of a command word in lower case, aliases too. A Unix program of the same name is meant
/// if its options are not the cmdlet's.
pub fn command(name: &str, words: &[Word]) -> Option<&'static Cmdlet> {
    if name.is_empty() || name.contains('-') {
        return find(name);
    }
    let found = CMDLETS.iter().find(|row| row.aliases.split(' ').any(|alias| alias == name))?;
    let options = || {
        let words = words.iter().skip(1).filter(|word| !word.quoted).filter_map(|word| word.items.first());
        words.map(|arg| arg.text.as_str()).filter(|text| text.starts_with('-') && text.len() > 1)
    };
    // One letter says nothing: both have `rm -r`.
    let own = |text: &str| text.len() > 2 && text.get(1..).is_some_and(|name| found.parameter(name).is_some());
    let program = PROGRAMS.contains(&name) && options().next().is_some() && !options().any(own);
    (!program).then_some(found)
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A value.
    Value,
    /// Paths.
    Path(Op),
}

/// A parameter with its values.
#[derive(Debug)]
pub struct Bound {
    /// Its full name; empty for words that none is for.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// The values.
    pub values: Vec<Arg>,
    /// Whether a value is the object of the pipeline.
    pub item: bool,
    /// Whether it is written with its name in full.
    pub written: bool,
}

impl Bound {
    /// A switch that the command line implies.
    pub fn switch(name: &'static str) -> Self {
        Self { name, takes: Takes::Nothing, values: Vec::new(), item: false, written: true }
    }
}

impl Cmdlet {
    /// The parameter that a name or the beginning of one means.
    pub fn parameter(&self, written: &str) -> Option<(&'static str, Takes)> {
        let written = written.split(':').next().unwrap_or_default().to_ascii_lowercase();
        let written = match written.as_str() {
            "lp" | "pspath" => "literalpath",
            "wi" => "whatif",
            "ep" if self.name == "set-executionpolicy" => "executionpolicy",
            other => other,
        };
        let all = || self.parameters.split(' ').chain(COMMON.split(' ')).filter(|entry| !entry.is_empty()).map(entry);
        all().find(|(name, _)| *name == written).or_else(|| {
            // Of its own parameters first: a beginning that only a common one shares is rarely meant.
            let own = self.parameters.split(' ').filter(|entry| !entry.is_empty()).map(entry);
            let mut fits = own.chain(all()).filter(|(name, _)| !written.is_empty() && name.starts_with(written));
            fits.next()
        })
    }

    /// Words without the command, by parameter.
    pub fn bind(&self, words: &[Word]) -> Vec<Bound> {
        let mut found: Vec<(usize, Bound)> = Vec::new();
        let mut loose: Vec<(usize, &Word)> = Vec::new();
        let mut rest = words.iter().enumerate();
        while let Some((at, word)) = rest.next() {
            let text = word.items.first().map_or("", |arg| arg.text.as_str());
            let named =
                !word.quoted && text.starts_with('-') && text.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
            if !named {
                loose.push((at, word));
                continue;
            }
            let written = text.get(1..).unwrap_or_default();
            let (written, attached) =
                written.split_once(':').map_or((written, None), |(name, value)| (name, Some(value)));
            let Some((name, takes)) = self.parameter(written) else {
                found.push((
                    at,
                    Bound { name: "", takes: Takes::Nothing, values: word.items.clone(), item: false, written: true },
                ));
                continue;
            };
            let mut bound = Bound { name, takes, values: Vec::new(), item: false, written: written == name };
            match (takes, attached) {
                (Takes::Nothing, Some("$false")) => continue,
                (Takes::Nothing, _) => {}
                (_, Some(value)) if !value.is_empty() => {
                    let dynamic = word.items.first().map(|arg| arg.dynamic).unwrap_or_default();
                    bound.values.push(Arg { text: value.into(), dynamic });
                    bound.values.extend(word.items.iter().skip(1).cloned());
                }
                _ => {
                    if let Some((_, value)) = rest.next() {
                        bound.values.clone_from(&value.items);
                        bound.item = value.item;
                    }
                }
            }
            found.push((at, bound));
        }
        let free = |name: &str, found: &[(usize, Bound)]| {
            let same = |bound: &Bound| bound.name == name || (name == "path" && bound.name == "literalpath");
            !found.iter().any(|(_, bound)| same(bound))
        };
        let mut positions: Vec<&str> =
            self.positions.split(' ').filter(|name| !name.is_empty() && free(name, &found)).collect();
        positions.reverse();
        for (at, word) in loose {
            let block = word.items.len() == 1 && word.items.first().is_some_and(|arg| arg.text == "{}" && !word.quoted);
            let position = if block { None } else { positions.pop() };
            let (name, takes) = position.and_then(|name| self.parameter(name)).unwrap_or(("", Takes::Value));
            found.push((at, Bound { name, takes, values: word.items.clone(), item: word.item, written: false }));
        }
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, bound)| bound).collect()
    }
}

fn entry(entry: &'static str) -> (&'static str, Takes) {
    if let Some(name) = entry.strip_suffix('=') {
        return (name, Takes::Value);
    }
    match entry.split_once(':') {
        Some((name, "r")) => (name, Takes::Path(Op::Read)),
        Some((name, "w")) => (name, Takes::Path(Op::Write)),
        Some((name, "d")) => (name, Takes::Path(Op::Delete)),
        Some((name, _)) => (name, Takes::Path(Op::List)),
        None => (entry, Takes::Nothing),
    }
}
