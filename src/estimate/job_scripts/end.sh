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
