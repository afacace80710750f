# Commands of a guide, run in order in a separate folder, and the files that the guide promises.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: guide_commands_test.py ROOT NFOLD GUIDE.md | --self ROOT NFOLD

Commands are the lines of ```sh blocks, lines indented by four blanks, and ```python blocks.
`nfold run` and `nfold bench` get options that shorten them. Commands that cannot run in a test are listed in NOT_RUN
with the reason. They are still checked: their options must be in the command's help, their tools must exist.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# Files that the guides promise after their commands.
PROMISED = {
    "README.md": ["protease.yaml", "protease.out/protease.h5md", "protease-3.out/protease.ckpt.h5",
                  "protease.out/protease.dcd", "protease.out/protease.psf", "A1-12Y.yaml",
                  "protease.out/report/report.html", "targets.out/results.csv",
                  "ubiquitin-exchange.out/ubiquitin-exchange.ensemble.h5"],
    "input/ALPHAFOLD.md": ["lysozyme.yaml", "lysozyme.out/lysozyme.confidence.json", "lysozyme.out/report/confidence.png"],
    "input/BATCH.md": ["targets.out/results.csv", "targets.out/ubiquitin/ubiquitin.h5", "targets.out/index.html"],
    "input/BENCHMARKS.md": [],
    "input/BINDING.md": ["windows.out/protease-dimer.ensemble.h5", "pair.out/pair.observables.h5"],
    "input/CLUSTER.md": ["three.out/protease-dimer.ckpt.h5", "owners/report/report.html"],
    "input/DEVICES.md": [],
    "input/ENSEMBLES.md": ["ubiquitin-kinetics.out/ubiquitin-kinetics.ensemble.h5",
                           "calvados2-salt.out/calvados2-salt.ensemble.h5"],
    "input/LAUNCH.md": ["protease-dimer.out/protease-dimer.ckpt.h5", "two.out/protease-dimer.ckpt.h5"],
    "input/MUTATIONS.md": ["twin.yaml", "phosphorylated-twin.out/phosphorylated-twin.observables.h5"],
    "input/THEORY.md": ["curves.png"],
    "input/MODELS.md": ["a1.yaml", "pair.png"],
    "input/PHASE.md": ["slabs.yaml"],
    "input/SEQUENCES.md": ["sequences.out/results.csv", "sequences.out/index.html"],
    "input/PLAN.md": ["slab.sbatch", "plan.png"],
    "input/PROFILE.md": ["mixture.out/hps-urry-mixture.trace.json", "two.out/report/performance.png"],
    "input/FILES.md": ["ubiquitin.out/ubiquitin.cif", "ubiquitin.out/ubiquitin.pdb", "every-second.xtc", "native-forces.csv", "frames.csv"],
}

# (pattern at the beginning of a command, reason why it is not run)
NOT_RUN = [
    (r"tools/speed_up.py \*.csv", "wants measurements on several numbers of ranks"),
    (r"git clone ", "installs packages and builds"),
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
    (r"nfold phase (?!.*--list)", "a slab takes minutes on a GPU"),
    (r"tools/phase_diagram.py a1-12y.phase", "draws what a slab of minutes on a GPU leaves"),
    (r"nfold batch LIST", "LIST stands for a file"),
    (r"mpirun --bind-to none -np 4 nfold batch LIST", "LIST stands for a file"),
    (r"mpirun -n 4 nfold batch LIST", "needs GPUs and two builds"),
    (r"tools/bench_openmm.py --csv", "measures OpenMM for minutes"),
    (r"tools/scaling_study --(quick|full|systems)", "measures for minutes"),
    (r"tools/scaling_study --resume", "goes on with a study that takes minutes"),
]

SHORT_RUN = ["--threads", "1"]


def parse_commands(text):
    """(language, command) in the order of the page. A trailing backslash continues a line."""
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
    """Commands of a block, with continued lines and loops joined."""
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


def skip_reason(command):
    return next((reason for start, reason in NOT_RUN if re.match(start, command)), None)


def find_faults(command, root, nfold):
    """Faults of a command that is not run: unknown options, missing tools."""
    faults = []
    for part in re.split(r" && | : ", command):
        arguments = shlex.split(part, comments=True)
        if "nfold" in arguments[:-1]:  # without the folder of `cd nfold`
            arguments = arguments[arguments.index("nfold"):]
            text = subprocess.run([nfold, arguments[1], "--help"], capture_output=True, text=True, check=False).stdout
            faults += [f"nfold {arguments[1]} has no option {argument}" for argument in arguments
                       if argument.startswith("--") and not re.search(re.escape(argument) + r"\b", text)]
        elif arguments and arguments[0].startswith("tools/"):
            tool = root / arguments[0]
            if not tool.is_file() or not os.access(tool, os.X_OK):
                faults.append(f"{arguments[0]} is not there or cannot be run")
                continue
            source = tool.read_text(encoding="utf-8")
            library = "".join(path.read_text(encoding="utf-8") for folder in ("nfold_report", "nfold_scaling")
                              for path in (root / "tools" / folder).glob("*.py"))
            faults += [f"{arguments[0]} knows no {argument}" for argument in arguments
                       if argument.startswith("--") and argument not in source + library]
    return faults


def wrapper_text(nfold):
    """A wrapper program `nfold` with fewer steps, one ladder and short measurements."""
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
    if words[1].endswith(".fasta"):
        words += ["--set", "dynamics.steps=400", "--set", "ensemble.sample_every_steps=100"]
os.execv({str(nfold)!r}, ["nfold", *words])
'''


def run_page(name, text, root, nfold):
    """Faults of a page, empty if there are none."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        work_folder = Path(folder)
        for part in ("input", "tools"):
            (work_folder / part).symlink_to(root / part)
        binaries = work_folder / "build/cpu-release/bin"
        binaries.mkdir(parents=True)
        wrapper = binaries / "nfold"
        wrapper.write_text(wrapper_text(nfold), encoding="utf-8")
        wrapper.chmod(0o755)
        environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "NFOLD_PYTHON": sys.executable}
        for language, command in parse_commands(text):
            reason = skip_reason(command)
            if reason is not None:
                print(f"not run ({reason}): {command}")
                faults += [f"{name}: {fault} in: {command}" for fault in find_faults(command, root, nfold)]
                continue
            arguments = [sys.executable, "-c", command] if language == "python" else ["bash", "-euc", command]
            print(f"+ {command}", flush=True)
            done = subprocess.run(arguments, cwd=work_folder, env=environment, check=False)
            if done.returncode:
                return faults + [f"{name}: code {done.returncode} from: {command}"]
        faults += [f"{name}: its commands did not write {file}" for file in PROMISED.get(name, [])
                   if not (work_folder / file).is_file()]
    return faults


def check_this_test(root, nfold):
    """Faults of this test itself: each of these pages has a fault that must be found."""
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
        faults = check_this_test(Path(arguments[1]).resolve(), Path(arguments[2]).resolve())
    else:
        root, nfold, name = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2]
        text = (root / name).read_text(encoding="utf-8")
        faults = run_page(name, text, root, nfold)
        if not parse_commands(text):
            faults.append(f"{name} has no commands: does its form still fit this test?")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
