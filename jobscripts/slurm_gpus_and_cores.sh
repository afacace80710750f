#!/usr/bin/env bash
# A job of nfold for Slurm, written by nfold; submit it by: sbatch FILE
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=nfold
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=36
#SBATCH --cpus-per-task=1
#SBATCH --gpus-per-node=4
#SBATCH --time=0-04:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
# Before the time limit nfold writes a checkpoint and ends with code 75. The job is then queued again and goes on; its
# results have the bits of a job without a stop.
set -u

export OMP_NUM_THREADS=1
export SRUN_CPUS_PER_TASK=$OMP_NUM_THREADS
nfold=nfold
nfold_cpu=nfold-cpu
job=$SLURM_JOB_ID
work=(batch input/targets.yaml --resume auto --quiet)
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

# Signals go on to nfold, which passes them to its ranks. TERM comes when the job is cancelled or preempted: then it is
# not for this script to queue it again.
nfold_process=
warned=no
cancelled=no
pass_on() {
  warned=yes
  [ -z "$nfold_process" ] || kill -s "$1" "$nfold_process"
}
trap 'pass_on USR1' USR1
trap 'cancelled=yes; pass_on TERM' TERM

for program in "$nfold" "$nfold_cpu"; do
  command -v "$program" > /dev/null && continue
  echo "job script: $program is not on PATH; set nfold to the build for GPUs and nfold_cpu to that for CPUs"
  exit 1
done
# By its place on the node a rank is of one build or the other; nobody watches these ranks.
choose='[ "${OMPI_COMM_WORLD_LOCAL_RANK:-${SLURM_LOCALID:-0}}" -lt "$1" ] && program=$2 || program=$3
  shift 3; exec "$program" "$@"'
mpirun --bind-to none -np 36 bash -c "$choose" choose 4 "$nfold" "$nfold_cpu" "${work[@]}" &
nfold_process=$!

# A wait that a trap ends gives the signal's code; the next one gives the program's.
while
  warned=no
  wait "$nfold_process"
  code=$?
  [ "$warned" = yes ]
do :; done

[ "$cancelled" = no ] || exit 143
case $code in
  75)
    rm -f "$failed_before"
    echo "nfold stopped with a checkpoint; queueing job $job again"
    queue_again
    ;;
  3)
    # The fault may be the node's: once more, without the nodes that nfold launch has named.
    if [ ! -e "$failed_before" ]; then
      : > "$failed_before"
      echo "nfold failed; queueing job $job again, once"
      queue_again
    fi
    ;;
esac
rm -f "$failed_before" "$sick_nodes"
exit "$code"
