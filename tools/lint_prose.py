# Prose of README and guides: sentences that a reader can take in, links that lead somewhere.
# SPDX-License-Identifier: BSD-3-Clause
"""findings(root) yields (file, line, text) for tools/lint. Code, tables and addresses are no prose."""

import re
from pathlib import Path

MOST_WORDS = 30
MOST_GUIDE_WORDS = 14000  # README and guides together, without code blocks and bars of tables
README_LINES = 150
NOT_PROSE = {"REFERENCE.md"}  # made from the parser's table


def pages(root):
    return [root / "README.md"] + sorted(path for path in (root / "input").glob("*.md") if path.name not in NOT_PROSE)


def paragraphs(text):
    """(line, text) of each paragraph, list item or heading, without code blocks and tables."""
    begun, words, fenced = 0, [], False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        is_fence = line.startswith("```")
        fenced ^= is_fence
        is_item = re.match(r"\s*([-*]|\d+\.)\s", line)
        ends = is_fence or fenced or not line.strip() or line.startswith(("|", "#", "    ", "![")) or is_item
        if ends and words:
            yield begun, " ".join(words)
            words = []
        if not fenced and not is_fence and line.strip() and not line.startswith(("|", "    ", "![")):
            if not words:
                begun = number
            words.append(re.sub(r"^\s*([-*]|\d+\.|#+)\s", "", line).strip())


def sentences(text):
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\b(et al|e\.g|i\.e|Phys|Chem|Lett|Biophys|Nat|J|Comput|Commun|Res|Eur)\.", r"\1", text)
    return re.split(r"(?<=[.!?:;])[\"')\]*]*\s+(?=[\"'(\[*`]*[A-Z0-9]|code)", text)


def long_sentences(text):
    for line, paragraph in paragraphs(text):
        for sentence in sentences(paragraph):
            words = re.findall(r"[A-Za-z0-9][\w.,%'-]*", sentence)
            if len(words) > MOST_WORDS:
                yield line, f"a sentence of {len(words)} words, at most {MOST_WORDS}: '{' '.join(words[:6])} ...'"


def dead_links(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        for link in re.findall(r"\]\(([^)\s]+)\)", line):
            target = link.split("#")[0]
            if target and "://" not in link and not (path.parent / target).exists():
                yield number, f"a link to {link}, which is not there"


def dead_paths(root, text):
    """Files and folders that a page names but that are not there. NAME and * stand for others."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("New file "):
            continue  # an exercise creates it
        for named in re.findall(r"`((?:src|kernels|tests|tools|input|jobscripts)/[\w./-]+)`", line):
            if not re.search(r"[A-Z]{4}", Path(named).stem) and not (root / named).exists():
                yield number, f"{named} is named, which is not there"


def folders_pages(root):
    """Of the code's folders, whose prose is terse but must be true."""
    for folder in ("src", "kernels", "tests", "tools", "jobscripts"):
        yield from sorted((root / folder).rglob("README.md"))


def guide_words(root):
    """Words of README and guides: what has a letter or a digit, outside code blocks."""
    texts = (re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S) for path in pages(root))
    return sum(len(re.findall(r"\S*[A-Za-z0-9]\S*", text)) for text in texts)


def findings(root):
    if guide_words(root) > MOST_GUIDE_WORDS:
        yield root / "README.md", 1, f"{guide_words(root)} words of README and guides together, at most {MOST_GUIDE_WORDS}"
    for path in [*pages(root), *folders_pages(root)]:
        for number, told in dead_paths(root, path.read_text(encoding="utf-8")):
            yield path, number, told
    for path in pages(root):
        text = path.read_text(encoding="utf-8")
        for number, told in [*long_sentences(text), *dead_links(path, text)]:
            yield path, number, told
        lines = len(text.splitlines())
        if path.name == "README.md" and lines > README_LINES:
            yield path, lines, f"{lines} lines, at most {README_LINES}"
