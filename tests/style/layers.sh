#!/usr/bin/env bash
# layers.sh SOURCE_DIR: includes run downwards only. reference knows nobody, metal knows the reference, validation both.
set -euo pipefail
cd "$1"

status=0
forbid() { # forbid FOLDER ALTERNATIVES: no file of FOLDER includes from these folders
  [[ -d $1 ]] || { echo "there is no folder $1" && exit 1; }
  if grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[\"<]($2)/" "$1"; then
    echo "$1 must include nothing from ${2//|/, }"
    status=1
  fi
}
forbid reference 'metal|validation|tests|bench'
forbid metal 'validation|tests|bench'
forbid validation 'tests|bench'
exit $status
