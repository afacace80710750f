# Requires that the run was stopped.
if grep -qx 'state: running' <<< "$(status_here)"; then
  process=$(sed -n 's/^process: //p' "$results/$output/$name.status")
  host_of_run=$(sed -n 's/^host: //p' "$results/$output/$name.status")
  if [ "$host_of_run" != "$(hostname)" ] || kill -0 "$process" 2> /dev/null; then
    echo "$results/$output: the run goes on; stop it by: kill -USR1 $process (on $host_of_run)" >&2
    exit 1
  fi
fi

