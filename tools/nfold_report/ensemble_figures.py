# Figures of an ensemble, one function each.
# SPDX-License-Identifier: BSD-3-Clause

from itertools import cycle

import numpy as np
from matplotlib.ticker import MaxNLocator, PercentFormatter

from .condensate_figures import draw_residue_energies
from .figures import error_band
from .in_words import with_error
from .run_folder import K_BOLTZMANN
from .style import (BLUE, DARK_ORANGE, GREEN, INK, MUTED, ORANGE, SKY, STRENGTH, VERMILION, WIDTH_INCH,
                    colour_bar, keep_apart, plt)

WINDOWS = (("unfolded", VERMILION), ("transition state", ORANGE), ("native", BLUE))
DEPTH = STRENGTH.reversed()
HIGHEST_KT = 10


def mark_folding(axes, found, label=True):
    value, error = found.folding
    if np.isfinite(error):
        axes.axvspan(value - error, value + error, color=GREEN, alpha=0.2, linewidth=0)
    axes.axvline(value, color=GREEN, linewidth=1.2, linestyle=(0, (4, 3)))
    if label:
        late = value > (found.ladder.min() + found.ladder.max()) / 2
        axes.text(value, 0.04, f"  {with_error(value, error)}{found.unit}  ", transform=axes.get_xaxis_transform(),
                  color=GREEN, ha="right" if late else "left", va="bottom", fontweight="bold", fontsize=9)


def draw_with_error(axes, along, found, name, colour):
    """Draw an MBAR curve with its standard error if the file has it."""
    values = found.table(f"thermodynamics/{name}")
    axes.plot(along, values, color=colour, linewidth=1.8)
    axes.set_ylim(*axes.get_ylim())
    if found.has(f"thermodynamics/{name}_error"):
        error_band(axes, along, values, found.table(f"thermodynamics/{name}_error"), colour)


def thermodynamics(found):
    """Draw heat capacity and mean Q along the ladder."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.4))
    along = found.table(f"thermodynamics/{found.varies}")
    draw_with_error(left, along, found, "heat_capacity", VERMILION)
    left.set_ylim(bottom=0)
    left.set_ylabel("heat capacity (kJ/mol/K)")
    left.set_title("Heat capacity")
    draw_with_error(right, along, found, "native_fraction", BLUE)
    right.set_ylim(0, 1.02)
    right.yaxis.set_major_formatter(PercentFormatter(1))
    right.set_ylabel("mean native contacts ⟨Q⟩")
    right.set_title("Folding")
    for axes in (left, right):
        if found.folds_within_the_ladder:
            mark_folding(axes, found, axes is left)
        axes.plot(found.ladder, np.zeros(len(found.ladder)), "|", color=MUTED,
                  markersize=7, transform=axes.get_xaxis_transform(), clip_on=False)
        axes.set_xlim(along[0], along[-1])
        axes.set_xlabel(found.axis_label)
    return figure


def sizes(found):
    """Draw radius of gyration and energy along the ladder, by MBAR and from each state's own samples."""
    figure, both = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.4))
    along = found.table(f"thermodynamics/{found.varies}")
    radii = found.radii("thermodynamics")
    columns = ((radii, "radius of gyration (nm)", "Size", (BLUE, GREEN, ORANGE, SKY)),
               ({"": "potential_energy"}, "potential energy (kJ/mol)", "Energy", (VERMILION,)))
    for axes, (names, label, title, colours) in zip(both, columns):
        for (species, name), colour in zip(names.items(), cycle(colours)):
            mean, error = found.table(f"thermodynamics/{name}").T
            axes.fill_between(along, mean - error, mean + error, color=colour, alpha=0.25, linewidth=0)
            axes.plot(along, mean, color=colour, linewidth=1.8, label=species)
            own, own_error, _ = found.table(f"scan/{name}").T
            axes.errorbar(found.ladder, own, yerr=np.nan_to_num(own_error), fmt="o", color=INK, markersize=4,
                          linewidth=1.2)
        if len(names) > 1:
            axes.legend(frameon=False)
        axes.set_ylabel(label)
        axes.set_title(title)
        axes.set_xlabel(found.axis_label)
    return figure


def chain(found):
    """Draw the distance of residues over their separation along the chain, with the fit of its exponent."""
    figure, axes = plt.subplots(figsize=(WIDTH_INCH * 0.6, 3.4))
    distance, error = found.table("chain/distance"), np.nan_to_num(found.table("chain/distance_error"))
    separation = np.arange(1, len(distance) + 1)
    axes.fill_between(separation, distance - 2 * error, distance + 2 * error, color=BLUE, alpha=0.25, linewidth=0)
    axes.plot(separation, distance, color=BLUE, linewidth=1.8)
    exponent = found.table("chain/scaling_exponent")[0]
    if np.isfinite(exponent):
        first, last = found.table("chain/scaling_range")
        along = np.array([first, last])
        axes.plot(along, found.table("chain/scaling_length") * along**exponent, color=VERMILION, linewidth=1.2,
                  linestyle=(0, (4, 2)), label=f"power {exponent:.3f}")
        axes.legend(frameon=False)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("separation along the chain (residues)")
    axes.set_ylabel("distance (nm)")
    return figure


