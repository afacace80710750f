# Finds the Python that has a tool's modules: this one, or the one that tools/bootstrap made.
# SPDX-License-Identifier: BSD-3-Clause
"""A tool calls require() before it imports anything that does not come with Python.

Where a module is missing, the same command starts again under another Python, each of which is tried once:
$NFOLD_PYTHON, then folder `venv` of $NFOLD_CACHE, of ~/.cache/nfold and of build/cache, as tools/environment.sh
has them. This file must be readable to Python 3.6, for that may be the one that a cluster calls python3.
"""

import importlib
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
TRIED = "NFOLD_PYTHONS_TRIED"  # in the environment, while the right one is looked for
OLDEST = (3, 10)
TESTS_ALONE = {"openmm"}  # of tools/requirements-tests.txt; all else is in tools/requirements.txt


def candidates():
    """Paths of Pythons that may have the modules, the likeliest first."""
    caches = [os.environ.get("NFOLD_CACHE"), os.path.join(os.path.expanduser("~"), ".cache", "nfold"),
              os.path.join(ROOT, "build", "cache")]
    paths = [os.environ.get("NFOLD_PYTHON")]
    paths += [os.path.join(cache, "venv", "bin", "python") for cache in caches if cache]
    return [os.path.abspath(path) for path in paths if path]


def missing(modules):
    """Those that this Python cannot import; too old a Python has none of them."""
    if sys.version_info < OLDEST:
        return list(modules)
    found = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:  # also of a module that was compiled for another Python
            found.append(module)
    return found


def remedy(lacking):
    """The command that makes a Python with these modules: of an installed nfold, which has no bootstrap, by pip."""
    them = "it" if len(lacking) == 1 else "them"
    bootstrap = os.path.join(ROOT, "tools", "bootstrap")
    if not os.path.exists(bootstrap):
        venv = os.path.join("~", ".cache", "nfold", "venv")
        return "for a Python environment that has {}, run python3 -m venv {} && {} install -r {}".format(
            them, venv, os.path.join(venv, "bin", "pip"), os.path.join(ROOT, "tools", "requirements.txt"))
    return "run {}{}, which makes a Python environment that has {}".format(
        bootstrap, " --tests" if set(lacking) & TESTS_ALONE else "", them)


def require(*modules):
    """Returns if this Python has them; else goes on as another one, or ends with one line that says what to do."""
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
