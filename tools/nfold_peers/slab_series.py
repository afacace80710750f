# Density profiles of a slab by frame, for any program, and the two phases with errors.
# SPDX-License-Identifier: BSD-3-Clause

import io
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from nfold_report.blocking import standard_error
from nfold_report.slab import INSIDE, LARGEST_RELATIVE_ERROR, MG_PER_ML, SlabError, fitted_interface

BIN_NM = 0.5
# Minutes of a GPU are some tens of correlation times, so blocks as long as one correlation time are needed.
FEWEST_BLOCKS = 8
FEWEST_FRAMES = 16
# The dilute phase begins this many widths from the interface, where the tanh leaves 0.1 % of the dense phase.
# The limit is the same for all programs. Further out, fewer chains are counted.
OUTSIDE = 3.5
# Extents of the phases at the centre and at the border, if two wide interfaces leave no room.
LEAST_DENSE_NM, LEAST_DILUTE_NM = 1.0, 4.0
QUANTITIES = ("dense", "dilute", "width")


def centred_profile(z_nm, masses_amu, box_nm):
    """Mass density [mg/ml] in slices along z about the slab's centre, which is given by the first Fourier
    mode of the mass. z may be in any period."""
    length = box_nm[2]
    mode = np.sum(masses_amu * np.exp(2j * np.pi * z_nm / length))
    place = np.mod(z_nm / length - np.angle(mode) / (2 * np.pi) + 0.5, 1.0)
    bins = round(length / BIN_NM)
    mass = np.bincount((place * bins).astype(int) % bins, masses_amu, minlength=bins)
    return mass * MG_PER_ML * bins / np.prod(box_nm)


def bin_centres(box_nm):
    bins = round(box_nm[2] / BIN_NM)
    return ((np.arange(bins) + 0.5) / bins - 0.5) * box_nm[2]


@dataclass
class SlabSeries:
    """Frames of one program with one seed so far, and the state from which it resumes."""

    setup: dict  # settings of slab_runs.SlabSetup
    program: str
    version: str = ""
    device: str = ""
    steps: list = field(default_factory=list)  # step of each frame
    profiles: list = field(default_factory=list)  # (bins) mg/ml each
    temperatures: list = field(default_factory=list)  # kinetic [K]
    run_seconds: float = 0  # wall time of the programs, including their starts
    run_steps: int = 0
    state: dict = field(default_factory=dict)  # arrays

    @property
    def time_ns(self):
        return np.array(self.steps) * self.setup["time_step_ps"] / 1000

    def save(self, path):
        """Write all to one file atomically."""
        data_fields = {name: getattr(self, name) for name in
                       ("setup", "program", "version", "device", "run_seconds", "run_steps")}
        data = io.BytesIO()
        np.savez_compressed(data, told=json.dumps(data_fields), steps=np.array(self.steps, dtype=np.int64),
                            profiles=np.array(self.profiles, dtype=np.float32),
                            temperatures=np.array(self.temperatures, dtype=np.float32),
                            **{f"state_{name}": value for name, value in self.state.items()})
        part = Path(f"{path}.part")
        part.write_bytes(data.getvalue())
        os.replace(part, path)


def load_series(path):
    with np.load(path) as file:
        data_fields = json.loads(str(file["told"]))
        return SlabSeries(**data_fields, steps=file["steps"].tolist(), profiles=list(file["profiles"]),
                          temperatures=file["temperatures"].tolist(),
                          state={name.removeprefix("state_"): file[name] for name in file.files
                                 if name.startswith("state_")})


@dataclass
class ProgramResult:
    """Result of one program over all its seeds. Concentrations in mg/ml, pairs are (mean, standard error)."""

    program: str
    nanoseconds: float  # simulated time without the dropped part
    frames: int
    dense: tuple
    dilute: tuple
    width: tuple  # width of the tanh of the interface [nm]
    halves: tuple  # dilute concentration of the first and of the second half
    temperature_kelvin: float
    steps_per_second: float
    profile: np.ndarray  # mean
    profile_error: np.ndarray
    one_chain: float  # concentration of one chain in the dilute volume for the whole time

    @property
    def dilute_is_bound(self):
        """Few chains entered the dilute phase, so one chain is the upper bound."""
        mean, error = self.dilute
        return mean < self.one_chain and not 0 < error < LARGEST_RELATIVE_ERROR * mean


def kept(series, drop_ns):
    """(profiles, temperatures) after the first drop_ns[program]. Raises SlabError if too few are left."""
    late = series.time_ns > drop_ns[series.program]
    if late.sum() < FEWEST_FRAMES:
        raise SlabError(f"{series.program}, seed {series.setup['seed']}: {late.sum()} frames after the first "
                        f"{drop_ns[series.program]:g} ns; expected at least {FEWEST_FRAMES}: run for "
                        "longer, or drop less")
    return np.array(series.profiles, dtype=float)[late], np.array(series.temperatures)[late]


