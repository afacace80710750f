#!/usr/bin/env bash
# A job of nfold for LSF, written by nfold; submit it by: bsub < FILE
# SPDX-License-Identifier: BSD-3-Clause
#BSUB -J "nfold"
#BSUB -n 8
#BSUB -R "span[ptile=4]"
#BSUB -R "affinity[core(16)]"
#BSUB -gpu "num=4"
#BSUB -W 240
#BSUB -wa USR1
#BSUB -wt 2
#BSUB -Q "75"
#BSUB -r
#BSUB -o nfold.%J.%I.log
# Before the time limit nfold writes a checkpoint and ends with code 75. The job is then queued again and goes on; its
# results have the bits of a job without a stop.
set -u

export OMP_NUM_THREADS=16
nfold=nfold
job=$LSB_JOBID.${LSB_JOBINDEX:-0}
work=(run input/hps-urry-slab.yaml --resume auto --quiet)
sick_nodes=nfold-sick-nodes.$job
failed_before=nfold-failed.$job

# By -Q, LSF queues a job again that ends with code 75.
queue_again() { exit 75; }

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
