# Names of all files that tools/report.py writes into an output folder: one place to know them, and to remove them.
# SPDX-License-Identifier: BSD-3-Clause
"""A run that begins anew in a folder may remove FOLDER/report and a batch's FOLDER/index.html: nothing else is
written by tools/report.py where -o names no other folder."""

REPORT_FOLDER = "report"  # below the output folder of a run or an ensemble
REPORT_PAGE = "report.html"
BATCH_PAGE = "index.html"  # in the output folder of a batch; its pictures are in the page
FIGURES = (  # NAME.png beside REPORT_PAGE, as the page shows them
    "overview", "folding", "contacts", "density_profile", "clusters", "chain_sizes", "contact_maps", "displacement", "residue_energy",
    "energies", "temperature", "balance", "performance", "free_energy",  # of a run; performance of an ensemble as well
    "thermodynamics", "kinetics", "sizes", "umbrella", "landscape", "folding_order", "contact_probability",
    "phase_locking", "exchange",  # of an ensemble, free_energy as well
    "partitions")  # of nfold check --partitions


def remove_old(folder):
    """A figure that this page will not have must not stay beside it."""
    for name in (REPORT_PAGE, *(f"{figure}.png" for figure in FIGURES)):
        (folder / name).unlink(missing_ok=True)
