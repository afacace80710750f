# Report of one run: its figures, numbers and texts.
# SPDX-License-Identifier: BSD-3-Clause

import html

import numpy as np

from . import condensate_figures, confidence_figures, ensemble_figures, figures, next_steps, observables, structure_figures
from .in_words import count, listed, mean_with_error, plain, describe_simulation, with_error
from .page import Page, Sections, headline, write_page
from .page_files import REPORT_PAGE, remove_old
from .performance_page import add_performance
from .phase_locking import read_phase_locking
from .pieces import distances_to_native, is_one_structure
from .resolved_input import lookup
from .run_folder import read_status
from .structure_view import add_structure

LARGEST_MAP = 3000  # residues, beyond which a map has more points than a screen
MOST_TILES = 3  # limit of tiles of one kind


def late(series):
    """Last quarter of a series."""
    return series[int(0.75 * len(series)):]


def folded_row(run):
    """Row of the energies at which an unfolded chain first folded; None if it began folded or never folded."""
    q = run.energies["native_fraction"]
    return None if q[0] >= figures.FOLDED else observables.first_above(q, figures.FOLDED)


def format_time(run, time_ps):
    return f"{plain(float(run.time(time_ps)))} {run.time_unit}"


def describe_result(run, distances):
    """HTML of the result in one or two sentences."""
    if not run.has_native_state:
        return describe_averages(run.averages) if run.averages is not None else ""
    q, row = run.energies["native_fraction"], folded_row(run)
    end = f"ended with {q[-1]:.0%} of the native contacts"
    if len(distances) == 1:
        end += f", {plain(distances[0].nm[-1], 2)} nm from the native structure" + (
            f" (residues {html.escape(distances[0].label)})" if distances[0].label else "")
    if row is not None:
        after = headline(f"It folded after {format_time(run, run.energies['time_ps'][row])}")
        return f"{after} of the model&rsquo;s time, and {end}."
    if q[0] >= figures.FOLDED:
        return f"It began folded and {end}."
    return (f"{headline('It has not folded')} (Q above {figures.FOLDED:.0%}) in "
            f"{format_time(run, run.energies['time_ps'][-1])}: it {end}.")


def describe_averages(found):
    """'60 LAF1 of 176 residues, averaged over 51 frames ...'; HTML."""
    chains = found.table("species/chains").astype(int)
    species = listed(f"{count(number, 'chain')} of {html.escape(name)}" for number, name in zip(chains, found.species))
    return (f"{headline(species)}, averaged over {count(found.frames, 'frame')} from step {found.first_step:,} on; "
            "&plusmn; and bands are standard errors by blocking.")


def make_tiles(run, distances):
    """Arguments of tile_html, for the run's end."""
    tiles = folding_tiles(run, distances) if run.has_native_state else []
    tiles += radius_tiles(run)
    if run.has("temperature_kelvin"):
        thermostat = f"; thermostat: {plain(run.temperature_kelvin, 4)} K" if run.keeps_temperature else ""
        tiles.append((f"{mean_with_error(late(run.energies['temperature_kelvin']))} K",
                      f"mean temperature, last quarter{thermostat}"))
    return tiles + averaged_tiles(run)


def folding_tiles(run, distances):
    q, row = run.energies["native_fraction"], folded_row(run)
    tiles = [(f"{q[-1]:.0%}", "native contacts Q at the end")]
    if row is not None:
        tiles.insert(0, (format_time(run, run.energies["time_ps"][row]), f"until folded (Q above {figures.FOLDED:.0%})"))
    ends = [one.nm[-1] for one in distances]
    if len(ends) > MOST_TILES:
        tiles.append((f"{plain(float(np.mean(ends)), 2)} nm ({plain(min(ends), 2)} to {plain(max(ends), 2)})",
                      f"RMSD to native at the end, mean over {len(ends)} folded parts"))
    else:
        tiles += [(f"{plain(one.nm[-1], 2)} nm",
                   f"RMSD to native at the end{f', residues {one.label}' if one.label else ''}") for one in distances]
    return tiles


