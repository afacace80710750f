# Results: what a run, an ensemble or a batch wrote, read when it is used.
# SPDX-License-Identifier: BSD-3-Clause
"""The files are read by nfold_report, which also draws the reports."""

import builtins
import importlib
from functools import cached_property
from pathlib import Path

import h5py
import numpy as np
from nfold_report import batch_folder, ensemble_folder, run_folder

from . import _core

RESIDUES = "parameters/residues"


def open(folder):
    """Result of an output folder: RunResult, EnsembleResult or BatchResult. Raises InputError.

    >>> result = nfold.open("ubiquitin.out")
    >>> sorted(result.files)[:3]
    ['ckpt.h5', 'ckpt.prev.h5', 'energies.csv']
    """
    folder = Path(folder)
    if batch_folder.is_batch(folder):
        return BatchResult(folder)
    kind = EnsembleResult if ensemble_folder.is_ensemble(folder) else RunResult
    return kind(folder)


def _read(function, *arguments):
    """What a reader of nfold_report returns; its errors as InputError."""
    try:
        return function(*arguments)
    except run_folder.RunFolderError as failure:
        raise _core.InputError(str(failure)) from failure


def _table(columns):
    """Columns as a pandas.DataFrame where pandas is installed, else the dict of arrays."""
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


class Tables:
    """Datasets of an HDF5 file by name, read when they are used; units and descriptions are in the file.

    tables["density_profile/density"] is a numpy array; tables.unit(name) and tables.describe(name) are texts.
    """

    def __init__(self, path):
        self.path = Path(path)

    @cached_property
    def _attributes(self):
        found = {}

        def add(name, item):
            if isinstance(item, h5py.Dataset):
                found[name] = dict(item.attrs)

        try:
            with h5py.File(self.path) as file:
                file.visititems(add)
        except OSError as failure:
            raise _core.InputError(f"{self.path}: cannot be read as HDF5: {failure}") from failure
        return found

    def keys(self):
        return self._attributes.keys()

    def __iter__(self):
        return iter(self._attributes)

    def __len__(self):
        return len(self._attributes)

    def __contains__(self, name):
        return name in self._attributes

    def __getitem__(self, name):
        if name not in self._attributes:
            raise KeyError(f"{self.path} has no dataset {name!r}")
        with h5py.File(self.path) as file:
            return file[name][()]

    def unit(self, name):
        """Unit of a dataset; empty for a pure number."""
        return self._text(name, "unit")

    def describe(self, name):
        """Description of a dataset in a sentence."""
        return self._text(name, "description")

    def _text(self, name, attribute):
        found = self._attributes[name].get(attribute, "")
        return found.decode() if isinstance(found, bytes) else str(found)

    _ipython_key_completions_ = keys

    def __repr__(self):
        return f"<{len(self)} tables of {self.path}>"


