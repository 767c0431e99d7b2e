//! What stands behind wrappers, as `context: words` of the last part that is no wrapper.

use super::Runners;
use crate::shell::part::Part;
use crate::shell::{read, read_with};

fn line(part: &Part) -> String {
    let words: Vec<&str> = part.words().iter().map(|word| word.text.as_str()).collect();
    format!("{}: {}", part.ctx.join(" > "), words.join(" "))
}

#[track_caller]
fn last(command: &str, expected: &str) {
    let read = read(command);
    let lines: Vec<String> = read.parts.iter().map(line).collect();
    assert_eq!(lines.last().map(String::as_str), Some(expected), "{command}: {lines:?}");
}

#[test]
fn commands_behind_words_are_seen() {
    for (command, label) in [
        ("sudo -u bob -D /srv A=1 touch a", "sudo"),
        ("sudo -i touch a", "sudo"),
        ("runuser -u bob -- touch a", "runuser"),
        ("run0 -u bob touch a", "run0"),
        ("env - A=1 touch a", "env"),
        ("env -P /bin touch a", "env"),
        ("exec -cl touch a", "exec"),
        ("chrt -r 10 touch a", "chrt"),
        ("ltrace -S touch a", "ltrace"),
        ("gdb -batch -ex run --args touch a", "gdb --args"),
        ("perf stat -e cycles touch a", "perf stat"),
        ("bwrap --ro-bind / / --dev /dev touch a", "bwrap"),
        ("numactl -C 0 touch a", "numactl"),
        ("cpulimit -l 50 -- touch a", "cpulimit"),
        ("script -q /dev/null touch a", "script"),
        ("mosh host -- touch a", "mosh"),
        ("wsl -e touch a", "wsl -e"),
        ("ssh -t host -- touch a", "ssh"),
        ("adb -s dev shell touch a", "adb shell"),
        ("lxc exec box -- touch a", "lxc exec"),
        ("toolbox run -c box touch a", "toolbox run"),
        ("flatpak run --command=touch app a", "flatpak run"),
        ("conda run -n tools touch a", "conda run"),
        ("rbenv exec touch a", "rbenv exec"),
        ("dotenv -e .env -- touch a", "dotenv"),
        ("bun x touch a", "bun x"),
        ("oc rsh pod touch a", "oc rsh"),
        ("start-stop-daemon --start --exec /bin/touch a", "start-stop-daemon"),
    ] {
        let words = if command.contains("/bin/touch") { "/bin/touch a" } else { "touch a" };
        last(command, &format!("{label}: {words}"));
    }
    last("docker run --rm --entrypoint sh img -c 'touch a'", "docker run > sh -c: touch a");
}

#[test]
fn shell_text_in_options_is_read() {
    for (command, label) in [
        ("runuser -l bob -c 'touch a'", "runuser -c"),
        ("git rebase -x 'touch a' main", "git rebase -x"),
        ("git rebase --exec='touch a' main", "git rebase --exec"),
        ("git filter-branch --tree-filter 'touch a' HEAD", "git filter-branch --tree-filter"),
        ("git -c core.pager='touch a' log", "git log -c"),
        ("git -c core.sshCommand='touch a' fetch", "git fetch -c"),
        ("git clone 'ext::touch a'", "git clone"),
        ("GIT_EDITOR='touch a' git commit", "GIT_EDITOR"),
        ("git submodule foreach --recursive 'touch a'", "git submodule foreach"),
        ("ssh -o ProxyCommand='touch a' host", "ssh -o"),
        ("tar cf a.tar --checkpoint-action=exec='touch a' b", "tar --checkpoint-action"),
        ("tar -I 'touch a' -cf b.tar b", "tar -I"),
        ("rsync -e 'touch a' b c", "rsync -e"),
        ("socat - EXEC:'touch a'", "socat"),
        ("vim -c '!touch a' b", "vim -c"),
        ("vim -es -c ':!touch a' b", "vim -c"),
        ("LESSOPEN='|touch a' less b", "LESSOPEN"),
        ("vagrant ssh box -c 'touch a'", "vagrant ssh -c"),
        ("entr -s 'touch a'", "entr -s"),
        ("tmux send-keys -t a:0 'touch a' Enter", "tmux send-keys"),
        ("crontab - <<< '*/5 * * * * touch a'", "crontab"),
        ("su bob <<< 'touch a'", "su stdin"),
    ] {
        last(command, &format!("{label}: touch a"));
    }
    last("$SHELL -c 'touch a'", "sh -c: touch a");
    last("\"${BASH}\" -c 'touch a'", "sh -c: touch a");
}

#[test]
fn what_runs_nothing_stays_alone() {
    for command in [
        "git -c core.pager=cat log",
        "GIT_EDITOR=true git rebase --continue",
        "PAGER= git log",
        "tar -I zstd -cf a b",
        "git cherry-pick -x abc",
        "git -c user.name='a b' commit",
        "flock -u 9",
        "sudo -e x",
        "crontab -l",
        "tmux send-keys -t a C-c",
    ] {
        let read = read(command);
        assert_eq!(read.parts.len(), 1, "{command}: {:?}", read.parts.iter().map(line).collect::<Vec<_>>());
        assert!(!read.opaque, "{command}: {:?}", read.why);
    }
}

