# Section of a batch's page with the phases of its slabs.
# SPDX-License-Identifier: BSD-3-Clause

import html
import math

from .chain_table import measured, plain
from .in_words import with_error
from .page import Column, Row, picture, table_html
from .phase_figures import diagram
from .phase_folder import number, read_profiles, read_proteins
from .run_folder import RunFolderError
from .style import to_svg


def or_bound(head, title, column, error_column, bound_column, sign):
    """Column of a mean with its error, or of a bound."""
    def cell(target):
        bound = target.number(bound_column)
        if math.isfinite(bound):
            return f"{sign} {bound:.2g}"
        value = target.number(column)
        return with_error(value, target.number(error_column)) if math.isfinite(value) else ""

    def order(target):
        value = target.number(column)
        return value if math.isfinite(value) else target.number(bound_column)
    return head, title, cell, order


COLUMNS = (
    plain("T, K", "", "temperature_kelvin", 4),
    or_bound("Dilute, mg/ml", "Mean concentration of the dilute phase; <: upper bound of 95 %", "dilute_mg_ml",
             "dilute_error_mg_ml", "dilute_upper_bound_mg_ml", "&lt;"),
    measured("Dense, mg/ml", "Mean concentration of the dense phase", "dense_mg_ml", "dense_error_mg_ml"),
    or_bound("&Delta;G, kJ/mol", "Transfer of a chain into the dense phase", "transfer_free_energy_kj_mol",
             "transfer_free_energy_error_kj_mol", "transfer_free_energy_upper_bound_kj_mol", "&lt;"),
    measured("Interface, nm", "Width of the tanh of its profile", "interface_width_nm", "interface_width_error_nm"),
    measured("&gamma;, mN/m", "Surface tension", "surface_tension_mn_m", "surface_tension_error_mn_m"),
)
CLIENT = or_bound("Client, dense : dilute", "Partition of the client", "client_partition", "client_partition_error",
                  "client_partition_lower_bound", "&gt;")


def critical_points(proteins):
    """Sentences on the critical points, as HTML."""
    lines = []
    for protein in proteins:
        kelvin = number(protein.binodal, "critical_temperature_kelvin")
        if math.isfinite(kelvin):
            point = with_error(kelvin, number(protein.binodal, "critical_temperature_error_kelvin"))
            middle = with_error(number(protein.binodal, "critical_concentration_mg_ml"),
                                number(protein.binodal, "critical_concentration_error_mg_ml"))
            lines.append(f"{html.escape(protein.name)}: critical point at {point} K and {middle} mg/ml")
        elif protein.binodal:
            lines.append(f"{html.escape(protein.name)}: {html.escape(protein.binodal['reason'])}")
    return "".join(f"<li>{line}</li>" for line in lines)


def phases_section(batch, slabs, pill, attributes):
    """HTML of the section. pill: makes HTML of a verdict; attributes: makes those of a row."""
    columns = (*COLUMNS, CLIENT) if any(target.text("client") for target in slabs) else COLUMNS
    heads = [Column("Slab", True, sorts=True), Column("Verdict", True, sorts=True),
             *(Column(head, False, title, sorts=True) for head, title, _, _ in columns)]
    rows = [Row([html.escape(target.name),
                 f'<span title="{html.escape(target.text("reason"))}">{pill(target.text("verdict"))}</span>',
                 *(cell(target) for _, _, cell, _ in columns)],
                [target.name, target.text("verdict"), *(order(target) for _, _, _, order in columns)],
                f' id="{html.escape(target.name)}"{attributes(target)}') for target in slabs]
    try:
        proteins = read_proteins(batch.folder)
        figure = picture(to_svg(diagram(proteins, read_profiles(batch.folder))), "Density profiles and phase diagram")
        points = f"<ul>{critical_points(proteins)}</ul>"
    except RunFolderError:
        figure = points = ""  # parts of a list have tables of their own
    return ('<section><div class="tools"><h2>Phases <small>a head sorts</small></h2>'
            '<input type="search" placeholder="name, verdict&hellip;" aria-label="Show only"></div>'
            "<p>Means with standard errors, or bounds of 95 %; a cell is empty where the samples do not carry the number."
            f"</p>{figure}{points}{table_html(heads, rows)}</section>")
