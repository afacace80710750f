# Report of an ensemble: its figures, numbers and texts.
# SPDX-License-Identifier: BSD-3-Clause

import html

import numpy as np

from . import ensemble_figures as figures
from . import next_steps
from .in_words import count, plain, describe_simulation, with_error
from .page import Page, Sections, headline, write_page
from .page_files import REPORT_PAGE, remove_old
from .performance_page import add_performance
from .resolved_input import lookup
from .run_folder import read_status

ENOUGH_ROUND_TRIPS, ENOUGH_TRANSITIONS, ENOUGH_INDEPENDENT = 10, 5, 16  # equal to src/analysis/sampling_limits.hpp
STARTS_AGREE = 0.05  # in mean Q, for both kinds of starts; equal to src/analysis/thermodynamics/folding.hpp
EXPONENTIAL = 0.05  # p-value below which passages are not those of one exponential


def ladder_variable_name(found):
    return found.varies.replace("_", " ")


def exchanges(found):
    return bool(found.table("exchange/acceptance").any())


def round_trips(found):
    return int(found.table("exchange/round_trips").sum())


def passages(found):
    """Directions of passages that the file has."""
    return [way for way in ("folding", "unfolding") if found.has(f"kinetics/{way}_mean_time")]


def mean_time(found, way, state):
    """'3.4 ns (1.4 to 10)' with the 95 % interval, or the bound if none passed."""
    mean, low, high = found.table(f"kinetics/{way}_mean_time")[state] / 1000
    if np.isfinite(mean):
        return f"{plain(mean, 2)} ns ({plain(low, 2)} to {plain(high, 2)})"
    return f"above {plain(low, 2)} ns" if np.isfinite(low) else "not known"


def few_passages(found, way):
    """Text on too few passages at the first state; empty if they suffice."""
    did = int(found.table(f"kinetics/{way}_replicas")[0, 1])
    return f"by {count(did, 'replica')} of the wanted {ENOUGH_TRANSITIONS}" if did < ENOUGH_TRANSITIONS else ""


def starts_differ(found):
    return found.has("convergence/starts") and found.table("convergence/starts")[0] > STARTS_AGREE


def missing_in(found):
    """Text on the missing parts of results of the whole ladder; empty if they are reliable."""
    if starts_differ(found):
        return "not converged: the starts differ"
    if exchanges(found) and round_trips(found) < ENOUGH_ROUND_TRIPS:
        return "not converged: few round trips"
    return "" if found.is_finished else "not finished"


def make_tiles(found):
    """Arguments of tile_html."""
    tiles, missing = chain_tiles(found) if found.has("chain/distance") else [], missing_in(found)
    if found.folds_within_the_ladder:
        tiles.append((with_error(*found.folding) + found.unit, f"folding {ladder_variable_name(found)} of the model", missing))
        if found.barrier_is_known:
            tiles.append((with_error(*found.table("free_energy/barrier")) + " kT", "barrier there", missing))
    for way in passages(found):
        could, did = found.table(f"kinetics/{way}_replicas").astype(int)[0]
        place = found.describe_place(found.ladder[0])
        tiles.append((mean_time(found, way, 0), f"mean {way} time at {place}, 95 % interval", few_passages(found, way)))
        tiles.append((f"{did} of {could}", f"replicas {'folded' if way == 'folding' else 'unfolded'} at {place}"))
    if exchanges(found):
        acceptance, trips = found.table("exchange/acceptance"), round_trips(found)
        tiles.append((f"{acceptance.min():.0%} to {acceptance.max():.0%}", "of exchanges accepted"))
        tiles.append((f"{trips:,}", "round trips through the ladder" +
                      ("" if trips >= ENOUGH_ROUND_TRIPS else ": too few to rely on")))
    return tiles


