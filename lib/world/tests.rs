//! Both machines keep the same rules.
#![expect(clippy::unwrap_used, reason = "tests may fail")]

use super::*;
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

/// The same tree on disk and in memory; `links` are (where, target).
fn trees(links: &[(&str, &str)], folders: &[&str]) -> (tempfile::TempDir, Real, Memory, PathBuf) {
    let disk = tempfile::tempdir().unwrap();
    let top = disk.path().canonicalize().unwrap();
    let memory = Memory::new();
    memory.put_folder(&top);
    for folder in folders {
        std::fs::create_dir_all(top.join(folder)).unwrap();
        memory.put_folder(top.join(folder));
    }
    for (at, target) in links {
        let target = target.strip_prefix('/').map_or_else(|| PathBuf::from(target), |below| top.join(below));
        symlink(&target, top.join(at)).unwrap();
        memory.put_link(top.join(at), target);
    }
    (disk, Real::new(), memory, top)
}

#[test]
fn paths_are_resolved_as_the_kernel_does() {
    let links = [
        ("a/link", "../b/c"),
        ("abs", "/b"),
        ("chain", "a/link"),
        ("loop1", "loop2"),
        ("loop2", "loop1"),
        ("dangling", "nowhere/x"),
        ("self", "."),
    ];
    let (_disk, real, memory, top) = trees(&links, &["a", "b/c"]);
    for (path, want) in [
        ("a/b/../c", "a/c"),
        ("a/link/x/y", "b/c/x/y"),
        ("a/link/..", "b"),
        ("a/link/../z", "b/z"),
        ("abs/c/new", "b/c/new"),
        ("chain/./new", "b/c/new"),
        ("dangling", "nowhere/x"),
        ("dangling/y", "nowhere/x/y"),
        ("nowhere/../a/link/f", "b/c/f"),
        ("nowhere/x/../../abs/f", "b/f"),
        ("self/self/self/a", "a"),
        ("a//./link/", "b/c"),
    ] {
        for world in [&real as &dyn World, &memory] {
            assert_eq!(world.resolve(&top.join(path)), top.join(want), "{path}");
        }
    }
    for world in [&real as &dyn World, &memory] {
        assert!(world.resolve(&top.join("loop1/x")).ends_with("x"), "a circle ends");
        assert_eq!(world.resolve(Path::new("/../../x-that-is-not/..")), Path::new("/"));
        let long = top.join("a/../".repeat(5_000)).join("a/link/f");
        assert!(world.resolve(&long).starts_with(&top));
        assert!(world.resolve(Path::new("/a\0b/c")).ends_with("c"));
    }
    assert_eq!(memory.resolve(Path::new("x/../y")), Path::new("/y"));
    assert!(real.resolve(Path::new("lib/world")).is_absolute());
}

#[test]
fn reading_is_bounded_and_only_of_files() {
    let (_disk, real, memory, top) = trees(&[("link", "file")], &["folder"]);
    std::fs::write(top.join("file"), "0123456789").unwrap();
    memory.put(top.join("file"), "0123456789");
    std::os::unix::net::UnixListener::bind(top.join("socket")).unwrap();
    memory.put_other(top.join("socket"));
    for world in [&real as &dyn World, &memory] {
        let kind = |path: &str, max| world.read(&top.join(path), max).map_err(|error| error.kind());
        assert_eq!(kind("link", 10), Ok(b"0123456789".to_vec()));
        assert_eq!(kind("file", 9), Err(ErrorKind::FileTooLarge));
        assert_eq!(kind("folder", 9), Err(ErrorKind::InvalidInput));
        assert_eq!(kind("socket", 9), Err(ErrorKind::InvalidInput));
        assert_eq!(kind("none", 9), Err(ErrorKind::NotFound));
        let end = |from, max| world.read_end(&top.join("file"), from, max).unwrap();
        assert_eq!(end(0, 4), (6, b"6789".to_vec()));
        assert_eq!(end(8, 4), (8, b"89".to_vec()));
        assert_eq!(end(99, 4), (10, vec![]));
        assert_eq!(end(0, 99), (0, b"0123456789".to_vec()));
        let append = |path: &str| world.append(&top.join(path), 0, &mut |_| b"x\n".to_vec());
        assert_eq!(append("folder").map_err(|error| error.kind()), Err(ErrorKind::InvalidInput));
        assert_eq!(append("socket").map_err(|error| error.kind()), Err(ErrorKind::InvalidInput));
        assert!(append("new/deep/file").unwrap().locked);
        assert_eq!(world.stat(&top.join("new")).unwrap().mode, 0o700);
        assert_eq!(world.stat(&top.join("new/deep/file")).unwrap().mode, 0o600);
        assert_eq!(world.stat(&top.join("socket")).unwrap().kind, Kind::Other);
        assert_eq!(world.stat(&top.join("none")), None);
    }
    assert!(!real.read(Path::new("/proc/self/status"), 1 << 20).unwrap().is_empty(), "files the kernel makes up");
}

