# Sends files to the other machine and submits the job there, or fetches its results.
machine={{machine}}
host={{host}}  # name for ssh; empty: the folder is reachable from here
folder={{folder}}
files=({{files}})
submitted=$results/$output.$steps.submitted

# Runs a command in the job's folder on the other machine.
run_there() {
  if [ -n "$host" ]; then ssh "$host" "cd $(printf %q "$folder") && $1"; else (cd "$folder" && eval "$1"); fi
}
make_folder() {
  if [ -n "$host" ]; then ssh "$host" "mkdir -p $(printf %q "$folder")"; else mkdir -p "$folder"; fi
}
# Copies files and folders; the last argument is a folder.
copy() {
  if command -v rsync > /dev/null; then rsync -a --partial "$@"
  elif [ -n "$host" ]; then scp -rpq "$@"
  else cp -a "$@"; fi
}

if ! is_done "$(status_here)"; then
  [ ! -e "$results/$output" ] || files+=("$results/$output")
  if [ -z "$folder" ]; then
    echo "copy these to a folder on $machine: ${files[*]}"
    echo "submit the job there by: {{submit}}"
    echo "then copy $output back to $results and run this script again"
    exit 75
  fi
  place=${host:+$host:}$folder
  status=$(run_there "cat $(printf %q "$output/$name.status")" 2> /dev/null || true)
  if is_done "$status"; then
    echo "fetch: $place/$output"
    copy "$place/$output" "$results/"
  elif [ -e "$submitted" ]; then
    echo "the job on $machine was submitted: $(cat "$submitted")"
    echo "its status: $(paste -sd' ' <<< "$status")"
    echo "remove $submitted to submit it again"
    exit 75
  else
    echo "send: ${files[*]}"
    make_folder
    copy "${files[@]}" "$place/"
    run_there {{submit_word}} > "$submitted.tmp"
    mv "$submitted.tmp" "$submitted"
    echo "submitted: $(cat "$submitted")"
    exit 75
  fi
fi