def umbrella_profile(found):
    """Draw the free energy of the umbrella variable and mean Q along it, both unbiased."""
    variable = found.table(f"umbrella/{found.umbrella_variable.replace('-', '_')}")
    profile, error = found.table("umbrella/free_energy"), found.table("umbrella/free_energy_error")
    piece = found.tables.get("umbrella/piece", np.where(np.isfinite(profile), 0, -1)).astype(int)
    figure, (above, below) = plt.subplots(2, 1, figsize=(WIDTH_INCH, 5.2), sharex=True)
    for one in range(piece.max() + 1):  # no line crosses a gap
        own = piece == one
        above.fill_between(variable[own], (profile - error)[own], (profile + error)[own], color=VERMILION,
                           alpha=0.25, linewidth=0)
        above.plot(variable[own], profile[own], color=VERMILION, linewidth=1.8)
        below.plot(variable[own], found.table("umbrella/native_fraction")[own], color=BLUE, linewidth=1.8)
    above.set_ylim(bottom=0)
    above.set_ylabel("free energy (kJ/mol)" if piece.max() < 1 else "free energy of each piece (kJ/mol)")
    below.set_ylim(0, 1.02)
    below.yaxis.set_major_formatter(PercentFormatter(1))
    below.set_ylabel("mean native contacts ⟨Q⟩")
    below.plot(found.ladder, np.zeros(len(found.ladder)), "|", color=MUTED, markersize=7,
               transform=below.get_xaxis_transform(), clip_on=False)
    below.set_xlabel(f"{found.umbrella_variable.replace('-', ' ')} (nm)")
    figure.align_ylabels()
    return figure


def free_energy(found):
    """Draw F(Q) at the folding state in kT, with the windows of the phi values."""
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 3.6))
    q = found.table("free_energy/native_fraction")
    profile = found.table("free_energy/at_folding_temperature") / found.folding_kt
    seen = np.isfinite(profile)
    axes.plot(q[seen], profile[seen], "o-", color=INK, markersize=3.5, linewidth=1.8)
    if found.has("free_energy/at_folding_temperature_error"):
        error = found.table("free_energy/at_folding_temperature_error") / found.folding_kt
        error_band(axes, q[seen], profile[seen], error[seen], INK)
    highest = max(min(np.max(profile[seen]), HIGHEST_KT), 1)
    axes.set_ylim(0, 1.25 * highest)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel("native contacts Q")
    axes.set_ylabel(f"F(Q) at the folding {found.varies.replace('_', ' ')} (kT)")
    if found.has("folding_order/windows"):
        labels = []
        for (name, colour), (low, high) in zip(WINDOWS, found.table("folding_order/windows")):
            axes.axvspan(low, high, color=colour, alpha=0.15, linewidth=0)
            labels.append(axes.text((low + high) / 2, 0.97, name, transform=axes.get_xaxis_transform(), ha="center",
                                    va="top", color=DARK_ORANGE if colour == ORANGE else colour, fontsize=9,
                                    fontweight="bold"))
        rows = keep_apart(axes, labels)
        axes.set_ylim(0, (1.25 + 0.1 * (rows - 1)) * highest)  # space for them above the curve
    return figure


