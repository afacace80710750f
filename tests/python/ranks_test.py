# Simulations by Python on several ranks: the bits of one, failures that end all.
# SPDX-License-Identifier: BSD-3-Clause

import os

from package import UBIQUITIN, InFolder, main

import nfold

FILE = nfold.examples / "ubiquitin.yaml"
RANKS = (os.environ.get("MPIEXEC", "mpirun"), "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", "2")
PROGRAM = f"""
import nfold
with nfold.Simulation(nfold.Input({str(FILE)!r}, {UBIQUITIN!r}), output="ranks.out") as simulation:
    simulation.run(100)
    positions, forces, energies = simulation.positions, simulation.forces, simulation.energies()
    simulation.run()
    print(simulation.ranks if hasattr(simulation, "n") else len(positions), sum(energies.values()) != 0)
"""


class Ranks(InFolder):
    def test_two_ranks_have_the_bits_of_one(self):
        self.run_python(PROGRAM, *RANKS)
        with nfold.Simulation(nfold.Input(FILE, UBIQUITIN), output="one.out") as simulation:
            simulation.run()
        self.assert_same_state("one.out/ubiquitin.ckpt.h5", "ranks.out/ubiquitin.ckpt.h5")

    def test_exception_of_one_rank_ends_all(self):
        done = self.run_python(f"""
import os, nfold
simulation = nfold.Simulation(nfold.Input({str(FILE)!r}, {UBIQUITIN!r}), output="ranks.out")
simulation.run(10)
if simulation.rank == 1:
    raise ValueError("mine alone")
simulation.run()
""", *RANKS, expect=3)
        self.assertIn("mine alone", done.stderr)


if __name__ == "__main__":
    main()
