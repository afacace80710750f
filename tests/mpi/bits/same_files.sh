#!/usr/bin/env bash
# Files of a run: the same bytes on any ranks, threads and partition, and after resumes.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: same_files.sh NFOLD INPUT_FOLDER WORK_FOLDER
set -euo pipefail
nfold=$1 input=$2 work=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work" && mkdir -p "$work" && cd "$work"

common=(--quiet --set output.trajectory_every_steps=100 --set output.energies_every_steps=50
        --set output.checkpoint_every_steps=200
        --set observables.every_steps=20 --set observables.equilibration_steps=100)

# run FOLDER RANKS THREADS STEPS [OPTION...]
run() {
  local folder=$1 ranks=$2 threads=$3 steps=$4
  shift 4
  OMP_NUM_THREADS=$threads mpirun --allow-run-as-root --oversubscribe --bind-to none -np "$ranks" \
    "$nfold" run "$folder_of_input/$system.yaml" --output "$folder" "${common[@]}" \
    --set dynamics.steps="$steps" --set dynamics.precision="$precision" "$@"
}

# same FOLDER: compares its files with those of one rank.
same() {
  "$nfold" compare "one/$system.ckpt.h5" "$1/$system.ckpt.h5" ||
    { echo "same_files: checkpoint of $1 ($system, $precision) differs from one rank's"; exit 1; }
  for file in "$system.h5md" "$system.energies.csv" "$system.observables.h5"; do
    cmp "one/$file" "$1/$file" ||
      { echo "same_files: $file of $1 ($precision) differs from one rank's"; exit 1; }
  done
}

# run_same FOLDER RANKS THREADS [OPTION...]: runs all 600 steps and compares. 'run && same' would hide
# a failing run.
run_same() {
  local folder=$1 ranks=$2 threads=$3
  shift 3
  run "$folder" "$ranks" "$threads" 600 "$@"
  same "$folder"
}

# check_system FOLDER_OF_INPUT SYSTEM PRECISION
check_system() {
  folder_of_input=$1 system=$2 precision=$3
  run one 1 1 600
  run_same threads 1 2
  # Three ranks follow by other partitions.
  for ranks in 2 4; do run_same "ranks$ranks" $ranks 1; done
  run_same random 3 1 --set partition.method=random --set partition.seed=5
  run_same curve 4 1 --set partition.method=hilbert-curve
  run_same clusters 3 1 --set partition.method=clusters
  run_same domains 3 1 --set partition.method=domains
  # Four nodes of two ranks.
  run_same nodes 8 1 --set partition.method=clusters --set partition.ranks_per_node=2
  run_same rebuilds 2 1 --set neighbour_list.rebuild_every=1
  # Stopped twice, resumed on other rank counts.
  run resumed 2 1 150
  run resumed 3 1 350 --resume auto
  run resumed 1 2 600 --resume auto
  same resumed
  # The comparison itself must be able to fail.
  run other 1 1 600 --set dynamics.seed=77
  if "$nfold" compare "one/$system.ckpt.h5" "other/$system.ckpt.h5" > other.log; then
    echo "same_files: compare finds no difference between two seeds"
    exit 1
  fi
  rm -rf "$work"/*
}

# check_ensemble PRECISION STEPS TUNING_STEPS: exchanges, samples and trajectories of some replicas. Replicas are spread
# unevenly with an engine each, the run is stopped twice, and the ladder is tuned for TUNING_STEPS.
check_ensemble() {
  local precision=$1 common=(--quiet --set ensemble.temperatures=5 --set ensemble.ladders=3
    --set ensemble.exchange_every_steps=50 --set ensemble.sample_every_steps=100
    --set ensemble.equilibration_steps=$((500 + $3)) --set ensemble.tuning_steps="$3" --set ensemble.analysis.residue_energies=true
    --set ensemble.trajectory_replicas='[0, 6, 7, 14]' --set output.trajectory_every_steps=70
    --set dynamics.precision="$1")
  local folder_of_input=$input system=ubiquitin-exchange steps=$2 same_file followed="" replica
  for replica in 0 6 7 14; do
    followed+=" ubiquitin-exchange.replica-$replica.h5md ubiquitin-exchange.replica-$replica.csv"
  done
  run one 1 1 "$steps"
  run two-threads 1 2 "$steps"
  for ranks in 2 3 4; do run "ranks$ranks" $ranks 1 "$steps"; done
  run resumed 2 1 $((steps / 3 + 7))
  run resumed 4 1 $((steps / 2 + 50)) --resume auto
  run resumed 1 2 "$steps" --resume auto
  for folder in two-threads ranks2 ranks3 ranks4 resumed; do
    "$nfold" compare "one/$system.ckpt.h5" "$folder/$system.ckpt.h5" ||
      { echo "same_files: checkpoint of $folder ($system, $precision) differs from one rank's"; exit 1; }
    for same_file in "$system.samples" "$system.ensemble.h5" $followed; do
      cmp "one/$same_file" "$folder/$same_file" ||
        { echo "same_files: $same_file of $folder ($precision) differs from one rank's"; exit 1; }
    done
  done
  rm -rf "$work"/*
}

check_ensemble mixed 3000 2000
check_ensemble double 600 0
check_system "$input" ubiquitin mixed
check_system "$input" protease-dimer double
check_system "$here" condensate mixed
echo "same_files: all files the same"
