# Commands of the guide to condensates, run with fewer steps.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: guide_test.py NFOLD ROOT [unittest arguments]"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from PIL import Image

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
GUIDE = ROOT / "input/CONDENSATES.md"
# Options added to each `nfold run`, which shorten it to 300 steps.
SHORTER = ("--set dynamics.steps=300 --set observables.every_steps=100 "
           "--set observables.equilibration_steps=0 --threads 1 --quiet")
PROMISED = ("slab.yaml", "slab.out/slab.h5md", "slab.out/slab.observables.h5", "slab.png", "slab.csv",
            "slab-270.out/slab.observables.h5", "binodal.png")


def blocks(text):
    """Bodies of all blocks fenced as ```sh."""
    return re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)


class Guide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        for name in ("input", "tools"):
            (cls.folder / name).symlink_to(ROOT / name)
        binaries = cls.folder / "build/cpu-release/bin"
        binaries.mkdir(parents=True)
        wrapper = binaries / "nfold"
        wrapper.write_text(f'#!/bin/sh\nif [ "$1" = run ]; then exec {NFOLD} "$@" {SHORTER}; fi\n'
                           f'exec {NFOLD} "$@"\n', encoding="ascii")
        wrapper.chmod(0o755)
        commands = "set -eu\n" + "".join(blocks(GUIDE.read_text(encoding="utf-8")))
        cls.done = subprocess.run(["bash", "-c", commands], cwd=cls.folder, capture_output=True, text=True,
                                  check=False, env={**os.environ, "NFOLD_PYTHON": sys.executable})

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_commands_write_the_promised_files(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        for name in PROMISED:
            with self.subTest(file=name):
                self.assertGreater((self.folder / name).stat().st_size, 0)

    def test_table_and_pictures_describe_the_slab(self):
        # The run starts as a dense slab, and 3 ps do not change it.
        row = (self.folder / "slab.csv").read_text(encoding="utf-8").splitlines()[1]
        temperature, dense, *_, is_upper_bound = map(float, row.split(","))
        self.assertEqual(temperature, 260)
        self.assertGreater(dense, 200)
        self.assertEqual(is_upper_bound, 1, "no chain leaves the slab in that time")
        for name in ("slab.png", "binodal.png"):
            with Image.open(self.folder / name) as image:
                self.assertGreater(image.width, 1000)

    def test_linked_files_exist(self):
        links = re.findall(r"\]\(([^)#:]+)\)", GUIDE.read_text(encoding="utf-8"))
        self.assertTrue(links)
        for link in links:
            self.assertTrue((GUIDE.parent / link).exists(), link)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