def make_notices(found):
    """HTML of notices that a reader must see first."""
    sentences = []
    status, requested_steps = read_status(found.folder, found.name), int(lookup(found.settings, "dynamics.steps", 0))
    if not found.is_finished:
        sentences.append(f"<b>Not finished:</b> step {found.last_step:,} of {requested_steps:,} in this page; nfold&rsquo;s last word "
                         f"on this run is &ldquo;{html.escape(status.get('state', 'none'))}&rdquo;. The same command as "
                         "before goes on with it.")
    if found.gaps:
        sentences.append(f"<b>Gap between states:</b> samples of {found.gaps} overlap too little, so no result goes from one to "
                         "the other. Put more states between them.")
    if starts_differ(found):
        apart, place = found.table("convergence/starts")
        longer = float(found.table("convergence/times_as_long"))
        advice = f"Run {plain(longer, 2)} times as long" if np.isfinite(longer) else "Run much longer"
        sentences.append(f"<b>Not converged:</b> at {found.describe_place(place)} native and unfolded starts differ by "
                         f"{apart:.2f} in Q, so that numbers and errors below may be off by more than they say. {advice}, "
                         "or choose a ladder whose ends fold and unfold faster.")
    if exchanges(found) and round_trips(found) < ENOUGH_ROUND_TRIPS:
        sentences.append(f"<b>Few round trips:</b> {count(round_trips(found), 'way')} from one end of the ladder to the other "
                         f"and back; {ENOUGH_ROUND_TRIPS} at least are wanted before the results count.")
    return sentences


def in_front(missing):
    """Beginning of a sentence with the missing parts."""
    return f"{missing[0].upper()}{missing[1:]}; as far as this run tells:" if missing else ""


def describe_result(found):
    """HTML of the result in a sentence."""
    if found.folds_within_the_ladder:
        name = "" if found.unit else f"{ladder_variable_name(found)} "
        result = headline(f"It folds at {name}{with_error(*found.folding)}{found.unit}", in_front(missing_in(found)))
        if not found.barrier_is_known:
            return f"{result}; the barrier is not known, for no sample has Q between both basins."
        return f"{result}, over a barrier of {with_error(*found.table('free_energy/barrier'))} kT."
    if found.transitions_are_too_few:
        folded, unfolded = found.table("thermodynamics/transitions").astype(int)
        return (f"No folding {ladder_variable_name(found)} yet: replicas folded {count(folded, 'time')} and unfolded "
                f"{count(unfolded, 'time')}, and {ENOUGH_TRANSITIONS} of each are needed.")
    if found.has("thermodynamics/folding_temperature") and len(found.ladder) > 1:
        return (f"The ladder does not enclose the folding {ladder_variable_name(found)}: the heat capacity is highest at an end "
                "of it, within its error.")
    sentences = [f"{headline(f'Mean {way} time {mean_time(found, way, 0)}', in_front(few_passages(found, way)))} at "
                 f"{found.describe_place(found.ladder[0])}" for way in passages(found)]
    return f"{'; '.join(sentences)}." if sentences else ""


CHAIN_ROWS = (("radius_of_gyration", "radius of gyration", " nm"), ("end_to_end", "end-to-end distance", " nm"),
              ("hydrodynamic_radius", "hydrodynamic radius (Kirkwood)", " nm"), ("asphericity", "asphericity", ""),
              ("shape_anisotropy", "relative shape anisotropy", ""))


def chain_tiles(found):
    """Size and exponent of the only chain, where samples carry them."""
    tiles = [(with_error(mean, error) + unit, what) for mean, error, independent, what, unit in (
        (*found.table(f"chain/{name}"), what, unit) for name, what, unit in CHAIN_ROWS[:3])
        if independent >= ENOUGH_INDEPENDENT]
    exponent, error, _ = found.table("chain/scaling_exponent")
    return tiles + ([(with_error(exponent, error), "scaling exponent ν")] if np.isfinite(error) else [])


def add_chain(sections, found):
    """Add the section on the size and shape of the only chain."""
    rows = [[what + unit.replace(" ", ", "), with_error(mean, error), f"{independent:,.0f}"]
            for what, unit, (mean, error, independent) in (
                (what, unit, found.table(f"chain/{name}")) for name, what, unit in CHAIN_ROWS)
            if independent >= ENOUGH_INDEPENDENT]
    first = int(found.table("chain/first_step"))
    sections.add("chain", "Chain", figures.chain(found),
                 f"Root mean square distance of residues over their separation along the chain, with twice its standard error, and "
                 f"the power law that fits it. Samples from step {first:,} on count.", "Distance over separation")
    if rows:
        sections.add_table("shape", "Size and shape", "Means over replicas and time, with standard errors.",
                           ["", "mean", "independent samples"], rows)