def radius_tiles(run):
    """One tile per species, since a mean over species describes no chain."""
    found = run.averages
    if found is not None and found.has("chain_sizes/radius_of_gyration"):
        mean, error = (found.table(f"chain_sizes/radius_of_gyration{kind}") for kind in ("", "_error"))
        return [(f"{with_error(mean[index], error[index])} nm",
                 f"radius of gyration{f' of {name}' if len(found.species) > 1 else ' of a chain'}")
                for index, name in enumerate(found.species)]
    return [(f"{mean_with_error(late(run.energies[column]))} nm",
             f"radius of gyration of a chain{f' of {species}' if species else ''}, last quarter")
            for species, column in run.radii.items() if run.has(column)]


def averaged_tiles(run):
    """Single numbers of NAME.observables.h5, with errors if they are known, limited to those with a meaning
    for this system."""
    found = run.averages
    if found is None:
        return []
    has_box = lookup(run.settings, "system.box_nm") is not None
    tiles = []
    for path, unit, what, counts in (
            ("clusters/largest", "", "chains in the largest cluster", sum(found.chains) > 1),
            ("pressure/mean", " bar", "pressure", has_box),
            ("pressure/surface_tension", " mN/m", "surface tension of the slab", found.has("density_profile/position"))):
        if counts and found.has(path) and np.isfinite(found.table(path)):
            tiles.append((with_error(found.table(path), found.table(path + "_error")) + unit, what))
    return tiles


def add_sections(sections, run, distances, transition):
    """Draw all figures of the page into its folder."""
    if run.has_native_state:
        add_folding(sections, run, distances)
    add_structure(sections, run.trajectory)
    if transition is not None:
        add_transition(sections, transition)
    if run.averages is not None:
        add_averages(sections, run)
    if run.confidence:
        add_confidence(sections, run)
    if run.energies:
        add_energies(sections, run)
    if run.balance is not None:
        sections.add("balance", "Balance between ranks", figures.balance(run),
                     "Mean busy time over that of the busiest rank, and what each was busy in a step, waits for others "
                     "not counted. Red lines: residues were shared out anew.", "Balance and busy time of ranks over steps")


def add_energies(sections, run):
    sections.add("energies", "Energies", figures.energies(run),
                 "The thermostat exchanges energy with the chains, so that the total is not constant. Pale: each "
                 "reported value; strong: running mean." if run.keeps_temperature else
                 "Without a thermostat the total energy is constant: its drift is the error of the integrator.",
                 "Energies over time, totals and terms")
    residues = run.trajectory.positions_nm.shape[1] if run.trajectory else 0
    sections.add("temperature", "Temperature", figures.temperature(run, residues),
                 "Of the residues' kinetic energy" +
                 (", in the model's kelvin: kT = &epsilon; at 120.27 K where &epsilon; = 1 kJ/mol. "
                  "They are not a laboratory's." if run.has_native_state else "."),
                 "Temperature over time")


def add_folding(sections, run, distances):
    frames = run.trajectory
    small = frames is not None and frames.positions_nm.shape[1] <= LARGEST_MAP
    contacts = small and len(frames.contacts) > 0 and len(frames.native_nm) > 0
    found = observables.contact_map(frames) if contacts else None
    if contacts and distances and len(frames.time_ps) > 3 and is_one_structure(frames):
        sections.add(
            "overview", "At a glance", structure_figures.overview(run, found, distances),
            "Top: the chain on its way, coloured from its first residue (dark) to its last (bright), each moment laid "
            "onto the native structure. Left: Q, the share of native contacts that are formed, rises as RMSD, the "
            "distance to the native structure, falls. Right: the contact map; a folded chain finds (blue, below the "
            "diagonal) the mirror image of the native contacts (black, above it).",
            "The chain at four moments, Q and RMSD over time, contact map")
    sections.add(
        "folding", "Folding", figures.folding(run, distances),
        "A contact is formed up to 1.2 times its native distance; RMSD is that after the best superposition"
        f"{', of each part that native contacts hold together' if any(one.label for one in distances) else ''}. Pale: "
        "each reported value; strong: running mean. Look for a steep rise of Q that stays: short rises are attempts.",
        "Q and RMSD over time")
    if contacts:
        sections.add(
            "contacts", "Contacts, native and found", structure_figures.contact_map(found),
            "Above the diagonal each native contact of the model; below it what the last quarter of "
            "the run found, stronger where it was there in more of the frames. Helices lie along the diagonal, "
            "sheets away from it.",
            "Contact map: native above the diagonal, found below")


