# nfold devices on recorded nodes: tables, JSON, exit codes, several ranks, no GPU.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: devices_test.py NFOLD LIBNVIDIA_ML MPIEXEC [unittest arguments]"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NFOLD, NVML, MPIEXEC = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
NODES = Path(__file__).resolve().parent / "nodes"


class Devices(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def record(self, node, change=None):
        """Copy a recorded node's answers and the stand-in NVML into the folder. `change` edits the answers."""
        recorded = NODES / node / "nvml.json"
        if not recorded.exists():
            return
        answers = json.loads(recorded.read_text(encoding="utf-8"))
        if change:
            change(answers)
        (self.folder / "nvml.json").write_text(json.dumps(answers), encoding="utf-8")
        (self.folder / "libnvidia-ml.so.1").unlink(missing_ok=True)
        (self.folder / "libnvidia-ml.so.1").symlink_to(NVML)

    def devices(self, node, *arguments, code=0, ranks=1, change=None, **variables):
        self.record(node, change)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.folder), **variables}
        if (NODES / node).exists():
            environment["HWLOC_XMLFILE"] = str(NODES / node / "hwloc.xml")
        environment = {name: value for name, value in environment.items()
                       if name != "CUDA_VISIBLE_DEVICES" or name in variables}
        launcher = [] if ranks == 1 else [MPIEXEC, "--oversubscribe", "--bind-to", "none", "-np", str(ranks)]
        done = subprocess.run([*launcher, NFOLD, "devices", *arguments], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def report(self, node, split=(), **keywords):
        text = self.devices(node, "--json", *split, **keywords)
        return json.loads(text[text.index("{"):text.rindex("}") + 1])

    def test_throttled_and_failing_gpus_are_marked(self):
        report = self.report("eight_h100", code=2)
        self.assertEqual(report["verdict"], "unfit")
        self.assertEqual(len(report["nodes"]), 1)
        node = report["nodes"][0]
        gpus = node["gpus"]
        self.assertEqual([gpu["verdict"] for gpu in gpus],
                         ["healthy", "healthy", "doubtful", "doubtful", "healthy", "healthy", "unfit", "healthy"])
        self.assertEqual(gpus[0]["reasons"], [])
        self.assertIn("42.0 GB", gpus[2]["reasons"][0])
        self.assertEqual(gpus[2]["processes"], [{"pid": 48211, "memory_bytes": 42000000000}])
        self.assertIn("throttled at 705 of 1980 MHz: hardware slowdown; temperature", gpus[3]["reasons"][0])
        self.assertIn("2 uncorrected memory errors", gpus[6]["reasons"][0])
        self.assertIn("waits for a reset", gpus[6]["reasons"][1])
        self.assertEqual(gpus[6]["row_remaps"], {"corrected": 0, "uncorrected": 1, "is_pending": True,
                                                 "has_failed": False})
        first = gpus[0]
        self.assertEqual(first["compute_units"], 132)
        self.assertEqual(first["power_limit_watt"], 700)
        self.assertEqual(first["score"], 100)
        self.assertEqual(gpus[2]["best"], 2, "98 % in use")
        self.assertEqual(gpus[3]["best"], 35.6, "throttled to 705 of 1980 MHz")
        # cores of the second socket with their hyperthreads, and the card behind the same bridge
        self.assertEqual((gpus[5]["numa_node"], gpus[5]["processors"]), (1, "8-15,24-31"))
        self.assertEqual(gpus[5]["network_card"], "mlx5_5")
        self.assertEqual(len(node["links"]), 28)
        self.assertEqual({(link["nvlink_generation"], link["nvlink_links"]) for link in node["links"]}, {(4, 18)})
        cpu = node["cpu"]
        self.assertEqual((cpu["sockets"], cpu["cores"], cpu["processors"], cpu["numa_nodes"]), (2, 16, 32, 2))
        self.assertIsNone(cpu["memory_free_bytes"], "of another machine's memory nothing is known")

    def test_table_has_the_facts_of_the_report(self):
        text = self.devices("eight_h100", code=2)
        for expected in ("NVIDIA H100 80GB HBM3", "NVLink 4 x18: between all pairs", "42.9/85.5 GB", "mlx5_7",
                         "GPU 6 is unfit: 2 uncorrected memory errors", "GPU 3 is doubtful: throttled",
                         "48211 (42.0 GB)", "345/1980 MHz", "GPU-00000004-77aa", "driver 550.54.15"):
            self.assertIn(expected, text)

    def test_laptop_has_unknown_values(self):
        report = self.report("laptop")
        gpu = report["nodes"][0]["gpus"][0]
        self.assertEqual(report["verdict"], "healthy")
        self.assertEqual(gpu["compute_units"], 16)
        # 100 x 16 x 2.1 / (132 x 1.98)
        self.assertEqual(gpu["score"], 12.9)
        for unknown in ("corrected_errors", "uncorrected_errors", "row_remaps", "power_limit_watt", "is_split"):
            self.assertIsNone(gpu[unknown], unknown)
        self.assertEqual(report["nodes"][0]["links"], [])
        self.assertIn("?", self.devices("laptop"))

    def test_node_without_gpus_has_a_note(self):
        report = self.report("none")
        self.assertEqual(report["nodes"][0]["gpus"], [])
        self.assertTrue(any("libnvidia-ml.so.1" in note for note in report["nodes"][0]["notes"]))
        self.assertIn("AMD EPYC 7282", self.devices("none"))

    def test_missing_nvml_and_hwloc_are_reported(self):
        text = self.devices("nothing", HWLOC_XMLFILE=str(self.folder / "missing.xml"))
        self.assertIn("libnvidia-ml.so.1", text)

        def no_driver(answers):
            answers["init"] = 9
        self.assertIn("does not start: Driver Not Loaded", self.devices("laptop", change=no_driver))

    def test_gpu_off_the_bus_is_unfit(self):
        def lose(answers):
            answers["gpus"][1] = {"code": 15}
        report = self.report("eight_h100", change=lose, code=2)
        gpu = report["nodes"][0]["gpus"][1]
        self.assertEqual((gpu["verdict"], gpu["reasons"]), ("unfit", ["it fell off the bus"]))
        self.assertIsNone(gpu["memory_total_bytes"])
        self.assertIn("GPU 1 is unfit: it fell off the bus", self.devices("eight_h100", change=lose, code=2))

    def test_hidden_gpus_do_not_count(self):
        report = self.report("eight_h100", CUDA_VISIBLE_DEVICES="0,1,3")
        self.assertEqual(report["verdict"], "doubtful")
        self.assertEqual([gpu["index"] for gpu in report["nodes"][0]["gpus"] if gpu["is_visible"]], [0, 1, 3])
        self.assertIn("6 hidden", self.devices("eight_h100", CUDA_VISIBLE_DEVICES="GPU-00000003"))

    def test_links_without_a_switch_join_pairs(self):
        def join(answers):
            gpus = answers["gpus"] = answers["gpus"][:3]
            for one, other in ((0, 1), (1, 0)):
                gpus[one]["links"] = [{"version": 3, "to": gpus[other]["bus_id"]}] * 4 + [{"version": 3, "up": 0}]
            gpus[2]["links"] = []
        links = self.report("eight_h100", change=join)["nodes"][0]["links"]
        found = {(link["first"], link["second"]): link for link in links}
        self.assertEqual((found[0, 1]["nvlink_generation"], found[0, 1]["nvlink_links"]), (3, 4))
        self.assertIsNone(found[0, 2]["nvlink_links"])
        self.assertEqual(found[0, 2]["path"], "one NUMA node")

    @staticmethod
    def make_unequal(answers):
        """Change the node to eight fit GPUs of three kinds."""
        for k, gpu in enumerate(answers["gpus"]):
            gpu.update(ecc_uncorrected=0, remaps=[0, 0, 0, 0])
            if k % 3 > 0:
                total = 16_000_000_000 if k % 3 == 1 else 4_000_000_000
                gpu.update(name="NVIDIA T4" if k % 3 == 1 else "NVIDIA GeForce RTX 2050", capability=[7, 5],
                           cores=2560 if k % 3 == 1 else 1024, memory_total=total, memory_free=total // 2)

    def test_split_over_unequal_gpus_follows_their_scores(self):
        report = self.report("eight_h100", change=self.make_unequal, split=["--split", "10000"])
        split = report["split"]
        self.assertEqual((split["units"], split["unit"], len(split["devices"])), (10000, "replicas", 8))
        strategies = {one["name"]: one for one in split["strategies"]}
        self.assertEqual(list(strategies), ["equal", "score", "measured-speed", "memory-aware", "lowest-latency"])
        for name, one in strategies.items():
            self.assertEqual(sum(one["units"]), 10000, name)
            self.assertEqual(one["bytes_sent_per_step"], 0, "replicas send nothing")
            self.assertIsNone(one["seconds"], "nothing was measured")
            self.assertEqual(one["falls_back_on_scores"], name not in ("equal", "score"))
        self.assertEqual(strategies["equal"]["units"], [1250] * 8)
        scores = [gpu["best"] for gpu in report["nodes"][0]["gpus"]]
        self.assertGreater(len(set(scores)), 2)
        for units, score in zip(strategies["score"]["units"], scores):
            self.assertAlmostEqual(units, 10000 * score / sum(scores), delta=5)
        self.assertGreater(strategies["score"]["balance"], 0.9)
        self.assertLess(strategies["equal"]["balance"], 0.9)
        self.assertLess(max(strategies["score"]["relative_times"]), 0.9)

        text = self.devices("eight_h100", "--split", "10000", change=self.make_unequal)
        self.assertIn("10000 replicas shared out over 8 devices", text)
        lines = [line.split() for line in text[text.index("10000 replicas"):].splitlines()]
        rows = {int(line[1]): line for line in lines if line[:1] == ["GPU"]}
        for index, units in enumerate(strategies["score"]["units"]):
            # row: GPU 0 100.0 ? 84.9 GB 1250 in 0.89 1387 in 0.99 ...
            self.assertEqual((rows[index][6], rows[index][9]), ("1250", str(units)))
        for expected in ("time of the slowest", "balance", "sent in a step", "lowest-latency fall back on scores",
                         "times are relative"):
            self.assertIn(expected, text)

    def test_split_respects_memory_and_skips_unfit_gpus(self):
        def make_idle(answers):  # then only memory limits GPU 2
            for gpu in answers["gpus"]:
                gpu.update(use=0, throttle=1)
        split = self.report("eight_h100", code=2, change=make_idle,
                            split=["--split", "10000", "--unit-memory", "50MB"])["split"]
        self.assertEqual([device["name"] for device in split["devices"]], [f"GPU {k}" for k in (0, 1, 2, 3, 4, 5, 7)])
        strategies = {one["name"]: one["units"] for one in split["strategies"]}
        self.assertEqual(strategies["memory-aware"][2], 858, "what 42.9 GB hold")
        self.assertEqual(sum(strategies["memory-aware"]), 10000)
        text = self.devices("eight_h100", "--split", "20000", "--unit-memory", "50MB", code=2)
        self.assertIn("memory-aware: 20000 units find no room", text)
        self.assertRegex(text, "GPU 6 of .* is unfit, and gets nothing")

    def test_split_works_with_no_gpu_and_with_one(self):
        text = self.devices("none", "--split", "64", "--split-unit", "targets")
        self.assertIn("64 targets shared out over 1 device", text)
        self.assertRegex(text, "CPU .* 64 in 1.00")
        self.assertIn("10 replicas shared out over 1 device", self.devices("laptop", "--split", "10"))

    def test_split_of_residues_works_under_mpirun(self):
        split = self.report("eight_h100", ranks=2, code=2,
                            split=["--split", "1000000", "--split-unit", "residues"])["split"]
        self.assertEqual(len(split["devices"]), 7)
        # 7 parts of 142857 residues, with 14.5 n^(2/3) ghosts of 24 bytes
        self.assertAlmostEqual(split["strategies"][0]["bytes_sent_per_step"], 7 * 24 * 14.5 * (1e6 / 7) ** (2 / 3),
                               delta=100)

    def test_wrong_split_options_are_refused(self):
        for wrong in (["--split", "0"], ["--split", "10", "--split-unit", "atoms"], ["--unit-memory", "1MB"],
                      ["--split", "10", "--split-unit", "residues", "--unit-residues", "3"]):
            self.devices("none", *wrong, code=1)

    def test_speeds_and_latency_are_measured(self):
        report = self.report("nothing", ranks=2, split=["--measure", "--split", "1000", "--unit-residues", "76"])
        measured = report["nodes"][0]["cpu"]["measured"]
        self.assertIsNone(measured["failure"])
        for speed in ("pair_forces_per_second", "memory_bytes_per_second", "exchange_latency_seconds"):
            self.assertGreater(measured[speed], 0, speed)
        self.assertIsNone(measured["host_link_bytes_per_second"], "a CPU has no link to itself")
        self.assertTrue(report["split"]["strategies"])
        for strategy in report["split"]["strategies"]:
            self.assertAlmostEqual(strategy["seconds"][0], 76_000 / measured["residue_steps_per_second"])
            self.assertFalse(strategy["falls_back_on_scores"])

    def test_ranks_of_one_node_are_one_entry(self):
        report = self.report("eight_h100", ranks=3, code=2)
        self.assertEqual(len(report["nodes"]), 1)
        self.assertEqual(len(report["nodes"][0]["gpus"]), 8)
        self.assertEqual(len(report["nodes"][0]["links"]), 28)


class Choice(unittest.TestCase):
    """Behaviour of --gpus and the device keys in a CPU build."""

    def nfold(self, *arguments, code):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([NFOLD, *arguments], cwd=folder, capture_output=True, text=True, check=False,
                                  timeout=60)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout + done.stderr

    def test_cpu_build_refuses_gpus(self):
        source = NODES.parents[3] / "input" / "ubiquitin.yaml"
        for command in (["run", source], ["bench", "--only", "go-ubq"],
                        ["batch", NODES.parents[3] / "input" / "targets.yaml"]):
            output = self.nfold(*command, "--gpus", "2", code=1)
            self.assertIn("built for CPUs", output)

    def test_binding_option_widens_mpiruns_binding(self):
        source = NODES.parents[3] / "input" / "ubiquitin.yaml"
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor is all there is")
        free = {name: value for name, value in os.environ.items() if name not in ("OMP_PROC_BIND", "OMP_NUM_THREADS")}
        for binding, options, note in (("auto", [], "mpirun had bound this rank to 1 of"),
                                       ("keep", [], "this rank is bound to 1 of"),
                                       ("auto", ["--bind-to", "core"], "this rank is bound to 1 of")):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([MPIEXEC, *options, "-np", "1", NFOLD, "run", source, "--output", "out",
                                       "--set", "dynamics.steps=10", f"devices.binding={binding}"],
                                      cwd=folder, env=free, capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(note, done.stdout, binding)

    def test_check_and_run_refuse_an_unknown_filter(self):
        source = NODES.parents[3] / "input" / "ubiquitin.yaml"
        for command in ("check", "run"):
            output = self.nfold(command, source, "--set", "devices.filter=[name=H100, sick]", code=1)
            self.assertIn("'sick' is no condition", output)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
