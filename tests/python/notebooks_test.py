# A notebook of input/notebooks, run by nbclient in an empty folder.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: notebooks_test.py NOTEBOOK"""

import os
import sys
import tempfile

import nbformat
from nbclient import NotebookClient

book = nbformat.read(sys.argv[1], as_version=4)
installs = [cell for cell in book.cells if cell.source.startswith("%pip install")]
assert len(installs) == 1, "a notebook installs nfold in one cell"
book.cells.remove(installs[0])
assert not any(cell.get("outputs") for cell in book.cells), "a notebook is kept without output"
with tempfile.TemporaryDirectory() as folder:
    # The kernel is this Python, whatever kernels its user has installed.
    os.environ["JUPYTER_PATH"] = folder
    os.environ["IPYTHONDIR"] = folder
    NotebookClient(book, timeout=200, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