class Trajectory:
    """Frames of an H5MD file, read when they are used: len(trajectory), trajectory[-1], trajectory[10:20:2]."""

    def __init__(self, path):
        self.path = Path(path)

    def _dataset(self, name, rows=()):
        try:
            with h5py.File(self.path) as file:
                return file[name][rows]
        except (OSError, KeyError) as failure:
            raise _core.InputError(f"{self.path}: cannot be read as nfold's trajectory: {failure}") from failure

    def __len__(self):
        return len(self.step)

    def __getitem__(self, frames):
        """Positions [nm], unwrapped: (residues, 3) of a frame, (frames, residues, 3) of a slice."""
        if isinstance(frames, int):
            frames = range(len(self))[frames]
        return self._dataset("particles/trajectory/position/value", frames).astype(float)

    @property
    def positions(self):
        """(frames, residues, 3) positions of all frames [nm], unwrapped."""
        return self[:]

    @cached_property
    def step(self):
        """(frames) steps."""
        return self._dataset("particles/trajectory/position/step")

    @cached_property
    def time(self):
        """(frames) times [ps]."""
        return self._dataset("particles/trajectory/position/time")

    @cached_property
    def box(self):
        """(frames, 3) lengths of the box [nm]; None without a box."""
        with h5py.File(self.path) as file:
            return run_folder.read_box(file)

    @cached_property
    def residues(self):
        """{"name", "number", "chain": (residues) of each residue}."""
        found = {}
        for name in ("name", "number", "chain"):
            values = self._dataset(f"{RESIDUES}/{name}")
            found[name] = np.array([one.decode() for one in values]) if values.dtype.kind in "SO" else values
        return found

    @cached_property
    def masses(self):
        """(residues) masses [amu]."""
        values = self._dataset("particles/trajectory/mass")
        return values if values.ndim == 1 else values[-1]

    @cached_property
    def bonds(self):
        """(bonds, 2) residues of each bond, counted from 0."""
        return self._dataset("connectivity/bonds").astype(int).reshape(-1, 2)

    def to_mdanalysis(self):
        """MDAnalysis.Universe with names, masses, charges, bonds and all frames, in the units of MDAnalysis (A, ps)."""
        import MDAnalysis
        from MDAnalysis.coordinates.memory import MemoryReader

        residues, count = self.residues, len(self.residues["name"])
        segments = _segments(residues["chain"])
        universe = MDAnalysis.Universe.empty(count, n_residues=count, n_segments=segments[-1] + 1,
                                             atom_resindex=np.arange(count), residue_segindex=segments, trajectory=False)
        universe.add_TopologyAttr("name", ["CA"] * count)
        universe.add_TopologyAttr("resname", residues["name"])
        universe.add_TopologyAttr("resid", residues["number"])
        universe.add_TopologyAttr("segid", [residues["chain"][np.argmax(segments == one)]
                                            for one in range(segments[-1] + 1)])
        universe.add_TopologyAttr("mass", self.masses)
        universe.add_TopologyAttr("bonds", [tuple(pair) for pair in self.bonds])
        times = self.time
        box = None
        if self.box is not None:
            box = np.concatenate([10 * self.box, np.full((len(times), 3), 90.0)], axis=1).astype(np.float32)
        universe.load_new((10 * self.positions).astype(np.float32), format=MemoryReader, order="fac", dimensions=box,
                          dt=float(times[1] - times[0]) if len(times) > 1 else 1.0)
        return universe

    def to_mdtraj(self):
        """mdtraj.Trajectory with one atom CA a residue; nm and ps."""
        import mdtraj

        topology = mdtraj.Topology()
        residues, segments = self.residues, _segments(self.residues["chain"])
        chains = [topology.add_chain() for _ in range(segments[-1] + 1)]
        carbon = mdtraj.element.carbon
        atoms = [topology.add_atom("CA", carbon, topology.add_residue(name, chains[segment], int(number)))
                 for name, number, segment in zip(residues["name"], residues["number"], segments)]
        for first, second in self.bonds:
            topology.add_bond(atoms[first], atoms[second])
        lengths, angles = self.box, None
        if lengths is not None:
            angles = np.full_like(lengths, 90)
        return mdtraj.Trajectory(self.positions, topology, time=self.time, unitcell_lengths=lengths, unitcell_angles=angles)

    def __repr__(self):
        return f"<{len(self)} frames of {len(self.masses)} residues in {self.path}>"


def _segments(chains):
    """(residues) number of the chain of each residue, which begins where the name of the chain changes."""
    return np.concatenate([[0], np.cumsum(chains[1:] != chains[:-1])]).astype(int)


class Result:
    """Output folder of a run or an ensemble. Nothing is read before it is used."""

    _kind = "run"

    def __init__(self, folder):
        self.folder = Path(folder)
        self.name = _read(run_folder.run_name, self.folder)

    @cached_property
    def files(self):
        """{ending: path} of all files of the run, as in input/FILES.md."""
        return {path.name.removeprefix(f"{self.name}."): path for path in sorted(self.folder.glob(f"{self.name}.*"))}

    @cached_property
    def input(self):
        """The resolved input: nested dicts with every default."""
        return _read(run_folder.read_settings, self.folder / f"{self.name}{run_folder.INPUT_SUFFIX}")

    @property
    def status(self):
        """{key: text} of NAME.status: state, step, reason of the end. Empty without one."""
        return run_folder.read_status(self.folder, self.name)

    @property
    def log(self):
        """Text of NAME.log."""
        return (self.folder / f"{self.name}.log").read_text(encoding="utf-8", errors="replace")

    @property
    def performance(self):
        """Costs of the run by phases and ranks, of NAME.performance.json; None before it has ended."""
        return _read(run_folder.read_performance, self.folder / f"{self.name}{run_folder.PERFORMANCE_SUFFIX}")

    @cached_property
    def checkpoint(self):
        """Tables of the newest checkpoint."""
        return Tables(self.folder / f"{self.name}.ckpt.h5")

    def _all(self):
        raise NotImplementedError

    def figure(self, name):
        """matplotlib Figure of the report, by the name of its function; figures() lists them."""
        drawn = {one: function for one, function in self._figures().items()}
        if name not in drawn:
            raise _core.InputError(f"nfold.open: no figure {name!r} (one of {', '.join(sorted(drawn))})")
        return drawn[name](self._all())

    def figures(self):
        """Names of the figures of figure()."""
        return sorted(self._figures())

    def report(self, output=None):
        """Write the page of tools/report.py and return its path."""
        module = _drawing(f"{self._kind}_page")
        page = (module.write_report(self._all(), None, self._page_folder(output)) if self._kind == "run"
                else module.write_ensemble_report(self._all(), self._page_folder(output)))
        return page[0]

    def _page_folder(self, output):
        from nfold_report.page_files import REPORT_FOLDER

        return Path(output) if output else self.folder / REPORT_FOLDER

    def __repr__(self):
        state = self.status
        return f"<nfold {self._kind} {self.name}, {state.get('state', 'no status')}, in {self.folder}>"