#[test]
fn what_is_appended_may_depend_on_what_is_new() {
    let (_disk, real, memory, top) = trees(&[], &[]);
    for world in [&real as &dyn World, &memory] {
        let log = top.join("log");
        let one = world.append(&log, 0, &mut |_| b"one\n".to_vec()).unwrap();
        assert_eq!(one, Appended { locked: true, end: 4 });
        let mut seen = Vec::new();
        let two = world
            .append(&log, one.end, &mut |new| {
                seen.push(new.to_vec());
                b"two\n".to_vec()
            })
            .unwrap();
        let none = world
            .append(&log, one.end, &mut |new| {
                seen.push(new.to_vec());
                Vec::new()
            })
            .unwrap();
        assert_eq!((two.end, none.end), (8, 8));
        assert_eq!(seen, [b"".to_vec(), b"two\n".to_vec()]);
    }
}

#[test]
fn replacing_keeps_mode_and_link() {
    let (_disk, real, _, top) = trees(&[("link", "real/file")], &["real"]);
    std::fs::write(top.join("real/file"), "old").unwrap();
    std::fs::set_permissions(top.join("real/file"), PermissionsExt::from_mode(0o664)).unwrap();
    real.replace(&top.join("link"), b"new").unwrap();
    assert_eq!(std::fs::read_to_string(top.join("real/file")).unwrap(), "new");
    assert_eq!(real.stat(&top.join("real/file")).unwrap().mode, 0o664);
    assert!(std::fs::symlink_metadata(top.join("link")).unwrap().is_symlink());
    real.replace(&top.join("made/file"), b"new").unwrap();
    assert_eq!(real.stat(&top.join("made/file")).unwrap().mode, 0o600);
    assert_eq!(real.list(&top.join("real"), 9).unwrap(), ["file"], "nothing is left aside");
    assert_eq!(real.replace(&top.join("real"), b"").map_err(|error| error.kind()), Err(ErrorKind::InvalidInput));
    real.remove(&top.join("none")).unwrap();
    assert_eq!(real.remove_folder(&top.join("link")).map_err(|error| error.kind()), Err(ErrorKind::NotADirectory));
    real.remove_folder(&top.join("real")).unwrap();
    assert_eq!(real.stat(&top.join("real")), None);
}

#[test]
fn a_lock_is_held_while_something_is_done_or_nothing_is_done() {
    let (_disk, real, memory, top) = trees(&[], &[]);
    for world in [&real as &dyn World, &memory] {
        let file = top.join("lock");
        assert!(world.locked(&file, Duration::from_secs(5), &mut |_| b"one\n".to_vec()).unwrap());
        let mut seen = Vec::new();
        let act = &mut |known: &[u8]| {
            seen = known.to_vec();
            Vec::new()
        };
        assert!(world.locked(&file, Duration::ZERO, act).unwrap());
        assert_eq!(seen, b"one\n");
    }
    memory.hold_lock(top.join("lock"));
    let held = std::fs::File::open(top.join("lock")).unwrap();
    held.lock().unwrap();
    for world in [&real as &dyn World, &memory] {
        let mut done = false;
        let act = &mut |_: &[u8]| {
            done = true;
            Vec::new()
        };
        assert!(!world.locked(&top.join("lock"), Duration::from_millis(1), act).unwrap());
        assert!(!done);
    }
}

