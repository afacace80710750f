# Systems of a study: by name in nfold's suite, by size, or by an input file of the user.
# SPDX-License-Identifier: BSD-3-Clause
"""A system of the suite is measured as in the suite. If an input file is needed, for a run, a plan or a size
that the suite lacks, the same condensate or go model is written to one."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from nfold_peers import condensate_bench

from .program import StudyError

ROOT = Path(__file__).resolve().parents[2]
GO_INPUT = ROOT / "input/go-ubq.yaml"
GO_SETTINGS = {"go-ubq": (), "go-ubq-1.1nm": ("force_field.repulsion.cutoff_nm=1.1",),
               "go-10k": ("system.copies=132", "system.box_nm=[24]")}
CROWD = re.compile(r"go-ubq-(\d+)")  # number of replicas of the suite's system
SIZE = re.compile(r"(\d+(?:\.\d+)?)([km]?)")


@dataclass(frozen=True)
class System:
    name: str
    residues: int | None  # None if the input decides
    in_suite: bool
    input: Path | None  # None without a file
    settings: tuple = ()  # KEY=VALUE settings that turn `input` into this system
    is_condensate: bool = False  # true for a condensate written for the study


def parse_size(text):
    """20000 for '20k'."""
    found = SIZE.fullmatch(text)
    residues = float(found.group(1)) * {"": 1, "k": 1000, "m": 1_000_000}[found.group(2)] if found else 0
    if residues < 1 or residues != int(residues):
        raise StudyError(f"size '{text}': expected residues as 20000, 20k or 1m")
    return int(residues)


def size_text(residues):
    """'20k' for 20000."""
    for unit, letter in ((1_000_000, "m"), (1000, "k")):
        if residues % unit == 0:
            return f"{residues // unit}{letter}"
    return str(residues)


def written_condensate(residues, folder):
    """Input of a condensate below `folder`, made once, without a start."""
    target = folder / f"condensate-{size_text(residues)}"
    path = target / "condensate.yaml"
    if not path.exists():
        target.mkdir(parents=True, exist_ok=True)
        condensate_bench.write_input(condensate_bench.make_condensate(residues), target, steps=1000)
    return path


def read_settings(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def ladder_count(system):
    """Number of ladders of an ensemble's input. Raises StudyError for other systems: only replicas can grow with ranks."""
    ensemble = None
    if system.input and not system.is_condensate:
        ensemble = read_settings(system.input).get("ensemble")
    if not isinstance(ensemble, dict):
        raise StudyError(f"weak scaling of {system.name}: it has no replicas that could become more; expected the input "
                         "of an ensemble or go-ubq-N, or no --systems, for condensates (--residues-per-rank)")
    return int(ensemble.get("ladders", 1))


class Systems:
    """Factory of Systems; written inputs go to `folder`."""

    def __init__(self, suite, folder):
        self.suite, self.folder = suite, folder

    def named(self, name):
        if name in self.suite:
            residues = self.suite[name]
            if name in GO_SETTINGS:
                return System(name, residues, True, GO_INPUT, GO_SETTINGS[name])
            if name.startswith("condensate-"):
                return System(name, residues, True, written_condensate(residues, self.folder), is_condensate=True)
            return System(name, residues, True, None)
        path = Path(name)
        if path.suffix in (".yaml", ".yml"):
            if not path.is_file():
                raise StudyError(f"{name}: there is no such input file")
            return System(path.stem, None, False, path.resolve())
        raise StudyError(f"system '{name}': no system of 'nfold bench --list' and no input file (.yaml); there are "
                         f"{', '.join(self.suite)}")

    def grown(self, name, factor):
        """System with `factor` times its replicas: an ensemble, or replicas of the suite. Raises StudyError otherwise."""
        crowd, system = CROWD.fullmatch(name), self.named(name)
        if crowd:
            kelvin = read_settings(GO_INPUT)["dynamics"]["temperature_kelvin"]
            settings = (f"ensemble.temperatures_kelvin=[{kelvin}]", "ensemble.exchange_every_steps=0")
            system, ladders = System(name, None, False, GO_INPUT), int(crowd.group(1))
        else:
            settings, ladders = (), ladder_count(system)
        return replace(system, name=f"{system.name}-x{factor}",
                       settings=(*settings, f"ensemble.ladders={ladders * factor}"))

    def of_size(self, residues, always_written=False):
        """Condensate of the suite with this size, or a written one."""
        name = f"condensate-{size_text(residues)}"
        if name in self.suite and not always_written:
            return self.named(name)
        return System(f"{name}-written" if name in self.suite else name, residues, False,
                      written_condensate(residues, self.folder), is_condensate=True)
