# Layout of a page of tools/report.py: heading, numbers, figures, files and commands in one file.
# SPDX-License-Identifier: BSD-3-Clause

import base64
import datetime
import html
import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from .page_files import COMPARED, FIGURES
from .style import save, to_svg

# Pictures are transparent and drawn for a light page. A dark page inverts their lightness.
STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --muted: #52606d; --line: #e4e7eb; --blue: #0072B2; --page: #f5f7fa;
        --card: #fff; --button: #cbd2d9; --flag: #a34700; --notice: #fdf0d0; --notice-line: #f0d48a; --notice-ink: #5f3f00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --muted: #a4b0bc; --line: #353e47; --blue: #6cb8f0; --page: #12161a; --card: #1b2026;
          --button: #4a5661; --flag: #ffab6b; --notice: #3a2f12; --notice-line: #6b571f; --notice-ink: #f5dfa6; }
  img { filter: invert(1) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
       color: var(--ink); background: var(--page); }
main { max-width: 940px; margin: 0 auto; padding: 32px 20px 56px; }
h1 { margin: 0; font-size: 30px; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 0 0 4px; font-size: 19px; }
a { color: var(--blue); text-decoration: none; }
a:hover { text-decoration: underline; }
.sub { margin: 4px 0 16px; color: var(--muted); overflow-wrap: anywhere; }
.lead { margin: 0 0 20px; font-size: 18px; max-width: 75ch; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 20px; font-size: 14px; }
.notice { margin: 0 0 20px; padding: 10px 16px; background: var(--notice); border: 1px solid var(--notice-line);
          border-radius: 10px; color: var(--notice-ink); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 168px), 1fr)); gap: 12px;
         margin-bottom: 20px; }
