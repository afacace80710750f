# End of a report: files written by the run and possible next commands.
# SPDX-License-Identifier: BSD-3-Clause

import html
import os
import re
import shlex
import urllib.parse

from .page import Section
from .resolved_input import lookup

# contents of each file, by the end of its name
KINDS = ((".h5md", "the trajectory; MDAnalysis opens it, <code>nfold export</code> writes XTC or DCD, and PSF"),
         (".energies.csv", "energies, Q, radius of gyration, RMSD and temperature over time"),
         (".balance.csv", "how busy the ranks were at each assessment"),
         (".performance.json", "what the run took: phases, memory, plan against reality"),
         (".confidence.json", "pLDDT, PAE and domains of predicted structures"),
         (".trace.json", "the timeline of all ranks; ui.perfetto.dev opens it"),
         (".observables.h5", "what was averaged, with errors; each dataset says its unit and meaning"),
         (".ensemble.h5", "results of all replicas; each dataset says its unit and meaning"),
         (".samples", "the samples of all replicas, which a resume needs"),
         (".csv", "energy, Q and state of one replica over time"),
         (".dcd", "the trajectory, for VMD"), (".psf", "the chains and bonds, for VMD"),
         (".ckpt.h5", "the checkpoint: the same command goes on from it"),
         (".ckpt.prev.h5", "the checkpoint before it"),
         (".input.yaml", "the input with every default"), (".log", "what nfold said, with times"),
         (".status", "where the run stands, for scripts"))


def file_kind(path):
    return next((entries for ending, entries in KINDS if path.name.endswith(ending)), None)


def format_size(size):
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def add_files(sections, run_folder):
    """Add a table of the run's files. Links are relative, so that folder and page can be moved together."""
    rows = []
    for path in sorted(run_folder.iterdir()):
        entries = file_kind(path)
        if entries and path.is_file():
            link = os.path.relpath(path.resolve(), sections.folder.resolve()).replace(os.sep, "/")
            rows.append((f'<a href="{urllib.parse.quote(link)}">{html.escape(path.name)}</a>',
                         format_size(path.stat().st_size), entries))
    sections.add_table("files", "Files", "All that the run wrote, in its own folder.",
                       ("File", "Size", "What it holds"), rows, words=(0, 2))


def find_input(run_folder, name):
    """Path of the input as given to nfold, from the log's first line."""
    try:
        with open(run_folder / f"{name}.log", encoding="utf-8", errors="replace") as log:
            found = re.search(r"info: nfold \S+: (.*?\.ya?ml), ", log.readline())
    except OSError:
        found = None
    return found.group(1) if found else f"{name}.yaml"


def commands_for_run(run):
    """(purpose, commands) in the order in which a newcomer may want them."""
    folder, name = shlex.quote(str(run.folder)), run.name
    given = shlex.quote(find_input(run.folder, name))
    steps = int(lookup(run.settings, "dynamics.steps", 0))
    entries = []
    if run.trajectory is not None:
        stem = shlex.quote(str(run.folder / name))
        entries.append(("See the chains move in VMD", [f"nfold export {stem}.h5md --dcd --psf",
                                                       f"vmd {stem}.psf {stem}.dcd"]))
    entries.append(("Go on from the checkpoint, to twice as many steps (repeat what else you gave with --set)",
                    [f"nfold run {given} --output {folder} --set dynamics.steps={2 * steps}"]))
    warmer = round(1.2 * run.temperature_kelvin)
    entries.append(("The same input, warmer, in a folder of its own",
                    [f"nfold run {given} --set dynamics.temperature_kelvin={warmer} --output warmer.out",
                     "tools/report.py warmer.out"]))
    if run.has_native_state:
        entries.append(("A protein of your own, PDB or mmCIF",
                        ["nfold prepare protein.pdb --output protein.yaml", "nfold check protein.yaml",
                         "nfold run protein.yaml", "tools/report.py protein.out"]))
    return entries


def commands_for_ensemble(found):
    folder = shlex.quote(str(found.folder))
    given = shlex.quote(find_input(found.folder, found.name))
    steps = int(lookup(found.settings, "dynamics.steps", 0))
    return [("Go on, to twice as many steps, and draw it anew (repeat what else you gave with --set)",
             [f"nfold run {given} --output {folder} --set dynamics.steps={2 * steps}", f"tools/report.py {folder}"]),
            ("What each dataset means, and what keys there are",
             [f"h5dump -A {shlex.quote(str(found.folder / found.name))}.ensemble.h5", "nfold help ensemble"])]


def add_commands(sections, entries):
    lines = "\n\n".join("\n".join([f"# {what}", *commands]) for what, commands in entries)
    sections.all.append(Section(
        "What to try next", "From the folder in which nfold was started, with <code>nfold</code> on the PATH "
        "(<code>export PATH=$PWD/build/cpu-release/bin:$PATH</code> in nfold's own folder). "
        "<code>nfold help KEY</code> explains each key of an input.",
        f"<pre>{html.escape(lines)}</pre>", "next"))
