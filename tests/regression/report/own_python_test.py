# Tools started by a Python without modules: each finds one that has them, or prints the remedy.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: own_python_test.py ROOT [unittest arguments]"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
# Tools that a user starts and that need more than Python's own library; files without the permission are modules.
NEEDS = re.compile(r"own_python|numpy|h5py|matplotlib|MDAnalysis|openmm|scipy")
TOOLS = sorted(tool for tool in (ROOT / "tools").glob("*.py")
               if os.access(tool, os.X_OK) and NEEDS.search(tool.read_text(encoding="utf-8")))


class OwnPython(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        venv.create(cls.folder / "bare", symlinks=True)
        cls.bare = cls.folder / "bare/bin/python"
        cls.cache = cls.folder / "a cache"
        cls.cache.mkdir()
        (cls.cache / "venv").symlink_to(sys.prefix)  # the interpreter of tools/bootstrap
        (cls.folder / "nothing").mkdir()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_tool(self, tool, cwd=None, **environment):
        """Run a tool by the bare Python, which finds others only through `environment`."""
        known = {name: value for name, value in os.environ.items()
                 if not name.startswith(("PYTHON", "NFOLD_", "VIRTUAL_ENV"))}
        known.update({"HOME": str(self.folder / "nothing"), **environment})
        return subprocess.run([str(self.bare), str(tool), "--help"], cwd=cwd or self.folder, env=known,
                              capture_output=True, text=True, timeout=60, check=False)

    def test_bare_python_has_no_modules(self):
        done = subprocess.run([str(self.bare), "-c", "import numpy"], capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)

    def test_every_tool_finds_its_python(self):
        self.assertGreater(len(TOOLS), 5)
        for tool in TOOLS:
            with self.subTest(tool=tool.name):
                done = self.run_tool(tool, NFOLD_CACHE=str(self.cache))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"usage: {tool.name}", done.stdout)

    def test_tool_starts_by_a_link_and_from_another_folder(self):
        link = self.folder / "a link.py"
        link.symlink_to(ROOT / "tools/report.py")
        for environment in ({"NFOLD_CACHE": str(self.cache)}, {"NFOLD_PYTHON": sys.executable},
                            {"HOME": str(self.home())}):
            with self.subTest(environment=list(environment)):
                done = self.run_tool(link, cwd=self.folder / "nothing", **environment)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def home(self):
        home = self.folder / "home"
        (home / ".cache").mkdir(parents=True)
        (home / ".cache/nfold").symlink_to(self.cache)
        return home

    def test_reports_need_no_modules_of_the_tests(self):
        script = ("import sys\n"
                  "for name in ('scipy', 'openmm', 'MDAnalysis', 'pymbar'): sys.modules[name] = None\n"
                  f"sys.path.insert(0, {str(ROOT / 'tools')!r})\n"
                  "import folding_transition, phase_diagram, read_checkpoint, report\n"
                  "from nfold_report import batch_page, ensemble_page, run_page\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_missing_python_gives_a_remedy(self):
        tree = self.folder / "a tree"
        shutil.copytree(ROOT / "tools", tree / "tools")
        self.assertTrue(TOOLS)
        for tool in TOOLS:
            with self.subTest(tool=tool.name):
                done = self.run_tool(tree / "tools" / tool.name)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertTrue(done.stderr.startswith(f"{tool.name}: error: {self.bare} has no numpy"), done.stderr)
                tests = " --tests" if "openmm" in done.stderr else ""
                self.assertIn(f"run {tree / 'tools/bootstrap'}{tests}, ", done.stderr)

    def test_python_without_modules_is_tried_once(self):
        tree = self.folder / "another tree"
        shutil.copytree(ROOT / "tools", tree / "tools")
        other = self.folder / "other"
        venv.create(other / "venv", symlinks=True)
        done = self.run_tool(tree / "tools/report.py", NFOLD_CACHE=str(other), NFOLD_PYTHON=str(self.folder / "none"))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{other}/venv/bin/python has no numpy", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