def add_confidence(sections, run):
    shown = run.confidence[:confidence_figures.MOST_SPECIES]
    left_out = len(run.confidence) - len(shown)
    sections.add("confidence", "Confidence of the predicted structure", confidence_figures.confidence(shown),
                 "Left: predicted aligned error, dark where the relative position of two residues is certain; coloured "
                 "squares are the folded domains of this run, lines the borders of chains. Right: pLDDT of each residue; "
                 f"below {confidence_figures.CONFIDENT} (dashed) a residue is mostly disordered. <code>nfold check</code> lists "
                 "what holds which residues." + (f" {count(left_out, 'further species')} left out." if left_out else ""),
                 "PAE matrix with domains, and pLDDT along the chain")


def add_averages(sections, run):
    found = run.averages
    over = f"Over {count(found.frames, 'frame')} from step {found.first_step:,} on. "
    if found.has("density_profile/mass_density"):
        sections.add("density_profile", "Density profile", condensate_figures.density_profile(found),
                     over + "Each frame about the centre of its slab; the band is the standard error by "
                     "blocking. Concentration is mass per volume. Two flat parts are two phases: "
                     "<code>tools/phase_diagram.py</code> tells their concentrations.", "Concentration across the slab")
    if found.has("clusters/size") and sum(found.chains) > 1:
        sections.add("clusters", "Clusters", condensate_figures.clusters(found),
                     f"Chains of which two residues are closer than "
                     f"{found.table('clusters/cutoff'):.3g} nm are in one cluster.",
                     "Shares of chains and of frames over the size of a cluster")
    if found.has("chain_sizes/radius_of_gyration"):
        sections.add("chain_sizes", "Sizes of the chains", condensate_figures.chain_sizes(found),
                     over + "Distribution over chains and frames; the dashed line is the mean, its error by "
                     "blocking.", "Distributions of radius of gyration and end-to-end distance")
    if found.has("contact_maps/cutoff"):
        sections.add("contact_maps", "Contacts", condensate_figures.contact_maps(found),
                     f"Residues closer than {found.table('contact_maps/cutoff'):.3g} nm, per frame and "
                     "chain of the first species; long chains in blocks of residues. Colours go with the "
                     "square root. Within a chain, neighbours along it are left out.", "Contact maps within and between species")
    if found.has("residue_energy/count"):
        sections.add("residue_energy", "Energy of each residue", condensate_figures.residue_energies(found),
                     "Potential energy by place in the chain, over frames and chains: the line is the median, the band "
                     "holds nine tenths. The energy of a term or a pair is shared equally by its residues.",
                     "Median and spread of each residue's energy")
    if found.has("phase_locking/residue") and len(found.table("phase_locking/residue")) <= LARGEST_MAP:
        locking = read_phase_locking(found, 0)
        if locking is not None:
            sections.add("phase_locking", "Phase locking", ensemble_figures.phase_locking(locking),
                         "Of the chains' pseudo-dihedrals &theta;: "
                         "C<sub>ij</sub> = &lang;exp(i(&theta;<sub>i</sub> &minus; &theta;<sub>j</sub>))&rang;. "
                         "Two stiff angles are locked without knowing of each other; right is what remains without "
                         "that.", "Phase-locking matrix, and its connected part")
    if found.has("mean_square_displacement/lag"):
        sections.add("displacement", "Motion of the chains", condensate_figures.displacement(found),
                     "Mean square displacement of the chains' centres; Langevin friction makes it the model's, not a "
                     "solvent's. Free diffusion is parallel to the dashed line. Open points have no error: the run is "
                     f"shorter than 8 such lags. {diffusion_text(found)}", "Mean square displacement over lag")


