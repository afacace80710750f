# Ensembles of charged chains: salt and temperature ladders compared with plain runs and formulas.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: salt_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from ensemble_run import KB, LENGTH, AgainstPlainRuns, Example, ratio_slope_with_error

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SEQUENCE = "KKKKKKKKEEEEEEEE"  # two blocks that attract each other more with less salt
SALTS, SALT_KELVIN = [0.03, 0.08, 0.2, 0.6], 298
KELVINS = [285, 305, 325, 350]

CHAIN = f"""
system:
  species: [{{name: blocks, sequence: {SEQUENCE}}}]
force_field: {{model: calvados2, ionic_strength_molar: 0.05}}
start: {{from: unfolded}}
dynamics: {{steps: 90000, time_step_ps: 0.01, friction_per_ps: 0.05}}
ensemble:
  ladders: 12
  exchange_every_steps: 500
  sample_every_steps: 500
  equilibration_steps: 15000
"""
FIRST = 15000
BY_SALT = [f"ensemble.temperatures_kelvin=[{SALT_KELVIN}]", f"ensemble.ionic_strengths_molar={SALTS}"]
BY_KELVIN = [f"ensemble.temperatures_kelvin={KELVINS}"]

WORK = tempfile.TemporaryDirectory()
INPUT_FILE = Path(WORK.name) / "blocks.yaml"
INPUT_FILE.write_text(CHAIN, encoding="utf-8")
CHAINS = Example(NFOLD, INPUT_FILE)


def tearDownModule():
    WORK.cleanup()


class States:
    """Temperatures and electrostatics of the states (one value each), read from an ensemble file."""

    def __init__(self, file):
        self.kelvin, self.salt, self.kappa, self.coulomb = (
            file[f"exchange/{name}"][:] for name in ("temperature", "ionic_strength", "inverse_debye_length",
                                                     "coulomb"))
        self.nodes = file["samples/screening"][:]

    def screened(self, energies, kappa):
        """Interpolate energies at the nodes (..., nodes) to another inverse Debye length."""
        middle, half = (self.nodes[0] + self.nodes[-1]) / 2, (self.nodes[-1] - self.nodes[0]) / 2
        basis = np.polynomial.chebyshev.chebvander((self.nodes - middle) / half, len(self.nodes) - 1)
        at = np.polynomial.chebyshev.chebvander([(kappa - middle) / half], len(self.nodes) - 1)[0]
        return energies @ np.linalg.solve(basis.T, at)

    def reduced(self, potential, screened, state):
        """Reduced energies U/kT (states, ...) in each of the states."""
        own = np.choose(state, [self.coulomb[k] * self.screened(screened, kappa)
                                for k, kappa in enumerate(self.kappa)])
        rest = potential - own
        return np.array([(rest + self.coulomb[k] * self.screened(screened, self.kappa[k])) / (KB * self.kelvin[k])
                         for k in range(len(self.kelvin))])


class LadderTests:
    """Tests of both kinds of ladders."""

    example, exchange_every_steps = CHAINS, 500
    states, ladders = 4, 12

    def read_samples(self, folder):
        return CHAINS.samples(folder, FIRST, "potential_energy", "radius_of_gyration", "screened_energy")

    def test_means_equal_those_of_plain_runs(self):
        traded, plain = self.read_samples(self.traded), self.read_samples(self.plain)
        for column in (0, 1):
            self.assert_same_means(traded[column], plain[column], traded[3], plain[3])

    def test_neighbours_have_boltzmann_ratios(self):
        """ln p_1(x) - ln p_0(x) has slope 1 in u_0(x) - u_1(x) for any charges."""
        for folder in (self.traded, self.plain):
            potential, _, screened, state = self.read_samples(folder)
            with h5py.File(CHAINS.path(folder, "ensemble.h5")) as file:
                reduced = States(file).reduced(potential, screened, state)
            for low in range(3):
                slope, error = ratio_slope_with_error(reduced[low] - reduced[low + 1], state, low, 4, 12, 1)
                self.assertLess(abs(slope - 1) / error, 4.2, (slope, error))
                self.assertLess(error, 0.25)

    def test_free_energies_equal_those_of_pymbar(self):
        from pymbar import MBAR
        potential, _, screened, state = self.read_samples(self.traded)
        with h5py.File(CHAINS.path(self.traded, "ensemble.h5")) as file:
            reduced = States(file).reduced(potential, screened, state)
            ours = file["thermodynamics/reduced_free_energy"][:]
        order = np.argsort(state.ravel(), kind="stable")
        theirs = MBAR(reduced.reshape(4, -1)[:, order], np.bincount(state.ravel()))
        np.testing.assert_allclose(ours, theirs.compute_free_energy_differences()["Delta_f"][0], atol=2e-5)

    def test_curves_pass_through_the_states(self):
        with h5py.File(CHAINS.path(self.traded, "ensemble.h5")) as file:
            ladder = file[f"exchange/{self.varies}"][:]
            along = file[f"thermodynamics/{self.varies}"][:]
            np.testing.assert_allclose(along, np.linspace(ladder.min(), ladder.max(), len(along)))
            for name in ("radius_of_gyration", "potential_energy"):
                mean, error = file[f"thermodynamics/{name}"][:].T
                own, own_error, _ = file[f"scan/{name}"][:].T
                self.assertTrue((error > 0).all())
                at = np.interp(ladder, along, mean)
                within = np.sqrt(own_error**2 + np.interp(ladder, along, error)**2)
                self.assertLess((np.abs(at - own) / within).max(), 4, (name, at, own, within))
            self.assertGreater(file["exchange/round_trips"][:].sum(), 30)


