# Wrong usage and input on one and three ranks: exit code 1, one message of nfold, no hang.
# SPDX-License-Identifier: BSD-3-Clause
import gzip
import os
import resource
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

    def test_wrong_usage_is_refused(self):
        self.assert_refused(["run", self.input, "--no-such-option"], "--no-such-option")
        self.assert_refused(["run", self.input, "--time-limit", "soon"], "--time-limit", "soon")

    def test_wrong_input_file_is_refused(self):
        self.assert_refused(["run", self.folder / "none.yaml"], "none.yaml")
        bad = self.write_input("bad", "x.pdb", "  energies_evry_steps: 5\n")
        self.assert_refused(["run", bad], "bad.yaml:13:3", "energies_every_steps")
        self.assert_refused(["run", self.input, "--set", "dynamics.steps=-5"], "dynamics.steps")

    def test_circular_links_are_refused(self):
        for name in ("loop.yaml", "loop.pdb", "loop.out"):
            (self.folder / name).symlink_to(name)
        self.assert_refused(["run", "loop.yaml"], "loop.yaml", "leads back to itself")
        self.assert_refused(["run", self.write_input("bad", "loop.pdb")], "loop.pdb",
                            "leads back to itself")
        self.assert_refused(["run", self.input, "--output", "loop.out"], "loop.out",
                            "lead back to itself")
        self.assert_refused(["batch", "loop.yaml"], "loop.yaml", "leads back to itself")
        self.assert_refused(["prepare", "loop.pdb"], "loop.pdb", "lead back to itself")

    def test_mistyped_names_get_suggestions(self):
        self.assert_refused(["rnu", self.input], "did you mean 'run'?")
        self.assert_refused(["--versoin"], "did you mean '--version'?")
        self.assert_refused(["run", self.input, "--ovewrite"], "did you mean '--overwrite'?")
        self.assert_refused(["run", self.input, "--set", "dynamics.steps=10", "dynamics.sed=2"],
                            "did you mean 'dynamics.seed'?")

    def test_help_starts_with_examples(self):
        for arguments, wanted in (([], 1), (["--help"], 0)):
            code, out, err = self.run_nfold(*arguments)
            self.assertEqual((code, err), (wanted, ""))
            for example in ("nfold prepare 1ubq.pdb", "nfold check 1ubq.yaml", "nfold run 1ubq.yaml"):
                self.assertIn(f"\n  {example} ", out)
        self.assertIn("dynamics.temperature_kelvin\n", self.run_well("help", "temperature"))
        self.assertIn("--overwrite", self.run_well("help", "run"))

    def test_fasta_with_many_records_is_refused(self):
        records = "".join(f">protein{i}\nMKV\n" for i in range(1000))
        (self.folder / "many.fasta").write_text(records)
        self.assert_refused(["prepare", "many.fasta"], "1000 records", "protein4 and 995 more")

    @unittest.skipIf(os.environ.get("NFOLD_SANITIZED"), "sanitizers map terabytes")
    def test_memory_limits_are_reported(self):
        def limit_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        with gzip.open(self.folder / "bomb.pdb.gz", "wb", compresslevel=1) as bomb:
            for _ in range(1100):
                bomb.write(bytes(1 << 20))
        code, _, err = self.run_nfold("prepare", "bomb.pdb.gz", preexec_fn=limit_memory)
        self.assertEqual(code, 1, err)
        self.assertRegex(err, "bomb.pdb.gz: .* more than 1024 MiB")
        with open(self.folder / "large.pdb", "wb") as large:
            large.truncate(2 << 30)
        code, _, err = self.run_nfold("prepare", "large.pdb", preexec_fn=limit_memory)
        self.assertEqual(code, 3, err)
        self.assertRegex(err, "out of host memory while reading large.pdb: .* of 1 GiB allowed by "
                              "'ulimit -v' are free now")

    def test_structure_instead_of_input_is_refused(self):
        (self.folder / "p.fasta").write_text(">p\nMKV\n")
        (self.folder / "p.pdb").write_text("ATOM      1  CA  ALA A   1       0.000   0.000   0.000\n")
        # A FASTA file is a list for `check`, as for `batch`.
        for arguments in (["run", "p.fasta"], ["run", "p.pdb"], ["check", "p.pdb"]):
            self.assert_refused(arguments, "not an input file", f"nfold prepare {arguments[1]}")

    def test_wrong_structure_file_is_refused(self):
        self.assert_refused(["run", self.write_input("bad", "none.pdb")], "none.pdb")
        (self.folder / "empty.pdb").write_text("")
        self.assert_refused(["run", self.write_input("bad", "empty.pdb")], "empty.pdb")
        self.assertFalse((self.folder / "bad.out").exists())

    def test_foreign_output_folder_is_refused(self):
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
        for file in [self.folder / "ubq.out" / "ubq.input.yaml", *(self.folder / "ubq.out").glob("*.ckpt*.h5")]:
            file.unlink()
        for command in ("run", "check"):
            self.assert_refused([command, self.input], "without its input or a checkpoint", "--overwrite")

    def test_other_temperature_needs_a_new_start(self):
        self.run_well("run", self.input, "--quiet")
        warmer = ["run", self.input, "--set", "dynamics.temperature_kelvin=120"]
        checkpoint = self.folder / "ubq.out" / "ubq.ckpt.h5"
        self.assert_refused(warmer, "temperature_kelvin was 100, is now 120",
                            f"--set start.checkpoint={checkpoint}")
        # The command of the message, with the start.from that prepare writes.
        self.run_well(*warmer, "start.from=native", f"start.checkpoint={checkpoint}",
                      "--output", "warmer.out", "--quiet")
        self.assertEqual(self.status("warmer.out")["step"], "2000")

    def test_torn_files_are_refused(self):
        self.run_well("run", self.input, "--quiet")
        more = ["run", self.input, "--set", "dynamics.steps=2300"]
        os.truncate(self.folder / "ubq.out" / "ubq.h5md", 20000)
        code, _, err = self.run_nfold(*more)
        self.assertNotEqual(code, 0)
        self.assertRegex(err, r"ubq.h5md: the file is cut off: 20000 bytes instead of \d+ .*"
                              "start.checkpoint.*--overwrite")
        for checkpoint in (self.folder / "ubq.out").glob("*.ckpt*.h5"):
            os.truncate(checkpoint, 1000)
        code, _, err = self.run_nfold(*more)
        self.assertNotEqual(code, 0)
        self.assertIn("no checkpoint can be read", err)
        self.assertIn("--overwrite", err)
        self.assertNotIn("--resume", err)
        self.run_well(*more, "--overwrite", "--quiet")

    def test_finished_run_continues_to_more_steps(self):
        self.run_well("run", self.input, "--quiet")
        more = ["--set", "dynamics.steps=2300", "--quiet"]
        self.run_well("run", self.input, *more, ranks=2)
        self.run_well("run", self.input, *more, "--output", "whole")
        self.assert_same_output("whole", "ubq.out")
        self.run_well("run", self.input, *more, "--overwrite")
        self.assert_same_output("whole", "ubq.out")


if __name__ == "__main__":
    unittest.main()