#[test]
fn the_middle_of_a_file_is_read_and_a_name_that_is_taken_is_not_moved_to() {
    let (_disk, real, memory, top) = trees(&[], &[]);
    for world in [&real as &dyn World, &memory] {
        let (one, two) = (top.join("new/one"), top.join("two"));
        world.replace_synced(&one, b"0123456789").unwrap();
        assert_eq!(world.read_at(&one, 3, 4).unwrap(), b"3456");
        assert_eq!(world.read_at(&one, 8, 9).unwrap(), b"89");
        assert_eq!(world.read_at(&one, 99, u64::MAX).unwrap(), b"");
        world.replace_synced(&two, b"two").unwrap();
        assert_eq!(world.rename(&one, &two).map_err(|error| error.kind()), Err(ErrorKind::AlreadyExists));
        world.rename(&one, &top.join("other/one")).unwrap();
        assert_eq!((world.stat(&one), world.read(&two, 9).unwrap()), (None, b"two".to_vec()));
        assert_eq!(world.rename(&one, &top.join("x")).map_err(|error| error.kind()), Err(ErrorKind::NotFound));
    }
}

#[test]
fn what_is_synced_replaces_a_link_and_leaves_nothing_aside() {
    let (_disk, real, _, top) = trees(&[("link", "target")], &[]);
    std::fs::write(top.join("target"), "old").unwrap();
    real.replace_synced(&top.join("link"), b"new").unwrap();
    assert_eq!(std::fs::read_to_string(top.join("target")).unwrap(), "old");
    assert!(!std::fs::symlink_metadata(top.join("link")).unwrap().is_symlink());
    let mut names = real.list(&top, 9).unwrap();
    names.sort();
    assert_eq!(names, ["link", "target"]);
}

#[test]
fn a_program_is_waited_for_but_not_for_ever() {
    let (_disk, real, _, top) = trees(&[], &[]);
    let run = |script: &str, millis| {
        real.run(&["sh", "-c", script], Duration::from_millis(millis), 9).map_err(|error| error.kind())
    };
    assert_eq!(run("echo yes", 10_000), Ok(b"yes\n".to_vec()));
    assert_eq!(run("yes", 10_000), Ok(b"y\ny\ny\ny\ny".to_vec()), "what is too much is cut, and its writer stopped");
    assert_eq!(run("echo no; exit 3", 10_000), Err(ErrorKind::Other));
    let mark = top.join("mark");
    let script = format!("(sleep 600; touch {0}) & echo $! > {0}.pid; sleep 600", mark.display());
    assert_eq!(run(&script, 300), Err(ErrorKind::TimedOut));
    assert_eq!(
        real.run(&["no-such-program"], Duration::ZERO, 9).map_err(|error| error.kind()),
        Err(ErrorKind::NotFound)
    );
    // Its child is gone with it; a process that is no more has no command line.
    if let Ok(pid) = std::fs::read_to_string(top.join("mark.pid")) {
        let line = || std::fs::read_to_string(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
        // It was told to go, and goes when the system comes to it.
        let left = (0..100_000).map(|_| line()).take_while(|line| line.contains("mark")).count();
        assert!(left < 100_000, "{}", line());
    }
}

#[test]
fn home_comes_from_the_passwd_row_where_there_is_no_variable() {
    let text = b"# x\nroot:x:0:0:root:/root:/bin/sh\nodd\nme:x:1000:1000:a,b:/home/me:/bin/sh\nrel:x:5:5::home:\n";
    assert_eq!(home_in_passwd(text, 1000), Some("/home/me".into()));
    assert_eq!(home_in_passwd(text, 0), Some("/root".into()));
    assert_eq!(home_in_passwd(text, 5), None);
    assert_eq!(home_in_passwd(text, 6), None);
    let world = Memory::new();
    assert_eq!(world.home(), None);
    world.set_passwd_home("/home/me");
    for (home, want) in [("", "/home/me"), ("x", "/home/me"), ("/h", "/h")] {
        world.set_env("HOME", home);
        assert_eq!(world.home(), Some(want.into()));
    }
}

#[test]
fn programs_are_found_in_absolute_folders_only() {
    let world = Memory::new();
    world.set_env("PATH", "bin:/bin::/usr/bin");
    for at in ["/bin/data", "/usr/bin/data", "/bin/tool"] {
        world.put(at, "");
    }
    world.set_owner("/usr/bin/data", 0, 0o755);
    world.set_owner("/bin/tool", 0, 0o755);
    assert_eq!(world.which("data"), Some("/usr/bin/data".into()));
    assert_eq!(world.which("/bin/tool"), Some("/bin/tool".into()));
    assert_eq!(world.which("bin/tool"), None);
    assert_eq!(world.which("none"), None);
    assert_eq!(world.which(""), None);
    assert!(Real::new().which("sh").is_some());
}