class Salt(LadderTests, AgainstPlainRuns):
    settings, varies = [*BY_SALT, f"dynamics.steps={FIRST + 37500 * LENGTH}"], "ionic_strength"

    def test_debye_lengths_follow_the_salt(self):
        """The Debye length at 25 C is 0.304 nm over the square root of the salt (Israelachvili, section 14.14)."""
        with h5py.File(CHAINS.path(self.traded, "ensemble.h5")) as file:
            states = States(file)
        np.testing.assert_array_equal(states.salt, SALTS)
        np.testing.assert_array_equal(states.kelvin, SALT_KELVIN)
        np.testing.assert_allclose(1 / states.kappa, 0.304 / np.sqrt(SALTS), rtol=0.01)
        self.assertEqual(len(set(states.coulomb)), 1)
        log = CHAINS.path(self.traded, "log").read_text(encoding="utf-8")
        self.assertIn(f"4 ionic strengths from 0.03 to 0.6 mol/l at {SALT_KELVIN} K", log)
        self.assertIn("at 0.6 mol/l of salt radius of gyration", log)

    def test_salt_separates_the_blocks(self):
        with h5py.File(CHAINS.path(self.traded, "ensemble.h5")) as file:
            radius, error = file["thermodynamics/radius_of_gyration"][:].T
        self.assertGreater(radius[-1] - radius[0], 5 * (error[0] + error[-1]))


class Temperature(LadderTests, AgainstPlainRuns):
    settings, varies = BY_KELVIN, "temperature"

    def test_charges_follow_the_temperature(self):
        with h5py.File(CHAINS.path(self.traded, "ensemble.h5")) as file:
            states = States(file)
        np.testing.assert_array_equal(states.salt, 0.05)
        # The dielectric constant of water falls faster than 1/T (Akerlof and Oshry).
        self.assertTrue((np.diff(states.coulomb) > 0).all())
        self.assertTrue((np.diff(states.kappa) > 0).all())


