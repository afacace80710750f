#!/usr/bin/env python3
# Reads and verifies a checkpoint without nfold: a library of one function, and a command.
# SPDX-License-Identifier: BSD-3-Clause
"""Prints what a checkpoint holds; --frame writes its coordinates as XYZ (Angstrom).

The layout stands in src/io/checkpoint_layout.hpp: a seal of 512 bytes, then HDF5. Needs h5py.
"""

import argparse
import io
import sys
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":  # a library use needs only h5py
    from nfold_report import own_python

    own_python.require("numpy", "h5py")

import h5py
import numpy as np

SEAL_BYTES = 512
COUNTS_PER_TURN = 2.0**44  # length of a turn along an axis: the box length, or OPEN_NM without a border
OPEN_NM = 4096.0


class CheckpointError(Exception):
    """The file is damaged or incomplete; the message names it and the fault."""


@dataclass
class Checkpoint:
    step: int
    seed: int
    topology_hash: int
    resolved_input: str
    box_nm: np.ndarray  # (3) lengths, 0 for open
    positions_nm: np.ndarray  # (residues, 3) unwrapped
    velocities_nm_ps: np.ndarray  # (residues, 3)
    accumulators: dict
    provenance: dict


def mix(words):
    """SplitMix64's finalizer, on an array of uint64."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def checksum(data, first_place=0):
    """Order-free sum over the 8-byte words of `data`, as in src/core/storage/checksum.hpp."""
    data += bytes(-len(data) % 8)
    words = np.frombuffer(data, dtype="<u8")
    places = np.arange(len(words), dtype=np.uint64) + np.uint64(first_place)
    hashes = mix(words ^ mix(places + np.uint64(0x9E3779B97F4A7C15)))
    return int(np.add.reduce(hashes, dtype=np.uint64))


def verify_seal(path, data):
    """Raise CheckpointError unless the checksum in the seal matches the bytes."""
    if len(data) < SEAL_BYTES:
        raise CheckpointError(f"{path}: torn: {len(data)} bytes are no checkpoint")
    if data[:8] != b"NFOLDCK1":
        raise CheckpointError(f"{path}: not a checkpoint, or written only in part: no seal")
    length, contents, own = (int(number) for number in np.frombuffer(data[8:32], dtype="<u8"))
    if checksum(data[:24]) != own:
        raise CheckpointError(f"{path}: damaged: the seal's checksum does not fit it")
    if length != len(data):
        raise CheckpointError(f"{path}: torn: {len(data)} bytes instead of {length}")
    if checksum(data[SEAL_BYTES:], SEAL_BYTES // 8) != contents:
        raise CheckpointError(f"{path}: damaged: the checksum over the file does not fit its bytes")


def read_values(path, dataset):
    """Values of a dataset, verified by its checksum."""
    values = dataset[()]
    data = values if isinstance(values, bytes) else values.tobytes()
    if checksum(data) != int(dataset.attrs["checksum"]):
        raise CheckpointError(f"{path}: damaged: the checksum of {dataset.name} does not fit")
    return values


def read_checkpoint(path):
    """Read and verify a Checkpoint. Raises CheckpointError or OSError."""
    data = Path(path).read_bytes()
    verify_seal(path, data)
    with h5py.File(io.BytesIO(data), "r") as file:
        box_nm = read_values(path, file["box_nm"]) if "box_nm" in file else np.zeros(3)
        turn_nm = np.where(box_nm > 0, box_nm, OPEN_NM)
        return Checkpoint(
            step=int(file.attrs["step"]),
            seed=int(file.attrs["seed"]),
            topology_hash=int(file.attrs["topology_hash"]),
            resolved_input=read_values(path, file["input"]).decode(),
            box_nm=box_nm,
            positions_nm=read_values(path, file["state/position"]) * (turn_nm / COUNTS_PER_TURN),
            velocities_nm_ps=read_values(path, file["state/velocity"]),
            accumulators={name: read_values(path, item) for name, item in
                          file["accumulators"].items()},
            provenance={name: item[()].decode() for name, item in file["provenance"].items()},
        )


def print_summary(checkpoint):
    print(f"step: {checkpoint.step}")
    print(f"seed: {checkpoint.seed}")
    print(f"topology_hash: {checkpoint.topology_hash:016x}")
    print(f"residues: {len(checkpoint.positions_nm)}")
    print("box_nm:", *checkpoint.box_nm)
    for name, values in checkpoint.accumulators.items():
        print(f"accumulator {name}: {len(values)} values")
    for name, text in checkpoint.provenance.items():
        print(f"provenance {name}: {text}")


def print_xyz(checkpoint):
    print(f"{len(checkpoint.positions_nm)}\nstep {checkpoint.step}, Angstrom")
    for x, y, z in checkpoint.positions_nm * 10:
        print(f"CA {x:.6f} {y:.6f} {z:.6f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="NAME.ckpt.h5")
    parser.add_argument("--input", action="store_true", help="print the resolved input instead")
    parser.add_argument("--frame", action="store_true", help="print the coordinates as XYZ instead")
    options = parser.parse_args()
    try:
        checkpoint = read_checkpoint(options.file)
    except CheckpointError as failure:
        print(f"read_checkpoint: error: {failure}", file=sys.stderr)
        return 1
    except OSError as failure:
        print(f"read_checkpoint: error: {options.file}: {failure.strerror or failure}", file=sys.stderr)
        return 1
    if options.input:
        print(checkpoint.resolved_input, end="")
    elif options.frame:
        print_xyz(checkpoint)
    else:
        print_summary(checkpoint)
    return 0


if __name__ == "__main__":
    sys.exit(main())
