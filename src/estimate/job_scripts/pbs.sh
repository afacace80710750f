#!/usr/bin/env bash
# A job of nfold for PBS, written by nfold; submit it by: qsub FILE
# SPDX-License-Identifier: BSD-3-Clause
#PBS -N {{name}}
#PBS -S /bin/bash
#PBS -l select={{chunks}}
#PBS -l place={{place}}
#PBS -l walltime={{all_hours}}:{{minutes}}:{{seconds}}
#PBS -q {{queue}}
#PBS -A {{account}}
#PBS -J 1-{{array_parts}}
#PBS -r y
#PBS -j oe
# Before the time limit nfold writes a checkpoint and ends with code 75. The job is then queued again and goes on; its
# results have the bits of a job without a stop.
set -u

cd "$PBS_O_WORKDIR" || exit 1
export OMP_NUM_THREADS={{cores_per_rank}}
{{setup}}
nfold={{nfold}}
nfold_cpu={{nfold_cpu}}
job=${NFOLD_JOB:-${PBS_JOBID%%.*}}
{{part}}=${NFOLD_PART:-${PBS_ARRAY_INDEX:-}}
work=({{work}})
sick_nodes=nfold-sick-nodes.$job
failed_before=nfold-failed.$job

# Only operators may use qrerun: the script submits itself again, for this part alone.
queue_again() {
  sed '/^#PBS -J /d' "$0" | qsub -v "NFOLD_JOB=$job,NFOLD_PART=${part:-}" || exit "$code"
  exit 0
}

