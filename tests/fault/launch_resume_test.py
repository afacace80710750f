# nfold launch: a changed input, a lost Slurm node, an ensemble and a batch end with the undisturbed bits.
# SPDX-License-Identifier: BSD-3-Clause
import json
import os
import pathlib
import signal
import unittest

from launch_test import STEPS, LaunchTest


class LostInput(LaunchTest):
    def test_resumes_with_the_input_in_the_folder(self):
        self.run_well("run", self.input, *self.OPTIONS, "--output", "whole")
        for how in "removed", "edited":
            with self.subTest(how):
                self.output = how
                text = self.input.read_text()
                process = self.launch()
                self.wait_for_any_step(process, STEPS // 4)
                if how == "removed":
                    self.input.unlink()
                else:
                    self.input.write_text(text.replace("steps: 2000", "stps: 1"))
                self.signal_all(self.ranks_below(process)[:1], signal.SIGKILL)
                code, messages = self.finish_launch(process)
                self.input.write_text(text)
                self.assertEqual(code, 0, messages)
                self.assertGreaterEqual(len(self.incidents()), 1, messages)
                for name in "ubq.energies.csv", "ubq.dcd":  # a checkpoint names the input's files
                    if name.endswith(".dcd"):
                        for folder in "whole", how:
                            self.run_well("export", f"{folder}/ubq.h5md", "--dcd", "--overwrite")
                    self.assertEqual((self.folder / "whole" / name).read_bytes(), (self.folder / how / name).read_bytes())


class Slurm(LaunchTest):
    """A script stands in for srun on two nodes, which are both this one; a node is lost when a file appears."""

    def test_lost_node_is_named_for_the_requeue(self):
        self.run_well("run", self.input, *self.OPTIONS, "--output", "whole")
        self.script("srun", f"""\
[ "$1" = --mpi=list ] && {{ echo "    pmix"; exit; }}
echo "$@" >> "{self.folder}/started"
while [ "$1" != "{os.environ["NFOLD"]}" ]; do shift; done
"{os.environ["MPIEXEC"]}" --oversubscribe --bind-to none -np 4 "$@" 2>/dev/null &
while kill -0 $! 2>/dev/null; do
  if [ -e "{self.folder}/lost" ]; then
    kill -9 $!
    echo "srun: error: Node failure on n2" >&2
    exit 1
  fi
  sleep 0.1
done
wait $!
""")
        job = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", SLURM_JOB_ID="17",
                   SLURM_NTASKS="4", SLURM_JOB_NODELIST="n[1-2]", SLURM_TASKS_PER_NODE="2(x2)")
        process = self.launch("--sick-nodes", "sick", env=job)
        self.wait_for_any_step(process, STEPS // 4)
        (self.folder / "lost").touch()
        code, messages = self.finish_launch(process)
        self.assertEqual(code, 75, messages)
        self.assertEqual((self.folder / "sick").read_text(), "n2\n")
        self.assertIn("ExcNodeList=n2", messages)
        self.assertEqual(self.incidents()[0]["what"], "lost node")
        self.assertIn("-n 4 -N 2 -w n1,n2", (self.folder / "started").read_text())
        (self.folder / "lost").unlink()
        code, messages = self.finish_launch(self.launch("--sick-nodes", "sick", env=job))
        self.assertEqual(code, 0, messages)
        self.assert_same_output("whole", "ubq.out")

    def test_single_sick_node_is_named(self):
        """launch gives up, and the job script may try another node. Slurm has its own name for the node."""
        gpus = [{"index": 0, "uuid": "GPU-0", "verdict": "unfit", "reasons": ["fell off the bus"]}]
        devices = self.folder / "devices.json"
        devices.write_text(json.dumps({"nodes": [{"host": "here", "gpus": gpus}]}))
        job = dict(os.environ, SLURM_JOB_ID="17", SLURM_NTASKS="1", SLURM_JOB_NODELIST="n7",
                   SLURM_TASKS_PER_NODE="1")
        code, messages = self.finish_launch(self.launch("--sick-nodes", "sick", "--devices-command", f"cat {devices}",
                                                    env=job))
        self.assertEqual(code, 3, messages)
        self.assertEqual((self.folder / "sick").read_text(), "n7\n")


class EnsemblesAndBatches(LaunchTest):
    def test_ensemble_survives_a_killed_rank(self):
        ensemble = ("ensemble:\n  temperatures_kelvin: [100, 105, 110, 115]\n  exchange_every_steps: 200\n"
                    "  sample_every_steps: 200\n  equilibration_steps: 200\n")
        self.input.write_text(self.input.read_text() + ensemble)
        options = ["--quiet", "--set", "dynamics.steps=10000"]
        self.run_well("run", self.input, *options, "--output", "whole")
        process = self.launch(command=["run", self.input, *options])
        self.wait_for_any_step(process, 2000)
        self.signal_all(self.ranks_below(process)[:1], signal.SIGKILL)
        code, messages = self.finish_launch(process)
        self.assertEqual(code, 0, messages)
        self.assertEqual(len(self.incidents()), 1, messages)
        for file in ("ubq.ckpt.h5", "ubq.ensemble.h5"):
            code, out, err = self.run_nfold("compare", f"whole/{file}", f"ubq.out/{file}")
            self.assertEqual(code, 0, out + err)

    def test_batch_survives_a_killed_rank(self):
        structure = pathlib.Path(os.environ["NFOLD_INPUT"]) / "structures" / "1ubq.pdb.gz"
        names = [f"t{k}" for k in range(6)]
        (self.folder / "list.yaml").write_text("targets:\n" + "".join(
            f"- {{name: {name}, structure: {structure}, protocol: run, input: {{dynamics: {{steps: 30000, "
            f"seed: {k + 1}}}, output: {{checkpoint_every_steps: 2000}}}}}}\n"
            for k, name in enumerate(names)))
        self.run_well("batch", "list.yaml", "--quiet", "--output", "whole")
        process = self.launch(command=["batch", "list.yaml", "--quiet", "--output", "parts"])
        begun = self.wait_for(process, lambda: len(list((self.folder / "parts").glob("t*/run/run.status"))) >= 3)
        self.assertTrue(begun, self.messages.read_text())
        self.signal_all(self.ranks_below(process)[1:2], signal.SIGKILL)
        code, messages = self.finish_launch(process)
        self.assertEqual(code, 0, messages)
        self.assertTrue((self.folder / "parts" / "batch.incidents.jsonl").exists(), messages)
        for name in names:
            file = f"{name}/run/run.ckpt.h5"
            code, out, err = self.run_nfold("compare", f"whole/{file}", f"parts/{file}")
            self.assertEqual(code, 0, out + err)


if __name__ == "__main__":
    unittest.main()