/// The turns of the last part.
fn turns(command: &str) -> Vec<String> {
    let read = read(command);
    assert!(!read.opaque, "{command}: {:?}", read.why);
    let last = read.parts.last();
    last.map(|part| {
        part.turns.iter().map(|part| line(part).rsplit(": ").next().unwrap_or_default().to_owned()).collect()
    })
    .unwrap_or_default()
}

#[test]
fn written_input_makes_turns() {
    for (command, expected) in [
        ("printf 'a\\nb\\n' | xargs -I{} touch {}.x", &["touch a.x", "touch b.x"][..]),
        ("printf 'a\\nb\\n' | xargs -I% sh -c 'touch %'", &["touch a", "touch b"]),
        ("echo a b c | xargs -n2 touch", &["touch a b", "touch c"]),
        ("printf 'a b\\nc\\n' | xargs -d '\\n' -n1 touch", &["touch a b", "touch c"]),
        ("parallel touch ::: a 'b c'", &["touch a", "touch b c"]),
        ("parallel 'touch {.}.o' ::: a.c d/b.c", &["touch a.o", "touch d/b.o"]),
        ("parallel cp {1} {2} ::: a b :::+ c d", &["cp a c", "cp b d"]),
        ("parallel cp {1} {2/} ::: a ::: x/c d", &["cp a c", "cp a d"]),
    ] {
        assert_eq!(turns(command), expected, "{command}");
    }
}

/// The paths of the last part.
fn paths(command: &str) -> Vec<String> {
    let last = read(command).parts.pop();
    last.map(|part| crate::shell::paths(&part).into_iter().map(|path| path.raw.text.into()).collect())
        .unwrap_or_default()
}

#[test]
fn found_names_are_globs() {
    for (command, expected) in [
        ("find src -name '*.py' -exec rm {} +", &["src/**/*.py"][..]),
        ("find a b -maxdepth 1 -name x -exec rm {} \\;", &["a/x", "b/x"]),
        ("find src -name a -o -name b -exec rm {} \\;", &["src/**/a", "src/**/b"]),
        ("find src -name '*.o' -exec sh -c 'rm \"{}\"' \\;", &["src/**/*.o"]),
        ("find src -name '*.o' -print0 | xargs -0 rm -f", &["src/**/*.o"]),
        ("find src -name '*.o' | sort | xargs -I{} rm {}", &["src/**/*.o"]),
        ("grep -rl x src --include='*.c' | xargs rm", &["src/**/*.c"]),
        ("rg -l x docs | xargs rm", &["docs"]),
        ("ls *.log | xargs rm", &["*.log"]),
        ("ls a.txt .env.local | xargs rm", &["a.txt", ".env.local"]),
        ("ls src | xargs rm", &["«var»"]),
        ("ls conf.d .. | xargs rm", &["«var»"]),
        ("git ls-files docs | xargs rm", &["docs"]),
        ("cat list | xargs rm", &["«var»"]),
        ("cd $X; find a | xargs rm", &["«var»"]),
        ("find . -exec echo -delete \\;", &[]),
    ] {
        assert_eq!(paths(command), expected, "{command}");
    }
    let found = read("find a -exec echo -delete \\;").parts;
    let ops: Vec<_> = found.first().map(crate::shell::paths).unwrap_or_default();
    assert!(ops.iter().all(|path| path.op == crate::call::Op::List));
}

#[test]
fn runners_are_seen_through() {
    let runners = Runners::new(["workmux exec", "bd run --", "bad | row"]);
    for (command, expected) in [
        ("workmux exec touch a", "workmux exec: touch a"),
        ("workmux -v exec -- touch a", "workmux exec: touch a"),
        ("bd run --now -- touch a", "bd run: touch a"),
        ("workmux list a", ": workmux list a"),
        ("bd run touch a", ": bd run touch a"),
        ("workmux exec bash -c 'touch a'", "workmux exec > bash -c: touch a"),
    ] {
        let parts = read_with(command, &runners).parts;
        assert_eq!(parts.last().map(line).as_deref(), Some(expected), "{command}");
        assert_eq!(read(command).parts.len(), 1);
    }
    for bad in ["", "a; b", "-x run", "./tool run", "a --x run", "a -- b"] {
        assert!(Runners::fault(bad).is_some(), "{bad}");
    }
}

#[test]
fn shells_behind_a_joining_program_are_read_as_meant() {
    last("parallel bash -c 'touch a' ::: b", "parallel > bash -c: touch a");
    last("watch sh -c 'touch a'", "watch > sh -c: touch a");
    last("ssh host sh -c 'touch a'", "ssh > sh -c: touch");
}
