# The report: figures as PNG files and one HTML page that holds them all.
# SPDX-License-Identifier: BSD-3-Clause

import base64
import html
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import condensate_figures, figures, observables, structure_figures
from .resolved_input import lookup
from .style import save

LARGEST_MAP = 3000  # residues; beyond, a map has more points than a screen

STYLE = """
:root { color-scheme: light; --ink: #1f2933; --muted: #616e7c; --line: #e4e7eb; --blue: #0072B2; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink);
       background: #f5f7fa; }
main { max-width: 940px; margin: 0 auto; padding: 32px 20px 56px; }
h1 { margin: 0; font-size: 30px; line-height: 1.2; }
h2 { margin: 0 0 4px; font-size: 19px; }
.sub { margin: 4px 0 24px; color: var(--muted); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px;
         margin-bottom: 20px; }
.tile, section { background: #fff; border: 1px solid var(--line); border-radius: 10px; }
.tile { padding: 12px 16px; }
.tile b { display: block; font-size: 23px; font-variant-numeric: tabular-nums; }
.tile span { color: var(--muted); font-size: 14px; }
section { padding: 20px 24px; margin-bottom: 20px; }
section p { margin: 0 0 12px; color: var(--muted); max-width: 75ch; }
img { display: block; width: 100%; height: auto; }
details { color: var(--muted); }
pre { overflow-x: auto; font-size: 13px; color: var(--ink); }
strong.flag { color: #a34700; }
"""


@dataclass
class Section:
    title: str
    text: str  # HTML
    picture: Path
    description: str  # of the picture, for who cannot see it


def tiles_of(run):
    """(value, what it is) of the run's end."""
    table = run.energies
    late = slice(int(0.75 * len(table["step"])), None)
    tiles = folding_tiles(run) if run.has_native_state else []
    tiles += [(f"{np.mean(table['radius_of_gyration_nm'][late]):.3g} nm",
               "radius of gyration of a chain, last quarter"),
              (f"{np.mean(table['temperature_kelvin'][late]):.4g} K", "mean temperature, last quarter")]
    return tiles + averaged_tiles(run.averages)


def folding_tiles(run):
    q = run.energies["native_fraction"]
    folded = observables.first_above(q, figures.FOLDED)
    tiles = [(f"{q[-1]:.0%}", "native contacts Q at the end"),
             (f"{run.energies['rmsd_nm'][-1]:.2g} nm", "RMSD to native at the end")]
    if folded is not None and q[0] < figures.FOLDED:
        tiles.insert(0, (f"{run.time()[folded]:.2g} {run.time_unit}",
                         f"until folded (Q > {figures.FOLDED:.0%})"))
    return tiles


def averaged_tiles(found):
    """The single numbers of NAME.observables.h5, with their errors where they are known."""
    if found is None:
        return []
    tiles = []
    for path, unit, what in (("clusters/largest", "", "chains in the largest cluster"),
                             ("pressure/mean", " bar", "pressure"),
                             ("pressure/surface_tension", " mN/m", "surface tension of a slab")):
        if path in found.tables:
            told = condensate_figures.with_error(found.table(path), found.table(path + "_error"))
            tiles.append((told + unit, what))
    return tiles


class Sections:
    """Draws PNG files into a folder and keeps the page's sections."""

    def __init__(self, folder):
        self.folder, self.all = folder, []

    def add(self, name, title, figure, text, description):
        if figure is not None:
            picture = save(figure, self.folder / f"{name}.png")
            self.all.append(Section(title, text, picture, description))


def write_sections(run, transition, folder):
    """Draws the PNG files into `folder`; the page's sections."""
    sections = Sections(folder)
    if run.has_native_state:
        add_folding(sections, run)
    if run.averages is not None:
        add_averages(sections, run)
    sections.add("energies", "Energies", figures.energies(run),
                 "The heat bath exchanges energy with the chains, so that the total is not constant."
                 if run.keeps_temperature else "Without a heat bath the total energy is constant.",
                 "Energies over time, totals and terms")
    residues = run.trajectory.positions_nm.shape[1] if run.trajectory else 0
    sections.add("temperature", "Temperature", figures.temperature(run, residues),
                 "Of the residues' kinetic energy" +
                 (", in the model's kelvin: kT = &epsilon; at 120.27 K where &epsilon; = 1 kJ/mol. "
                  "They are not a laboratory's." if run.has_native_state else "."),
                 "Temperature over time")
    if transition is not None:
        sections.all.append(transition_section(transition, folder))
    return sections.all


