#!/usr/bin/env bash
# A job of nfold for Slurm, written by nfold; submit it by: sbatch FILE
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name={{name}}
#SBATCH --nodes={{nodes}}
#SBATCH --ntasks-per-node={{all_ranks_per_node}}
#SBATCH --cpus-per-task={{cores_per_rank}}
#SBATCH --gpus-per-node={{gpus_per_node}}
#SBATCH --mem={{memory_mib}}M
#SBATCH --time={{days}}-{{hours}}:{{minutes}}:{{seconds}}
#SBATCH --partition={{queue}}
#SBATCH --account={{account}}
#SBATCH --constraint="{{constraint}}"
#SBATCH --array=1-{{array_parts}}
#SBATCH --signal=B:USR1@{{warning_seconds}}
#SBATCH --requeue
#SBATCH --open-mode=append
# Before the time limit nfold writes a checkpoint and ends with code 75. The job is then queued again and goes on; its
# results have the bits of a job without a stop.
set -u

export OMP_NUM_THREADS={{cores_per_rank}}
export SRUN_CPUS_PER_TASK=$OMP_NUM_THREADS
{{setup}}
nfold={{nfold}}
nfold_cpu={{nfold_cpu}}
job=$SLURM_JOB_ID
{{part}}=${SLURM_ARRAY_TASK_ID:-}
work=({{work}})
sick_nodes=nfold-sick-nodes.$job
failed_before=nfold-failed.$job

# Slurm excludes nodes from waiting jobs only. It ends this script by TERM when it queues the job, and then gives it
# some seconds. After the loss of a node it may take some until it lets the job be changed.
queue_again() {
  trap '' TERM
  scontrol requeue "$job" || exit "$code"
  [ -s "$sick_nodes" ] || exit 0
  local nodes began=$SECONDS
  nodes=$(paste -sd, "$sick_nodes")
  echo "job $job leaves out: $nodes"
  until scontrol update JobId="$job" ExcNodeList="$nodes" || [ "$SECONDS" -gt $((began + 60)) ]; do sleep 0.2; done
  exit 0
}

