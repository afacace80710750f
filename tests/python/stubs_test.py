# Types of the Python package: stubs of the extension and annotations, checked by mypy.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: stubs_test.py PACKAGE ROOT"""

import sys
import tempfile
from pathlib import Path

from mypy import api

package, root = map(Path, sys.argv[1:3])
USE = """
import nfold
with nfold.Simulation({"dynamics.steps": 3}) as simulation:
    simulation.run(2)
    mean: float = float(simulation.positions.mean())
    name: str = simulation.chains[0][0]
reveal_type(nfold.Input("a.yaml")["dynamics.steps"])
wrong: str = simulation.step
"""
with tempfile.TemporaryDirectory() as folder:
    use = Path(folder) / "use.py"
    use.write_text(USE, encoding="utf-8")
    report, errors, code = api.run(["--config-file", str(root / "pyproject.toml"), "--cache-dir", folder,
                                    str(package), str(use)])
print(report, errors)
lines = [line for line in report.splitlines() if ": error:" in line]
assert len(lines) == 1 and "use.py:8" in lines[0], "the wrong assignment of the last line is the only error"
