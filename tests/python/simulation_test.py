# Simulations in the process of Python: bits, state, callbacks, interruption, failures.
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from package import UBIQUITIN, InFolder, main

import nfold

FILE = nfold.examples / "ubiquitin.yaml"


def ubiquitin(**changes):
    return nfold.Input(FILE, {**UBIQUITIN, **changes})


class Simulations(InFolder):
    def run_by_command(self, output):
        changes = [word for name, value in UBIQUITIN.items() for word in ("--set", f"{name}={value}")]
        self.run_command("run", FILE, "--output", output, "--quiet", *changes)

    def test_bits_are_those_of_the_command(self):
        self.run_by_command("command.out")
        with nfold.Simulation(ubiquitin(), output="python.out") as simulation:
            for steps in (1, 149, 33, 400):
                simulation.run(steps)
                simulation.energies(), simulation.forces
            simulation.run()
        self.assert_same_state("command.out/ubiquitin.ckpt.h5", "python.out/ubiquitin.ckpt.h5")
        for file in ("ubiquitin.energies.csv", "ubiquitin.h5md"):
            self.run_command("compare", f"command.out/{file}", f"python.out/{file}")
        self.assertEqual(nfold.open("python.out").status["state"], nfold.open("command.out").status["state"])

    def test_ensemble_has_the_bits_of_the_command(self):
        exchange = nfold.examples / "ubiquitin-exchange.yaml"
        changes = {"dynamics.steps": 400, "ensemble.sample_every_steps": 100, "ensemble.exchange_every_steps": 100,
                   "ensemble.equilibration_steps": 100}
        words = [word for name, value in changes.items() for word in ("--set", f"{name}={value}")]
        self.run_command("run", exchange, "--output", "command.out", "--quiet", *words)
        with nfold.Simulation(nfold.Input(exchange, changes), output="python.out") as simulation:
            simulation.run(150)
            with self.assertRaisesRegex(nfold.InputError, "many replicas"):
                simulation.positions
            simulation.run()
        self.assert_same_state("command.out/ubiquitin-exchange.ckpt.h5", "python.out/ubiquitin-exchange.ckpt.h5")

    def test_state_is_that_of_the_files(self):
        with nfold.Simulation(ubiquitin(), output="state.out") as simulation:
            simulation.run(500)
            positions, energies = simulation.positions, simulation.energies()
            self.assertEqual(positions.shape, (76, 3))
            self.assertEqual(simulation.velocities.shape, (76, 3))
            self.assertEqual(simulation.masses.shape, (76,))
            self.assertEqual(simulation.chains, [("A", 76)])
            # Internal forces have no sum, and bonds keep their lengths of about 0.38 nm.
            np.testing.assert_allclose(simulation.forces.sum(axis=0), 0, atol=0.1)
            lengths = np.linalg.norm(np.diff(positions, axis=0), axis=1)
            self.assertLess(abs(lengths.mean() - 0.38), 0.01)
            simulation.run()
        result = nfold.open("state.out")
        frame = list(result.trajectory.step).index(500)
        np.testing.assert_allclose(result.trajectory[frame], positions, atol=2e-6)
        row = list(result.energies["step"]).index(500)
        self.assertAlmostEqual(float(result.energies["potential_kj_mol"][row]), energies["potential_kj_mol"], 5)

    def test_forces_are_minus_the_slope_of_the_energy(self):
        text = "x,y,z\n"
        with nfold.Simulation(ubiquitin(**{"dynamics.precision": "double"}), output="first.out") as simulation:
            simulation.run(50)
            positions, forces = simulation.positions, simulation.forces
        energies = []
        for sign in (-1, 1):
            moved = positions.copy()
            moved[20, 1] += sign * 1e-4
            with open("moved.csv", "w") as file:
                file.write(text + "".join(",".join(f"{value:.12f}" for value in row) + "\n" for row in moved))
            changes = {"start.from": "coordinates"} if "start.from" in ubiquitin().given() else {}
            start = ubiquitin(**{"dynamics.precision": "double", "start.coordinates": str(nfold.results.Path("moved.csv").resolve()),
                                 "start.minimise_steps": 0, **changes})
            with nfold.Simulation(start, output="moved.out", overwrite=True) as simulation:
                energies.append(simulation.energies()["potential_kj_mol"])
        self.assertAlmostEqual(forces[20, 1], -(energies[1] - energies[0]) / 2e-4, delta=1e-2 * (1 + abs(forces[20, 1])))

    def test_stopped_simulation_goes_on_with_the_same_bits(self):
        self.run_by_command("command.out")
        with nfold.Simulation(ubiquitin(), output="python.out") as simulation:
            simulation.run(233)
        self.assertEqual(nfold.open("python.out").status["state"], "stopped")
        with nfold.Simulation(ubiquitin(), output="python.out") as simulation:
            self.assertEqual(simulation.step, 233)
            simulation.run()
        self.assert_same_state("command.out/ubiquitin.ckpt.h5", "python.out/ubiquitin.ckpt.h5")

    def test_callbacks_are_called_at_multiples(self):
        seen = []
        with nfold.Simulation(ubiquitin(), output="callbacks.out") as simulation:
            simulation.every(70, lambda now: seen.append(now.step))
            simulation.run(100)
            simulation.run(200)
        self.assertEqual(seen, [70, 140, 210, 280])

    def test_steps_beyond_the_input_are_refused(self):
        with nfold.Simulation(ubiquitin(), output="beyond.out") as simulation:
            with self.assertRaisesRegex(nfold.InputError, "step 700 is beyond dynamics.steps = 600"):
                simulation.run(700)

    def test_second_simulation_is_refused_until_the_first_ends(self):
        with nfold.Simulation(ubiquitin(), output="one.out"):
            with self.assertRaisesRegex(nfold.Error, "has not ended"):
                nfold.Simulation(ubiquitin(), output="two.out")
        with nfold.Simulation(ubiquitin(), output="two.out") as simulation:
            simulation.run()
        with self.assertRaisesRegex(nfold.Error, "it has ended"):
            simulation.positions

    def test_explosion_is_an_exception_and_a_status(self):
        hot = ubiquitin(**{"dynamics.time_step_ps": 0.0705, "dynamics.temperature_kelvin": 10_000})
        with self.assertRaises(nfold.ExplosionError) as raised:
            with nfold.Simulation(hot, output="hot.out") as simulation:
                simulation.run()
        self.assertIn("hot.out", str(raised.exception))
        self.assertEqual(nfold.open("hot.out").status["outcome"], "explosion")

    def test_mapping_is_an_input(self):
        whole = ubiquitin().given()
        whole["system.structure"] = str(FILE.resolve().parent / whole["system.structure"])
        with nfold.Simulation(nfold.Input(whole, name="own")) as simulation:
            simulation.run(10)
        self.assertEqual(nfold.open("own.out").name, "own")

    def test_interrupt_leaves_a_checkpoint(self):
        done = self.run_python(f"""
import os, signal, threading, nfold
input = nfold.Input({str(FILE)!r}, {{"dynamics.steps": 50_000_000}})
simulation = nfold.Simulation(input, output="stopped.out")
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    simulation.run()
except KeyboardInterrupt as stop:
    print(stop, "| step", simulation.step)
    simulation.run(10)
    print("again", simulation.step)
""")
        self.assertRegex(done.stdout, r"step (\d+), checkpoint written \| step \1\nagain")
        self.assertEqual(nfold.open("stopped.out").status["state"], "stopped")

    def test_terminate_leaves_a_checkpoint_and_ends_python(self):
        self.run_python(f"""
import os, signal, threading, nfold
input = nfold.Input({str(FILE)!r}, {{"dynamics.steps": 50_000_000}})
simulation = nfold.Simulation(input, output="stopped.out")
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
simulation.run()
""", expect=-15)
        self.assertIn("SIGTERM", nfold.open("stopped.out").log)


if __name__ == "__main__":
    main()
