# Selection of a Python with a tool's modules: this one, or the one of tools/bootstrap.
# SPDX-License-Identifier: BSD-3-Clause
"""A tool calls require() before it imports any module beyond the standard library.

If a module is missing, the same command is started again by another Python. Each is tried once:
$NFOLD_PYTHON, then folder `venv` of $NFOLD_CACHE, of ~/.cache/nfold and of build/cache, as in tools/environment.sh.
This file must be valid Python 3.6, which may be the python3 of a cluster.
"""

import importlib
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
TRIED = "NFOLD_PYTHONS_TRIED"  # environment variable with the Pythons tried so far
OLDEST = (3, 10)
TESTS_ALONE = {"openmm"}  # modules of tools/requirements-tests.txt; all others are in tools/requirements.txt


def candidates():
    """Paths of Pythons that may have the modules, the likeliest first."""
    caches = [os.environ.get("NFOLD_CACHE"), os.path.join(os.path.expanduser("~"), ".cache", "nfold"),
              os.path.join(ROOT, "build", "cache")]
    paths = [os.environ.get("NFOLD_PYTHON")]
    paths += [os.path.join(cache, "venv", "bin", "python") for cache in caches if cache]
    return [os.path.abspath(path) for path in paths if path]


def missing(modules):
    """Modules that this Python cannot import; a Python that is too old has none of them."""
    if sys.version_info < OLDEST:
        return list(modules)
    found = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:  # or a module compiled for another Python
            found.append(module)
    return found


def remedy(lacking):
    """Command that makes a Python with these modules: bootstrap, or pip for an installed nfold without bootstrap."""
    them = "it" if len(lacking) == 1 else "them"
    bootstrap = os.path.join(ROOT, "tools", "bootstrap")
    if not os.path.exists(bootstrap):
        venv = os.path.join("~", ".cache", "nfold", "venv")
        return "for a Python environment that has {}, run python3 -m venv {} && {} install -r {}".format(
            them, venv, os.path.join(venv, "bin", "pip"), os.path.join(ROOT, "tools", "requirements.txt"))
    return "run {}{}, which makes a Python environment that has {}".format(
        bootstrap, " --tests" if set(lacking) & TESTS_ALONE else "", them)


def require(*modules):
    """Return if this Python has the modules, else continue in another one or end with one line on the remedy."""
    tried = [path for path in os.environ.pop(TRIED, "").split(os.pathsep) if path]
    lacking = missing(modules)
    if not lacking:
        return
    tried.append(os.path.abspath(sys.executable))
    for path in candidates():
        if path not in tried and os.access(path, os.X_OK):
            os.environ[TRIED] = os.pathsep.join(tried)
            sys.stdout.flush()
            os.execv(path, [path] + getattr(sys, "orig_argv", [sys.executable] + sys.argv)[1:])
    sys.exit("{}: error: {} has no {}; {}".format(os.path.basename(sys.argv[0]), sys.executable,
                                                  ", ".join(lacking), remedy(lacking)))
