# Files of cmake --install, used in place: program, guides, examples, tools, completion.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: install_test.py BUILD [unittest arguments]"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = sys.argv[1]


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.prefix = Path(cls.temporary.name)
        cls.share = cls.prefix / "share/nfold"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, capture_output=True)
        cls.environment = {**os.environ, "PATH": f"{cls.prefix / 'bin'}:{os.environ['PATH']}"}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def command(self, *arguments):
        return subprocess.run(arguments, cwd=self.share, env=self.environment, capture_output=True, text=True,
                              timeout=60, check=False)

    def test_examples_are_accepted(self):
        done = self.command("nfold", "check", "input/ubiquitin.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_tools_start(self):
        tools = [tool for tool in (self.share / "tools").iterdir() if tool.is_file() and os.access(tool, os.X_OK)]
        self.assertIn("report.py", [tool.name for tool in tools])
        for tool in tools:
            with self.subTest(tool=tool.name):
                done = self.command(sys.executable, str(tool), "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_links_between_guides_exist(self):
        pages = [*self.share.glob("input/*.md"), *self.share.glob("jobscripts/*.md")]
        self.assertGreater(len(pages), 10)
        for page in pages:
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
                self.assertTrue((page.parent / link).exists(), f"{page.name} names {link}")

    def test_commands_and_options_are_completed(self):
        completion = self.prefix / "share/bash-completion/completions/nfold"

        def completed(*arguments):
            script = (f"source {completion}; COMP_WORDS=({' '.join(arguments)}); COMP_CWORD={len(arguments) - 1}; "
                      "_nfold; echo ${COMPREPLY[@]}")
            return self.command("bash", "-c", script).stdout.split()
        self.assertEqual(completed("nfold", "ru"), ["run"])
        self.assertEqual(completed("nfold", "batch", "--budg"), ["--budget"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
