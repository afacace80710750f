# Resume with result files that do not match the checkpoint: refused, or reported in the log.
# SPDX-License-Identifier: BSD-3-Clause
import unittest

from nfold_process import NfoldTest

ENSEMBLE = """\
ensemble:
  temperatures_kelvin: [100, 110]
  exchange_every_steps: 200
  sample_every_steps: 200
  equilibration_steps: 200
  trajectory_replicas: [0]
"""


class LostOutput(NfoldTest):
    def run_to(self, steps, *more):
        return self.run_nfold("run", self.input, *more, "--set", f"dynamics.steps={steps}")

    def run_first_half(self):
        self.run_well("run", self.input, "--quiet", "--set", "dynamics.steps=1000")

    def assert_refused(self, file, *words):
        code, out, err = self.run_to(2000, "--quiet")
        self.assertEqual(code, 3, out + err)
        for word in (file, "--overwrite", *words):
            self.assertIn(word, err)

    def cut_lines(self, file, kept):
        file.write_text("".join(file.read_text().splitlines(keepends=True)[:kept]))

    def test_truncated_energies_are_refused(self):
        self.run_first_half()
        table = self.folder / "ubq.out" / "ubq.energies.csv"
        self.cut_lines(table, 11)
        self.assert_refused("ubq.energies.csv", "9 rows", "after 21")

    def test_missing_middle_line_is_refused(self):
        self.run_first_half()
        table = self.folder / "ubq.out" / "ubq.energies.csv"
        lines = table.read_text().splitlines(keepends=True)
        table.write_text("".join(lines[:6] + lines[7:]))
        self.assert_refused("ubq.energies.csv", "20 rows", "after 21")

    def test_torn_last_line_is_repaired(self):
        self.run_well("run", self.input, "--quiet", "--output", "whole")
        self.run_first_half()
        table = self.folder / "ubq.out" / "ubq.energies.csv"
        table.write_text(table.read_text() + "1050,10.5,0.3")
        self.run_well("run", self.input, "--quiet")
        self.assert_same_output("whole", "ubq.out")

    def test_removed_files_are_logged(self):
        self.run_first_half()
        output = self.folder / "ubq.out"
        for name in ("ubq.energies.csv", "ubq.h5md"):
            (output / name).unlink()
        code, out, err = self.run_to(2000)
        self.assertEqual(code, 0, out + err)
        log = (output / "ubq.log").read_text()
        for message in ("ubq.energies.csv is not there", "counts 21 rows",
                     "ubq.h5md is not there", "counts 11 frames"):
            self.assertIn(message, log)
        # From then on the checkpoint counts the new files.
        self.run_well("run", self.input, "--quiet", "--set", "dynamics.steps=2200")

    def test_replica_files_are_checked(self):
        self.input.write_text(self.input.read_text() + ENSEMBLE)
        self.run_first_half()
        table = self.folder / "ubq.out" / "ubq.replica-0.csv"
        whole = table.read_text()
        self.cut_lines(table, 5)
        self.assert_refused("ubq.replica-0.csv", "4 rows")
        table.write_text(whole)
        (self.folder / "ubq.out" / "ubq.replica-0.h5md").unlink()
        code, out, err = self.run_to(2000)
        self.assertEqual(code, 0, out + err)
        self.assertIn("ubq.replica-0.h5md is not there",
                      (self.folder / "ubq.out" / "ubq.log").read_text())

    def test_truncated_samples_are_refused(self):
        self.input.write_text(self.input.read_text() + ENSEMBLE)
        self.run_first_half()
        samples = self.folder / "ubq.out" / "ubq.samples"
        whole = samples.read_bytes()
        samples.write_bytes(whole[:len(whole) // 2])
        code, out, err = self.run_to(2000, "--quiet")
        self.assertNotEqual(code, 0, out + err)
        self.assertIn("ubq.samples", err)


class Compare(NfoldTest):
    """nfold compare on the files of a stopped and an uninterrupted run."""

    def compare(self, a, b):
        return self.run_nfold("compare", a, b)

    def test_layout_is_no_difference(self):
        self.run_well("run", self.input, "--quiet", "--output", "whole")
        for steps in (300, 1100, 2000):
            self.run_well("run", self.input, "--quiet", "--set", f"dynamics.steps={steps}")
        whole, parts = self.folder / "whole", self.folder / "ubq.out"
        for name in ("ubq.h5md", "ubq.ckpt.h5", "ubq.energies.csv"):
            code, out, err = self.compare(whole / name, parts / name)
            self.assertEqual((code, err), (0, ""), out)
            self.assertIn("same", out)

    def test_different_frame_is_reported(self):
        self.run_well("run", self.input, "--quiet", "--output", "whole")
        self.run_well("run", self.input, "--quiet", "--set", "dynamics.seed=2")
        code, out, _ = self.compare(self.folder / "whole" / "ubq.h5md",
                                    self.folder / "ubq.out" / "ubq.h5md")
        self.assertEqual(code, 1)
        self.assertRegex(out, r"/particles/trajectory/position/value: first at row [01],")
        code, out, _ = self.compare(self.folder / "whole" / "ubq.energies.csv",
                                    self.folder / "ubq.out" / "ubq.energies.csv")
        self.assertEqual(code, 1)
        self.assertIn("lines differ", out)

    def test_unreadable_files_are_errors(self):
        self.run_well("run", self.input, "--quiet")
        output = self.folder / "ubq.out"
        cut = self.folder / "cut.h5md"
        cut.write_bytes((output / "ubq.h5md").read_bytes()[:3000])
        for a, b in ((output / "ubq.h5md", cut), (output / "ubq.h5md", output / "ubq.energies.csv"),
                     (output / "ubq.log", output / "ubq.log"), (output, output)):
            code, out, err = self.compare(a, b)
            self.assertEqual(code, 3, out + err)
            self.assertEqual(len(self.nfold_errors(err)), 1, err)


if __name__ == "__main__":
    unittest.main()