def add_thermodynamics(sections, found):
    varies = ladder_variable_name(found)
    green = (f"Green: the folding {varies}, where the heat capacity has its maximum, with its standard error."
             if found.folds_within_the_ladder else "")
    if found.has("thermodynamics/heat_capacity") and len(found.ladder) > 1:
        sections.add("thermodynamics", "Thermodynamics", figures.thermodynamics(found),
                     f"By MBAR over all samples of all states; marks below: the ladder. {green}",
                     f"Heat capacity and mean Q over the {varies}")
    if found.has("kinetics/time") and passages(found):
        sections.add("kinetics", "Kinetics", figures.survival(found), kinetics_text(found),
                     "Share of the replicas that have not folded or unfolded yet, over time")
    if found.radii("thermodynamics"):
        sections.add("sizes", "Size of the chains", figures.sizes(found),
                     "Lines: by MBAR over all samples of all states, with their standard error; points: the "
                     "samples of each state alone. Mean over chains of each one's own radius.",
                     f"Radius of gyration and energy over the {varies}")
    if found.has("umbrella/free_energy"):
        held = " and ".join(html.escape(str(one)) for one in lookup(found.settings, "ensemble.umbrella_residues", []))
        variable = found.umbrella_variable.replace("-", " ")
        pieces = (" Gaps between windows cut the line: each piece has its own zero, and heights of two pieces cannot be "
                  "compared." if found.gaps else "")
        shell = " A shell's volume, 4&pi;d&sup2;, is part of it." if variable == "distance" else ""
        sections.add("umbrella", f"Free energy of a {variable}", figures.umbrella_profile(found),
                     f"Of {held}, without umbrellas, by MBAR over windows that overlap, whose centres are "
                     f"marked below; the band is the standard error.{pieces}{shell}", f"Free energy and mean Q over the {variable}")
    if found.folds_within_the_ladder:
        sections.add("free_energy", "Free energy along Q", figures.free_energy(found),
                     f"At the folding {varies}. Basins are what is within kT of their lowest place, the "
                     "transition state what is within kT/2 of the pass.", "Free energy over Q")


def kinetics_text(found):
    sentences = ["Each replica began on one side; the curve is the share that has not passed to the other (Kaplan and "
                 "Meier), its band twice the standard error, the dashed line the exponential of the mean time."]
    for way in passages(found):
        if found.has(f"kinetics/{way}_fit_distance"):
            chance = found.table(f"kinetics/{way}_fit_distance")[0, 1]
            if np.isfinite(chance) and chance < EXPONENTIAL:
                lag, mean, low, high = found.table(f"kinetics/{way}_lagged_time")[0] / 1000
                sentences.append(f'<strong class="flag">Not one exponential ({way}, p = {plain(chance, 2)}).</strong> '
                                 f"With a lag of {plain(lag, 2)} ns the mean time after it is {plain(mean, 2)} ns "
                                 f"({plain(low, 2)} to {plain(high, 2)}).")
    return " ".join(sentences)


def add_structure(sections, found):
    folds, varies = found.folds_within_the_ladder, ladder_variable_name(found)
    middle = found.folding[0] if folds else found.ladder.mean()
    if found.has("landscape/of_energy"):
        place = f"the folding {varies}" if folds else f"{plain(float(found.table('landscape/energy_temperature')), 4)} K"
        sections.add("landscape", "Energy landscape", figures.landscape(found),
                     f"Free energy over two coordinates at {place}: over Q and the "
                     "potential energy by MBAR from all samples, over Q and the radius of gyration from those "
                     "of the nearest state of the ladder. Stronger is lower.",
                     "Free energy over Q and energy, Q and radius of gyration")
    if found.has("folding_order/phi"):
        sections.add("folding_order", "Which residues fold first", figures.folding_order(found),
                     "Share of each residue's native contacts that are formed in the unfolded basin, at the "
                     "transition state and in the native basin; &phi; is how far the transition state is on "
                     "the way from one to the other: near 1, the residue folds early.",
                     "Contacts formed by residue, and phi values")
    if found.has("contacts/probability"):
        below = " Below the diagonal: at the transition state." if figures.contacts_at_the_pass(found) is not None else ""
        sections.add("contact_probability", "Contact probability", figures.contact_map(found, middle),
                     f"Each native contact, stronger where it is formed more often; grey: no native contact.{below}",
                     "Native contacts coloured by their probability")
    contact_map = found.contact_map(middle)
    if contact_map is not None:
        place, table, extent = contact_map
        sections.add("contact_maps", "Contacts of all residues", figures.all_contacts(table, extent),
                     f"Residues closer than {found.table('contact_maps/cutoff'):.3g} nm at {found.describe_place(place)}, native "
                     "or not; neighbours along the chain are left out.", "Contact map of one state")
    energies = found.residue_energies(middle)
    if energies is not None:
        place, count_of, edges = energies
        sections.add("residue_energy", "Energy of each residue", figures.residue_energies(count_of, edges),
                     f"Potential energy at {found.describe_place(place)}: the line is the median, the band holds nine tenths of the "
                     "samples. The energy of a term or a pair is shared equally by its residues.",
                     "Median and spread of each residue's energy")
    place_and_matrix = found.phase_locking(middle)
    if place_and_matrix is not None:
        place, locking = place_and_matrix
        sections.add("phase_locking", "Phase locking", figures.phase_locking(locking),
                     f"Of the chain's pseudo-dihedrals &theta; at {found.describe_place(place)}: "
                     "C<sub>ij</sub> = &lang;exp(i(&theta;<sub>i</sub> &minus; &theta;<sub>j</sub>))&rang;. "
                     "Two stiff angles are locked without knowing of each other; right is what remains "
                     "without that.", "Phase-locking matrix, and its connected part")


