# A real Slurm of several nodes on this host, in a temporary folder, for tests.
# SPDX-License-Identifier: BSD-3-Clause
"""Its controller and node daemons run as the user of the test. A reaper process ends them all after the test."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "scontrol", "sinfo", "squeue")
SYSTEM_FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/sbin")  # not on every user's PATH

CONFIGURATION = """\
ClusterName=nfold-test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
AuthInfo=cred_expire=6
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
SlurmctldPort={port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog={folder}/task_prolog
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,batch_sched_delay=1,sched_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=10
OverTimeLimit=0
MinJobAge=600
ReturnToService=2
MpiDefault=none
"""


def program(name):
    """Path of a Slurm program, None if it is not installed."""
    return shutil.which(name) or shutil.which(name, path=":".join(SYSTEM_FOLDERS))


def missing():
    """Slurm programs that are not installed."""
    return [name for name in PROGRAMS if program(name) is None]


def free_ports(count):
    """Ports without a listener."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def find_processes(folder, also=""):
    """Process ids of this cluster and its jobs, whose environment has its configuration and `also`."""
    mark = f"SLURM_CONF={folder}/".encode()
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            environment = (process / "environ").read_bytes()
            if mark in environment and also.encode() in environment:
                found.append(int(process.name))
        except OSError:
            continue  # ended, or owned by another user
    return found


def end_processes(folder):
    for _ in range(50):
        found = find_processes(folder)
        if not found:
            return
        for process in found:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.1)


def reap(folder):
    """Wait until the test has ended in any way, then remove the cluster's processes and files."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()
    end_processes(folder)
    for left in [Path(folder), *Path("/dev/shm").glob(Path(folder).name + ".*")]:
        shutil.rmtree(left, ignore_errors=True)


class Cluster:
    """Nodes n1, n2, ... with `processors` processors each."""

    def __init__(self, nodes=2, processors=2, partitions=()):
        self.folder = Path(tempfile.mkdtemp(prefix="nfold-slurm-"))
        # No child process inherits this pipe.
        self.reaper = subprocess.Popen([sys.executable, __file__, "--reap", str(self.folder)],
                                       stdin=subprocess.PIPE, start_new_session=True)
        self.nodes = [f"n{k + 1}" for k in range(nodes)]
        self.env = dict(os.environ, SLURM_CONF=f"{self.folder}/slurm.conf")
        self.daemons = {}
        self._configure(processors, partitions or ["PartitionName=main Default=YES"])

    def _configure(self, processors, partitions):
        ports = free_ports(1 + len(self.nodes))
        user = subprocess.run(["id", "-un"], text=True, capture_output=True, check=True).stdout.strip()
        text = CONFIGURATION.format(folder=self.folder, user=user, port=ports[0])
        for node, port in zip(self.nodes, ports[1:]):
            text += (f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} "
                     f"CPUs={processors} State=UNKNOWN\n")
        for partition in partitions:
            text += f"{partition} Nodes=ALL MaxTime=60 State=UP\n"
        (self.folder / "slurm.conf").write_text(text)
        # Open MPI's shared-memory files too are named after job and host only.
        prolog = self.folder / "task_prolog"
        prolog.write_text("#!/bin/sh\nown=/dev/shm/" + self.folder.name + ".$SLURMD_NODENAME\nmkdir -p $own\n"
                          "for what in btl_vader osc_sm; do\n"
                          "  echo export OMPI_MCA_${what}_backing_directory=$own\ndone\n")
        prolog.chmod(0o755)
        (self.folder / "state").mkdir()
        for node in self.nodes:
            # PMIx folders are named after the job, so nodes on one host must not share them. A daemon
            # reads mpi.conf beside its slurm.conf.
            own = self.folder / node
            (own / "tmp").mkdir(parents=True)
            (own / "slurm.conf").write_text(text)
            (own / "mpi.conf").write_text(f"PMIxCliTmpDirBase={own}/tmp\n")
            (self.folder / f"spool.{node}").mkdir()

    def _start(self, name, *arguments):
        env = dict(self.env, NFOLD_DAEMON=name)
        with open(self.folder / f"{name}.out", "ab") as log:
            self.daemons[name] = subprocess.Popen(list(arguments), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                  env=env, start_new_session=True)

    def start_node(self, node):
        self._start(node, program("slurmd"), "-D", "-N", node, "-f", f"{self.folder}/{node}/slurm.conf")

    def kill_node(self, node):
        """Simulate a power cut. The daemons are killed first, so that they report no death of their processes."""
        for mark in (f"NFOLD_DAEMON={node}", f"SLURMD_NODENAME={node}"):
            for process in find_processes(self.folder, mark):
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.daemons[node].wait()

    def __enter__(self):
        self._start("slurmctld", program("slurmctld"), "-D")
        for node in self.nodes:
            self.start_node(node)
        self.wait_for(lambda: self.states() == {node: "idle" for node in self.nodes}, 30, "all nodes idle")
        return self

    def __exit__(self, *_):
        self.reaper.stdin.close()
        self.reaper.wait()
        for daemon in self.daemons.values():
            daemon.wait()

    def query(self, name, *arguments, check=True):
        """Output of a Slurm command."""
        done = subprocess.run([program(name), *arguments], env=self.env, text=True, capture_output=True, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"{name} {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def states(self):
        lines = self.query("sinfo", "-h", "-N", "-o", "%N %t", check=False).splitlines()
        return dict(line.split() for line in lines)

    def job(self, number):
        """Fields of scontrol show job."""
        return dict(word.split("=", 1) for word in self.query("scontrol", "-o", "show", "job", str(number)).split()
                    if "=" in word)

    def submit(self, *arguments, env=None, folder=None):
        """Submit a job and return its number."""
        done = subprocess.run([program("sbatch"), "--parsable", *map(str, arguments)], env={**self.env, **(env or {})},
                              cwd=folder or self.folder, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"sbatch {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout.strip().split(";")[0]

    def wait_for(self, condition, seconds, what):
        """Wait for a true condition and return its value."""
        deadline = time.monotonic() + seconds
        while not (found := condition()):
            if time.monotonic() > deadline:
                raise RuntimeError(f"waited {seconds} s for: {what}\n{self.describe()}")
            time.sleep(0.1)
        return found

    def describe(self):
        """Queue, node states and ends of logs, for the message of a failed test."""
        text = self.query("squeue", check=False) + "\n" + self.query("sinfo", "-N", check=False)
        for log in sorted(self.folder.glob("*.log")):
            text += f"\n== {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        return text


if __name__ == "__main__" and sys.argv[1:2] == ["--reap"]:
    reap(sys.argv[2])
