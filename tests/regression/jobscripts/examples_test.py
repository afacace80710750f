# Examples in jobscripts/ compared with the writer's output and checked by bash.
# SPDX-License-Identifier: BSD-3-Clause
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

EXAMPLES = Path(os.environ["NFOLD_SOURCE"]) / "jobscripts"


class ExamplesTest(unittest.TestCase):
    def test_examples_equal_the_writers_output(self):
        with tempfile.TemporaryDirectory() as name:
            subprocess.run([os.environ["JOB_SCRIPTS"], "--examples", name], check=True)
            texts = [{file.name: file.read_text() for file in folder.glob("*.sh")} for folder in (Path(name), EXAMPLES)]
        self.assertTrue(texts[0])
        self.assertEqual(sorted(texts[0]), sorted(texts[1]))
        for file, text in texts[0].items():
            self.assertEqual(text, texts[1][file], f"write them anew: job_scripts --examples jobscripts ({file})")

    def test_examples_are_valid_bash(self):
        files = list(EXAMPLES.glob("*.sh"))
        self.assertTrue(files)
        for file in files:
            done = subprocess.run(["bash", "-n", file], text=True, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), file)


if __name__ == "__main__":
    unittest.main()