def _drawing(module):
    """A module of nfold_report that draws. The style of its figures stays out of the user's own."""
    import matplotlib

    before = matplotlib.rcParams.copy()
    try:
        return importlib.import_module(f"nfold_report.{module}")
    finally:
        dict.update(matplotlib.rcParams, before)


class RunResult(Result):
    """Output of one simulation."""

    @cached_property
    def energies(self):
        """Table of NAME.energies.csv: energies by term [kJ/mol], temperature and others over time; input/FILES.md has
        the columns. A pandas.DataFrame where pandas is installed, else a dict of arrays."""
        return _table(_read(run_folder.read_energies, self.folder / f"{self.name}{run_folder.ENERGIES_SUFFIX}"))

    @cached_property
    def trajectory(self):
        """Trajectory of the run."""
        return Trajectory(self.folder / f"{self.name}.h5md")

    @cached_property
    def observables(self):
        """Tables of NAME.observables.h5: averages of a condensate with errors."""
        return Tables(self.folder / f"{self.name}.observables.h5")

    @cached_property
    def balance(self):
        """Table of how busy each rank was; None for one rank."""
        found = _read(run_folder.read_balance, self.folder / f"{self.name}{run_folder.BALANCE_SUFFIX}")
        return None if found is None else _table(found)

    @cached_property
    def confidence(self):
        """Confidence of each predicted structure: pLDDT, PAE and domains."""
        return _read(run_folder.read_confidence, self.folder / f"{self.name}{run_folder.CONFIDENCE_SUFFIX}")

    def to_mdanalysis(self):
        """MDAnalysis.Universe of the trajectory."""
        return self.trajectory.to_mdanalysis()

    def to_mdtraj(self):
        """mdtraj.Trajectory of the trajectory."""
        return self.trajectory.to_mdtraj()

    def _all(self):
        return _read(run_folder.read_run, self.folder)

    def _figures(self):
        lines, averages = _drawing("figures"), _drawing("condensate_figures")
        found = {"energies": lines.energies, "balance": lines.balance}
        for name in ("density_profile", "chain_sizes", "clusters", "contact_maps", "displacement"):
            found[name] = lambda run, draw=getattr(averages, name): draw(run.averages)
        return found


class EnsembleResult(Result):
    """Output of an ensemble: replica exchange, umbrellas, kinetics."""

    _kind = "ensemble"

    @cached_property
    def tables(self):
        """Tables of NAME.ensemble.h5: thermodynamics, free energies, kinetics, exchange."""
        return Tables(self.folder / f"{self.name}.ensemble.h5")

    def trajectory(self, replica):
        """Trajectory of a replica, counted from 0, if the input asked for it."""
        return Trajectory(self.folder / f"{self.name}.replica-{replica}.h5md")

    def _all(self):
        return _read(ensemble_folder.read_ensemble, self.folder)

    def _figures(self):
        module = _drawing("ensemble_figures")
        return {name: getattr(module, name) for name in
                ("thermodynamics", "sizes", "chain", "umbrella_profile", "free_energy", "folding_order", "landscape",
                 "survival", "exchange")}


class BatchResult:
    """Output of a batch: a table of all targets, and a Result of each."""

    def __init__(self, folder):
        self.folder = Path(folder)

    @cached_property
    def _batch(self):
        return _read(batch_folder.read_batch, self.folder)

    @property
    def targets(self):
        """Names of all targets, in the order of the list."""
        return [target.name for target in self._batch.targets]

    @cached_property
    def table(self):
        """Results of all targets: a row each, with "reason" of those that failed; a pandas.DataFrame where pandas is
        installed, else a dict of lists. Numbers are floats, nan where there is none."""
        rows = [{"target": one.name, **one.row, "reason": one.reason} for one in self._batch.targets]
        columns = dict.fromkeys(name for row in rows for name in row)
        return _table({name: _numbers([row.get(name, "") for row in rows]) for name in columns})

    def __getitem__(self, target):
        """Result of the target's simulation, of its last stage if there are several."""
        if target not in self.targets:
            raise KeyError(f"{self.folder} has no target {target!r}")
        folders = [path for path in sorted((self.folder / target).rglob("*.input.yaml"), key=lambda one: one.stat().st_mtime)]
        if not folders:
            raise _core.InputError(f"{self.folder / target}: has no run yet")
        return open(folders[-1].parent)

    def tables(self, target):
        """Tables of a target's results, NAME.h5."""
        return Tables(self.folder / target / f"{target}.h5")

    def report(self, output=None):
        """Write the page of tools/report.py and return its path."""
        return _drawing("batch_page").write_batch_page(self._batch, Path(output or self.folder))[0]

    def __repr__(self):
        batch = self._batch
        return f"<nfold batch {batch.name}, {len(batch.done)} of {len(batch.targets)} targets done, in {self.folder}>"


def _numbers(texts):
    """Floats if all texts are numbers or empty, with at least one number, else the texts."""
    try:
        values = [float(text) if text else np.nan for text in texts]
    except ValueError:
        return texts
    return np.array(values) if builtins.any(texts) else texts