def over_seeds(values):
    """(mean, standard error) of several independent series, weighted by their lengths."""
    lengths = np.array([len(series) for series in values])
    errors = np.array([standard_error(series, FEWEST_BLOCKS) for series in values])
    return (float(np.concatenate(values).mean()),
            float(np.sqrt(np.sum((lengths * errors) ** 2)) / lengths.sum()))


def interface_width(place, profiles):
    """(width, standard error) of the tanh through the mean profile. The error comes from leaving out each of
    FEWEST_BLOCKS pieces in turn."""
    pieces = np.array_split(profiles, FEWEST_BLOCKS)
    sums, counts = np.array([piece.sum(axis=0) for piece in pieces]), np.array([len(piece) for piece in pieces])
    without = [fitted_interface(place, (sums.sum(axis=0) - own) / (counts.sum() - count))[3]
               for own, count in zip(sums, counts)]
    error = np.std(without) * (FEWEST_BLOCKS - 1) ** 0.5
    return float(fitted_interface(place, profiles.mean(axis=0))[3]), float(error)


def program_result(group, drop_ns, dense, dilute):
    """ProgramResult of one program's SlabSeries; `dense` and `dilute` select the slices of the phases."""
    found = [kept(series, drop_ns) for series in group]
    profiles = [profile for profile, _ in found]
    every = np.concatenate(profiles)
    in_dilute = [profile[:, dilute].mean(axis=1) for profile in profiles]
    halves = [np.concatenate([series[half * len(series) // 2:(half + 1) * len(series) // 2]
                              for series in in_dilute]).mean() for half in (0, 1)]
    setup = group[0].setup
    return ProgramResult(
        program=group[0].program, frames=len(every),
        nanoseconds=len(every) * setup["frame_every_steps"] * setup["time_step_ps"] / 1000,
        dense=over_seeds([profile[:, dense].mean(axis=1) for profile in profiles]),
        dilute=over_seeds(in_dilute), width=interface_width(bin_centres(setup["box_nm"]), every),
        halves=tuple(map(float, halves)),
        temperature_kelvin=float(np.concatenate([warmth for _, warmth in found]).mean()),
        steps_per_second=sum(series.run_steps for series in group) / sum(s.run_seconds for s in group),
        profile=every.mean(axis=0),
        # fraction of all chains' mass in the slices of the dilute phase
        one_chain=float(every.mean() * len(dilute) / dilute.sum() / setup["copies"]),
        profile_error=np.array([over_seeds([profile[:, b] for profile in profiles])[1]
                                for b in range(every.shape[1])]))


def with_shared_correlation(results):
    """Results with a common correlation time, since the dynamics is the same. A program whose run is too short to
    resolve it gets the other's error, scaled to its length, if that is larger."""
    for name in QUANTITIES:
        rate = max(getattr(result, name)[1] * result.nanoseconds**0.5 for result in results)
        for result in results:
            setattr(result, name, (getattr(result, name)[0], rate / result.nanoseconds**0.5))
    return results


@dataclass
class Regions:
    """Slices of the phases from the mean of all programs' profiles; the same for all programs."""

    place: np.ndarray  # centre of each slice [nm]
    dense: np.ndarray  # true for slices of the phase
    dilute: np.ndarray
    dense_below_nm: float  # distances from the slab's centre
    dilute_beyond_nm: float
    apart: bool  # true if the interfaces leave room for both phases


def find_regions(place, profile):
    _, _, half, width = fitted_interface(place, profile)
    below, beyond, border = half - INSIDE * width, half + OUTSIDE * width, place.max() + BIN_NM / 2
    apart = below >= LEAST_DENSE_NM and beyond <= border - LEAST_DILUTE_NM
    below, beyond = max(below, LEAST_DENSE_NM), min(beyond, border - LEAST_DILUTE_NM)
    return Regions(place, np.abs(place) < below, np.abs(place) > beyond, float(below), float(beyond), bool(apart))


def find_results(all_series, drop_ns):
    """(Regions, [ProgramResult]) of all series. Raises SlabError."""
    groups = {}
    for series in all_series:
        groups.setdefault(series.program, []).append(series)
    means = [np.concatenate([kept(series, drop_ns)[0] for series in group]).mean(axis=0)
             for group in groups.values()]
    regions = find_regions(bin_centres(all_series[0].setup["box_nm"]), np.mean(means, axis=0))
    results = [program_result(group, drop_ns, regions.dense, regions.dilute) for group in groups.values()]
    return regions, with_shared_correlation(results)


def agreement(first, second, name):
    """(difference, its standard error) of one of QUANTITIES."""
    (one, one_error), (other, other_error) = getattr(first, name), getattr(second, name)
    return one - other, float(np.hypot(one_error, other_error))
