# Inputs of the Python package: values, errors, files.
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path

import numpy as np
from package import InFolder, main

import nfold

FILE = nfold.examples / "ubiquitin.yaml"


class Inputs(InFolder):
    def test_values_are_those_of_the_file_or_defaults(self):
        read = nfold.Input(FILE)
        self.assertEqual(read["dynamics.seed"], 1)
        self.assertEqual(read["dynamics"]["integrator"], "langevin-baoab")
        self.assertIn("dynamics.steps", list(read))

    def test_changes_count_and_leave_a_copied_input_alone(self):
        first = nfold.Input(FILE)
        second = nfold.Input(first, {"dynamics.steps": np.int64(77), "dynamics": {"temperature_kelvin": 120.5}})
        self.assertEqual(second["dynamics.steps"], 77)
        self.assertEqual(second["dynamics.temperature_kelvin"], 120.5)
        self.assertNotEqual(first["dynamics.steps"], 77)

    def test_errors_have_the_text_of_the_command(self):
        for value, line in ((-1, "dynamics.time_step_ps=-1"), (7, "dynamics.time_step_ps=7")):
            command = self.run_command("check", FILE, "--set", line, expect=1)
            with self.assertRaises(nfold.InputError) as raised:
                nfold.Input(FILE, {"dynamics.time_step_ps": value}).check()
            self.assertEqual(command.stderr.replace("nfold: error: ", "").strip(), str(raised.exception))

    def test_unknown_key_names_the_nearest_one(self):
        with self.assertRaisesRegex(nfold.InputError, "did you mean 'dynamics.steps'"):
            nfold.Input(FILE)["dynamics.step"] = 3
        with self.assertRaises(KeyError):
            nfold.Input(FILE)["dynamics.step"]

    def test_missing_file_is_named(self):
        with self.assertRaisesRegex(nfold.InputError, "nowhere.yaml: no such file"):
            nfold.Input("nowhere.yaml")

    def test_saved_input_has_the_same_values(self):
        changed = nfold.Input(FILE, {"dynamics.steps": 12, "observables.every_steps": 4})
        # The structure is named relative to the file's folder.
        changed["system.structure"] = str(Path(FILE).resolve().parent / changed["system.structure"])
        saved = changed.save("copy.yaml")
        self.assertEqual(saved.to_yaml(), changed.to_yaml())
        self.assertLess(len(saved.given()), 30)

    def test_each_key_is_documented(self):
        for key in nfold.keys():
            self.assertTrue(key.help.endswith(".") or len(key.help) > 10, key)
            self.assertTrue(key.takes and key.default, key)
        self.assertIn("[1/ps]", nfold.describe("dynamics.friction_per_ps"))


if __name__ == "__main__":
    main()
