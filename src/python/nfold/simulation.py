# Simulation in this process: steps, state as numpy arrays, callbacks, checkpoints.
# SPDX-License-Identifier: BSD-3-Clause

import atexit
import signal
import sys
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .inputs import Input

_open: "weakref.WeakSet[Simulation]" = weakref.WeakSet()

Rows = NDArray[np.float64]


class Simulation:
    """Simulation of an input, with the files and the bits of 'nfold run'.

    input: nfold.Input, an input file or a mapping. communicator: ranks of the simulation, an mpi4py communicator; None
    means all ranks of mpirun, or this process alone. On several ranks all methods and properties are collective, and
    rank 0 writes the files. output: folder of the files [NAME.out]. resume: "auto" goes on from a checkpoint there,
    "never" refuses one, a file's path names one. overwrite: replaces an earlier run. threads: of each rank [0: chosen].
    quiet: False shows progress.

    One simulation of a process is open at a time. It ends after the last step (dynamics.steps), by close(), at the end
    of a with block or of Python: then all its files are complete, and state and energies can no longer be read.

    >>> with nfold.Simulation(input, output="ubiquitin.out", overwrite=True) as simulation:
    ...     simulation.run(500)
    ...     simulation.step, simulation.positions.shape
    (500, (76, 3))
    """

    def __init__(self, input: Input | Mapping[str, Any] | str | Path, communicator: Any = None, *, output: str | Path = "",
                 resume: str | Path = "auto", overwrite: bool = False, threads: int = 0, quiet: bool = True):
        self.input = input if isinstance(input, Input) else Input(input)
        self._callbacks: list[tuple[int, Callable[[Simulation], object]]] = []
        self._own: _core.Simulation | None = None
        self._ended_at: int | None = None
        self._communicator = communicator  # stays alive as long as its handle is used
        self._own = _core.Simulation(self.input._text, self.input._file, self.input._overrides, str(output), str(resume),
                                     overwrite, threads, quiet, _mpi_address(communicator))
        self._last_step = self._own.last_step
        self.folder = self._own.folder
        _open.add(self)

    @property
    def _running(self) -> _core.Simulation:
        if self._own is None:
            raise _core.Error(f"nfold.Simulation: it has ended; nfold.open({self.folder!r}) reads what it wrote")
        return self._own

    def run(self, steps: int | None = None) -> None:
        """Advance by `steps`, or to the last step of the input.

        Ctrl-C leaves a checkpoint at the present step and raises KeyboardInterrupt; run() goes on from there. Other stop
        signals (SIGTERM, SIGUSR1) end the simulation with a checkpoint and are raised again.
        """
        own = self._running
        end = self._last_step if steps is None else own.step + steps
        if steps is not None and steps < 0:
            raise _core.InputError(f"nfold.Simulation.run: steps = {steps} (must be 0 or more)")
        if end > self._last_step:
            raise _core.InputError(f"nfold.Simulation.run: step {end} is beyond dynamics.steps = {self._last_step} (give "
                                   "the input more steps and make the simulation again: it goes on from its checkpoint)")
        while own.step < end:
            border = min([end, *(every * (own.step // every + 1) for every, _ in self._callbacks)])
            try:
                stop_reason = own.advance_until(border)
            except _core.Error:
                self._own = None  # its files say why
                raise
            if stop_reason:
                self._stop(stop_reason)
            if own.step < border:  # the goal of an ensemble
                break
            for every, function in self._callbacks:
                if own.step % every == 0:
                    function(self)
        if own.step >= self._last_step or own.step < end:
            self._end("")

    def every(self, steps: int, function: "Callable[[Simulation], object]") -> None:
        """Call function(simulation) whenever run() reaches a multiple of `steps`."""
        if steps < 1:
            raise _core.InputError(f"nfold.Simulation.every: steps = {steps} (must be 1 or more)")
        self._callbacks.append((steps, function))

    def _stop(self, reason: str) -> None:
        number = getattr(signal, reason.removeprefix("signal "), signal.SIGTERM)
        if number == signal.SIGINT:
            self.checkpoint()
            raise KeyboardInterrupt(f"step {self.step}, checkpoint written")
        self._end(reason)
        signal.raise_signal(number)

    def checkpoint(self, path: str | Path = "") -> None:
        """Write a checkpoint: that of the run, from which it goes on, or a file of another name."""
        self._running.write_checkpoint(str(path))

    def close(self) -> None:
        """Complete all files. Before the last step the run is stopped: the same input goes on from its checkpoint."""
        if self._own is not None:
            self._end("the Python program")

    def _end(self, reason: str) -> None:
        own, self._own = self._running, None
        self._ended_at = own.step
        _open.discard(self)
        own.end(reason)

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    @property
    def step(self) -> int:
        """Present step; after the end the last one."""
        return self._running.step if self._ended_at is None else self._ended_at

    @property
    def time_ps(self) -> float:
        """Time of the present step [ps]."""
        return self._running.step * self._running.time_step_ps

    @property
    def positions(self) -> Rows:
        """(residues, 3) positions [nm], unwrapped: a copy of the present state on every rank."""
        return self._running.positions()

    @property
    def velocities(self) -> Rows:
        """(residues, 3) velocities [nm/ps]."""
        return self._running.velocities()

    @property
    def forces(self) -> Rows:
        """(residues, 3) forces of all terms [kJ/mol/nm], without thermostat."""
        return self._running.forces()

    @property
    def masses(self) -> NDArray[np.float64]:
        """(residues) masses [amu]."""
        return self._running.masses()

    @property
    def chains(self) -> list[tuple[str, int]]:
        """[(name, number of residues)] of the chains, in the order of the residues."""
        return self._running.chains()

    @property
    def box(self) -> tuple[float, float, float]:
        """Lengths of the periodic box [nm]; 0 along an open axis."""
        return self._running.box_nm

    @property
    def rank(self) -> int:
        """Number of this rank."""
        return self._running.rank

    @property
    def ranks(self) -> int:
        """Number of ranks of the simulation."""
        return self._running.ranks

    def energies(self) -> dict[str, float]:
        """{column: value} of the present state, as in NAME.energies.csv: potential and kinetic energy by term [kJ/mol],
        temperature [K], radius of gyration [nm], native fraction and others."""
        return self._running.report()

    def __repr__(self) -> str:
        state = "ended" if self._own is None else f"step {self.step} of {self._last_step}"
        return f"<nfold.Simulation of {self.input.file}, {state}, output in {self.folder}>"


def _mpi_address(communicator: Any) -> int:
    """Address of the MPI_Comm of an mpi4py communicator; 0 for None."""
    if communicator is None:
        return 0
    from mpi4py import MPI

    return MPI._addressof(communicator)


def _finish() -> None:
    for simulation in list(_open):
        simulation.close()
    _core.finalize()


atexit.register(_finish)

if _core.is_launched():
    def _end_all_ranks(kind: Any, value: Any, trace: Any, _print: Any = sys.excepthook) -> None:
        """An exception that ends this rank ends all, since the others would wait for it."""
        _print(kind, value, trace)
        sys.stderr.flush()
        _core.abort()

    sys.excepthook = _end_all_ranks
