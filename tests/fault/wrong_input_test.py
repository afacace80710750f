# Wrong usage and input on one and three ranks: exit code 1, one line of nfold's own, no hang.
# SPDX-License-Identifier: BSD-3-Clause
import unittest

from nfold_process import NfoldTest


class WrongInput(NfoldTest):
    def assert_refused(self, arguments, *words):
        for ranks in (1, 3):
            with self.subTest(arguments=arguments, ranks=ranks):
                code, out, err = self.run_nfold(*arguments, ranks=ranks)
                self.assertEqual(code, 1, out + err)
                lines = self.nfold_errors(err)
                self.assertEqual(len(lines), 1, err)
                for word in words:
                    self.assertIn(word, lines[0])

    def test_usage(self):
        self.assert_refused(["run", self.input, "--no-such-option"], "--no-such-option")
        self.assert_refused(["run", self.input, "--time-limit", "soon"], "--time-limit", "soon")

    def test_input_file(self):
        self.assert_refused(["run", self.folder / "none.yaml"], "none.yaml")
        bad = self.write_input("bad", "x.pdb", "  energies_evry_steps: 5\n")
        self.assert_refused(["run", bad], "bad.yaml:13:3", "energies_every_steps")
        self.assert_refused(["run", self.input, "--set", "dynamics.steps=-5"], "dynamics.steps")

    def test_structure_file(self):
        self.assert_refused(["run", self.write_input("bad", "none.pdb")], "none.pdb")
        (self.folder / "empty.pdb").write_text("")
        self.assert_refused(["run", self.write_input("bad", "empty.pdb")], "empty.pdb")
        self.assertFalse((self.folder / "bad.out").exists())

    def test_output_folder(self):
        self.run_well("run", self.input, "--quiet")
        self.assert_refused(["run", self.input], "finished", "--overwrite")
        self.assert_refused(["run", self.input, "--resume", "never"], "--overwrite")
        other = self.write_input("other", "x.pdb")
        other.write_text(self.input.read_text())
        self.assert_refused(["run", other, "--output", "ubq.out"], "'ubq'", "--overwrite")
        self.assert_refused(["run", self.input, "--set", "dynamics.seed=7"],
                            "dynamics.seed was 1, is now 7")
        self.assert_refused(["run", self.input, "--set", "dynamics.steps=100"], "beyond")
        self.assertEqual(self.status()["state"], "done")

    def test_finished_run_goes_on_when_asked_for_more(self):
        self.run_well("run", self.input, "--quiet")
        more = ["--set", "dynamics.steps=2300", "--quiet"]
        self.run_well("run", self.input, *more, ranks=2)
        self.run_well("run", self.input, *more, "--output", "whole")
        self.assert_same_output("whole", "ubq.out")
        self.run_well("run", self.input, *more, "--overwrite")
        self.assert_same_output("whole", "ubq.out")


if __name__ == "__main__":
    unittest.main()