def folding_order(found):
    """Draw Q_i in the three windows, and phi values below it."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(WIDTH_INCH, 5.2), sharex=True)
    fraction, phi = found.table("folding_order/fraction"), found.table("folding_order/phi")
    residue = np.arange(1, len(phi) + 1)
    for (name, colour), row in zip(WINDOWS, fraction):
        above.plot(residue, row, "o-", color=colour, markersize=3, linewidth=1.4, label=name)
    above.set_ylim(0, 1.02)
    above.set_ylabel("native contacts formed, $Q_i$")
    above.legend(loc="upper center", ncols=3, bbox_to_anchor=(0.5, 1.14))
    known = np.isfinite(phi)
    below.bar(residue[known], phi[known], width=0.8, color=ORANGE)
    below.axhline(0, color=INK, linewidth=0.8)
    low, high = np.min(phi[known], initial=0), np.max(phi[known], initial=1)
    below.set_ylim(min(0, 1.08 * max(low, -1)), 1.08 * min(high, 2))
    below.set_ylabel("φ value")
    below.set_xlabel("residue, counted from 1")
    below.set_xlim(0.2, len(phi) + 0.8)
    below.xaxis.set_major_locator(MaxNLocator(12, integer=True))
    figure.align_ylabels()
    return figure


def draw_matrix(axes, residue, values, title, label):
    axes.grid(False)
    edge = (residue[0] - 0.5, residue[-1] + 0.5)
    shown = np.full((residue[-1] - residue[0] + 1,) * 2, np.nan)  # gaps separate the chains
    place = residue - residue[0]
    shown[np.ix_(place, place)] = values
    image = axes.imshow(shown, origin="lower", interpolation="nearest", extent=edge + edge, vmin=0, vmax=1,
                        cmap=STRENGTH)
    axes.set_title(title)
    axes.set_xlabel("residue of θ")
    axes.set_ylabel("residue of θ")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(8, integer=True))
    colour_bar(axes, image, label)


def all_contacts(table, extent):
    """Draw the contact frequency of residues, native or not."""
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 0.55 * WIDTH_INCH))
    axes.grid(False)
    image = axes.imshow(table, origin="lower", interpolation="nearest", cmap=STRENGTH, vmin=0,
                        extent=(0.5, extent[1] + 0.5, 0.5, extent[0] + 0.5))
    axes.set_xlabel("residue")
    axes.set_ylabel("residue")
    colour_bar(axes, image, "share of samples")
    return figure


def phase_locking(locking):
    """Draw the locking of pseudo-dihedrals, and its part beyond each one's stiffness."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.5))
    draw_matrix(left, locking.residue, np.abs(locking.locked), "Phase locking",
                "$|C_{ij}|$")
    tied = np.abs(locking.connected)
    np.fill_diagonal(tied, np.nan)
    strongest = max(np.nanmax(tied, initial=0), 0.05)
    draw_matrix(right, locking.residue, tied, "Beyond each one's stiffness", r"$|\rho_{ij}|$")
    right.images[0].set_clim(0, min(1, 1.02 * strongest))
    return figure


def draw_surface(axes, found, name, label):
    axes.grid(False)
    kt = K_BOLTZMANN * found.table(f"landscape/{name}_temperature")
    surface = found.table(f"landscape/of_{name}") / kt
    q, other = found.table("landscape/native_fraction"), found.table(f"landscape/{name}_bins")
    seen = np.isfinite(surface).any(axis=0)
    first, last = np.argmax(seen), len(seen) - np.argmax(seen[::-1])
    surface, other = surface[:, max(first - 1, 0):last + 1], other[max(first - 1, 0):last + 1]
    visited = np.isfinite(surface).any(axis=1)  # proteins with few contacts have impossible bins of Q
    surface, q = surface[visited], q[visited]
    levels = np.arange(0, HIGHEST_KT + 0.5, 1)
    # Unvisited bins get the highest visited value, so that contours end there.
    filled = np.where(np.isfinite(surface), surface, HIGHEST_KT + 3).T
    drawn = axes.contourf(q, other, filled, levels=levels, cmap=DEPTH)
    axes.contour(q, other, filled, levels=levels[1::2], colors="white", linewidths=0.5, alpha=0.7)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel("native contacts Q")
    axes.set_ylabel(label)
    return drawn


def landscape(found):
    """Draw the free energy over Q and potential energy, and over Q and radius of gyration."""
    surfaces = [(name, label) for name, label in (("energy", "potential energy (kJ/mol)"),
                                                  ("size", "radius of gyration (nm)"))
                if found.has(f"landscape/of_{name}")]
    figure, axes = plt.subplots(1, len(surfaces), figsize=(WIDTH_INCH, 3.7), squeeze=False)
    for one, (name, label) in zip(axes[0], surfaces):
        drawn = draw_surface(one, found, name, label)
    bar = figure.colorbar(drawn, ax=axes[0], shrink=0.85, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label("free energy (kT)")
    return figure


def contact_map(found, place):
    """Draw each native contact's frequency near a place along the ladder; below the diagonal, at the barrier."""
    state = found.nearest_state(place)
    low, high = np.sort(found.table("contacts/residues").astype(int), axis=1).T
    size = high.max() + 1
    shown = np.full((size, size), np.nan)
    shown[high, low] = found.table("contacts/probability")[state]
    at_pass = contacts_at_the_pass(found)
    if at_pass is not None:
        shown[low, high] = at_pass
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 5.2))
    axes.grid(False)
    axes.set_facecolor("#f0f0f0")  # background without native contacts
    edge = (0.5, size + 0.5)
    drawn = axes.imshow(shown, origin="lower", interpolation="nearest", extent=edge + edge, cmap=STRENGTH,
                        vmin=0, vmax=1)
    axes.plot(edge, edge, color=MUTED, linewidth=0.8)
    axes.text(0, 1.02, f"\u25e4 at {found.describe_place(found.ladder[state])}", transform=axes.transAxes,
              fontweight="bold", color=INK)
    if at_pass is not None:
        axes.text(1, 1.02, "transition state \u25e2", transform=axes.transAxes, ha="right",
                  fontweight="bold", color=DARK_ORANGE)
    axes.set_xlabel("residue, counted from 1")
    axes.set_ylabel("residue, counted from 1")
    colour_bar(axes, drawn, "probability that it is formed")
    return figure


