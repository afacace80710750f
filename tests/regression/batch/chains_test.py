# nfold batch of sequences: tables, stop at the wanted error, kill and resume, one chain alone.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in tests/fault/nfold_process.py. That folder must be on PYTHONPATH."""
import csv
import signal
import time
import unittest

import h5py
from nfold_process import NfoldTest

SEQUENCES = {"short": "GSEGKSRGEK", "with.sites": "MKDEGYSRK[SEP]GSDEKRGYGSE", "long": "GSYGRKDE" * 5}
COARSE = ("--set", "ensemble.rg_error=0.04", "--set", "force_field.model=pcalvados2")


class ChainsTest(NfoldTest):
    def write_fasta(self, names=tuple(SEQUENCES)):
        (self.folder / "all.fasta").write_text("".join(f">{name} a chain\n{SEQUENCES[name]}\n" for name in names))

    def batch(self, *arguments, targets="all.fasta", output="all.out", ranks=1):
        return self.run_nfold("batch", targets, "--output", output, "--threads", "1", "--quiet", *COARSE, *arguments,
                              ranks=ranks)

    def rows(self, output="all.out", name="results.csv"):
        with open(self.folder / output / name, encoding="utf-8", newline="") as file:
            return {row["target"]: row for row in csv.DictReader(file)}

    def result_files(self, output):
        folder = self.folder / output
        files = sorted([*folder.glob("*/*.result.csv"), *folder.glob("*/*.h5"), folder / "results.csv",
                        folder / "results.h5"])
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    def assert_row(self, row):
        value = {name: float(text) for name, text in row.items()
                 if text and name not in ("target", "protocol", "space", "verdict", "reason", "remark")}
        self.assertEqual((row["protocol"], row["verdict"]), ("chain", "converged"), row)
        error = value["radius_of_gyration_error_nm"] / value["radius_of_gyration_nm"]
        self.assertLessEqual(error, 0.04)
        self.assertGreaterEqual(value["radius_of_gyration_samples"], 16)
        self.assertLess(value["radius_of_gyration_nm"], value["end_to_end_nm"])
        self.assertTrue(0 < value["asphericity"] < 1, row)
        self.assertLess(value["equilibration_steps"], value["steps"])
        return value

    def test_fasta_becomes_table_of_sizes(self):
        self.write_fasta()
        code, out, err = self.batch()
        self.assertEqual(code, 0, out + err)
        rows = self.rows()
        self.assertEqual(set(rows), set(SEQUENCES))
        values = {name: self.assert_row(row) for name, row in rows.items()}
        radii = [values[name]["radius_of_gyration_nm"] for name in ("short", "with.sites", "long")]
        self.assertEqual(radii, sorted(radii))
        self.assertEqual(rows["short"]["scaling_exponent"], "")
        self.assertIn("no scaling exponent", rows["short"]["remark"])
        self.assertTrue(0.3 < values["long"]["scaling_exponent"] < 0.8)
        self.assertEqual(values["long"]["scaling_to"], 39)
        self.assertEqual(values["short"]["residues"], 10)
        with h5py.File(self.folder / "all.out/long/long.h5") as file:
            distance = file["chain/chain/distance"][()]
            self.assertEqual(len(distance), 39)
            self.assertAlmostEqual(distance[0], 0.38, delta=0.01)
            self.assertTrue((distance[1:] > distance[0]).all())
        with h5py.File(self.folder / "all.out/results.h5") as file:
            names = [name.decode() for name in file["target"]]
            self.assertEqual(names, list(SEQUENCES))
            k = names.index("long")
            self.assertEqual(file["radius_of_gyration_nm"][k], values["long"]["radius_of_gyration_nm"])
            first, last = file["distance_start"][k:k + 2]
            self.assertTrue((file["distance_nm"][first:last] == distance).all())
        # The files of a run that nobody asked for are removed.
        self.assertEqual({path.name for path in (self.folder / "all.out/long").iterdir()},
                         {"chain.yaml", "long.h5", "long.prediction.json", "long.result.csv", "long.space.yaml"})
        # Fewer steps than the budget, because the error was reached.
        self.assertLess(values["long"]["steps"], 500_000)

    def test_chain_alone_and_on_other_ranks_has_the_same_bytes(self):
        self.write_fasta()
        self.assertEqual(self.batch()[0], 0)
        whole = self.result_files("all.out")
        code, out, err = self.batch(output="two.out", ranks=2)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.result_files("two.out"), whole)
        self.write_fasta(["with.sites"])
        self.assertEqual(self.batch(output="one.out")[0], 0)
        alone = self.result_files("one.out")
        for path in ("with.sites/with.sites.h5", "with.sites/with.sites.result.csv"):
            self.assertEqual(alone[path], whole[path], path)

    def test_killed_batch_goes_on_to_the_same_bytes(self):
        self.write_fasta()
        frequent = ("--set", "output.checkpoint_every_steps=1000")
        self.assertEqual(self.batch(*frequent, output="whole.out")[0], 0)
        command = ["batch", "all.fasta", "--output", "all.out", "--threads", "1", "--quiet", *COARSE, *frequent]
        for chains in (1, 2, 3):  # killed in its first chain, its second and its third
            process = self.start(command)
            while process.poll() is None and len(list(self.folder.glob("all.out/*/chain.yaml"))) < chains:
                time.sleep(0.01)
            time.sleep(0.1)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.assertEqual(self.batch(*frequent)[0], 0)
        self.assertEqual(self.result_files("all.out"), self.result_files("whole.out"))

    def test_table_has_conditions(self):
        (self.folder / "salt.csv").write_text(
            "name,sequence,ionic_strength_molar,temperature_kelvin\n"
            f"low,{'KE' * 12},0.01,300\nhigh,{'K' * 24},0.5,310\nbad,MXV,0.1,300\n")
        code, out, err = self.batch(targets="salt.csv")
        self.assertEqual(code, 2, out + err)
        rows = self.rows()
        self.assertEqual((rows["low"]["temperature_kelvin"], rows["high"]["temperature_kelvin"]), ("300", "310"))
        self.assertIn("'X' at 2 of the sequence", self.rows(name="failed.csv")["bad"]["reason"])
        text = (self.folder / "all.out/high/chain.yaml").read_text()
        self.assertIn("ionic_strength_molar: 0.5", text)

    def test_few_steps_give_a_reason_and_no_number(self):
        self.write_fasta(["long"])
        code, out, err = self.batch("--set", "dynamics.steps=2000", "--set", "ensemble.rg_error=0.001")
        self.assertEqual(code, 0, out + err)
        row = self.rows()["long"]
        self.assertEqual(row["verdict"], "not converged")
        self.assertTrue(row["reason"])
        if not row["radius_of_gyration_nm"]:
            self.assertIn("independent samples", row["reason"])


if __name__ == "__main__":
    unittest.main()
