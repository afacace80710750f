#!/usr/bin/env python3
# Follows the exercise of src/README.md on a copy of the sources, compiles it and asks what it adds.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: exercise_test.py SOURCE_FOLDER COMPILE_COMMANDS WORK_FOLDER"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

STEP = re.compile(
    r"^(?:New file `(?P<new>[^`]+)`|In `(?P<file>[^`]+)`, (?P<where>before|after) `(?P<anchor>[^`]+)`):\n\n"
    r"```cpp\n(?P<code>.*?)```$", re.M | re.S)
REPLACE = re.compile(r"^In `(?P<file>[^`]+)`, `(?P<old>[^`]+)` becomes `(?P<new>[^`]+)`", re.M)

# Promises of the exercise: counted by name, hashed, owned, and with forces that are minus the gradient, as the
# reference's slope is.
PROBE = r"""
#include <cmath>
#include <cstdio>
#include "domain/local_topology.hpp"
#include "engine/forces/term_parameters.hpp"
#include "model/topology/topology.hpp"
using namespace nfold;
int main() {
  topology::Topology t;
  for (int i = 0; i < 4; ++i) t.residues.push_back({"GLY", i + 1});
  const auto before = hash_topology(t);
  t.quartic_bonds.push_back({1, 3, 0.4, 900});
  const auto local = domain::local_terms(t, {0, 0, 0, 1}, 1, 2);
  const auto p = forces::term_parameters(t.quartic_bonds.front());
  using Kernel = forces::KernelTerm<topology::QuarticBondKind>;
  const double d[3] = {0.3, -0.2, 0.35}, h = 1e-5;
  double f[6] = {}, worst = 0;
  Kernel::forces(d, p.data(), f);
  for (int axis = 0; axis < 3; ++axis) {
    double up[3] = {d[0], d[1], d[2]}, down[3] = {d[0], d[1], d[2]};
    up[axis] += h, down[axis] -= h;
    // The first residue's force is the slope in the vector from it.
    const double slope = (Kernel::energy(up, p.data()) - Kernel::energy(down, p.data())) / (2 * h);
    worst = std::fmax(worst, std::fabs(slope - f[axis]));
  }
  const double r = std::hypot(d[0], d[1], d[2]);
  const auto value = t.quartic_bonds.front().value(r);
  worst = std::fmax(worst, std::fabs(value.energy - Kernel::energy(d, p.data())));
  worst = std::fmax(worst, std::fabs(value.slope * d[0] / r - f[0]));
  std::printf("%s; %s; %zu of rank 1; %s\n", describe_bonded_terms(t).c_str(),
              hash_topology(t) != before ? "hashed" : "not hashed",
              local.of<topology::QuarticBondKind>().size(), worst < 1e-6 ? "slopes" : "no slopes");
}
"""
EXPECTED = "1 quartic bonds; hashed; 1 of rank 1; slopes\n"


def apply(page, root):
    """Every step of the page on the copy; each must find its place exactly once."""
    text = page.read_text(encoding="utf-8")
    steps = list(STEP.finditer(text))
    assert len(steps) >= 7, f"only {len(steps)} steps were found in {page}"
    for step in steps:
        path = root / (step["new"] or step["file"])
        if step["new"]:
            assert not path.exists(), f"{step['new']} exists already"
            path.write_text(step["code"], encoding="utf-8")
            continue
        code, anchor = path.read_text(encoding="utf-8"), step["anchor"] + "\n"
        assert code.count(anchor) == 1, f"{step['file']}: found {code.count(anchor)} times: {step['anchor']}"
        added = step["code"] + anchor if step["where"] == "before" else anchor + step["code"]
        path.write_text(code.replace(anchor, added), encoding="utf-8")
    replaced = list(REPLACE.finditer(text))
    assert replaced, "the step that puts the kind into the list was not found"
    for step in replaced:
        path = root / step["file"]
        code = path.read_text(encoding="utf-8")
        assert code.count(step["old"]) == 1, f"{step['file']}: found {code.count(step['old'])} times: {step['old']}"
        path.write_text(code.replace(step["old"], step["new"]), encoding="utf-8")


def main():
    source, commands, work = (Path(word) for word in sys.argv[1:4])
    shutil.rmtree(work, ignore_errors=True)
    for folder in ("src", "kernels"):
        shutil.copytree(source / folder, work / folder)
    apply(source / "src/README.md", work)
    entry = next(one for one in json.loads(commands.read_text()) if one["file"].endswith("engine/step_reports.cpp"))
    words = shlex.split(entry["command"])
    flags = [word.replace(str(source), str(work)) if word.startswith("-I") else word for word in words]
    compiler = flags[:flags.index("-o")]
    compiler = [word for word in compiler if not word.startswith("-M") and not word.endswith((".d", ".o"))]
    # The tables, launches, energies and virials of every kind are instantiated here.
    subprocess.run([*compiler, "-O0", "-fsyntax-only", str(work / "src/engine/step_reports.cpp")],
                   check=True, cwd=entry["directory"])
    probe = work / "probe.cpp"
    probe.write_text(PROBE, encoding="utf-8")
    parts = [probe, *(work / "src" / part for part in ("model/topology/topology.cpp", "domain/local_topology.cpp"))]
    objects = []
    for part in parts:
        objects.append(str(part.with_suffix(".o")))
        subprocess.run([*compiler, "-O0", "-c", str(part), "-o", objects[-1]], check=True, cwd=entry["directory"])
    linker = next(word for word in compiler if word.endswith(("++", "c++", "g++")))
    subprocess.run([linker, *objects, "-fopenmp", "-lfmt", "-o", str(work / "probe")], check=True)
    said = subprocess.run([str(work / "probe")], check=True, capture_output=True, text=True).stdout
    assert said == EXPECTED, f"said {said!r}, expected {EXPECTED!r}"
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
