# nfold phase: two phases with errors or bounds, binodal, kill and resume, wrong input.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in tests/fault/nfold_process.py. That folder must be on PYTHONPATH."""
import csv
import signal
import time
import unittest

import h5py
from nfold_process import NfoldTest

STICKY = "WFYWFYWFYW"
# A small slab without charges, so that its box may be narrow; a few hundred residues.
SMALL = ("--copies", "45", "--set", "system.box_nm=[5,5,25]", "--set", "force_field.charged_ends=none",
         "--set", "force_field.electrostatic_cutoff_nm=2", "--set", "observables.every_steps=20",
         "--set", "output.checkpoint_every_steps=200", "--set", "dynamics.steps=2000")


class PhaseTest(NfoldTest):
    def setUp(self):
        super().setUp()
        (self.folder / "all.fasta").write_text(f">sticky a chain\n{STICKY}\n")

    def arguments(self, *arguments, output="all.phase", sequences="all.fasta"):
        return ["phase", sequences, "--output", output, "--threads", "1", "--quiet", *SMALL, *arguments]

    def phase(self, *arguments, ranks=1, **options):
        return self.run_nfold(*self.arguments(*arguments, **options), ranks=ranks)

    def rows(self, output="all.phase", name="results.csv"):
        with open(self.folder / output / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def result_files(self, output):
        folder = self.folder / output
        files = sorted([*folder.glob("*/*.result.csv"), *folder.glob("*/*.h5"), folder / "results.csv",
                        folder / "results.h5", folder / "binodal.csv"])
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    def test_empty_dilute_phase_has_upper_bound_and_no_number(self):
        code, out, err = self.phase("--temperature", "280:300:20")
        self.assertEqual(code, 0, out + err)
        rows = self.rows()
        self.assertEqual([row["target"] for row in rows], ["sticky-280K", "sticky-300K"])
        for row in rows:
            self.assertEqual((row["protein"], row["verdict"]), ("sticky", "not converged"), row)
            self.assertIn("too few chains visited the dilute phase", row["reason"])
            self.assertEqual(row["dilute_mg_ml"], "")
            bound, molar = float(row["dilute_upper_bound_mg_ml"]), float(row["dilute_upper_bound_molar"])
            # 3.0 chains or more, in no more than the whole box.
            mass = bound / molar
            self.assertTrue(1500 < mass < 2000, row)
            self.assertGreater(bound, 2.99 * mass * 1.66054 / 625)
            if row["transfer_free_energy_upper_bound_kj_mol"]:
                self.assertLess(float(row["transfer_free_energy_upper_bound_kj_mol"]), 0)
            self.assertEqual((row["chains"], row["box_z_nm"], row["steps"]), ("45", "25", "2000"))
        binodal = self.rows(name="binodal.csv")
        self.assertEqual([row["protein"] for row in binodal], ["sticky"])
        self.assertEqual(binodal[0]["critical_temperature_kelvin"], "")
        self.assertIn("no critical point", binodal[0]["reason"])
        with h5py.File(self.folder / "all.phase/results.h5") as file:
            first, last = file["profile_start"][:2]
            density = file["profile_mg_ml"][first:last]
            middle = len(density) // 2
            self.assertGreater(density[middle - 2:middle + 2].mean(), 100)
            self.assertLess(density[:4].mean(), 20)
            self.assertEqual(file["dilute_upper_bound_mg_ml"][0], float(rows[0]["dilute_upper_bound_mg_ml"]))

    def test_killed_job_goes_on_to_the_same_bytes(self):
        temperatures = ("--temperature", "280,300")
        code, out, err = self.phase(*temperatures, output="whole.phase", ranks=2)
        self.assertEqual(code, 0, out + err)
        for slabs in (1, 2):  # killed in its first slab and in its second
            process = self.start(self.arguments(*temperatures))
            while process.poll() is None and len(list(self.folder.glob("all.phase/*/slab/slab.ckpt.h5"))) < slabs:
                time.sleep(0.01)
            time.sleep(0.2)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.assertEqual(self.phase(*temperatures)[0], 0)
        self.assertEqual(self.result_files("all.phase"), self.result_files("whole.phase"))

    def test_failed_slab_does_not_stop_the_others(self):
        (self.folder / "all.csv").write_text(f"name,sequence\nbad,MXV\nsticky,{STICKY}\n")
        (self.folder / "client.fasta").write_text(">client\nGGSGG\n")
        code, out, err = self.phase("--temperature", "300", "--client", "client.fasta", "--client-copies", "3",
                                    sequences="all.csv")
        self.assertEqual(code, 2, out + err)
        self.assertIn("'X' at 2", self.rows(name="failed.csv")[0]["reason"])
        (row,) = self.rows()
        self.assertEqual((row["client"], row["chains"]), ("client", "48"))

    def test_list_is_checked_and_run_as_batch(self):
        self.run_well("phase", "all.fasta", *SMALL, "--temperature", "300", "--list", "slabs.yaml")
        out = self.run_well("check", "slabs.yaml", *SMALL[2:])
        self.assertIn("450 residues", out)
        code, out, err = self.run_nfold("batch", "slabs.yaml", "--threads", "1", "--quiet", *SMALL[2:])
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.phase("--temperature", "300")[0], 0)
        self.assertEqual(self.result_files("slabs.out"), self.result_files("all.phase"))

    def test_wrong_input_is_one_line(self):
        for arguments, text in ((["--temperature", "320:280:10"], "--temperature: '320:280:10'"),
                                (["--temperature", "warm"], "--temperature: 'warm'"),
                                (["--client-copies", "3"], "--client-copies: without --client"),
                                (["--client", "all.fasta:none"], "none"),
                                (["--model", "calvados9"], "calvados9"),
                                (["--set", "observables.dilute_error=2"], "dilute_error")):
            with self.subTest(arguments=arguments):
                code, _, err = self.phase(*arguments)
                self.assertIn(code, (1, 2), err)
                self.assertIn(text, err if code == 1 else self.rows(name="failed.csv")[0]["reason"])
                self.assertEqual(len(err.strip().splitlines()), 1, err)


if __name__ == "__main__":
    unittest.main()
