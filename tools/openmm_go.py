#!/usr/bin/env python3
# Compares nfold's energies with OpenMM's, term by term, at a run's checkpoint or frame.
# SPDX-License-Identifier: BSD-3-Clause
"""The model is read anew from the structure and the input, by code that shares nothing with nfold,
and evaluated by OpenMM's Reference platform in double precision.

    tools/openmm_go.py ubiquitin.out --structure input/structures/1ubq.pdb.gz

The checkpoint holds exact coordinates; a frame of the trajectory is rounded to 32 bits, so that
energies there agree to about 1e-4 only.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "h5py", "yaml", "openmm")

import h5py
import numpy as np

from nfold_peers.calpha_structure import StructureError, read_calphas, replicate
from nfold_report.failures import one_line
from nfold_peers.go_terms import ModelError, go_terms
from nfold_peers.openmm_system import TERMS, Evaluator
from nfold_report.resolved_input import lookup
from nfold_report.run_folder import RunFolderError, energies_at, read_run
from read_checkpoint import CheckpointError, read_checkpoint


@dataclass
class State:
    step: int
    positions_nm: np.ndarray
    velocities_nm_ps: np.ndarray | None


def checkpoint_state(path):
    checkpoint = read_checkpoint(path)
    return State(checkpoint.step, checkpoint.positions_nm, checkpoint.velocities_nm_ps)


def frame_state(path, index):
    with h5py.File(path, "r") as file:
        frames = file["particles/trajectory/position"]
        return State(int(frames["step"][index]), frames["value"][index].astype(float), None)


def make_evaluator(structure, settings):
    """Evaluator for the system of an input (a dict) and its structure file."""
    calphas = read_calphas(structure)
    copies = lookup(settings, "system.copies", 1)
    if copies > 1:
        calphas = replicate(calphas, copies, lookup(settings, "system.copy_spacing_nm", 0))
    return Evaluator(go_terms(calphas, settings))


def compare(folder, structure, frame=None):
    """(step, {term: (OpenMM's energy, nfold's or None)})"""
    run = read_run(folder)
    stem = run.folder / run.name
    state = checkpoint_state(f"{stem}.ckpt.h5") if frame is None else frame_state(f"{stem}.h5md", frame)
    found = make_evaluator(structure, run.settings).evaluate(state.positions_nm)
    own = energies_at(run.folder, state.step, TERMS) or dict.fromkeys(TERMS)
    return state.step, {term: (found[term][0], own[term]) for term in TERMS}


def print_comparison(step, energies):
    print(f"step {step}, kJ/mol")
    print(f"{'term':<13} {'OpenMM':>22} {'nfold':>22} {'relative difference':>20}")
    for term, (theirs, own) in energies.items():
        if own is None:
            print(f"{term:<13} {theirs:22.12f} {'no row at this step':>22}")
        else:
            scale = max(abs(theirs), abs(own), 1e-300)
            print(f"{term:<13} {theirs:22.12f} {own:22.12f} {abs(theirs - own) / scale:20.1e}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="output folder of nfold run")
    parser.add_argument("--structure", type=Path, required=True, help="the PDB file that the run read")
    parser.add_argument("--frame", type=int, help="this frame of the trajectory, not the checkpoint")
    options = parser.parse_args(arguments)
    try:
        print_comparison(*compare(options.folder, options.structure, options.frame))
    except (RunFolderError, CheckpointError, StructureError, ModelError, OSError,
            KeyError, IndexError) as failure:
        print(f"openmm_go: error: {one_line(failure)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
