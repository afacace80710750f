# tools/report.py on users' folders: missing, empty, killed runs, empty tables, failed batches.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: report_folders_test.py NFOLD ROOT [unittest arguments]"""

import contextlib
import io
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
WAIT_S = 60
sys.path.insert(0, str(ROOT / "tools"))
import report  # noqa: E402  (path set above)
from pictures import without_pictures  # noqa: E402


class Folders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def report(self, *arguments):
        """What a call of the tool gives, without the second in which a process loads it."""
        stdout, stderr = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr), \
                without_pictures():
            code = report.main([str(argument) for argument in arguments])
        return SimpleNamespace(returncode=code, stdout=stdout.getvalue(), stderr=stderr.getvalue())

    def assert_refused(self, message, *arguments):
        done = self.report(*arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertIn(str(arguments[-1]), done.stderr)

    def make_page(self, folder, name="report/report.html"):
        done = self.report(folder)
        self.assertEqual((done.returncode, done.stdout), (0, f"{folder / name}\n"), done.stderr)
        self.assertRegex(done.stderr, r"^report: one page to open in a browser; \d+ figures? in it.*\n$")
        return (folder / name).read_text(encoding="utf-8")

    def start_run(self, example, folder, file, *settings):
        """Start an endless run and wait until a file in its folder has so many lines: (name, lines)."""
        command = [str(NFOLD), "run", str(ROOT / "input" / example), "--quiet", "--threads", "1", "--output", str(folder)]
        for setting in settings:
            command += ["--set", setting]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        end = time.monotonic() + WAIT_S
        path, lines = folder / file[0], file[1]
        while not path.exists() or path.read_bytes().count(b"\n") < lines:
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end, f"{path} stays short")
            time.sleep(0.02)
        return process

    def test_partitions_have_a_page(self):
        folder = self.folder / "partitions"
        subprocess.run([str(NFOLD), "check", str(ROOT / "input/protease-dimer.yaml"), "--partitions", "2,3", "--output",
                        str(folder)], check=True, capture_output=True)
        page = self.make_page(folder)
        for text in ("198 residues", "hilbert-curve", "(auto)", "takes <strong>"):
            self.assertIn(text, page)
        self.assertTrue((folder / "report/partitions.png").is_file())
        (folder / "owners.csv").write_text("chain,segment\nA,0\n", encoding="utf-8")
        self.assert_refused("not what nfold check --partitions writes", folder)
        (folder / "owners.csv").unlink()
        self.assert_refused("owners.csv: not readable", folder)

    def test_folder_without_a_run_is_refused(self):
        empty, file, bad = self.folder / "empty", self.folder / "file", self.folder / "bad"
        empty.mkdir()
        file.write_text("")
        bad.mkdir()
        (bad / "a.input.yaml").write_text("dynamics:\n  steps: 1\n")
        self.assert_refused("no such folder", self.folder / "nothing")
        done = subprocess.run([sys.executable, ROOT / "tools/report.py", self.folder / "nothing"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
        self.assert_refused("is no output folder of nfold", empty)
        self.assert_refused("is a file", file)
        (bad / "a.energies.csv").write_text("step,energy\n0,1\n")
        self.assert_refused("has no column time_ps", bad)
        (bad / "b.input.yaml").write_text("dynamics:\n  steps: 1\n")
        self.assert_refused("holds several runs (a, b)", bad)

    def test_running_and_killed_runs_have_a_page(self):
        folder = self.folder / "long"
        process = self.start_run("ubiquitin.yaml", folder, ("ubiquitin.energies.csv", 12), "dynamics.steps=1000000000",
                                 "output.energies_every_steps=200", "output.trajectory_every_steps=400")
        process.send_signal(signal.SIGSTOP)  # leaves the core to the page
        self.assertIn("<b>Not finished:</b>", self.make_page(folder))
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertIn("of 1,000,000,000 in this page", self.make_page(folder))
        table = folder / "ubiquitin.energies.csv"
        lines = table.read_text().splitlines(keepends=True)
        table.write_text("".join(lines[:2]))
        self.assertIn("<b>Not finished:</b>", self.make_page(folder))  # from its frames
        table.write_text("".join(lines[:4]) + lines[4][:20])  # an incomplete row
        self.assertIn("in 200 steps", self.make_page(folder))
        (folder / "ubiquitin.h5md").unlink()
        self.assertNotIn("--dcd", self.make_page(folder))
        self.assertFalse((folder / "report/overview.png").exists())  # the earlier page had it
        self.assert_refused("File exists", folder, "-o", table)

    def test_ensemble_without_results_is_refused_until_stopped(self):
        folder = self.folder / "ensemble"
        process = self.start_run("ubiquitin-exchange.yaml", folder, ("ubiquitin-exchange.log", 6),
                                 "dynamics.steps=1000000000", "ensemble.temperatures=2", "ensemble.ladders=1",
                                 "ensemble.starts=same")
        while not (folder / "ubiquitin-exchange.samples").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        self.assert_refused("its ensemble has no results yet", folder)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.wait(WAIT_S), 75)
        self.assertIn("<b>Not finished:</b>", self.make_page(folder))

    def test_failed_batch_has_a_page(self):
        (self.folder / "lost.yaml").write_text("targets:\n- structure: nowhere.pdb.gz\n- structure: neither.pdb.gz\n")
        done = subprocess.run([str(NFOLD), "batch", "lost.yaml", "--quiet", "--threads", "1"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        page = self.make_page(self.folder / "lost.out", "index.html")
        self.assertIn("No target is done", page)
        self.assertEqual(page.count('data-head="Reason"'), 2)

    def test_begun_batch_has_a_page(self):
        folder = self.folder / "begun.out"
        folder.mkdir()
        (folder / "batch.yaml").write_text("targets:\n- structure: later.pdb.gz\n")
        self.assertIn("of 1 target done", self.make_page(folder, "index.html"))

    def test_other_tools_fail_in_one_line(self):
        nothing = self.folder / "none"
        for tool, arguments in (("phase_diagram.py", [nothing]), ("read_checkpoint.py", [nothing]),
                                ("folding_transition.py", [nothing, "--temperatures", "100"]),
                                ("folding_transition.py", [ROOT / "input/ubiquitin.yaml", "--temperatures", "100",
                                                           "--nfold", nothing, "--output", self.folder / "t"])):
            with self.subTest(tool=tool):
                done = subprocess.run([sys.executable, str(ROOT / "tools" / tool), *map(str, arguments)],
                                      capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
                self.assertTrue(done.stderr.startswith(f"{tool[:-3]}: error: {nothing}: "), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
