# Two phases from the density profile of a slab: where they end, and how dense they are.
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass

import h5py
import numpy as np

# How far from the interface, in its widths, a phase is taken to be itself: a tanh has then come
# within 2 % of the difference on the dense side and within 0.02 % on the dilute one.
INSIDE, OUTSIDE = 2.0, 4.5
ZOOMS = 11  # each finds the interface 4 times as closely


class SlabError(Exception):
    """No two phases can be read from the profile; the message says why."""


@dataclass
class Profile:
    position_nm: np.ndarray  # 0: centre of the slab
    density_mg_ml: np.ndarray
    error_mg_ml: np.ndarray
    frames: int


@dataclass
class Phases:
    dense_mg_ml: float
    dense_error: float
    dilute_mg_ml: float
    dilute_error: float
    half_thickness_nm: float
    width_nm: float  # of the interface, that of the tanh


def read_profile(path):
    """Profile of all species from NAME.observables.h5. SlabError, OSError."""
    with h5py.File(path, "r") as file:
        if "density_profile" not in file:
            raise SlabError(f"{path}: has no density profile; run with observables.density_profile: true")
        group = file["density_profile"]
        profile = Profile(group["position"][()], group["mass_density_total"][()],
                          group["mass_density_total_error"][()], int(file.attrs["frames"]))
    if profile.frames == 0:
        raise SlabError(f"{path}: no frame was averaged; run for longer, or lower "
                        "observables.equilibration_steps")
    return profile


def interface(place, dense, dilute, half, width):
    return (dense + dilute) / 2 - (dense - dilute) / 2 * np.tanh((np.abs(place) - half) / width)


def densities_for(place, density, half, width):
    """(sum of squares, dense, dilute): both densities follow from where the interface is, and are not below 0."""
    share = interface(place, 1, 0, half, width)
    shape = np.stack([share, 1 - share], axis=1)
    dense, dilute = np.linalg.lstsq(shape, density, rcond=None)[0]
    if dilute < 0:
        dense, dilute = share @ density / (share @ share), 0.0
    elif dense < 0:
        dense, dilute = 0.0, (1 - share) @ density / ((1 - share) @ (1 - share))
    return np.sum((shape @ [dense, dilute] - density) ** 2), dense, dilute


def fitted_interface(place, density):
    """(dense, dilute, half thickness, width) of the tanh that fits best: the smallest sum of squares over places and
    widths of the interface, first on a coarse grid and then about the best in ever finer ones."""
    thickest, widest = place.max(), np.ptp(place)
    halves, widths = np.linspace(0.02, 0.98, 25) * thickest, np.geomspace(0.05, widest, 15)
    for _ in range(ZOOMS):
        half, width = min(((half, width) for half in halves for width in widths),
                          key=lambda at: densities_for(place, density, *at)[0])
        step, factor = 0.8 * (halves[1] - halves[0]), (widths[1] / widths[0]) ** 0.8
        halves = np.linspace(max(half - step, 0), min(half + step, thickest), 7)
        widths = np.geomspace(max(width / factor, 0.05), min(width * factor, widest), 7)
    return np.array([*densities_for(place, density, half, width)[1:], half, width])


def phases_of(profile):
    """Phases of a profile about its centre. Errors of the slices of a phase are taken to be the same
    error, for neighbours fluctuate together. SlabError where an interface cannot be told."""
    place, density = profile.position_nm, profile.density_mg_ml
    _, _, half, width = fitted_interface(place, density)
    dense = np.abs(place) < half - INSIDE * width
    dilute = np.abs(place) > half + OUTSIDE * width
    if not dense.any() or not dilute.any():
        raise SlabError(f"interfaces {width:.1f} nm wide at {half:.1f} nm from the centre leave no place "
                        "for two phases; take a longer box, more chains or a lower temperature")
    errors = np.nan_to_num(profile.error_mg_ml)
    return Phases(density[dense].mean(), errors[dense].mean(), density[dilute].mean(),
                  errors[dilute].mean(), half, width)
