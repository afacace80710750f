# Base class of fault tests, which runs nfold as a user or a batch system does.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment: NFOLD (the program), NFOLD_INPUT (the folder input/), MPIEXEC; NFOLD_LONG for the
long forms."""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SMALL_ENSEMBLE = """\
ensemble:
  temperatures: 2
  lowest_kelvin: 100
  highest_kelvin: 110
  ladders: 2
  exchange_every_steps: 250
  sample_every_steps: 250
"""
PATIENCE_SECONDS = 300  # nothing here may hang; a loaded machine may be slow


def is_long():
    return bool(os.environ.get("NFOLD_LONG"))


class NfoldTest(unittest.TestCase):
    """Each test has an empty folder of its own, with a short input in it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nfold_fault_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        structures = pathlib.Path(os.environ["NFOLD_INPUT"]) / "structures"
        self.input = self.write_input("ubq", structures / "1ubq.pdb.gz")
        seed = random.randrange(2**32)
        self.random = random.Random(seed)
        print(f"{self.id()}: seed {seed}")

    def write_input(self, name, structure, extra=""):
        path = self.folder / f"{name}.yaml"
        path.write_text(f"""\
system:
  structure: {structure}
force_field:
  mass_amu: 100
dynamics:
  steps: 2000
  time_step_ps: 0.01
  temperature_kelvin: 100
output:
  trajectory_every_steps: 100
  energies_every_steps: 50
  checkpoint_every_steps: 200
{extra}""")
        return path

    def command(self, arguments, ranks=1, mpirun_options=()):
        nfold = [os.environ["NFOLD"], *map(str, arguments)]
        if ranks == 1:
            return nfold
        return [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to", "none", *mpirun_options,
                "-np", str(ranks), *nfold]

    def start(self, arguments, ranks=1, **options):
        """Starts nfold in the test's folder with output to pipes."""
        command = self.command(arguments, ranks, options.pop("mpirun_options", ()))
        return self.start_command(command, **options)

    def start_command(self, command, **options):
        status_before = self.status().get("process")
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **options)
        process.status_before = status_before
        self.addCleanup(self.reap, process)
        return process

    @staticmethod
    def reap(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def finish(self, process):
        """(exit code, standard output, standard error)"""
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        return process.returncode, out, err

    def run_nfold(self, *arguments, ranks=1, **options):
        return self.finish(self.start(arguments, ranks, **options))

    def run_well(self, *arguments, ranks=1):
        code, out, err = self.run_nfold(*arguments, ranks=ranks)
        self.assertEqual(code, 0, f"{arguments} on {ranks} ranks: {out}{err}")
        return out

    def status(self, output="ubq.out", name="ubq"):
        """NAME.status as a dictionary; empty while there is none."""
        path = self.folder / output / f"{name}.status"
        if not path.exists():
            return {}
        return dict(line.split(": ", 1) if ": " in line else (line.rstrip(":"), "")
                    for line in path.read_text().splitlines())

    def wait_for_step(self, process, step):
        """Waits until this run's own status reaches the step, or the process is done."""
        began = time.monotonic()
        while process.poll() is None:
            status = self.status()
            is_its_own = status.get("process") not in (None, process.status_before)
            if is_its_own and int(status["step"]) >= step:
                break
            self.assertLess(time.monotonic() - began, PATIENCE_SECONDS, "no progress")
            time.sleep(0.005)
        self.assertIn(process.poll(), (None, 0), f"failed before step {step}")

    @staticmethod
    def ranks_of(mpirun):
        """Process ids of the ranks: mpirun's children."""
        children = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                after_name = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue  # ended meanwhile
            if int(after_name[1]) == mpirun.pid:
                children.append(int(entry.name))
        return children

    def kill_one_rank(self, process, ranks):
        victims = [process.pid] if ranks == 1 else self.ranks_of(process)
        if victims:
            try:
                os.kill(self.random.choice(victims), signal.SIGKILL)
            except ProcessLookupError:
                pass  # the run was faster

    def assert_same_output(self, a, b):
        """Asserts that checkpoint, energies and trajectory of two output folders are equal."""
        a, b = self.folder / a, self.folder / b
        code, out, err = self.run_nfold("compare", a / "ubq.ckpt.h5", b / "ubq.ckpt.h5")
        self.assertEqual(code, 0, out + err)
        self.assertEqual((a / "ubq.energies.csv").read_bytes(),
                         (b / "ubq.energies.csv").read_bytes())
        for folder in (a, b):
            self.run_well("export", folder / "ubq.h5md", "--dcd", "--overwrite")
        self.assertEqual((a / "ubq.dcd").read_bytes(), (b / "ubq.dcd").read_bytes())

    def nfold_errors(self, err):
        return re.findall(r"^nfold: .*$", err, re.MULTILINE)
