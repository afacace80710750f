#!/usr/bin/env bash
# A job of nfold for {{scheduler}}, written by nfold; submit it by: {{submit}}
# SPDX-License-Identifier: BSD-3-Clause
{{directives}}
# Before the time limit nfold writes a checkpoint and ends with code 75. The job is then queued again and goes on; its
# results have the bits of a job without a stop.
set -u

{{at_start}}
export OMP_NUM_THREADS={{cores_per_rank}}
{{environment}}
{{setup}}
nfold={{nfold}}
nfold_cpu={{nfold_cpu}}
job={{job_id}}
part={{array_index}}
work=({{work}})
sick_nodes=nfold-sick-nodes.$job
failed_before=nfold-failed.$job

{{queue_again}}

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

{{start}}
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
