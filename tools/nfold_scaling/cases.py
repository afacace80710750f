# Cases of a study and their order.
# SPDX-License-Identifier: BSD-3-Clause
"""A case is one start of nfold. Cases of one repeat are a block in random order. A machine that becomes slower then
affects all rank counts of a block alike, and a study that is cut short has complete blocks."""

import random
from dataclasses import dataclass

from .systems import System, size_text

BENCH, RUN = "bench", "run"  # nfold bench for its speed; nfold run, a short run, for its own reports
KINDS = {"speed": (BENCH,), "balance": (RUN,), "memory": (RUN,), "synchronisation": (BENCH, RUN)}
MODES = tuple(KINDS)


@dataclass(frozen=True)
class Case:
    kind: str
    scaling: str  # "strong" or "weak"
    series: str  # common property of its points: the system, or the residues per rank
    system: System
    ranks: int
    precision: str
    repeat: int  # from 1

    @property
    def key(self):
        return f"{self.kind}-{self.scaling}-{self.system.name}-{self.ranks}-{self.precision}-{self.repeat}"


def study_kinds(modes, profile):
    kinds = {kind for mode in modes for kind in KINDS[mode]} | ({RUN} if profile else set())
    return [kind for kind in (BENCH, RUN) if kind in kinds]


def repeat_count(kind, config):
    """Number of repeats. Estimates and memory of a run are the same each time, and a profile is not averaged."""
    varies = kind == BENCH or {"balance", "synchronisation"} & set(config["modes"])
    return config["repeats"] if varies else 1


def tells_something(kind, ranks, config):
    """False for one rank's balance and waiting, which are trivial."""
    return kind == BENCH or ranks > 1 or "memory" in config["modes"] or config["profile"]


def make_cases(config, systems):
    """All cases in their order of execution."""
    series = []
    if "strong" in config["scaling"]:
        chosen = [systems.named(name) for name in config["systems"]]
        chosen += [systems.of_size(residues) for residues in config["sizes"]]
        series += [("strong", system.name, system, ranks) for system in chosen for ranks in config["ranks"]]
    if config["growing"]:
        series += [("weak", f"{systems.named(name).name} a rank", systems.grown(name, ranks), ranks)
                   for name in config["growing"] for ranks in config["ranks"]]
    elif "weak" in config["scaling"]:
        share = config["residues_per_rank"]
        series += [("weak", f"condensate, {size_text(share)} residues a rank",
                    systems.of_size(share * ranks, always_written=True), ranks) for ranks in config["ranks"]]
    cases = []
    for repeat in range(1, config["repeats"] + 1):
        block = [Case(kind, scaling, name, system, ranks, precision, repeat)
                 for kind in study_kinds(config["modes"], config["profile"]) if repeat <= repeat_count(kind, config)
                 for scaling, name, system, ranks in series if tells_something(kind, ranks, config)
                 for precision in config["precisions"]]
        random.Random(f"{config['seed']}, {repeat}").shuffle(block)
        cases += block
    return cases