def add_states(sections, found):
    """Add the section on sampling: exchange, and each state's own samples."""
    if exchanges(found):
        sections.add("exchange", "Exchange", figures.exchange(found),
                     "Left: how often neighbours traded; below some 10 % the ladder has a gap there. Right: of the "
                     "replicas in a state that have been at an end, the share whose last end was the first; a straight "
                     "line is best, a step is where replicas turn back.", "Acceptance and flow over the ladder")
    heads = {"potential_energy": "potential energy, kJ/mol", "native_fraction": "mean Q"}
    heads |= {name: f"radius of gyration{' of ' + species if species else ''}, nm"
              for species, name in found.radii("scan").items()}
    for path, unit in found.units.items():
        if path.startswith("scan/"):
            name = path.removeprefix("scan/")
            heads.setdefault(name, name.replace("_", " ") + (unit and f", {unit}"))
    columns = [(name, head) for name, head in heads.items()
               if found.has(f"scan/{name}") and np.isfinite(found.table(f"scan/{name}")[:, 0]).any()]
    if not columns:
        return
    rows = [[found.describe_place(place), *(mean_of_state(*found.table(f"scan/{name}")[state]) for name, _ in columns),
             plain(found.table(f"scan/{columns[0][0]}")[state, 2], 3)] for state, place in enumerate(found.ladder)]
    sections.add_table("states", "States", "Means of each state's own samples after equilibration, with standard errors; "
                       "fewer than 16 independent samples carry no error.",
                       ["State", *(head for _, head in columns), "independent samples"], rows)


def mean_of_state(mean, error, independent):
    """Mean with its error if there are enough samples."""
    return with_error(mean, error) if independent >= ENOUGH_INDEPENDENT else plain(mean)


def describe_states(found):
    ladder, ends = found.ladder, [f"{place:.4g}" for place in (found.ladder[0], found.ladder[-1])]
    if len(ladder) == 1:
        return found.describe_place(ladder[0])
    name, unit = {"temperature": ("temperatures", " K of the model"), "umbrella_centre": ("umbrellas", " nm"),
                  "ionic_strength": ("ionic strengths", " mol/l")}.get(found.varies, ("contact strengths", ""))
    return f"{len(ladder)} {name} from {ends[0]} to {ends[1]}{unit}"


def write_ensemble_report(found, folder):
    """Write the page and its PNG files into `folder`. Return the page's path and the number of figures."""
    folder.mkdir(parents=True, exist_ok=True)
    remove_old(folder)
    sections = Sections(folder)
    if found.has("chain/distance"):
        add_chain(sections, found)
    add_thermodynamics(sections, found)
    add_structure(sections, found)
    add_states(sections, found)
    add_performance(sections, found.performance)
    next_steps.add_commands(sections, next_steps.commands_for_ensemble(found))
    next_steps.add_files(sections, found.folder)
    replicas = count(len(found.table("exchange/round_trips")), "replica")
    page = Page(
        name=found.name,
        simulated=f"{describe_simulation(found.settings, found.residues)}; {replicas} at {describe_states(found)}, "
                  f"{found.last_step:,} steps each, {lookup(found.settings, 'dynamics.precision', '')} precision",
        found=describe_result(found), tiles=make_tiles(found), sections=sections.all,
        settings=(found.folder / f"{found.name}.input.yaml").read_text(encoding="utf-8"), notices=make_notices(found),
        made_from=f"{found.folder.resolve().name} up to step {found.last_step:,}")
    return write_page(page, folder / REPORT_PAGE), sections.figures
