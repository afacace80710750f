# Runs the commands of a guide in order, in a folder of its own, and looks for what it promises.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: guide_commands_test.py ROOT NFOLD GUIDE.md | --self ROOT NFOLD

Commands are the lines of ```sh blocks and those that stand indented by four blanks; ```python blocks run too.
`nfold run` and `nfold bench` get words that shorten them. What cannot run in a test is listed in NOT_RUN with
the reason, and its words are looked at all the same: options must be in the command's help, files must exist.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# What the guides say is there when their commands have run.
PROMISED = {
    "README.md": ["protease.yaml", "protease.out/protease.h5md", "protease-3.out/protease.ckpt.h5",
                  "protease.out/protease.dcd", "protease.out/protease.psf", "A1-12Y.yaml",
                  "protease.out/report/report.html", "targets.out/results.csv",
                  "ubiquitin-exchange.out/ubiquitin-exchange.ensemble.h5"],
    "input/BATCH.md": ["targets.out/results.csv", "targets.out/ubiquitin/ubiquitin.h5", "targets.out/index.html"],
    "input/BENCHMARKS.md": [],
    "input/CLUSTER.md": ["three.out/protease-dimer.ckpt.h5", "owners/report/report.html"],
    "input/DEVICES.md": [],
    "input/ENSEMBLES.md": ["ubiquitin-kinetics.out/ubiquitin-kinetics.ensemble.h5",
                           "calvados2-salt.out/calvados2-salt.ensemble.h5"],
    "input/LAUNCH.md": ["protease-dimer.out/protease-dimer.ckpt.h5", "two.out/protease-dimer.ckpt.h5"],
    "input/PLAN.md": ["slab.sbatch", "plan.png"],
    "input/PROFILE.md": ["mixture.out/hps-urry-mixture.trace.json", "two.out/report/performance.png"],
    "input/FILES.md": ["ubiquitin.out/ubiquitin.cif", "ubiquitin.out/ubiquitin.pdb"],
}

# Commands that begin so are not run, and why.
NOT_RUN = [
    (r"tools/speed_up.py \*.csv", "wants measurements on several numbers of ranks"),
    (r"tools/quickstart", "installs packages and builds"),
    (r"tools/bootstrap", "installs packages and builds"),
    (r"cmake ", "builds"),
    (r"nfold run .* --gpus ", "a build for CPUs computes on no GPU"),
    (r"vmd ", "VMD is not among what is installed"),
    (r"nfold bench --csv one.csv$", "measures the whole suite, which takes minutes"),
    (r"(mpirun -np 2 )?nfold bench --calibrate", "measures for two minutes"),
    (r"nfold bench --only condensate-1m", "a million residues take minutes on two cores"),
    (r"mpirun -np 4 nfold bench --only condensate-1m", "a million residues take minutes on two cores"),
    (r"mpirun -np N ", "N stands for a number"),
    (r"nfold bench --only go-ubq-alone", "needs a GPU to be done in less than minutes"),
    (r"KOKKOS_TOOLS_LIBS=", "needs Nsight Systems and kokkos-tools"),
    (r"nfold batch LIST", "LIST stands for a file"),
    (r"mpirun -n 4 nfold batch LIST", "needs GPUs and two builds"),
    (r"tools/bench_openmm.py --csv", "measures OpenMM for minutes"),
    (r"tools/scaling_study --(quick|full|systems)", "measures for minutes"),
    (r"tools/scaling_study --resume", "goes on with a study that takes minutes"),
]

SHORT_RUN = ["--threads", "1"]


def commands_of(text):
    """(language, command) in the order of the page; a line that ends with a backslash goes on."""
    found, fence, block = [], None, []
    for line in text.splitlines():
        if fence is None and line.startswith("```"):
            fence, block = line[3:].strip(), []
        elif fence is not None and line.startswith("```"):
            if fence == "python":
                found.append(("python", "\n".join(block)))
            elif fence == "sh":
                found += [("sh", command) for command in shell_commands(block)]
            fence = None
        elif fence is not None:
            block.append(line)
        elif line.startswith("    ") and line.strip():
            found.append(("sh", line.strip()))
    return found


def shell_commands(lines):
    """Lines joined where a backslash or a loop says so."""
    text = "\n".join(lines).replace("\\\n", " ")
    commands, open_loop = [], []
    for line in text.splitlines():
        if open_loop or line.startswith("for "):
            open_loop.append(line)
            if line.strip() == "done":
                commands.append("\n".join(open_loop))
                open_loop = []
        elif line.strip():
            commands.append(line.strip())
    return commands


def why_not_run(command):
    return next((reason for start, reason in NOT_RUN if re.match(start, command)), None)


