# Damaged checkpoints and full disks: named, survived, the previous checkpoint intact.
# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib
import resource
import shutil
import subprocess
import unittest

from nfold_process import NfoldTest


class DamagedCheckpoint(NfoldTest):
    def setUp(self):
        super().setUp()
        self.run_well("run", self.input, "--quiet", "--output", "whole", "--set",
                      "dynamics.steps=2200")
        self.run_well("run", self.input, "--quiet")
        self.newest = self.folder / "ubq.out" / "ubq.ckpt.h5"

    def assert_previous_is_used(self):
        out = self.run_well("run", self.input, "--set", "dynamics.steps=2200")
        self.assertIn("ubq.ckpt.h5", out)
        self.assertIn("going on from step 1800", out)
        self.assert_same_output("whole", "ubq.out")

    def test_flipped_byte_falls_back_to_previous(self):
        content = bytearray(self.newest.read_bytes())
        content[self.random.randrange(len(content))] ^= 1 << self.random.randrange(8)
        self.newest.write_bytes(content)
        self.assert_previous_is_used()

    def test_truncation_falls_back_to_previous(self):
        content = self.newest.read_bytes()
        self.newest.write_bytes(content[:self.random.randrange(len(content))])
        self.assert_previous_is_used()

    def test_two_damaged_checkpoints_are_an_error(self):
        previous = self.newest.with_name("ubq.ckpt.prev.h5")
        for file in (self.newest, previous):
            file.write_bytes(file.read_bytes()[:100])
        for ranks in (1, 3):
            code, out, err = self.run_nfold("run", self.input, "--set", "dynamics.steps=2200",
                                            ranks=ranks)
            self.assertEqual(code, 3, out + err)
            self.assertEqual(len(self.nfold_errors(err)), 1, err)
            self.assertIn("ubq.ckpt.prev.h5", err)


class Links(NfoldTest):
    """Output folder in which names that nfold would write are links to foreign files."""

    def test_links_are_not_written_through(self):
        other = self.folder / "other"
        for name in ("ubq.log", "ubq.status.tmp", "ubq.ckpt.h5.tmp", "ubq.h5md.journal", "ubq.energies.csv",
                     "ubq.input.yaml.tmp"):
            with self.subTest(name):
                shutil.rmtree(self.folder / "ubq.out", ignore_errors=True)
                self.run_well("run", self.input, "--quiet")
                other.write_text("mine")
                link = self.folder / "ubq.out" / name
                link.unlink(missing_ok=True)
                link.symlink_to(other)
                code, out, err = self.run_nfold("run", self.input, "--quiet", "--set", "dynamics.steps=2200")
                self.assertEqual(other.read_text(), "mine")
                if name == "ubq.status.tmp":  # replaced by the next write
                    self.assertEqual(code, 0, out + err)
                else:
                    self.assertNotEqual(code, 0, out + err)
                    self.assertIn(name, err)


class FullDisk(NfoldTest):
    """A file size limit, which every user may set, and a real full disk, where root may mount."""

    def test_file_size_limit_keeps_the_checkpoint(self):
        silent = ["--set", "output.trajectory_every_steps=0", "--set",
                  "output.energies_every_steps=0", "--quiet"]
        self.run_well("run", self.input, *silent, "--output", "whole", "--set",
                      "dynamics.steps=2400")
        self.run_well("run", self.input, *silent)
        checkpoint = self.folder / "ubq.out" / "ubq.ckpt.h5"
        before = checkpoint.read_bytes()
        limit = len(before) - 1
        code, out, err = self.run_nfold(
            "run", self.input, *silent, "--set", "dynamics.steps=2400",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assert_failed_for_space(code, out, err)
        self.assertEqual(checkpoint.read_bytes(), before)
        self.run_well("run", self.input, *silent, "--set", "dynamics.steps=2400")
        code, out, err = self.run_nfold("compare", checkpoint,
                                        self.folder / "whole" / "ubq.ckpt.h5")
        self.assertEqual(code, 0, out + err)

    def assert_failed_for_space(self, code, out, err):
        self.assertEqual(code, 3, out + err)
        lines = self.nfold_errors(err)
        self.assertEqual(len(lines), 1, err)
        self.assertIn("ubq.out", lines[0])

    def test_full_file_system_keeps_the_checkpoint(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk],
                          capture_output=True, check=False).returncode != 0:
            self.skipTest("no tmpfs can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=False)
        self.run_well("run", self.input, "--quiet", "--output", disk / "ubq.out")
        checkpoint = disk / "ubq.out" / "ubq.ckpt.h5"
        before = checkpoint.read_bytes()
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        (disk / "ballast").write_bytes(bytes(free - 8192))
        more = ["--quiet", "--output", disk / "ubq.out", "--set", "dynamics.steps=2400"]
        code, out, err = self.run_nfold("run", self.input, *more, ranks=2)
        self.assert_failed_for_space(code, out, err)
        self.assertEqual(checkpoint.read_bytes(), before)
        pathlib.Path(disk / "ballast").unlink()
        self.run_well("run", self.input, *more, ranks=2)
        self.run_well("run", self.input, "--quiet", "--output", "whole", "--set",
                      "dynamics.steps=2400")
        self.assert_same_output("whole", disk / "ubq.out")


if __name__ == "__main__":
    unittest.main()
