# Exploding run: exit code 3, a message with the residues, and the last good state and frames kept.
# SPDX-License-Identifier: BSD-3-Clause
import unittest

from nfold_process import NfoldTest

HOT = ["--quiet", "--set", "dynamics.time_step_ps=0.0705", "--set",
       "dynamics.temperature_kelvin=10000", "--set", "output.trajectory_every_steps=1"]


class Explosion(NfoldTest):
    def test_explosion_keeps_the_last_good_state_on_any_ranks(self):
        messages = []
        for ranks in (1, 3):
            output = f"ranks{ranks}"
            code, out, err = self.run_nfold("run", self.input, *HOT, "--output", output,
                                            ranks=ranks)
            self.assertEqual(code, 3, out + err)
            lines = self.nfold_errors(err)
            self.assertEqual(len(lines), 1, err)
            self.assertRegex(lines[0], r"explodes in step \d+: .*[A-Z]{3} \d+ \(chain A\).*kJ")
            messages.append(lines[0].replace(output, ""))
            status = self.status(output)
            self.assertEqual((status["state"], status["exit_code"]), ("failed", "3"))
            self.assertIn("explodes", status["reason"])
            self.run_well("export", self.folder / output / "ubq.h5md", "--dcd")
        self.assertEqual(*messages)
        code, out, err = self.run_nfold("compare", "ranks1/ubq.explosion.h5",
                                        "ranks3/ubq.explosion.h5")
        self.assertEqual(code, 0, out + err)
        self.assertEqual((self.folder / "ranks1/ubq.dcd").read_bytes(),
                         (self.folder / "ranks3/ubq.dcd").read_bytes())

    def test_log_reports_saturated_energies(self):
        positions = [(0, 0), (3.8, 0), (0.1, 0)] + [(3.8 * k, 3) for k in range(1, 8)]
        (self.folder / "back.pdb").write_text("".join(
            f"ATOM  {n:5}  CA  ALA A{n:4}    {x:8.3f}{y:8.3f}   0.000  1.00  0.00           C\n"
            for n, (x, y) in enumerate(positions, 1)) + "END\n")
        (self.folder / "back.yaml").write_text(
            "system: {species: [{name: back, structure: back.pdb, copies: 1}], box_nm: [20, 20, 20]}\n"
            "force_field: {model: calvados2}\n"
            "start: {from: native, minimise_steps: 0}\n"
            "dynamics: {steps: 10, temperature_kelvin: 300}\n")
        code, out, err = self.run_nfold("run", "back.yaml", "--quiet")
        self.assertEqual(code, 3, out + err)
        log = (self.folder / "back.out/back.log").read_text()
        self.assertEqual(log.count("is beyond 262144 kJ/mol and counts for that much"), 1, log)
        self.run_well("run", "back.yaml", "--quiet", "--overwrite", "--set",
                      "start.minimise_steps=200")
        log = (self.folder / "back.out/back.log").read_text()
        self.assertNotIn("counts for that much", log)


if __name__ == "__main__":
    unittest.main()
