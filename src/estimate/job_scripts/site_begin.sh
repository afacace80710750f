#!/usr/bin/env bash
# Stages of a job on this computer, written by nfold plan; run it again after code 75
# SPDX-License-Identifier: BSD-3-Clause
# A stage whose result is there is skipped, so nothing is computed twice. Code 75: the job is not done yet.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")"

nfold=${NFOLD:-nfold}              # program on this computer
report=${NFOLD_REPORT:-report.py}  # tools/report.py
name={{name}}
steps={{steps}}
results={{results}}  # folder on this computer that has the output folder
output={{output}}

# Prints the status file of the run on this computer.
status_here() { cat "$results/$output/$name.status" 2> /dev/null || true; }
is_done() { grep -qx 'state: done' <<< "$1" && grep -qx "step: $steps" <<< "$1"; }

