# Folders in which nfold's tools keep downloads and builds. Sourced by the other tools or by a user.
# SPDX-License-Identifier: BSD-3-Clause

nfold_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# A container may start without a home, or with one that is not writable.
if [ -z "${NFOLD_CACHE:-}" ]; then
  if [ -n "${HOME:-}" ] && mkdir -p "$HOME/.cache/nfold" 2>/dev/null && [ -w "$HOME/.cache/nfold" ]; then
    NFOLD_CACHE=$HOME/.cache/nfold
  else
    NFOLD_CACHE=$nfold_root/build/cache
  fi
fi
export NFOLD_CACHE
export CCACHE_DIR=${CCACHE_DIR:-$NFOLD_CACHE/ccache}
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$nfold_root}
export CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
export NFOLD_PYTHON=${NFOLD_PYTHON:-$NFOLD_CACHE/venv/bin/python}
export LC_ALL=C.UTF-8

nfold_jobs=${NFOLD_JOBS:-$(nproc 2>/dev/null || echo 2)}

# Prints one line to stderr and exits.
nfold_fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}
