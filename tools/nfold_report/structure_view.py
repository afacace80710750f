# View of the trajectory in three dimensions: Mol*, its data and its code, all in the page.
# SPDX-License-Identifier: BSD-3-Clause

import base64
import gzip
import html
import struct
from importlib import resources

import numpy as np

from .in_words import count
from .observables import superposed

MOST_BEADS = 150_000  # limit of residues times frames, about 1 MB of the page
MOST_FRAMES = 100
GRID_ANGSTROM = 1 / 32  # coordinates are rounded, so that they compress
COLUMNS = ("group_PDB", "id", "type_symbol", "label_atom_id", "label_comp_id", "label_asym_id", "label_entity_id",
           "label_seq_id", "Cartn_x", "Cartn_y", "Cartn_z", "auth_seq_id", "auth_asym_id", "pdbx_PDB_model_num")
# The code of the viewer runs when the reader asks for it, so that a page opens at once.
SCRIPT = """
async function unpack(id) {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
async function showStructure(button) {
  const text = async id => new TextDecoder().decode(await unpack(id));
  const add = (kind, content) => document.head.append(Object.assign(document.createElement(kind), {textContent: content}));
  button.disabled = true;
  try {
    add("style", await text("molstar-style"));
    add("script", await text("molstar-code"));
    button.parentNode.replaceChildren();
    const viewer = await molstar.Viewer.create("molstar", {
      layoutIsExpanded: false, layoutShowControls: false, layoutShowRemoteState: false, viewportShowAnimation: true,
      viewportShowXR: "never", powerPreference: "low-power"});
    await viewer.loadTrajectory({preset: "default",
      model: {kind: "model-data", data: await text("structure-model"), format: "mmcif"},
      coordinates: {kind: "coordinates-data", data: await unpack("structure-frames"), format: "dcd"}});
  } catch (failure) {
    document.getElementById("molstar").textContent = "This browser cannot show the structure: " + failure;
  }
}
"""


def packed(name, content):
    """Element of the page with compressed content."""
    text = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    return f'<script type="application/gzip" id="{name}">{text}</script>\n'


def chosen_frames(trajectory):
    """Evenly spread frames, the last among them; none if a single one is too large."""
    frames, residues = trajectory.positions_nm.shape[:2]
    number = min(frames, MOST_FRAMES, MOST_BEADS // residues)
    return np.unique(np.linspace(frames - 1, 0, number).astype(int)) if number else np.array([], int)


def chain_numbers(chains):
    """Number of each residue's chain; a chain ends where the name changes."""
    return np.cumsum([0] + [one != before for before, one in zip(chains, chains[1:])])


def placed(trajectory, frames):
    """Positions [nm] of frames, (frames, residues, 3). In a box all are moved so that their common centre, a circular
    mean, is its middle, and chains then enter as a whole; without one, frames are superposed on the last."""
    x = trajectory.positions_nm[frames]
    chain = chain_numbers(trajectory.chains)
    if trajectory.box_nm is None or chain[-1] == 0:
        return np.array([superposed(one, x[-1]) for one in x])
    box = trajectory.box_nm[frames][:, None]
    length = np.where(box > 0, box, np.inf)
    turns = np.exp(2j * np.pi * x / length)
    centre = np.where(box > 0, np.angle(turns.sum(axis=1, keepdims=True)) / (2 * np.pi) * box, x.mean(axis=1, keepdims=True))
    x = x - centre
    first = np.searchsorted(chain, np.arange(chain[-1] + 1))
    centres = np.add.reduceat(x, first, axis=1) / np.diff(np.append(first, len(chain)))[:, None]
    return x - np.where(box > 0, box * np.round(centres / length), 0)[:, chain]


def mmcif(trajectory, x_nm):
    """mmCIF of one frame. Every residue is declared to be part of a polymer, as beads of RNA and modified residues are."""
    chain = chain_numbers(trajectory.chains)
    first = np.searchsorted(chain, chain)
    names = [name or "UNK" for name in trajectory.names]
    text = ["data_structure", "_entity.id 1", "_entity.type polymer", "loop_", "_chem_comp.id", "_chem_comp.type"]
    text += [f"'{name}' 'L-peptide linking'" for name in sorted(set(names))]
    text += ["loop_", *(f"_atom_site.{column}" for column in COLUMNS)]
    for i, (name, (x, y, z)) in enumerate(zip(names, 10 * x_nm)):
        text.append(f"ATOM {i + 1} C CA '{name}' C{chain[i] + 1} 1 {i - first[i] + 1} {x:.2f} {y:.2f} {z:.2f} "
                    f"{trajectory.numbers[i]} '{trajectory.chains[i] or 'A'}' 1")
    return "\n".join(text + ["#\n"]).encode()


def dcd(x_nm):
    """DCD of frames, without a box."""
    def record(content):
        return struct.pack("<i", len(content)) + content + struct.pack("<i", len(content))
    frames, residues = x_nm.shape[:2]
    head = struct.pack("<4s9if10i", b"CORD", frames, 0, 1, frames, 0, 0, 0, 0, 0, 1, *[0] * 9, 24)
    grid = (np.round(10 * x_nm / GRID_ANGSTROM) * GRID_ANGSTROM).astype("<f4")
    return b"".join([record(head), record(struct.pack("<i80s", 1, b"nfold".ljust(80))), record(struct.pack("<i", residues)),
                     *(record(frame[:, axis].tobytes()) for frame in grid for axis in range(3))])


def viewer_parts():
    """(code, style, version, licence) of Mol*."""
    folder = resources.files("molstar_cli") / "static" / "molstar"
    return ((folder / "molstar.js").read_bytes(), (folder / "molstar.css").read_bytes(),
            (folder / "VERSION").read_text().strip(), (folder / "LICENSE.molstar").read_text())


def add_structure(sections, trajectory):
    """Add the section with the view, if there is a frame that is small enough."""
    frames = chosen_frames(trajectory) if trajectory is not None else []
    if not len(frames):
        return
    x_nm = placed(trajectory, frames)
    code, style, version, licence = viewer_parts()
    shown = count(len(frames), "frame") + (f" of {len(trajectory.time_ps):,}" if len(frames) < len(trajectory.time_ps) else "")
    text = (f"{shown}, by Mol* {html.escape(version)} (MIT licence): drag to turn, scroll to zoom, and play the frames by the buttons "
            "at the top left. A ribbon is Mol*&rsquo;s guess from the beads alone.")
    content = ('<div id="molstar" class="structure"><button type="button" onclick="showStructure(this)">'
               f"Show the structure in 3-D</button></div>\n<!-- Mol*: {html.escape(licence)} -->\n" +
               packed("molstar-code", code) + packed("molstar-style", style) +
               packed("structure-model", mmcif(trajectory, x_nm[0])) + packed("structure-frames", dcd(x_nm)) +
               f"<script>{SCRIPT}</script>")
    sections.add_content("structure", "Structure in 3-D", text, content)