def diffusion_text(found):
    """Diffusion coefficient of each species, or the reason why there is none."""
    if not found.has("mean_square_displacement/exponent"):
        return ""
    texts = []
    for index, name in enumerate(found.species):
        value, error, exponent = (found.table(f"mean_square_displacement/{table}")[index] for table in
                                  ("diffusion_coefficient", "diffusion_coefficient_error", "exponent"))
        if np.isfinite(value):
            text = f"diffusion coefficient {1e3 * value:.3g} &plusmn; {1e3 * error:.2g} nm²/ns"
        elif np.isfinite(exponent):
            text = f"no diffusion coefficient, since displacements still grow with the lag to the power {exponent:.2g}"
        else:
            text = "no diffusion coefficient, since no lag is known to 10 %: a longer run or more chains are missing"
        texts.append(f"{html.escape(name)}: {text}.")
    return " ".join(texts)


def add_transition(sections, run):
    contacts = 100 if run.trajectory is None else max(len(run.trajectory.contacts), 1)
    found = observables.free_energy(run.energies["native_fraction"], run.kt_kj_mol, contacts)
    verdict = count(found.transitions, "transition")
    if found.illustrative:
        text = (f'<strong class="flag">Illustrative: {verdict}.</strong> A sound F(Q) needs at least '
                f"{observables.ENOUGH_TRANSITIONS}, better tens; the depth of one basin against the "
                "other means little here. <code>input/ubiquitin-exchange.yaml</code> shows how replicas get there.")
    else:
        text = f"From a run with {verdict}."
    text = ("Two valleys are two states, unfolded (left) and native (right), and the hill between them is the "
            f"barrier. {text} Run <b>{html.escape(run.name)}</b>, {figures.describe_run_length(run)}, without its first "
            f"5&nbsp;%. A transition goes from Q &lt; {observables.UNFOLDED_Q} to Q &gt; "
            f"{observables.FOLDED_Q} or back; wandering about one threshold does not count.")
    sections.add("free_energy", "Free energy along Q, near the folding temperature",
                 figures.free_energy(run, found), text, f"Free energy over Q and the trace of Q it comes from, {verdict}")


def make_notices(run):
    """HTML of notices that a reader must see first."""
    status = read_status(run.folder, run.name)
    requested_steps = int(lookup(run.settings, "dynamics.steps", 0))
    last, paragraphs = run.last_step, []
    if status.get("state", "done") != "done" and last < requested_steps:
        paragraphs.append(f"<b>Not finished:</b> step {last:,} of {requested_steps:,} in this page; nfold&rsquo;s last word on this run is "
                          f"&ldquo;{html.escape(status['state'])}&rdquo;. The same command as before goes on with it.")
    if not run.energies:
        paragraphs.append("<b>No energies:</b> this run reports none, or not two yet "
                          "(<code>output.energies_every_steps</code>, <code>output.trajectory_every_steps</code>).")
    return paragraphs


def write_report(run, transition, folder):
    """Write the page and its PNG files into `folder`. Return the page's path and the number of figures."""
    folder.mkdir(parents=True, exist_ok=True)
    remove_old(folder)
    sections, distances = Sections(folder), distances_to_native(run)
    add_sections(sections, run, distances, transition)
    add_performance(sections, run.performance)
    next_steps.add_commands(sections, next_steps.commands_for_run(run))
    next_steps.add_files(sections, run.folder)
    residues = run.trajectory.positions_nm.shape[1] if run.trajectory is not None else 0
    precision = lookup(run.settings, "dynamics.precision", "")
    page = Page(
        name=run.name,
        simulated=f"{describe_simulation(run.settings, residues)} at {plain(run.temperature_kelvin, 4)} K"
                  f"{' of the model' if run.has_native_state else ''}, {figures.describe_run_length(run)}, {precision} precision",
        found=describe_result(run, distances), tiles=make_tiles(run, distances), sections=sections.all,
        settings=(run.folder / f"{run.name}.input.yaml").read_text(encoding="utf-8"), notices=make_notices(run),
        made_from=f"{run.folder.resolve().name} up to step {run.last_step:,}")
    return write_page(page, folder / REPORT_PAGE), sections.figures
