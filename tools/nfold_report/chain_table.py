# Section of a batch's page with the sizes and shapes of its chains.
# SPDX-License-Identifier: BSD-3-Clause

import html
import math

import numpy as np

from .batch_folder import read_chain_distances
from .in_words import with_error
from .page import Column, Row, table_html
from .run_folder import RunFolderError

WIDTH, HEIGHT, MARGIN = 96, 34, 2  # size of a small plot in pixels
MOST_POINTS = 40


def number(target, column, error_column):
    value = target.number(column)
    return with_error(value, target.number(error_column)) if math.isfinite(value) else ""


def measured(head, title, column, error_column):
    """Column of a mean with its error."""
    return head, title, lambda t: number(t, column, error_column), lambda t: t.number(column)


def plain(head, title, column, digits):
    """Column of a number without error."""
    return (head, title, lambda t: f"{t.number(column):.{digits}g}" if math.isfinite(t.number(column)) else "",
            lambda t: t.number(column))


# (heading, explanation, function for the cell, function for the order)
COLUMNS = (
    plain("Residues", "", "residues", 9),
    plain("Charge, e", "Net charge, as the model has it, with both ends", "net_charge_e", 3),
    plain("f<sub>+</sub>", "Positive charges per residue", "positive_fraction", 2),
    plain("f<sub>&minus;</sub>", "Negative charges per residue", "negative_fraction", 2),
    plain("SCD", "Charge decoration: the more negative, the more opposite charges are apart (Sawle and Ghosh 2015)",
          "charge_decoration_e2", 3),
    plain("&kappa;", "Segregation of opposite charges: 0 mixed, 1 apart (Das and Pappu 2013)", "charge_segregation", 2),
    measured("R<sub>g</sub>, nm", "Mean radius of gyration", "radius_of_gyration_nm", "radius_of_gyration_error_nm"),
    measured("R<sub>ee</sub>, nm", "Mean distance of both ends", "end_to_end_nm", "end_to_end_error_nm"),
    measured("&nu;", "Scaling exponent: the distance of residues grows as |i - j| to this power", "scaling_exponent",
             "scaling_exponent_error"),
    measured("R<sub>h</sub>, nm", "Hydrodynamic radius by Kirkwood's formula", "hydrodynamic_radius_nm",
             "hydrodynamic_radius_error_nm"),
    measured("Asphericity", "0 of a sphere, 1 of a rod, 0.53 of an ideal chain", "asphericity", "asphericity_error"),
)


def small_plot(target, distances):
    """SVG of distance over separation on logarithmic axes, with the line of an ideal chain through its first point."""
    if distances is None or len(distances) < 2:
        return ""
    separation = np.unique(np.geomspace(1, len(distances), MOST_POINTS).astype(int))
    x, y = np.log(separation), np.log(distances[separation - 1])
    ideal = y[0] + 0.5 * (x - x[0])
    low, high = min(y.min(), ideal.min()), max(y.max(), ideal.max())

    def points(values):
        across = MARGIN + (WIDTH - 2 * MARGIN) * x / x[-1]
        up = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (values - low) / (high - low)
        return " ".join(f"{a:.0f},{b:.1f}" for a, b in zip(across, up))

    return (f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{html.escape(target.name)}: distance over separation">'
            f'<polyline points="{points(ideal)}" fill="none" stroke="currentColor" stroke-opacity="0.35"/>'
            f'<polyline points="{points(y)}" fill="none" stroke="#0072B2" stroke-width="1.6"/></svg>')


def distances_of(batch, target):
    try:
        return read_chain_distances(batch, target)
    except RunFolderError:
        return None


def chains_section(batch, chains, pill, attributes):
    """HTML of the section. pill: makes HTML of a verdict; attributes: makes those of a row."""
    conditions = {target.text("temperature_kelvin") for target in chains}
    columns = COLUMNS
    if len(conditions) > 1:
        columns = (plain("T, K", "", "temperature_kelvin", 4), *columns)
    heads = [Column("Chain", True, sorts=True), Column("Verdict", True, sorts=True),
             *(Column(head, False, title, sorts=True) for head, title, _, _ in columns), Column("R(|i &minus; j|)")]
    rows = [Row([html.escape(target.name),
                 f'<span title="{html.escape(target.text("reason"))}">{pill(target.text("verdict"))}</span>',
                 *(cell(target) for _, _, cell, _ in columns), small_plot(target, distances_of(batch, target))],
                [target.name, target.text("verdict"), *(order(target) for _, _, _, order in columns), ""],
                f' id="{html.escape(target.name)}"{attributes(target)}') for target in chains]
    return ('<section><div class="tools"><h2>Chains <small>a head sorts</small></h2>'
            '<input type="search" placeholder="name, verdict&hellip;" aria-label="Show only"></div>'
            "<p>Means with standard errors; a cell is empty where the samples do not carry the number. Small plots: "
            "distance of residues over their separation along the chain, on logarithmic axes (blue), and the slope of "
            f"an ideal chain (grey).</p>{table_html(heads, rows)}</section>")
