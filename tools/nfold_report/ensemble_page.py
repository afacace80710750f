# The report of an ensemble: figures as PNG files and the page that holds them.
# SPDX-License-Identifier: BSD-3-Clause

from . import ensemble_figures as figures
from .condensate_figures import with_error
from .page import Sections, page_text
from .resolved_input import lookup

ENOUGH_ROUND_TRIPS = 10


def what_varies(found):
    return found.varies.replace("_", " ")


def tiles_of(found):
    """(value, what it is)"""
    tiles = []
    if found.folds_within_the_ladder:
        unit = {"temperature": " K", "ionic_strength": " mol/l"}.get(found.varies, "")
        tiles.append((with_error(*found.folding) + unit, f"folding {what_varies(found)} of the model"))
        tiles.append((with_error(*found.table("free_energy/barrier")) + " kT", "barrier there"))
    acceptance = found.table("exchange/acceptance")
    if len(acceptance) and acceptance.any():
        trips = int(found.table("exchange/round_trips").sum())
        tiles.append((f"{acceptance.min():.0%} to {acceptance.max():.0%}", "of exchanges accepted"))
        tiles.append((f"{trips:,}", "round trips through the ladder" +
                      ("" if trips >= ENOUGH_ROUND_TRIPS else ": too few to rely on")))
    return tiles


def write_sections(found, folder):
    sections = Sections(folder)
    folds = found.folds_within_the_ladder
    if found.has("thermodynamics/heat_capacity"):
        sections.add("thermodynamics", "Thermodynamics", figures.thermodynamics(found),
                     "By MBAR over all samples of all states; marks below: the ladder. Green: the folding "
                     f"{what_varies(found)}, where the heat capacity has its maximum, and its standard error.",
                     f"Heat capacity and mean Q over the {what_varies(found)}")
    if found.has("thermodynamics/radius_of_gyration"):
        sections.add("sizes", "Size of the chains", figures.sizes(found),
                     "Lines: by MBAR over all samples of all states, with their standard error; points: the "
                     "samples of each state alone. Mean over chains of each one's own radius.",
                     f"Radius of gyration and energy over the {what_varies(found)}")
    if found.has("umbrella/free_energy"):
        pair = " and ".join(lookup(found.settings, "ensemble.umbrella_residues", []))
        sections.add("umbrella", "Free energy of a distance", figures.umbrella_profile(found),
                     f"Of residues {pair}, without umbrellas, by MBAR over all windows, whose centres are "
                     "marked below; the band is the standard error. A shell's volume, 4&pi;d&sup2;, is part "
                     "of it.", "Free energy and mean Q over the distance")
    if folds:
        sections.add("free_energy", "Free energy along Q", figures.free_energy(found),
                     f"At the folding {what_varies(found)}. Basins are what is within kT of their lowest place, the "
                     "transition state what is within kT/2 of the pass.", "Free energy over Q")
    if found.has("landscape/of_energy"):
        sections.add("landscape", "Energy landscape", figures.landscape(found),
                     f"Free energy over two coordinates at the folding {what_varies(found)}: over Q and the "
                     "potential energy by MBAR from all samples, over Q and the radius of gyration from those "
                     "of the nearest state of the ladder.", "Free energy over Q and energy, Q and radius of gyration")
    if found.has("folding_order/phi"):
        sections.add("folding_order", "Who folds first", figures.folding_order(found),
                     "Share of each residue's native contacts that are formed in the unfolded basin, at the "
                     "transition state and in the native basin; &phi; is how far the transition state is on "
                     "the way from one to the other.", "Contacts formed by residue, and phi values")
    middle = found.folding[0] if folds else found.ladder.mean()
    if found.has("contacts/probability"):
        sections.add("contact_probability", "Contact probability", figures.contact_map(found, middle),
                     "Each native contact, darker where it is formed more often.",
                     "Native contacts coloured by their probability")
    locking = found.phase_locking(middle)
    if locking is not None:
        sections.add("phase_locking", "Phase locking", figures.phase_locking(locking),
                     f"Of the chain's pseudo-dihedrals &theta; at {found.in_words(locking.place)}: "
                     "C<sub>ij</sub> = &lang;exp(i(&theta;<sub>i</sub> &minus; &theta;<sub>j</sub>))&rang;. "
                     "Two stiff angles are locked without knowing of each other; right is what remains "
                     "without that.", "Phase-locking matrix, and its connected part")
    return sections.all


def write_ensemble_report(found, folder):
    """Writes report.html and the PNG files into `folder`; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    ladder = found.ladder
    states = (f"{len(ladder)} temperatures from {ladder[0]:.4g} to {ladder[-1]:.4g} K of the model"
              if found.of_temperature else
              f"{len(ladder)} umbrellas from {ladder[0]:.4g} to {ladder[-1]:.4g} nm"
              if found.varies == "umbrella_centre" else
              f"{len(ladder)} ionic strengths from {ladder[0]:.4g} to {ladder[-1]:.4g} mol/l"
              if found.varies == "ionic_strength" else
              f"{len(ladder)} contact strengths from {ladder[0]:.4g} to {ladder[-1]:.4g}")
    replicas = len(found.table("exchange/round_trips"))
    residues = f"{found.residues} residues, " if found.residues else ""
    subtitle = (f"{residues}{replicas:,} replicas at {states}, {found.last_step:,} steps each, "
                f"{lookup(found.settings, 'dynamics.precision', '')} precision, simulated by nfold")
    page = folder / "report.html"
    settings = (found.folder / f"{found.name}.input.yaml").read_text()
    page.write_text(page_text(found.name, subtitle, tiles_of(found), write_sections(found, folder), settings),
                    encoding="utf-8")
    return page
