# Python package nfold: simulations of proteins, one bead a residue.
# SPDX-License-Identifier: BSD-3-Clause
"""nfold folds proteins: one bead a residue, on CPUs and GPU clusters.

    input = nfold.prepare("1ubq.pdb")            an input file, as 'nfold prepare' writes it
    with nfold.Simulation(input) as simulation:  the engine in this process
        simulation.run(10_000)
    result = nfold.open("1ubq.out")              everything that the run wrote, as numpy arrays

Units are nm, ps, amu, kJ/mol, e and K. A run by Python has the same bits as one by the command
'nfold run'. Errors are nfold.InputError and nfold.Error, with the text of the command.
"""

from . import _process

_process.load_mpi()

from ._core import Error, ExplosionError, InputError  # noqa: E402
from ._core import version as __version__  # noqa: E402
from .commands import batch, check, devices, plan, prepare, run  # noqa: E402
from .inputs import Input, Key, describe, keys  # noqa: E402
from .results import BatchResult, EnsembleResult, Result, RunResult, open  # noqa: E402
from .simulation import Simulation  # noqa: E402

for _error in (Error, ExplosionError, InputError):
    _error.__module__ = "nfold"  # the name in tracebacks
examples = _process.PACKAGE / "examples"  # inputs and structures of the guides

__all__ = ["BatchResult", "EnsembleResult", "Error", "ExplosionError", "Input", "InputError", "Key", "Result",
           "RunResult", "Simulation", "__version__", "batch", "check", "describe", "devices", "examples", "keys",
           "open", "plan", "prepare", "run"]
