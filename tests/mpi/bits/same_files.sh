#!/usr/bin/env bash
# The bits contract as a user meets it: a run's files on any ranks, threads, owners, after stops.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: same_files.sh NFOLD INPUT_FOLDER WORK_FOLDER
set -euo pipefail
nfold=$1 input=$2 work=$3
rm -rf "$work" && mkdir -p "$work" && cd "$work"

common=(--quiet --set output.trajectory_every_steps=100 --set output.energies_every_steps=50
        --set output.checkpoint_every_steps=200
        --set observables.every_steps=20 --set observables.equilibration_steps=100)

# run FOLDER RANKS THREADS STEPS [OPTION...]
run() {
  local folder=$1 ranks=$2 threads=$3 steps=$4
  shift 4
  OMP_NUM_THREADS=$threads mpirun --allow-run-as-root --oversubscribe --bind-to none -np "$ranks" \
    "$nfold" run "$input/$system.yaml" --output "$folder" "${common[@]}" \
    --set dynamics.steps="$steps" --set dynamics.precision="$precision" "$@"
}

# same FOLDER: its files against those of one rank.
same() {
  "$nfold" compare "one/$system.ckpt.h5" "$1/$system.ckpt.h5" ||
    { echo "same_files: checkpoint of $1 ($system, $precision) differs from one rank's"; exit 1; }
  for file in "$system.h5md" "$system.energies.csv" "$system.observables.h5"; do
    cmp "one/$file" "$1/$file" ||
      { echo "same_files: $file of $1 ($precision) differs from one rank's"; exit 1; }
  done
}

check_system() {
  system=$1 precision=$2
  run one 1 1 600
  run threads 1 2 600 && same threads
  for ranks in 2 3 4; do run "ranks$ranks" $ranks 1 600 && same "ranks$ranks"; done
  run random 3 1 600 --set partition.method=random --set partition.seed=5 && same random
  run rebuilds 2 1 600 --set neighbour_list.rebuild_every=1 && same rebuilds
  # Stopped twice, gone on with on other ranks.
  run resumed 2 1 150
  run resumed 3 1 350 --resume auto
  run resumed 1 2 600 --resume auto && same resumed
  # The comparison itself must be able to fail.
  run other 1 1 600 --set dynamics.seed=77
  if "$nfold" compare "one/$system.ckpt.h5" "other/$system.ckpt.h5" > other.log; then
    echo "same_files: compare finds no difference between two seeds"
    exit 1
  fi
  rm -rf "$work"/*
}

check_system ubiquitin mixed
check_system protease-dimer double
echo "same_files: all files the same"
