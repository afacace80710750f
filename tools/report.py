#!/usr/bin/env python3
# Shows a run: PNG figures and one HTML page without outside links.
# SPDX-License-Identifier: BSD-3-Clause
"""    tools/report.py ubiquitin.out --transition ubiquitin-transition.out

writes ubiquitin.out/report/report.html and its figures. The second run, near the folding
temperature, gives the free energy F(Q). Works while the run goes on, too. Of an ensemble's folder:
thermodynamics, landscapes, phi values, contact probabilities and phase locking. Of a batch's folder:
BATCH.out/index.html, with a table of all targets, the reasons of those that failed, and a picture for each.
"""

import argparse
import sys
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "h5py", "yaml", "matplotlib", "scipy")

from nfold_report.batch_folder import is_batch, read_batch
from nfold_report.ensemble_folder import is_ensemble, read_ensemble
from nfold_report.run_folder import RunFolderError, read_run


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="output folder of nfold run or nfold batch")
    parser.add_argument("--transition", type=Path, metavar="FOLDER",
                        help="output folder of a run near the folding temperature")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR",
                        help="[FOLDER/report; of a batch FOLDER]")
    options = parser.parse_args(arguments)
    try:
        if is_batch(options.folder):
            from nfold_report.batch_page import write_batch_page
            print(write_batch_page(read_batch(options.folder), options.output or options.folder))
            return 0
        output = options.output or options.folder / "report"
        if is_ensemble(options.folder):
            from nfold_report.ensemble_page import write_ensemble_report
            print(write_ensemble_report(read_ensemble(options.folder), output))
            return 0
        run = read_run(options.folder)
        transition = read_run(options.transition) if options.transition else None
        from nfold_report.page import write_report  # after the checks: matplotlib takes a second
        print(write_report(run, transition, output))
    except (RunFolderError, OSError) as failure:
        print(f"report: error: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
