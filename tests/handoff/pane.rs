//! The tmux pane, real and played.

use super::*;
use std::io;
use std::path::Path;

#[test]
fn real_tmux_shows_its_pane() {
    let Some(tmux) =
        ["/usr/bin/tmux", "/bin/tmux", "/usr/local/bin/tmux"].into_iter().find(|path| Path::new(path).exists())
    else {
        // Past the capture of the test harness: a skipped check is told.
        io::Write::write_all(&mut io::stderr(), b"skipped: there is no tmux here\n").unwrap();
        return;
    };
    let fleet = Fleet::new();
    // A server of its own, which the programs find by its folder.
    let folder = fleet.place.home.path().join("tmux");
    std::fs::create_dir_all(&folder).unwrap();
    let run = |args: &[&str]| {
        Command::new(tmux)
            .args(args)
            .env("TMUX_TMPDIR", &folder)
            .env("TERM", "xterm")
            .env_remove("TMUX")
            .output()
            .unwrap()
    };
    fleet.place.write("say.sh", "echo wrapped up; echo MILESTONE; exec sleep 600\n");
    let script = fleet.place.home.path().join("say.sh");
    let started = run(&[
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-s",
        "fleet-a1b2c3d4",
        "-x",
        "80",
        "-y",
        "24",
        &format!("sh {}", script.display()),
    ]);
    assert!(started.status.success(), "{started:?}");
    while !text(&run(&["capture-pane", "-t", "fleet-a1b2c3d4", "-p"]).stdout).contains("MILESTONE") {
        std::thread::yield_now();
    }
    fleet.full(100);
    let fire = || {
        let mut command = fleet.command("kz-run", &["fleet"]);
        command.env("PATH", Path::new(tmux).parent().unwrap()).env("TMUX_TMPDIR", &folder).env("TERM", "xterm");
        feed(command, &fleet.payload("Stop", json!({})))
    };
    assert!(reason(&fire()).starts_with("HANDOFF REQUESTED"));
    fire();
    run(&["kill-server"]);
    let document = fleet.read(&format!("handoffs/{}", fleet.names("handoffs")[0]));
    assert!(document.contains("## Completed\n```\nwrapped up\nMILESTONE\n```\n"), "{document}");
    assert!(document.contains("handoff_type: \"auto-yellow\""));
}

#[test]
fn a_tmux_that_hangs_is_not_waited_for() {
    let fleet = Fleet::new();
    fleet.full(150);
    fleet.tmux("");
    fleet.place.write("bin/tmux", "#!/bin/sh\nsleep 600 &\nwait\n");
    let mut command = fleet.command("kz-run", &["fleet"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", fleet.place.home.path().join("bin").display()));
    feed(command, &fleet.payload("Stop", json!({})));
    let document = fleet.read(&format!("handoffs/{}", fleet.names("handoffs")[0]));
    assert!(document.contains(&format!("## Completed\n{PLACEHOLDER}\n")), "{document}");
}
