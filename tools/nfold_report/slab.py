# Coexisting phases of a slab's density profile: their extents and densities.
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass

import h5py
import numpy as np

# Distance of a phase from the interface, in its widths. The tanh has then come
# within 2 % of the difference on the dense side and within 0.02 % on the dilute one.
INSIDE, OUTSIDE = 2.0, 4.5
MG_PER_ML = 1.66053906660  # conversion from amu/nm^3
# Largest relative error of a known dilute phase with less than a chain in it on average: some nine visits of
# a chain. With a larger error, one chain that is there for the whole time is the upper bound.
LARGEST_RELATIVE_ERROR = 1 / 3
ZOOMS = 11  # refinements, each narrowing the interface by a factor of 4


class SlabError(Exception):
    """The profile has no two phases; the message has the reason."""


@dataclass
class Profile:
    position_nm: np.ndarray  # 0 at the centre of the slab
    density_mg_ml: np.ndarray
    error_mg_ml: np.ndarray  # nan if unknown, for too few independent frames
    frames: int
    slice_nm3: float = np.nan
    chains: np.ndarray = None  # (species)
    species_mg_ml: np.ndarray = None  # (species, slices)

    @property
    def chain_mass_amu(self):
        """Mass of a chain of each species (species)."""
        return self.species_mg_ml.sum(axis=1) * self.slice_nm3 / MG_PER_ML / self.chains


@dataclass
class Phases:
    dense_mg_ml: float
    dense_error: float
    dilute_mg_ml: float
    dilute_error: float
    half_thickness_nm: float
    width_nm: float  # width of the tanh of the interface
    dense_micromolar: float = np.nan  # concentration of chains; nan if their masses are unknown
    dilute_micromolar: float = np.nan
    dilute_is_bound: bool = False  # too few chains entered: the value is that of one chain for the whole time

    def dilute_text(self, unit="mg_ml", digits=2):
        """Concentration of the dilute phase as text: "0.31 +- 0.02", "< 0.4"."""
        value = getattr(self, f"dilute_{unit}")
        if self.dilute_is_bound:
            return f"< {value:.{digits}g}"
        if unit == "mg_ml" and np.isfinite(self.dilute_error):
            return f"{value:.{digits}f} +- {self.dilute_error:.{digits}f}"
        return f"{value:.{digits}f}"


def read_profile(path):
    """Profile of all species from NAME.observables.h5. Raises SlabError or OSError."""
    with h5py.File(path, "r") as file:
        if "density_profile" not in file:
            raise SlabError(f"{path}: has no density profile; run with observables.density_profile: true")
        group = file["density_profile"]
        profile = Profile(group["position"][()], group["mass_density_total"][()],
                          group["mass_density_total_error"][()], int(file.attrs["frames"]))
        if "mass_density" in group and "species" in file and "box_nm" in file.attrs:
            profile.slice_nm3 = float(np.prod(file.attrs["box_nm"])) / len(profile.position_nm)
            profile.chains, profile.species_mg_ml = file["species/chains"][()], group["mass_density"][()]
    if profile.frames == 0:
        raise SlabError(f"{path}: no frame was averaged; run for longer, or lower "
                        "observables.equilibration_steps")
    return profile


def interface(place, dense, dilute, half, width):
    return (dense + dilute) / 2 - (dense - dilute) / 2 * np.tanh((np.abs(place) - half) / width)


def densities_for(place, density, half, width):
    """(sum of squares, dense, dilute) of the best non-negative densities for a given interface."""
    share = interface(place, 1, 0, half, width)
    shape = np.stack([share, 1 - share], axis=1)
    dense, dilute = np.linalg.lstsq(shape, density, rcond=None)[0]
    if dilute < 0:
        dense, dilute = share @ density / (share @ share), 0.0
    elif dense < 0:
        dense, dilute = 0.0, (1 - share) @ density / ((1 - share) @ (1 - share))
    return np.sum((shape @ [dense, dilute] - density) ** 2), dense, dilute


def fitted_interface(place, density):
    """(dense, dilute, half thickness, width) of the tanh with the smallest sum of squares over positions and
    widths of the interface, first on a coarse grid and then on ever finer ones about the best."""
    thickest, widest = place.max(), np.ptp(place)
    halves, widths = np.linspace(0.02, 0.98, 25) * thickest, np.geomspace(0.05, widest, 15)
    for _ in range(ZOOMS):
        half, width = min(((half, width) for half in halves for width in widths),
                          key=lambda at: densities_for(place, density, *at)[0])
        step, factor = 0.8 * (halves[1] - halves[0]), (widths[1] / widths[0]) ** 0.8
        halves = np.linspace(max(half - step, 0), min(half + step, thickest), 7)
        widths = np.geomspace(max(width / factor, 0.05), min(width * factor, widest), 7)
    return np.array([*densities_for(place, density, half, width)[1:], half, width])


def find_phases(profile):
    """Phases of a profile about its centre. Errors of the slices of a phase are taken as the same
    error, since neighbours fluctuate together. Raises SlabError if there is no clear interface."""
    place, density = profile.position_nm, profile.density_mg_ml
    _, _, half, width = fitted_interface(place, density)
    dense = np.abs(place) < half - INSIDE * width
    dilute = np.abs(place) > half + OUTSIDE * width
    if not dense.any() or not dilute.any():
        raise SlabError(f"interfaces {width:.1f} nm wide at {half:.1f} nm from the centre leave no place "
                        "for two phases; take a longer box, more chains or a lower temperature")
    return with_bound(Phases(density[dense].mean(), phase_error(profile, dense), density[dilute].mean(),
                             phase_error(profile, dilute), half, width), profile, dense, dilute)


def phase_error(profile, slices):
    """Mean of the known errors; nan if most of them are unknown."""
    errors = profile.error_mg_ml[slices]
    known = np.isfinite(errors)
    return errors[known].mean() if 2 * known.sum() > len(errors) else np.nan


def with_bound(phases, profile, dense, dilute):
    """Phases with their molar concentrations, and an upper bound if too few chains entered the dilute one."""
    if profile.species_mg_ml is None:
        return phases
    masses = profile.chain_mass_amu
    in_phases = np.stack([profile.species_mg_ml[:, slices].mean(axis=1) for slices in (dense, dilute)])
    phases.dense_micromolar, phases.dilute_micromolar = 1e6 * (in_phases / masses).sum(axis=1)
    volume_nm3 = dilute.sum() * profile.slice_nm3
    one_chain_mg_ml = MG_PER_ML * masses.max() / volume_nm3
    is_known = 0 < phases.dilute_error < LARGEST_RELATIVE_ERROR * phases.dilute_mg_ml
    if phases.dilute_mg_ml < one_chain_mg_ml and not is_known:
        phases.dilute_mg_ml, phases.dilute_error, phases.dilute_is_bound = one_chain_mg_ml, np.nan, True
        phases.dilute_micromolar = 1e6 * one_chain_mg_ml / masses.max()
    return phases
