#!/usr/bin/env python3
# Compares nfold's energies of a condensate with OpenMM's, term by term, at a run's checkpoint.
# SPDX-License-Identifier: BSD-3-Clause
"""The model is read anew from the input, its sequences, structures and table, by code that shares
nothing with nfold, and evaluated by OpenMM's Reference platform in double precision.

    nfold run input/chains.yaml --set dynamics.steps=0 --set dynamics.precision=double
    tools/openmm_condensate.py input/chains.yaml chains.out
"""

import argparse
import sys
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "h5py", "yaml", "openmm")

from nfold_peers.condensate_input import input_terms
from nfold_peers.condensate_system import TERMS, evaluate
from nfold_report.failures import one_line
from nfold_peers.fasta import FastaError
from nfold_peers.go_terms import ModelError
from nfold_report.resolved_input import InputTextError, parse_input
from nfold_report.run_folder import RunFolderError, energies_at, read_settings, run_name
from openmm_go import print_comparison
from read_checkpoint import CheckpointError, read_checkpoint


def run_terms(folder):
    """CondensateTerms of the resolved input. Relative paths start at the run's folder."""
    return input_terms(read_settings(folder / f"{run_name(folder)}.input.yaml"), folder)


def compare(input_path, folder):
    """(step, {term: (OpenMM's energy, nfold's or None)})"""
    terms = run_terms(folder)
    checkpoint = read_checkpoint(folder / f"{run_name(folder)}.ckpt.h5")
    if checkpoint.positions_nm.shape != (len(terms.names), 3):
        raise ModelError(f"{folder}: {len(checkpoint.positions_nm)} residues; the input has "
                         f"{len(terms.names)}: give the input of this run")
    found = evaluate(terms, checkpoint.positions_nm)
    own = energies_at(folder, checkpoint.step, TERMS) or dict.fromkeys(TERMS)
    return checkpoint.step, {term: (found[term][0], own[term]) for term in TERMS}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("input", type=Path, help="input of the run")
    parser.add_argument("folder", type=Path, help="output folder of nfold run")
    options = parser.parse_args(arguments)
    try:
        print_comparison(*compare(options.input, options.folder))
    except (RunFolderError, CheckpointError, ModelError, FastaError, InputTextError, OSError) as failure:
        print(f"openmm_condensate: error: {one_line(failure)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
