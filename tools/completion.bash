# Completion of nfold's commands and options for bash, from nfold's own help.
# SPDX-License-Identifier: BSD-3-Clause
_nfold() {
  local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} choices
  if [ "$COMP_CWORD" = 1 ]; then
    choices=$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
  elif [[ $word == -* ]]; then
    choices=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)
  else
    return  # bash's own completion of files
  fi
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}
complete -o default -F _nfold nfold nfold-cpu