def add_folding(sections, run):
    frames = run.trajectory
    small = frames is not None and frames.positions_nm.shape[1] <= LARGEST_MAP
    contacts = small and len(frames.contacts) > 0 and len(frames.native_nm) > 0
    found = observables.contact_map(frames) if contacts else None
    if contacts and len(frames.time_ps) > 3:
        sections.add(
            "overview", "At a glance", structure_figures.overview(run, found),
            "The chain on its way, coloured from its first residue (dark) to its last (bright), each "
            "moment laid onto the native structure; Q and RMSD; the contact map of the last quarter.",
            "The chain at four moments, Q and RMSD over time, contact map")
    sections.add(
        "folding", "Folding", figures.folding(run),
        "Q is the share of native contacts that are formed (distance at most 1.2 times the native "
        "one). RMSD is the distance to the native structure after the best superposition. Pale: each "
        "reported value; strong: running mean.", "Q and RMSD over time")
    if contacts:
        sections.add(
            "contacts", "Contacts, native and found", structure_figures.contact_map(found),
            "Above the diagonal each native contact of the model; below it what the last quarter of "
            "the run found, darker where it was there in more of the frames.",
            "Contact map: native above the diagonal, found below")


def add_averages(sections, run):
    found = run.averages
    over = f"Over {figures.count(found.frames, 'frame')} from step {found.first_step:,} on. "
    if found.has("density_profile"):
        sections.add("density_profile", "Density profile", condensate_figures.density_profile(found),
                     over + "Each frame about the centre of its slab; the band is the standard error by "
                     "blocking. Concentration is mass per volume.", "Concentration across the slab")
    if found.has("clusters"):
        sections.add("clusters", "Clusters", condensate_figures.clusters(found),
                     f"Chains of which two residues are closer than "
                     f"{found.table('clusters/cutoff'):.3g} nm are in one cluster.",
                     "Shares of chains and of frames over the size of a cluster")
    if found.has("chain_sizes"):
        sections.add("chain_sizes", "Sizes of the chains", condensate_figures.chain_sizes(found),
                     over + "Distribution over chains and frames; the dashed line is the mean, its error by "
                     "blocking.", "Distributions of radius of gyration and end-to-end distance")
    if found.has("contact_maps"):
        sections.add("contact_maps", "Contacts", condensate_figures.contact_maps(found),
                     f"Residues closer than {found.table('contact_maps/cutoff'):.3g} nm, per frame and "
                     "chain of the first species. Colours go with the square root. Within a chain, "
                     "neighbours along it are left out.", "Contact maps within and between species")
    if found.has("mean_square_displacement"):
        sections.add("displacement", "Motion of the chains", condensate_figures.displacement(found),
                     "Mean square displacement of the chains' centres, without the motion of the whole "
                     "system; Langevin friction makes it the model's, not a solvent's.",
                     "Mean square displacement over lag")


def transition_section(run, folder):
    contacts = 100 if run.trajectory is None else max(len(run.trajectory.contacts), 1)
    found = observables.free_energy(run.energies["native_fraction"], run.kt_kj_mol, contacts)
    verdict = figures.count(found.transitions, "transition")
    if found.illustrative:
        text = (f'<strong class="flag">Illustrative: {verdict}.</strong> A sound F(Q) needs at least '
                f"{observables.ENOUGH_TRANSITIONS}, better tens; the depth of one basin against the "
                "other means little here.")
    else:
        text = f"From a run with {verdict}."
    text += (f" Run <b>{html.escape(run.name)}</b>, {figures.length_of_run(run)}, without its first "
             f"5&nbsp;%. A transition goes from Q &lt; {observables.UNFOLDED_Q} to Q &gt; "
             f"{observables.FOLDED_Q} or back; wandering about one threshold does not count.")
    return Section("Free energy along Q", text,
                   save(figures.free_energy(run, found), folder / "free_energy.png"),
                   f"Free energy over Q and the trace of Q it comes from, {verdict}")


def embedded(path):
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()


def render(run, sections):
    settings = (run.folder / f"{run.name}.input.yaml").read_text()
    residues = "" if run.trajectory is None else f"{run.trajectory.positions_nm.shape[1]} residues, "
    precision = lookup(run.settings, "dynamics.precision", "")
    subtitle = (f"{residues}{figures.length_of_run(run)} at {run.temperature_kelvin:.4g} K"
                f"{' of the model' if run.has_native_state else ''},\n{precision} precision, simulated by nfold")
    return page_text(run.name, subtitle, tiles_of(run), sections, settings)


def page_text(name, subtitle, tiles, sections, settings):
    """The page; it refers to nothing outside. tiles: (value, what it is); settings: the input's text."""
    boxes = "".join(f'<div class="tile"><b>{value}</b><span>{html.escape(what)}</span></div>'
                    for value, what in tiles)
    body = "".join(
        f"<section><h2>{section.title}</h2><p>{section.text}</p>"
        f'<img alt="{html.escape(section.description)}" src="{embedded(section.picture)}"></section>'
        for section in sections)
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(name)}: nfold report</title><style>{STYLE}</style></head>
<body><main>
<h1>{html.escape(name)}</h1>
<p class="sub">{subtitle}</p>
<div class="tiles">{boxes}</div>
{body}
<details><summary>Input, with every default</summary><pre>{html.escape(settings)}</pre></details>
</main></body></html>
"""


def write_report(run, transition, folder):
    """Writes report.html and the PNG files into `folder`; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "report.html"
    page.write_text(render(run, write_sections(run, transition, folder)), encoding="utf-8")
    return page