def contacts_at_the_pass(found):
    """Contact means (contacts) over the transition state's bins of Q and the states near it."""
    if not found.has("folding_order/windows"):
        return None
    low, high = found.table("folding_order/windows")[1]
    centres = found.table("contacts/native_fraction")
    given = found.table("contacts/probability_given_native_fraction")
    states = found.table("folding_order/states").astype(int)
    inside = (centres > low) & (centres < high)
    rows = given[np.ix_(states, np.flatnonzero(inside))].reshape(-1, given.shape[2])
    rows = rows[np.isfinite(rows[:, 0])]
    return rows.mean(axis=0) if len(rows) else None


def residue_energies(count, edges):
    """Draw the median and the middle nine tenths of each residue's energy in one state."""
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 3))
    draw_residue_energies(axes, count, edges, VERMILION)
    axes.set_xlabel("residue, counted from 1")
    return figure


def survival(found):
    """Draw the fraction of replicas not yet folded or unfolded over time, with the exponential of the mean time."""
    ways = [(way, title) for way, title in (("folding", "Not yet folded"), ("unfolding", "Not yet unfolded"))
            if found.has(f"kinetics/{way}_survival")]
    figure, all_axes = plt.subplots(1, len(ways), figsize=(WIDTH_INCH, 3.6), squeeze=False)
    time_ns = found.table("kinetics/time") / 1000
    for axes, (way, title) in zip(all_axes[0], ways):
        share, error = found.table(f"kinetics/{way}_survival"), found.table(f"kinetics/{way}_survival_error")
        means = found.table(f"kinetics/{way}_mean_time")[:, 0] / 1000
        for state, colour in zip(spread_states(len(share)), (BLUE, VERMILION, GREEN, ORANGE)):
            band = 2 * np.nan_to_num(error[state])
            axes.fill_between(time_ns, np.clip(share[state] - band, 0, 1), np.clip(share[state] + band, 0, 1),
                              step="post", color=colour, alpha=0.18, linewidth=0)
            axes.step(time_ns, share[state], where="post", color=colour, linewidth=1.7,
                      label=found.describe_place(found.ladder[state]))
            if np.isfinite(means[state]) and means[state] > 0:
                axes.plot(time_ns, np.exp(-time_ns / means[state]), color=colour, linewidth=1, linestyle=(0, (4, 3)))
        axes.set_title(title)
        axes.set_xlim(time_ns[0], time_ns[-1])
        axes.set_ylim(0, 1.03)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.set_xlabel("time of the model (ns)")
        axes.legend(loc="lower left")
    all_axes[0][0].set_ylabel("share of the replicas")
    return figure


def spread_states(states, most=4):
    """Indices of at most `most` states, evenly over the ladder."""
    return np.unique(np.linspace(0, states - 1, min(states, most)).astype(int))


def exchange(found):
    """Draw acceptance between neighbours and the flow of replicas between the ends of the ladder."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.4))
    acceptance, flow = found.table("exchange/acceptance"), found.table("exchange/flow")
    gaps = np.arange(1, len(acceptance) + 1)
    left.bar(gaps, acceptance, width=0.7, color=BLUE)
    left.set_ylim(0, 1)
    left.yaxis.set_major_formatter(PercentFormatter(1))
    left.xaxis.set_major_locator(MaxNLocator(12, integer=True))
    left.grid(axis="x", visible=False)
    left.set_title("Exchanges accepted")
    left.set_xlabel("from this state to the next, counted from 1")
    left.set_xlim(0.4, len(gaps) + 0.6)
    left.set_ylabel("share of the attempts")
    states = np.arange(1, len(flow) + 1)
    right.plot([1, len(flow)], [1, 0], color=MUTED, linewidth=1, linestyle=(0, (4, 3)), label="best")
    seen = np.isfinite(flow)
    right.plot(states[seen], flow[seen], "o-", color=VERMILION, markersize=4, linewidth=1.6, label="found")
    right.set_ylim(-0.02, 1.02)
    right.yaxis.set_major_formatter(PercentFormatter(1))
    right.xaxis.set_major_locator(MaxNLocator(12, integer=True))
    right.set_title("Flow through the ladder")
    right.set_xlabel("state, counted from 1")
    right.set_ylabel("of those there, came from state 1")
    right.legend()
    return figure
