# Scaling study as a job of a real two-node Slurm on this machine, with ranks started by srun.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: slurm_test.py NFOLD ROOT [unittest arguments]"""

import csv
import json
import sys
import tempfile
import unittest
from pathlib import Path

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tests/regression/jobscripts"))
import slurm_cluster  # noqa: E402  (path set above)

ENDED = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL")


class Slurm(unittest.TestCase):
    def test_study_uses_its_allocation(self):
        with tempfile.TemporaryDirectory() as folder, slurm_cluster.Cluster(nodes=2, processors=2) as cluster:
            folder = Path(folder)
            script = folder / "job.sh"
            script.write_text(f"""#!/bin/bash
#SBATCH --nodes=2 --ntasks=2 --time=5
{sys.executable} {ROOT}/tools/scaling_study --nfold {NFOLD} --output-dir {folder}/study --systems go-ubq --repeats 1 \\
  --measurements 1 --seconds 0.05 --warm-up 10 --no-model
""", encoding="utf-8")
            number = cluster.submit("-o", folder / "job.log", script, folder=folder)
            state = cluster.wait_for(lambda: (found := cluster.job(number)["JobState"]) in ENDED and found, 100,
                                     "the job's end")
            log = (folder / "job.log").read_text()
            self.assertEqual(state, "COMPLETED", log)
            config = json.loads((folder / "study/config.json").read_text())
            # The allocation has two nodes with one rank each.
            self.assertEqual(config["asked"]["ranks"], [1, 2])
            self.assertEqual(config["found"]["launcher_words"], ["srun", "--mpi=pmix"])
            self.assertEqual(config["sessions"][0]["environment"]["SLURM_JOB_ID"], number)
            with open(folder / "study/runs.csv", newline="", encoding="utf-8") as file:
                self.assertEqual({row["ranks"]: row["status"] for row in csv.DictReader(file)},
                                 {"1": "measured", "2": "measured"}, log)


if __name__ == "__main__":
    if slurm_cluster.missing():
        print(f"no Slurm here: {', '.join(slurm_cluster.missing())} of the package slurm-wlm")
        sys.exit(0)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
