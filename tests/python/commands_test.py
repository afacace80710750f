# Commands of the Python package, in processes of their own.
# SPDX-License-Identifier: BSD-3-Clause

from package import UBIQUITIN, InFolder, main

import nfold

FILE = nfold.examples / "ubiquitin.yaml"


class Commands(InFolder):
    def test_prepare_writes_an_input_that_runs(self):
        written = nfold.prepare(nfold.examples / "structures/1ubq.pdb.gz")
        self.assertEqual(written.file.suffix, ".yaml")
        written["dynamics.steps"] = 20
        self.assertEqual(nfold.run(written).status["state"], "done")

    def test_run_has_the_bits_of_a_simulation(self):
        result = nfold.run(nfold.Input(FILE, UBIQUITIN), output="command.out")
        with nfold.Simulation(nfold.Input(FILE, UBIQUITIN), output="python.out") as simulation:
            simulation.run()
        self.assert_same_state(result.files["ckpt.h5"], "python.out/ubiquitin.ckpt.h5")

    def test_failure_has_the_text_of_the_command(self):
        with self.assertRaisesRegex(nfold.InputError, "a.pdb: .*"):
            nfold.prepare("a.pdb")
        with self.assertRaisesRegex(nfold.InputError, "unknown option '--modle'"):
            nfold.prepare(nfold.examples / "structures/1ubq.pdb.gz", modle="go")
        with self.assertRaisesRegex(nfold.InputError, "save.. it first"):
            nfold.run({"dynamics.steps": 3})

    def test_check_plan_and_devices_are_dicts(self):
        self.assertIn("input", nfold.check(FILE))
        self.assertTrue(nfold.plan(FILE, machine="here"))
        self.assertTrue(nfold.devices())


if __name__ == "__main__":
    main()
