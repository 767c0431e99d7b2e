#!/usr/bin/env bash
# Installs kz into an empty project the way a person does, and plays a scenario against the real
# Claude Code client with the settings file that came out.
#   claude.sh BIN_DIR E2E_FOLDER SCENARIO [INSTALL_OPTION...]
# Hooks of a person's own stand beside the scenario as NAME.settings.json.
set -euo pipefail
bin=$(cd "$1" && pwd); e2e=$(cd "$2" && pwd); scenario=$(readlink -f "$3"); shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/project/.git" "$scratch/home"
( cd "$scratch/project" && HOME="$scratch/home" PATH="$bin:$PATH" "$bin/kz" install --host claude-code --project "$@" )
if [ -f "${scenario%.json}.settings.json" ]; then
  python3 - "$scratch/project/.claude/settings.json" "${scenario%.json}.settings.json" <<'PY'
import json, sys
settings, more = (json.load(open(path)) for path in sys.argv[1:])
for event, groups in more["hooks"].items():
    settings["hooks"].setdefault(event, []).extend(groups)
json.dump(settings, open(sys.argv[1], "w"), indent=2)
PY
fi
report=$scratch/report.json
status=0
python3 "$e2e/run_claude.py" "$scenario" --settings "$scratch/project/.claude/settings.json" --path-prepend "$bin" \
  --timeout 120 >"$report" || status=$?
python3 - "$report" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
print(report["client"], report["scenario"])
for row in report["expect"]:
    print("  ok  " if row["ok"] else "  FAIL", {k: v for k, v in row.items() if k != "ok"})
for id, result in report["tool_results"].items():
    print("  model got", id, "error" if result["is_error"] else "ok", json.dumps(result["content"])[:160])
PY
exit $status
