#!/usr/bin/env bash
# Every captured payload through the fused pipeline: exit 0, at most one JSON object, no fault.
#   fixtures.sh BIN_DIR FIXTURES
set -euo pipefail
bin=$(cd "$1" && pwd); folder=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
for file in "$folder"/*.json; do
  case "${file##*/}" in INDEX.json|env.json) continue ;; esac
  HOME="$scratch" "$bin/kz-run" --style envelope --dry <"$file" >"$scratch/out" || { echo "$file: exit $?" >&2; exit 1; }
  [ "$(wc -l <"$scratch/out")" = 1 ] || { echo "$file: not one envelope" >&2; exit 1; }
  if grep -q '"faults":\[' "$scratch/out"; then echo "$file: a fault: $(cut -c1-400 "$scratch/out")" >&2; exit 1; fi
  count=$((count + 1))
done
echo "$count payloads, one envelope each, no fault"
