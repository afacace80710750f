#!/usr/bin/env bash
# A job of nfold for PBS, written by nfold; submit it by: qsub FILE
# SPDX-License-Identifier: BSD-3-Clause
#PBS -N nfold
#PBS -S /bin/bash
#PBS -l select=2:ncpus=64:mpiprocs=4:ompthreads=16:ngpus=4
#PBS -l place=scatter
#PBS -l walltime=04:00:00
#PBS -r y
#PBS -j oe
# Before the time limit nfold writes a checkpoint and ends with code 75. The job is then queued again and goes on; its
# results have the bits of a job without a stop.
set -u

cd "$PBS_O_WORKDIR" || exit 1
export OMP_NUM_THREADS=16
nfold=nfold
job=${NFOLD_JOB:-${PBS_JOBID%%.*}}
work=(run input/hps-urry-slab.yaml --resume auto --quiet --time-limit 14280s)
sick_nodes=nfold-sick-nodes.$job
failed_before=nfold-failed.$job

# Only operators may use qrerun: the script submits itself again, for this part alone.
queue_again() {
  sed '/^#PBS -J /d' "$0" | qsub -v "NFOLD_JOB=$job,NFOLD_PART=${part:-}" || exit "$code"
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

# nfold launch starts the ranks by srun or mpirun, and goes on from the last checkpoint when one fails.
"$nfold" launch "${work[@]}" &
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
