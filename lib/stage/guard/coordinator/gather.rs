//! What the coordinator needs of the world, read in the source and only when it is on.

use super::overlay::{self, Overlay};
use super::policy::Policy;
use super::{place, tool};
use crate::call::Call;
use crate::config::{Failure, Layer};
use crate::stage::Context;
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The variable that switches it on.
pub(super) const VARIABLE: &str = "PA_COORDINATOR_MODE";

/// Largest policy, overlay or preferences file.
const MAX_FILE: u64 = 64 << 10;
/// Longest name of an agent.
const MAX_NAME: usize = 256;
/// Most words of a command whose links are followed.
const FOLLOWED: usize = 32;

/// What the source found, in `facts.session.guard.coordinator`. There only if the coordinator is on and
/// the tool is one that it judges.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Seen {
    /// Name of the agent; empty if it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub me: String,
    /// Text of the user's policy, checked; none for the built-in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The file it is read from, absolute, links followed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub policy_file: String,
    /// What the overlays add, those of the home first.
    pub overlay: Overlay,
    /// Words of the command that are links, and where they lead.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<String, String>,
    /// What was ignored, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// Why the user's policy is not used, and whether that stops calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<(String, bool)>,
}

/// Reads it; nothing if the coordinator has no say in this call.
pub(super) fn seen(call: &Call, cx: &Context, world: &dyn World) -> Option<Seen> {
    // The policy is about the main thread: what it dispatches does the work.
    let main = matches!(call.agent.id.as_str(), "" | "main");
    if !main || !(*cx.config.coordinator.enabled || world.env(VARIABLE).as_deref() == Some("1")) {
        return None;
    }
    let root =
        Some(Path::new(if call.root.is_empty() { &call.cwd } else { &call.root })).filter(|root| root.is_absolute());
    let mut seen = Seen { me: own_name(root, world), ..Seen::default() };
    let policy = policy(&mut seen, cx, world);
    if policy.gate(tool(call)).is_none() && !policy.bars(tool(call)) {
        return None;
    }
    overlays(&mut seen, root, world);
    links(&mut seen, call, world);
    Some(seen)
}

/// The name of the agent: the variable, else what the preferences of the root say.
fn own_name(root: Option<&Path>, world: &dyn World) -> String {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Preferences {
        pa_name: String,
    }
    let said = || {
        let bytes = world.read(&root?.join("operator/config/preferences.json"), MAX_FILE).ok()?;
        serde_json::from_slice::<Preferences>(&bytes).ok().map(|preferences| preferences.pa_name)
    };
    world.env("PA_SELF_AGENT").or_else(said).filter(|name| name.len() <= MAX_NAME).unwrap_or_default()
}

/// The policy that holds. A user's file that does not read is told, and the built-in one holds.
fn policy(seen: &mut Seen, cx: &Context, world: &dyn World) -> Cow<'static, Policy> {
    let setting = &cx.config.coordinator.policy;
    if setting.is_empty() {
        return Cow::Borrowed(Policy::built_in());
    }
    let beside = match setting.origin.layer {
        Layer::User => setting.origin.place.as_deref().and_then(Path::parent).map(Path::to_path_buf),
        _ => world.current_dir(),
    };
    let path = match (setting.strip_prefix("~/"), world.home()) {
        (Some(below), Some(home)) => home.join(below),
        _ => beside.unwrap_or_default().join(&setting.value),
    };
    let read = match world.read(&path, MAX_FILE) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned()),
        Err(error) => Err(why(&error)),
    };
    match read.and_then(|text| Policy::read(&text, &seen.me).map(|policy| (text, policy))) {
        Ok((text, policy)) => {
            let shown = tilde(&path, world);
            seen.ignored.extend(Policy::strange(&text).into_iter().map(|line| format!("{shown}: {line}")));
            seen.policy = Some(text);
            seen.policy_file = world.resolve(&path).to_string_lossy().into_owned();
            Cow::Owned(policy)
        }
        Err(why) => {
            let shown = tilde(&path, world);
            let closed = *cx.config.failure.config == Failure::Closed;
            let said =
                format!("{shown}: {why}; the built-in policy holds until `coordinator.policy` names one that reads");
            seen.refused = Some((said, closed));
            Cow::Borrowed(Policy::built_in())
        }
    }
}

/// The overlay of the home and then that of the root.
fn overlays(seen: &mut Seen, root: Option<&Path>, world: &dyn World) {
    let home = world.home().map(|home| home.join(overlay::FILE));
    let own = root.map(|root| root.join(overlay::FILE)).filter(|own| home.as_ref() != Some(own));
    for path in home.into_iter().chain(own) {
        let shown = match root.and_then(|root| path.strip_prefix(root).ok()) {
            Some(below) => below.display().to_string(),
            None => tilde(&path, world),
        };
        let read = match world.read(&path, MAX_FILE) {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned()),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            Err(error) => Err(why(&error)),
        };
        let (more, ignored) = match read {
            Ok(text) => overlay::read(&text, &seen.me),
            Err(why) => (Overlay::default(), vec![format!("{why}, so it adds nothing")]),
        };
        seen.overlay.bash.extend(more.bash);
        seen.overlay.read.extend(more.read);
        seen.overlay.write.extend(more.write);
        seen.ignored.extend(ignored.into_iter().map(|line| format!("{shown}: {line}")));
    }
}

/// Words that name a path by way of a link; those that the program table knows are in `call.paths`.
fn links(seen: &mut Seen, call: &Call, world: &dyn World) {
    let Some(shell) = &call.shell else { return };
    let home = world.home().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
    let words = shell.parts.iter().flat_map(place::words).take(FOLLOWED);
    for word in words {
        let Some(plain) = place::absolute(&word, &call.cwd, &home) else { continue };
        // Most words are no files, and that costs one look instead of one for each folder above.
        if world.stat(Path::new(&plain)).is_none() {
            continue;
        }
        let found = world.resolve(Path::new(&plain));
        if found != Path::new(&plain) {
            seen.links.insert(word, found.to_string_lossy().into_owned());
        }
    }
}

fn why(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => "there is no such file".to_owned(),
        ErrorKind::InvalidInput | ErrorKind::IsADirectory => "is no regular file".to_owned(),
        ErrorKind::FileTooLarge => format!("is larger than {} KiB", MAX_FILE >> 10),
        kind => format!("cannot be read ({kind})"),
    }
}

fn tilde(path: &Path, world: &dyn World) -> String {
    match world.home().and_then(|home| path.strip_prefix(home).ok().map(PathBuf::from)) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}