.tile, section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tile { padding: 12px 14px; }
.tile b { display: block; font-size: 21px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tile small { font-size: 13px; font-weight: 600; }
.tile.unsure b, .tile.unsure small { font-weight: 400; color: var(--muted); }
.tile span { display: block; margin-top: 2px; color: var(--muted); font-size: 14px; line-height: 1.35; }
section { padding: 20px 24px; margin-bottom: 20px; scroll-margin-top: 12px; }
section p { margin: 0 0 12px; color: var(--muted); max-width: 75ch; overflow-wrap: break-word; }
img { display: block; width: 100%; height: auto; }
.picture img { cursor: zoom-in; }
dialog { width: 100vw; height: 100vh; max-width: none; max-height: none; margin: 0; padding: 0; border: 0; overflow: auto;
         color: var(--ink); background: var(--card); }
dialog img { max-width: none; min-width: 0; cursor: grab; touch-action: pan-x pan-y; }
dialog form { position: fixed; top: 8px; right: 20px; display: flex; gap: 6px; }
.structure { position: relative; display: grid; place-items: center; height: 480px; background: var(--page);
             border-radius: 8px; overflow: hidden; }
.structure button, dialog button { font: inherit; padding: 4px 12px; color: var(--ink); background: var(--card);
             border: 1px solid var(--button); border-radius: 8px; cursor: pointer; }
details { color: var(--muted); }
pre { overflow-x: auto; margin: 0; font-size: 13px; line-height: 1.5; color: var(--ink); }
section pre { padding: 12px 16px; background: var(--page); border-radius: 8px; }
strong.flag { color: var(--flag); }
.wide { overflow-x: auto; margin: 0 -24px -20px; padding: 0 24px 12px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 8px; text-align: right; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
th button { font: inherit; color: inherit; text-align: inherit; background: none; border: 0; padding: 2px 4px; margin: -2px -4px;
            border-radius: 4px; cursor: pointer; }
th button:hover, th button:focus-visible { color: var(--ink); background: var(--page); }
th[aria-sort=ascending] button::after { content: " \\25B4"; }
th[aria-sort=descending] button::after { content: " \\25BE"; }
th.text, td.text { text-align: left; }
td.text { overflow-wrap: anywhere; min-width: 8ch; }
tbody tr:hover { background: var(--page); }
td small { color: var(--muted); display: inline-block; }
footer { margin-top: 20px; color: var(--muted); font-size: 13px; overflow-wrap: anywhere; }
@media (max-width: 640px) {
  main { padding: 20px 12px 40px; }
  section { padding: 16px; }
  .wide { margin: 0 -16px -16px; padding: 0 16px 8px; }
  .picture { overflow-x: auto; }
  .picture img { min-width: 600px; }
  table, tbody, tr, td { display: block; width: auto; }
  thead { display: none; }
  thead:has(button) { display: block; }
  thead tr { display: flex; flex-wrap: wrap; gap: 4px; padding-bottom: 8px; }
  th { border: 1px solid var(--button); border-radius: 6px; padding: 2px 8px; }
  tbody tr { padding: 8px 0; border-bottom: 1px solid var(--line); }
  td, td.text { overflow: hidden; min-width: 0; padding: 2px 0; border: 0; text-align: right; overflow-wrap: anywhere; }
  td::before { content: attr(data-head); float: left; max-width: 45%; margin-right: 16px; text-align: left; color: var(--muted); }
  td:empty { display: none; }
}
"""

# sort by data-sort, a number or a text; rows without it come last
SORTING = """
for (const button of document.querySelectorAll("th button")) button.addEventListener("click", () => {
  const head = button.parentNode, row = head.parentNode, body = row.closest("table").tBodies[0];
  const column = [...row.cells].indexOf(head), down = head.ariaSort === "ascending";
  for (const other of row.cells) other.ariaSort = "none";
  head.ariaSort = down ? "descending" : "ascending";
  const value = line => line.cells[column].dataset.sort;
  const compare = (a, b) => isNaN(a) || isNaN(b) ? a.localeCompare(b, undefined, {numeric: true}) : a - b;
  body.append(...[...body.rows].sort((a, b) => {
    const x = value(a), y = value(b);
    if (x === "" || y === "") return (x === "") - (y === "");
    return down ? compare(y, x) : compare(x, y);
  }));
});
"""

# figures open in a window as large as the browser's; wheel and buttons zoom about the pointer or the middle
ZOOMING = """
const zoomWindow = document.querySelector("dialog"), zoomed = document.createElement("img");
zoomWindow.prepend(zoomed);
let zoom = 1;
function zoomTo(value, x = zoomWindow.clientWidth / 2, y = zoomWindow.clientHeight / 2) {
  const factor = Math.min(Math.max(value, 1), 20) / zoom;
  const left = (zoomWindow.scrollLeft + x) * factor - x, top = (zoomWindow.scrollTop + y) * factor - y;
  zoom *= factor;
  zoomed.style.width = 100 * zoom + "%";
  zoomWindow.scrollTo(left, top);
}
for (const picture of document.querySelectorAll(".picture img")) picture.addEventListener("click", () => {
  Object.assign(zoomed, {src: picture.src, alt: picture.alt});
  zoomWindow.showModal();
  zoomTo(1);
});
zoomWindow.addEventListener("wheel", event => {
  event.preventDefault();
  zoomTo(zoom * Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
}, {passive: false});
zoomed.addEventListener("pointermove", event => {
  if (event.buttons && event.pointerType === "mouse") zoomWindow.scrollBy(-event.movementX, -event.movementY);
});
zoomed.addEventListener("dragstart", event => event.preventDefault());
"""
ZOOM_WINDOW = ('<dialog><form method="dialog">'
               '<button type="button" onclick="zoomTo(zoom * 1.5)" aria-label="Zoom in">+</button>'
               '<button type="button" onclick="zoomTo(zoom / 1.5)" aria-label="Zoom out">&minus;</button>'
               f"<button>Close</button></form></dialog><script>{ZOOMING}</script>")


@dataclass
class Section:
    title: str
    text: str  # HTML
    content: str  # HTML below it: a picture, a table, commands
    name: str  # anchor in the page


@dataclass
class Page:
    name: str
    simulated: str  # simulated system, in one line
    found: str  # the result in a sentence or two, HTML
    tiles: list  # arguments of tile_html
    sections: list
    settings: str  # text of the resolved input, or empty
    made_from: str  # source files of the page, and the last step in them
    notices: list = field(default_factory=list)  # HTML of notices that a reader must see first


def picture(svg, description):
    """HTML of an SVG picture; `description` is its text for screen readers."""
    text = base64.b64encode(svg).decode()
    return (f'<div class="picture"><img loading="lazy" decoding="async" alt="{html.escape(description)}" '
            f'src="data:image/svg+xml;base64,{text}"></div>')


def headline(result, missing=""):
    """HTML of the result: bold if it is reliable, else plain and behind the missing parts."""
    return f"{missing} {result}" if missing else f"<b>{result}</b>"


@dataclass
class Column:
    """Column of a table. `head` is HTML. Text columns are left-aligned; sorted columns have a button in the head."""
    head: str
    is_text: bool = False
    title: str = ""
    sorts: bool = False


@dataclass
class Row:
    """Row of a table: HTML of its cells, their sort values (numbers or texts, in order), attributes of the row."""
    cells: list
    order: list = ()
    attributes: str = ""


def order_text(value):
    return html.escape(value) if isinstance(value, str) else repr(value) if math.isfinite(value) else ""


def plain_text(text):
    """Text of an HTML fragment, for an attribute."""
    return html.escape(html.unescape(re.sub("<[^>]*>", "", text)))


def attribute(name, value):
    """' name="value"', or nothing for an empty value; `value` is already escaped."""
    return f' {name}="{value}"' if value else ""


def head_html(column):
    attributes = (attribute("class", "text" if column.is_text else "") + attribute("title", html.escape(column.title)) +
                  attribute("aria-sort", "none" if column.sorts else ""))
    head = f'<button type="button">{column.head}</button>' if column.sorts else column.head
    return f'<th scope="col"{attributes}>{head}</th>'


def cell_html(column, cell, order):
    attributes = (attribute("class", "text" if column.is_text else "") + attribute("data-head", plain_text(column.head)) +
                  (f' data-sort="{order_text(order)}"' if column.sorts else ""))
    return f"<td{attributes}>{cell}</td>"


def table_html(columns, rows):
    """Table with all columns in a window of 1,280 pixels; a narrow window shows each row as a list of its cells."""
    heads = "".join(head_html(column) for column in columns)
    lines = "".join(f"<tr{row.attributes}>" + "".join(cell_html(*one) for one in zip(
        columns, row.cells, row.order or [""] * len(columns))) + "</tr>\n" for row in rows)
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>\n{lines}</tbody></table></div>'


class Sections:
    """Sections of a page. Figures are drawn into the page and written as PNG files into a folder."""

    def __init__(self, folder):
        self.folder, self.all, self.figures = folder, [], 0

    def add(self, name, title, figure, text, description):
        """Add a figure, if there is one; `description` is its text for screen readers."""
        if figure is None:
            return
        assert name in (*FIGURES, *COMPARED), name
        svg = to_svg(figure)
        save(figure, self.folder / f"{name}.png")
        self.figures += 1
        self.all.append(Section(title, text, picture(svg, description), name))

    def add_content(self, name, title, text, content):
        """Add HTML that is neither a figure nor a table."""
        self.all.append(Section(title, text, content, name))

    def add_table(self, name, title, text, head, rows, words=(0,)):
        """Add a table; `head` and `rows` hold HTML, the columns in `words` are text."""
        columns = [Column(one, is_text=place in words) for place, one in enumerate(head)]
        self.all.append(Section(title, text, table_html(columns, [Row(list(row)) for row in rows]), name))


def tile_html(value, what, missing=""):
    """Tile with a large number and small error or interval; not bold if something is missing."""
    number, rest = re.fullmatch(r"(.*?)((?: ±| \().*)?", value).groups()
    small = f"<small>{html.escape(rest)}</small>" if rest else ""
    kind, label = ("tile unsure", f"{what}; {missing}") if missing else ("tile", what)
    return f'<div class="{kind}"><b>{html.escape(number)}{small}</b><span>{html.escape(label)}</span></div>'


def tiles_html(tiles):
    return f'<div class="tiles">{"".join(tile_html(*tile) for tile in tiles)}</div>' if tiles else ""


def footer_html(made_from):
    now = datetime.datetime.now(datetime.timezone.utc)
    return (f"<footer>Made {now:%Y-%m-%d %H:%M} UTC by tools/report.py of nfold from {html.escape(made_from)}. "
            "A run that goes on needs a new page: the same command makes it.</footer>")


def page_text(page):
    """HTML of the whole page. It refers only to files of the run beside it."""
    links = "".join(f'<a href="#{one.name}">{one.title}</a>' for one in page.sections)
    body = "".join(f'<section id="{one.name}"><h2>{one.title}</h2><p>{one.text}</p>{one.content}</section>\n'
                   for one in page.sections)
    notices = "".join(f'<p class="notice">{notice}</p>' for notice in page.notices)
    settings = (f"<details><summary>Input, with every default</summary><pre>{html.escape(page.settings)}</pre></details>\n"
                if page.settings else "")
    found = f'<p class="lead">{page.found}</p>' if page.found else ""
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(page.name)}: nfold report</title><style>{STYLE}</style></head>
<body><main>
<h1>{html.escape(page.name)}</h1>
<p class="sub">{html.escape(page.simulated)}</p>
{notices}{found}{tiles_html(page.tiles)}
<nav>{links}</nav>
{body}{settings}{footer_html(page.made_from)}
</main>
{ZOOM_WINDOW}
</body></html>
"""


def write_page(page, path: Path):
    path.write_text(page_text(page), encoding="utf-8")
    return path
