# Commands of the program as functions: prepare, check, run, batch, plan, devices.
# SPDX-License-Identifier: BSD-3-Clause
"""Each starts the program in a process of its own, which has its own ranks. Keyword arguments are the options of the
command: time_limit="2h" is --time-limit 2h, overwrite=True is --overwrite, a list repeats the option."""

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _core, _process
from .inputs import Input
from .results import BatchResult, EnsembleResult, RunResult
from .results import open as open_result

Source = Input | Mapping[str, Any] | str | Path

ERROR = "nfold: error: "
WRONG_INPUT, PARTLY_FAILED, STOPPED = 1, 2, 75


def command(name: str, *words: object, succeeds: Sequence[int] = (0,), **options: Any) -> str:
    """Standard output of a command. Raises InputError or Error with its text."""
    line = [str(_process.PROGRAM), name, *map(str, words)]
    for option, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None and one is not False:
                line += [f"--{option.replace('_', '-')}"] + ([] if one is True else [str(one)])
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=_process.program_environment())
    if done.returncode in succeeds:
        return done.stdout
    errors = [text.removeprefix(ERROR) for text in done.stderr.splitlines() if text.startswith(ERROR)]
    kind = _core.InputError if done.returncode == WRONG_INPUT else _core.Error
    raise kind("\n".join(errors) or f"nfold {name} ended with exit code {done.returncode}: {done.stderr[-500:]}")


def _words(source: Source) -> tuple[Input, list[object]]:
    """(Input, words that give it to the program). It must have a file, since its relative paths start there."""
    input = source if isinstance(source, Input) else Input(source)
    if not input.file.is_file():
        raise _core.InputError(f"nfold.Input: {input.file} is no file, which another process needs (save() it first)")
    return input, [input.file, *(word for change in input._overrides for word in ("--set", change))]


def prepare(*files: str | Path, output: str | Path | None = None, **options: Any) -> Input:
    """Input for structures and sequences (PDB, mmCIF, FASTA), as 'nfold prepare' writes it; the options are its own.

    output: the input file to write [the first molecule's name .yaml in the current folder].

    >>> input = nfold.prepare(nfold.examples / "structures/1ubq.pdb.gz", output="ubiquitin.yaml", overwrite=True)
    >>> input["force_field.model"]
    'go'
    """
    said = command("prepare", *files, output=output, **options)
    found = re.search(r"^wrote (.*?); next:", said, re.MULTILINE)
    return Input(output or (found.group(1) if found else ""))


def check(input: Source, **options: Any) -> dict[str, Any]:
    """Dict of 'nfold check --json': everything that a run would refuse, its memory and its time. Raises InputError."""
    return json.loads(command("check", *_words(input)[1], json=True, **options))


def plan(input: Source, **options: Any) -> dict[str, Any]:
    """Dict of 'nfold plan --json': which GPUs, how long, how much memory, at what cost. machine="NAME" chooses one."""
    return json.loads(command("plan", *_words(input)[1], json=True, **options))


def devices(**options: Any) -> dict[str, Any]:
    """Dict of 'nfold devices --json': GPUs and processors of this node; measure=True measures each."""
    return json.loads(command("devices", json=True, succeeds=(0, PARTLY_FAILED), **options))


def run(input: Source, *, ranks: int = 1, output: str | Path | None = None,
        **options: Any) -> RunResult | EnsembleResult | BatchResult:
    """Simulate an input to its end in a process of its own, and return its nfold.open().

    ranks: above 1, 'nfold launch' starts them with mpirun and restarts them after failures. A run that is stopped by
    time_limit returns what it has; run() again goes on.
    """
    input, words = _words(input)
    folder = output or _core.output_folder(str(input.file), "")
    start = ("run",) if ranks == 1 else ("launch", "-n", ranks, "run")
    command(*start, *words, succeeds=(0, STOPPED), output=folder, quiet=True, **options)
    return open_result(folder)


def batch(targets: str | Path, *, output: str | Path | None = None,
          **options: Any) -> RunResult | EnsembleResult | BatchResult:
    """Simulate a list of targets (a file, or a folder of structures) by 'nfold batch', and return its nfold.open().

    Targets that fail have a reason in the result; they raise nothing.
    """
    folder = Path(output or f"{Path(targets).stem}.out")
    command("batch", targets, succeeds=(0, PARTLY_FAILED, STOPPED), output=folder, quiet=True, **options)
    return open_result(folder)
