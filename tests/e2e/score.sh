#!/usr/bin/env bash
# Commands with an expected outcome through the five stage programs, as payloads before a Bash call.
# Prints how many are stopped (deny or ask). Rows: {"command", "expected"}.
#   score.sh BIN_DIR FILE.jsonl...
set -euo pipefail
bin=$(cd "$1" && pwd); shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Folders as the rows assume them; they need not exist, since nothing is committed.
export HOME=/home/test PATH="$bin:$PATH" CLAUDE_PROJECT_DIR=/workspace/project
for file in "$@"; do
  jq -c --arg cwd "$CLAUDE_PROJECT_DIR" '{hook_event_name: "PreToolUse", tool_name: "Bash", session_id: "score",
    tool_use_id: "row\(input_line_number)", cwd: $cwd, tool_input: {command}}' "$file" |
    kz-normalize | kz-classify | kz-guard | kz-ladder | kz-decide --style envelope --dry >"$scratch/out"
  [ "$(wc -l <"$scratch/out")" = "$(wc -l <"$file")" ] || { echo "$file: rows were lost" >&2; exit 1; }
  jq -r '.decision.say' "$scratch/out" | sort | uniq -c | tr '\n' ' '
  echo " ${file##*/}"
done
