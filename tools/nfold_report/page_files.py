# Names of all files that tools/report.py writes into an output folder, and their removal.
# SPDX-License-Identifier: BSD-3-Clause
"""A run that begins anew in a folder may remove FOLDER/report and a batch's FOLDER/index.html. tools/report.py
writes nothing else unless -o names another folder, but a comparison of runs."""

REPORT_FOLDER = "report"  # below the output folder of a run or an ensemble
REPORT_PAGE = "report.html"
BATCH_PAGE = "index.html"  # in the output folder of a batch; its pictures are in the page
COMPARISON_FOLDER = "comparison"  # in the working folder, of several runs
COMPARED = ("compared_folding", "compared_rmsd", "compared_radius", "compared_energies", "compared_temperature",
            "compared_density_profile", "compared_chain_sizes")
FIGURES = (  # names of NAME.png beside REPORT_PAGE, in the order of the page
    "overview", "folding", "contacts", "confidence", "density_profile", "clusters", "chain_sizes", "contact_maps", "displacement", "residue_energy",
    "energies", "temperature", "balance", "performance", "free_energy",  # figures of a run; an ensemble has performance too
    "thermodynamics", "kinetics", "sizes", "umbrella", "landscape", "folding_order", "contact_probability",
    "phase_locking", "exchange", "chain",  # figures of an ensemble, which has free_energy too
    "partitions")  # figure of nfold check --partitions


def remove_old(folder):
    """Remove old figures, since the new page may lack some of them."""
    for name in (REPORT_PAGE, *(f"{figure}.png" for figure in (*FIGURES, *COMPARED))):
        (folder / name).unlink(missing_ok=True)
