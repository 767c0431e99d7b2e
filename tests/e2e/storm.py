#!/usr/bin/env python3
"""Many hooks of one session at the same moment: nothing is lost, nothing torn, one note per cooldown.

    storm.py BIN_DIR [HOOKS] [ROUNDS]

Prints the worst and the median latency of a hook; exits 1 if a count is not exact.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

bin_dir, hooks, rounds = os.path.abspath(sys.argv[1]), int((sys.argv[2:] + ["64"])[0]), int((sys.argv[3:] + ["20"])[0])
faults = []


def check(what, got, wanted):
    if got != wanted:
        faults.append(f"{what}: {got} instead of {wanted}")


with tempfile.TemporaryDirectory() as home:
    project = os.path.join(home, "project")
    os.makedirs(os.path.join(project, ".git"))
    env = {"HOME": home, "PATH": bin_dir, "CLAUDE_PROJECT_DIR": project}
    times = []

    def hook(number):
        payload = {"session_id": "storm", "cwd": project, "permission_mode": "default", "hook_event_name": "PostToolUse",
                   "tool_name": "Bash", "tool_input": {"command": "cat a.rs"}, "tool_use_id": f"toolu_{number}",
                   "tool_response": {"stdout": "x", "stderr": "", "interrupted": False}}
        begun = time.monotonic()
        done = subprocess.run([os.path.join(bin_dir, "kz-run")], input=json.dumps(payload).encode(), env=env,
                              cwd=project, capture_output=True)
        times.append(time.monotonic() - begun)
        if done.returncode or done.stderr:
            faults.append(f"hook {number}: exit {done.returncode} {done.stderr[:200]!r}")

    for turn in range(rounds):
        threads = [threading.Thread(target=hook, args=(turn * hooks + n,)) for n in range(hooks)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    state = os.path.join(home, ".local/state/kz")
    events = [json.loads(line) for line in open(os.path.join(state, "sessions/storm/events.jsonl"))]
    judged = [event["once"] for event in events if event["kind"] == "judged"]
    check("judged calls", (len(judged), len(set(judged))), (hooks * rounds, hooks * rounds))
    lines = open(os.path.join(state, "tool-coach.log")).read().splitlines()
    torn = [line for line in lines if not re.fullmatch(r"\[[0-9T:.Z-]+\] hook-dsh-tool-coach: \S.*", line)]
    check("torn lines", torn[:3], [])
    check("offense lines", sum("offense bash read look/cat" in line for line in lines), hooks * rounds)
    notes = [event["once"] for event in events if event["kind"] == "note"]
    check("notes and strike lines", sum(": strike " in line for line in lines), len(notes))
    # Judged calls between two notes, in the order of the log: a call's own event stands before its note.
    between, seen = [], 0
    for event in events:
        seen += event["kind"] == "judged"
        if event["kind"] == "note":
            between.append(seen)
            seen = 0
    check("notes within the cooldown", [calls for calls in between[1:] if calls < 10], [])
    check("note keys", len(set(notes)), len(notes))
    rows = [json.loads(line) for line in open(os.path.join(state, "ledger.jsonl"))]
    check("offense rows", sum(row["kind"] == "offense" for row in rows), hooks * rounds)
    times.sort()
    print(f"{hooks} x {rounds} hooks: {len(judged)} judged, {len(lines)} lines, {len(notes)} notes, "
          f"median {times[len(times) // 2] * 1000:.0f} ms, worst {times[-1] * 1000:.0f} ms")
for fault in faults:
    print("FAIL", fault)
sys.exit(bool(faults))
