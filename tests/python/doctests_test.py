# Examples in the docstrings of the Python package.
# SPDX-License-Identifier: BSD-3-Clause

import doctest

from package import InFolder, main

import nfold
from nfold import commands, inputs, results, simulation

FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


class Examples(InFolder):
    def setUp(self):
        super().setUp()
        self.input = nfold.Input(nfold.examples / "ubiquitin.yaml", {"dynamics.steps": 500})
        with nfold.Simulation(self.input) as short:
            short.run()

    def test_all_examples_hold(self):
        tried = 0
        for module in (inputs, simulation, commands, results):
            found = doctest.testmod(module, globs={**vars(module), "nfold": nfold, "input": self.input}, optionflags=FLAGS)
            self.assertEqual(found.failed, 0, module)
            tried += found.attempted
        self.assertGreater(tried, 8)


if __name__ == "__main__":
    main()
