"""Runs each ```sh block of the README in order, in a folder of its own, and looks for what it promises.
SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# What the README says is there when its blocks have run.
PROMISED = ["protease.yaml", "protease.out/protease.h5md", "protease-3.out/protease.ckpt.h5",
            "protease.out/protease.dcd", "protease.out/protease.psf", "A1-12Y.yaml",
            "mixture.yaml", "targets.out/results.csv", "targets.out/ubiquitin/ubiquitin.h5"]


def blocks(text):
    """The bodies of all blocks fenced as ```sh."""
    return re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)


def main(source, nfold):
    text = (source / "README.md").read_text(encoding="utf-8")
    commands = blocks(text)
    if len(commands) < 3:
        return f"README.md has {len(commands)} blocks of commands, expected at least 3"
    # Every file that the README links to exists.
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        if not (source / link).exists():
            return f"README.md links to {link}, which is not there"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "input").symlink_to(source / "input")
        (place / "build/cpu-release").mkdir(parents=True)
        (place / "build/cpu-release/bin").symlink_to(nfold.parent)
        script = "set -eux\n" + "".join(commands)
        done = subprocess.run(["bash", "-c", script], cwd=place, env=dict(os.environ), check=False)
        if done.returncode != 0:
            return f"a command of the README ended with code {done.returncode}"
        for name in PROMISED:
            if not (place / name).is_file():
                return f"the commands of the README did not write {name}"
    return None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