def faults_of_words(command, root, nfold):
    """What is wrong with a command that is not run: unknown options, files that are not there."""
    faults = []
    for part in re.split(r" && | : ", command):
        words = shlex.split(part, comments=True)
        if "nfold" in words:
            words = words[words.index("nfold"):]
            text = subprocess.run([nfold, words[1], "--help"], capture_output=True, text=True, check=False).stdout
            faults += [f"nfold {words[1]} has no option {word}" for word in words
                       if word.startswith("--") and not re.search(re.escape(word) + r"\b", text)]
        elif words and words[0].startswith("tools/"):
            tool = root / words[0]
            if not tool.is_file() or not os.access(tool, os.X_OK):
                faults.append(f"{words[0]} is not there or cannot be run")
                continue
            source = tool.read_text(encoding="utf-8")
            library = "".join(path.read_text(encoding="utf-8") for folder in ("nfold_report", "nfold_scaling")
                              for path in (root / "tools" / folder).glob("*.py"))
            faults += [f"{words[0]} knows no {word}" for word in words
                       if word.startswith("--") and word not in source + library]
    return faults


def wrapper_text(nfold):
    """A program `nfold` that shortens what takes long: fewer steps, one ladder, a moment of measuring."""
    return f'''#!{sys.executable}
import os, re, sys
words = sys.argv[1:]
if words[:1] == ["run"]:
    steps = [] if any(w.startswith("dynamics.steps=") for w in words) else ["dynamics.steps=2000"]
    text = open(words[1]).read()
    if re.search("^ensemble:", text, re.M):
        steps += ["ensemble.ladders=1", "ensemble.sample_every_steps=100", "ensemble.equilibration_steps=200"]
        if "exchange_every_steps: 0" not in text:
            steps.append("ensemble.exchange_every_steps=100")
        if "tuning_steps" in text:
            steps.append("ensemble.tuning_steps=0")
    for step in steps:
        words += ["--set", step]
    words += {SHORT_RUN!r}
if words[:1] == ["bench"]:
    words += ["--seconds", "0.02", "--repeats", "1"] if "--list" not in words else []
if words[:1] == ["batch"]:
    words += {SHORT_RUN!r}
os.execv({str(nfold)!r}, ["nfold", *words])
'''


def run_page(name, text, root, nfold):
    """What is wrong; empty: nothing."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for part in ("input", "tools"):
            (place / part).symlink_to(root / part)
        binaries = place / "build/cpu-release/bin"
        binaries.mkdir(parents=True)
        wrapper = binaries / "nfold"
        wrapper.write_text(wrapper_text(nfold), encoding="utf-8")
        wrapper.chmod(0o755)
        environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "NFOLD_PYTHON": sys.executable}
        for language, command in commands_of(text):
            reason = why_not_run(command)
            if reason is not None:
                print(f"not run ({reason}): {command}")
                faults += [f"{name}: {fault} in: {command}" for fault in faults_of_words(command, root, nfold)]
                continue
            words = [sys.executable, "-c", command] if language == "python" else ["bash", "-euc", command]
            print(f"+ {command}", flush=True)
            done = subprocess.run(words, cwd=place, env=environment, check=False)
            if done.returncode:
                return faults + [f"{name}: code {done.returncode} from: {command}"]
        faults += [f"{name}: its commands did not write {file}" for file in PROMISED.get(name, [])
                   if not (place / file).is_file()]
    return faults


def test_itself(root, nfold):
    """Each of these pages has a fault that must be found."""
    wrong = {
        "an indented command": "    nfold chekc input/ubiquitin.yaml\n",
        "a fenced command": "```sh\nnfold check input/no-such.yaml\n```\n",
        "the second of two": "```sh\nnfold check input/ubiquitin.yaml --quiet\nnfold run --no-such-option\n```\n",
        "an option of what is not run": "    nfold bench --only condensate-1m --no-such-option\n",
        "a tool that is not there": "    tools/bootstrap-me --build cpu-release\n",
        "python": "```python\nraise SystemExit(1)\n```\n",
    }
    faults = [f"nothing was found wrong with {name}" for name, text in wrong.items()
              if not run_page(name, text.replace(" --quiet", ""), root, nfold)]
    return faults + run_page("a page without fault", "```sh\nnfold check input/ubiquitin.yaml\n```\n", root, nfold)


def main(arguments):
    if arguments[0] == "--self":
        faults = test_itself(Path(arguments[1]).resolve(), Path(arguments[2]).resolve())
    else:
        root, nfold, name = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2]
        text = (root / name).read_text(encoding="utf-8")
        faults = run_page(name, text, root, nfold)
        if not commands_of(text):
            faults.append(f"{name} has no commands: does its form still fit this test?")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
