# Pages without pictures, for tests that do not look at them.
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path
from unittest import mock

from nfold_report import style


def _close(figure, path):
    style.plt.close(figure)
    Path(path).touch()
    return path


def without_pictures():
    """Context in which pages have empty PNG files, which take a third of a page's time."""
    return mock.patch("nfold_report.page.save", _close)