class Files(unittest.TestCase):
    def test_screened_energies_match_the_positions(self):
        """Energies from a replica's trajectory by the potential's formula."""
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "one"
            CHAINS.run(folder, *BY_SALT, "dynamics.steps=4000", "ensemble.ladders=1",
                       "ensemble.equilibration_steps=0", "ensemble.trajectory_replicas=[2]",
                       "output.trajectory_every_steps=500")
            with h5py.File(CHAINS.path(folder, "ensemble.h5")) as file:
                states = States(file)
                energies = file["samples/screened_energy"][:, 2]
                potential = file["samples/potential_energy"][:, 2]
                state = file["samples/state"][:, 2].astype(int)
            with h5py.File(CHAINS.path(folder, "replica-2.h5md")) as file:
                positions = file["particles/trajectory/position/value"][:].astype(float)
                salt = file["observables/ionic_strength/value"][:]
            np.testing.assert_array_equal(salt, states.salt[state])
            self.assertEqual(len(positions), len(energies))
            charge = np.array([1.0 if one == "K" else -1.0 for one in SEQUENCE])
            charge[0] += 1  # CALVADOS 2 charges the ends
            charge[-1] -= 1
            i, j = np.triu_indices(len(charge), 2)
            r = np.linalg.norm(positions[:, i] - positions[:, j], axis=2)
            for kappa, found in [*zip(states.nodes, energies.T),
                                 *((kappa, states.screened(energies, kappa)) for kappa in states.kappa)]:
                pairs = np.where(r < 4, np.exp(-kappa * r) / r - np.exp(-kappa * 4) / 4, 0)
                # Positions of trajectories are single precision.
                np.testing.assert_allclose(found, (charge[i] * charge[j] * pairs).sum(axis=1), atol=3e-5)
            # They are part of the energy of the replica's state.
            table = np.loadtxt(CHAINS.path(folder, "replica-2.csv"), delimiter=",", skiprows=1)
            np.testing.assert_allclose(table[:, 2], potential)

    def test_ranks_and_stops_do_not_matter(self):
        short = ["dynamics.steps=6000", "ensemble.ladders=2", "ensemble.equilibration_steps=4000",
                 "ensemble.exchange_every_steps=100", "ensemble.tuning_steps=4000"]
        for name, ladder in (("salt", BY_SALT), ("kelvin", BY_KELVIN)):
            with tempfile.TemporaryDirectory() as work:
                whole, three, stopped = (Path(work) / one for one in ("whole", "three", "stopped"))
                CHAINS.run(whole, *ladder, *short)
                CHAINS.run(three, *ladder, *short, ranks=3)
                CHAINS.run(stopped, *ladder, *short, "dynamics.steps=2500", ranks=2)
                CHAINS.run(stopped, *ladder, *short)
                for other in (three, stopped):
                    for end in ("samples", "ensemble.h5"):
                        self.assertEqual(CHAINS.path(whole, end).read_bytes(),
                                         CHAINS.path(other, end).read_bytes(), (name, other.name, end))
                with h5py.File(CHAINS.path(whole, "ensemble.h5")) as file:
                    states = States(file)
                    tuned = file["exchange/ladder_ionic_strengths"][:]
                # Tuned states have the charges of their own temperature and salt.
                if name == "salt":
                    self.assertFalse(np.array_equal(tuned[0], tuned[-1]))
                    np.testing.assert_allclose(states.kappa**2 / states.salt, states.kappa[0]**2 / SALTS[0])
                else:
                    self.assertFalse(np.array_equal(states.kelvin, KELVINS))
                    bjerrum = states.coulomb / (KB * states.kelvin)
                    np.testing.assert_allclose(states.kappa**2, 8 * np.pi * bjerrum * 0.05 * 0.602214076,
                                               rtol=1e-5)

    def test_models_with_fixed_screening_have_ensembles(self):
        """HPS charges do not depend on temperature, so no screened energies are written."""
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "hps"
            CHAINS.run(folder, *BY_KELVIN, "force_field.model=hps-urry", "dynamics.steps=2000",
                       "ensemble.ladders=1", "ensemble.equilibration_steps=0")
            with h5py.File(CHAINS.path(folder, "ensemble.h5")) as file:
                self.assertNotIn("screened_energy", file["samples"])
                self.assertEqual(len(set(file["exchange/inverse_debye_length"][:])), 1)
                self.assertIn("radius_of_gyration", file["thermodynamics"])

    def test_boxes_start_placed_and_minimised(self):
        text = CHAIN.replace("sequence: " + SEQUENCE, f"sequence: {SEQUENCE}, copies: 6")
        text = text.replace("from: unfolded", "from: random, minimise_steps: 200")
        text = text.replace("}]\n", "}]\n  box_nm: [12, 12, 12]\n", 1)
        with tempfile.TemporaryDirectory() as work:
            file = Path(work) / "box.yaml"
            file.write_text(text, encoding="utf-8")
            boxes, folder = Example(NFOLD, file), Path(work) / "out"
            boxes.run(folder, *BY_SALT, "dynamics.steps=1000", "ensemble.ladders=1",
                      "ensemble.equilibration_steps=0")
            self.assertIn("replica 0: minimised", boxes.path(folder, "log").read_text(encoding="utf-8"))
            with h5py.File(boxes.path(folder, "ensemble.h5")) as found:
                first = found["samples/radius_of_gyration"][0]
            self.assertEqual(len(set(first)), 4)  # each replica has its own placement

    def test_impossible_settings_are_refused(self):
        salts = "ensemble.ionic_strengths_molar=[0.1, 0.2]"
        one = f"ensemble.temperatures_kelvin=[{SALT_KELVIN}]"
        cases = [([one, "ensemble.ionic_strengths_molar=[0.1, 0.3, 0.2]"], "neither rise nor fall"),
                 (["ensemble.temperatures_kelvin=[280, 290, 300]", salts], "2 ionic strengths beside 3 temp"),
                 ([one, salts, "force_field.model=hps-kr"], "whatever the salt"),
                 ([one, salts, "force_field.inverse_debye_length_per_nm=1"], "whatever the salt"),
                 ([one, "ensemble.contact_strengths=[1, 0.9]"], "without native contacts"),
                 ([one, salts, "ensemble.umbrella_centres_nm=[1, 2]",
                   "ensemble.umbrella_residues=[1, 16]"], "umbrellas beside several"),
                 (["ensemble.temperatures_kelvin=[100, 4000]"], "no dielectric constant"),
                 ([one, "ensemble.starts=both-ends"], "no native end"),
                 ([one, "ensemble.analysis.residue_energies=true"], "go model alone"),
                 ([salts], "without an ensemble")]
        with tempfile.TemporaryDirectory() as work:
            for settings, message in cases:
                done = CHAINS.run(Path(work) / "no", *settings, check=False)
                self.assertEqual(done.returncode, 1, (settings, done.stderr))
                self.assertIn(message, done.stderr)
            done = Example(NFOLD, INPUT / "ubiquitin-strengths.yaml").run(Path(work) / "no", salts, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("which has no charges", done.stderr)
            folder = Path(work) / "one"
            CHAINS.run(folder, *BY_SALT, "dynamics.steps=500", "ensemble.equilibration_steps=0")
            other = CHAINS.run(folder, *BY_SALT, "dynamics.steps=1000", "ensemble.equilibration_steps=0",
                               "ensemble.ionic_strengths_molar=[0.03, 0.08, 0.3, 0.6]", check=False)
            self.assertEqual(other.returncode, 1)
            self.assertIn("ensemble.ionic_strengths_molar", other.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
