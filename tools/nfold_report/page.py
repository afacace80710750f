# How a page of tools/report.py looks: heading, numbers, sections with figures, files, commands; all in one file.
# SPDX-License-Identifier: BSD-3-Clause

import base64
import datetime
import html
import re
from dataclasses import dataclass, field
from pathlib import Path

from .page_files import FIGURES
from .style import save

STYLE = """
:root { color-scheme: light; --ink: #1f2933; --muted: #52606d; --line: #e4e7eb; --blue: #0072B2; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
       color: var(--ink); background: #f5f7fa; }
main { max-width: 940px; margin: 0 auto; padding: 32px 20px 56px; }
h1 { margin: 0; font-size: 30px; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 0 0 4px; font-size: 19px; }
a { color: var(--blue); text-decoration: none; }
a:hover { text-decoration: underline; }
.sub { margin: 4px 0 16px; color: var(--muted); overflow-wrap: anywhere; }
.lead { margin: 0 0 20px; font-size: 18px; max-width: 75ch; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 20px; font-size: 14px; }
.notice { margin: 0 0 20px; padding: 10px 16px; background: #fdf0d0; border: 1px solid #f0d48a; border-radius: 10px;
          color: #5f3f00; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(168px, 1fr)); gap: 12px;
         margin-bottom: 20px; }
.tile, section { background: #fff; border: 1px solid var(--line); border-radius: 10px; }
.tile { padding: 12px 14px; }
.tile b { display: block; font-size: 21px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tile small { font-size: 13px; font-weight: 600; white-space: nowrap; }
.tile span { display: block; margin-top: 2px; color: var(--muted); font-size: 14px; line-height: 1.35; }
section { padding: 20px 24px; margin-bottom: 20px; scroll-margin-top: 12px; }
section p { margin: 0 0 12px; color: var(--muted); max-width: 75ch; }
img { display: block; width: 100%; height: auto; }
details { color: var(--muted); }
pre { overflow-x: auto; margin: 0; font-size: 13px; line-height: 1.5; color: var(--ink); }
section pre { padding: 12px 16px; background: #f5f7fa; border-radius: 8px; }
strong.flag { color: #a34700; }
.wide { overflow-x: auto; margin: 0 -24px -20px; padding: 0 24px 12px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 10px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
th.text, td.text { text-align: left; }
td.text:last-child { white-space: normal; min-width: 26ch; }
td.name { white-space: normal; overflow-wrap: anywhere; min-width: 12ch; max-width: 30ch; }
td.reason { white-space: normal; overflow-wrap: anywhere; min-width: 26ch; }
footer { margin-top: 20px; color: var(--muted); font-size: 13px; }
"""


@dataclass
class Section:
    title: str
    text: str  # HTML
    content: str  # HTML below it: a picture, a table, commands
    name: str  # of its place in the page


@dataclass
class Page:
    name: str
    simulated: str  # in a line
    found: str  # the result in a sentence or two, HTML
    tiles: list  # (value, what it is)
    sections: list
    settings: str  # the resolved input's text; empty: not told
    made_from: str  # what the page was made from, and up to which step
    notices: list = field(default_factory=list)  # HTML: what a reader must know first


def embedded(path):
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()


class Sections:
    """Draws PNG files into a folder and keeps the page's sections."""

    def __init__(self, folder):
        self.folder, self.all, self.figures = folder, [], 0

    def add(self, name, title, figure, text, description):
        """A figure, if there is one; `description` is for who cannot see it."""
        if figure is None:
            return
        assert name in FIGURES, name
        path = save(figure, self.folder / f"{name}.png")
        self.figures += 1
        self.all.append(Section(title, text, f'<img alt="{html.escape(description)}" src="{embedded(path)}">', name))

    def add_table(self, name, title, text, head, rows, words=(0,)):
        """`head` and `rows` hold HTML; columns `words` are text. It scrolls where the window is narrow."""
        heads = "".join(f'<th{" class=text" if place in words else ""}>{one}</th>' for place, one in enumerate(head))
        lines = "".join("<tr>" + "".join(f'<td{" class=text" if place in words else ""}>{one}</td>'
                                         for place, one in enumerate(row)) + "</tr>\n" for row in rows)
        self.all.append(Section(title, text, f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>\n'
                                f"{lines}</tbody></table></div>", name))


def tile_html(value, what):
    """The number large; its error or interval, and what follows, small."""
    number, rest = re.fullmatch(r"(.*?)((?: ±| \().*)?", value).groups()
    small = f"<small>{html.escape(rest)}</small>" if rest else ""
    return f'<div class="tile"><b>{html.escape(number)}{small}</b><span>{html.escape(what)}</span></div>'


def tiles_html(tiles):
    return f'<div class="tiles">{"".join(tile_html(*tile) for tile in tiles)}</div>' if tiles else ""


def footer_html(made_from):
    now = datetime.datetime.now(datetime.timezone.utc)
    return (f"<footer>Made {now:%Y-%m-%d %H:%M} UTC by tools/report.py of nfold from {html.escape(made_from)}. "
            "A run that goes on needs a new page: the same command makes it.</footer>")


def page_text(page):
    """HTML of all; it refers to nothing outside but the files of the run, which lie beside it."""
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
</main></body></html>
"""


def write_page(page, path: Path):
    path.write_text(page_text(page), encoding="utf-8")
    return path
