# Style of figures: colours for colour-blind readers, sizes, units on the axes.
# SPDX-License-Identifier: BSD-3-Clause

import io
import re
import sys
import textwrap

import matplotlib
from matplotlib.colors import LinearSegmentedColormap
from PIL import Image

if "matplotlib.pyplot" not in sys.modules:  # a notebook has chosen its backend
    matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

# palette of Okabe and Ito
BLUE, VERMILION, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, SKY, ORANGE = "#CC79A7", "#56B4E9", "#E69F00"
DARK_ORANGE = "#8a5a00"  # for text, since orange is too pale
INK, MUTED, GRID = "#1f2933", "#616e7c", "#e4e7eb"
# From white for zero to nearly black: the order of the shades is visible in grey too.
STRENGTH = LinearSegmentedColormap.from_list(
    "strength", ["#ffffff", "#dbeaf5", SKY, BLUE, "#003a5c", "#001a2c"])
WIDTH_INCH = 8.0
DOTS_PER_INCH = 160

RC = {
    "figure.dpi": DOTS_PER_INCH, "savefig.dpi": DOTS_PER_INCH, "figure.constrained_layout.use": True,
    "axes.facecolor": "none", "svg.fonttype": "none",
    "font.family": "DejaVu Sans", "font.size": 10, "axes.labelsize": 10.5, "axes.titlesize": 11,
    "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.edgecolor": MUTED,
    "axes.labelcolor": INK, "axes.titlecolor": INK, "text.color": INK, "xtick.color": MUTED,
    "ytick.color": MUTED, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": GRID, "grid.linewidth": 0.8, "axes.axisbelow": True, "legend.frameon": False,
    "legend.fontsize": 9, "lines.solid_capstyle": "round", "axes.titlepad": 8,
}
plt.rcParams.update(RC)


def colour_bar(axes, image, label):
    """Colour bar as high as the axes and beside them, so that it never overlaps a title."""
    bar = axes.figure.colorbar(image, cax=axes.inset_axes([1.03, 0, 0.045, 1]))
    bar.outline.set_visible(False)
    bar.set_label(label)
    return bar


def wrapped(text, characters):
    """Text in at most two lines; a longer one ends in dots."""
    lines = textwrap.wrap(text, characters) or [""]
    return "\n".join(lines if len(lines) <= 2 else [lines[0], lines[1][:characters - 1] + "\u2026"])


def text_boxes(texts, renderer, margin=2):
    """Bounding box of each text, with a margin in dots."""
    return [text.get_window_extent(renderer).padded(margin) for text in texts]


def keep_apart(axes, texts, step=0.075):
    """Move labels, whose heights are fractions of the axes, down by rows until none overlaps another, and sideways
    into the axes. Return the number of rows."""
    figure = axes.figure
    figure.canvas.draw()  # constrained layout has positions only after drawing
    renderer = figure.canvas.get_renderer()
    inside, turn = axes.get_window_extent(renderer), axes.transData.inverted()
    placed, rows = [], 1
    for text in texts:
        box = text.get_window_extent(renderer)
        shift = max(inside.x0 - box.x0, 0) or min(inside.x1 - box.x1, 0)
        x, y = text.get_position()
        text.set_x(x + turn.transform((shift, 0))[0] - turn.transform((0, 0))[0])
        row = 1
        while any(text_boxes([text], renderer)[0].overlaps(other) for other in placed):
            row += 1
            text.set_y(y - (row - 1) * step)
        rows = max(rows, row)
        placed += text_boxes([text], renderer)
    return rows


def to_svg(figure):
    """Bytes of an SVG picture without a background, with text kept as text."""
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", facecolor="none", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    figure.set_layout_engine("none")  # the layout is final: a PNG of the figure need not compute it again
    text = re.sub(r"(\.\d\d)\d+", r"\1", drawn.getvalue())  # hundredths of a point are precise enough
    text = re.sub(r"<!--.*?-->|<!DOCTYPE[^>]*>|(?<=<g) id=\"[^\"]*\"", "", text, flags=re.DOTALL)  # comments, doctype and ids without references
    text = re.sub(r"\s*\n\s*", "\n", text)
    return text.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif").encode()


def save(figure, path):
    """Write a PNG of 128 colours, a third of the size without visible loss. The path's ending selects other formats."""
    if not str(path).endswith(".png"):
        figure.savefig(path)
        plt.close(figure)
        return path
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", facecolor="white")
    plt.close(figure)
    image = Image.open(drawn).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    return path
