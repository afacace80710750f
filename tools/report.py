#!/usr/bin/env python3
# Shows a run, an ensemble or a batch: one HTML page without outside links, and its figures as PNG.
# SPDX-License-Identifier: BSD-3-Clause
"""    tools/report.py ubiquitin.out --transition ubiquitin-transition.out

writes ubiquitin.out/report/report.html and its figures, and prints the page's path. The second run,
near the folding temperature, gives the free energy F(Q). Works while the run goes on, too. Of an
ensemble's folder: thermodynamics, kinetics, landscapes, phi values, contact probabilities, phase locking
and exchange. Of several runs' folders (tools/report.py A.out B.out): comparison/report.html compares them, with the
same figures, results and their differences, and the keys that differ. Of a batch's folder: BATCH.out/index.html,
with a table of all targets, the reasons of those
that failed, and a picture for each. Of a folder of `nfold check --partitions --output`: which rank would own
what by each method. Needs no network, and the page is one file that may be sent.
"""

import argparse
import sys
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "h5py", "yaml", "matplotlib", "molstar_cli")

from nfold_report.batch_folder import is_batch, read_batch
from nfold_report.ensemble_folder import has_begun, is_ensemble, read_ensemble
from nfold_report.failures import one_line
from nfold_report.in_words import count
from nfold_report.page_files import COMPARISON_FOLDER, REPORT_FOLDER, REPORT_PAGE
from nfold_report.partition_folder import is_partitions, read_partitions
from nfold_report.run_folder import RunFolderError, read_run


def compare(folders, output):
    """(path of the page, its figures) of a comparison of runs. Raises RunFolderError."""
    for folder in folders:
        if is_batch(folder) or is_partitions(folder) or has_begun(folder) or is_ensemble(folder):
            raise RunFolderError(f"{folder}: is no folder of a single run; expected several of those to compare")
    from nfold_report.comparison_page import write_comparison
    return write_comparison([read_run(folder) for folder in folders], output or Path(COMPARISON_FOLDER))


def report_on(folder, transition, output):
    """(path of the page, its figures) of a report. Raises RunFolderError."""
    if is_batch(folder):
        from nfold_report.batch_page import write_batch_page
        return write_batch_page(read_batch(folder), output or folder)
    output = output or folder / REPORT_FOLDER
    if is_partitions(folder):
        from nfold_report.partition_page import write_partition_report
        return write_partition_report(read_partitions(folder), output)
    if is_ensemble(folder):
        from nfold_report.ensemble_page import write_ensemble_report
        return write_ensemble_report(read_ensemble(folder), output)
    if has_begun(folder):
        raise RunFolderError(f"{folder}: its ensemble has no results yet: nfold writes NAME.ensemble.h5 when the run "
                             "ends or is stopped (USR1); a run that was killed goes on by the same command")
    run = read_run(folder)
    near = read_run(transition) if transition else None
    if near is not None and not near.has_native_state:
        raise RunFolderError(f"{transition}: has no native contacts; give a run of a go model near its folding "
                             "temperature")
    from nfold_report.run_page import write_report  # imported after the checks, since drawing takes a second to load
    return write_report(run, near, output)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER",
                        help="output folder of nfold run or nfold batch; of several runs, to compare them")
    parser.add_argument("--transition", type=Path, metavar="FOLDER",
                        help="output folder of a run near the folding temperature")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR",
                        help="[FOLDER/report; of a batch FOLDER]")
    options = parser.parse_args(arguments)
    try:
        if len(options.folders) > 1:
            page, figures = compare(options.folders, options.output)
        else:
            page, figures = report_on(options.folders[0], options.transition, options.output)
    except (RunFolderError, OSError) as failure:
        print(f"report: error: {one_line(failure)}", file=sys.stderr)
        return 1
    print(page)
    beside = f" and as PNG in {page.parent}" if page.name == REPORT_PAGE else ""
    print(f"report: one page to open in a browser; {count(figures, 'figure')} in it{beside}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
