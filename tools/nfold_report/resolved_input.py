# Reads nfold's input files: the plain part of YAML that they use.
# SPDX-License-Identifier: BSD-3-Clause
"""Sections by indentation, scalars, lists in brackets; so that no YAML package is needed."""


class InputTextError(ValueError):
    """The line is not of the kind that nfold writes; the message names it."""


def scalar(text):
    """'1e-3' to a number, 'true' to a bool, '"A"' to a text, '[A, B]' to a list."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        return [scalar(part) for part in inner.split(",")] if inner else []
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def without_comment(line):
    """A comment starts the line or follows a blank."""
    if line.lstrip().startswith("#"):
        return ""
    return line.split(" #", 1)[0].rstrip()


def parse_input(text):
    """Nested dicts. InputTextError names the line."""
    root = {}
    open_sections = [(-1, root)]  # (indentation, section), outermost first
    for number, raw in enumerate(text.splitlines(), 1):
        line = without_comment(raw)
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        key, colon, value = line.strip().partition(":")
        if not colon:
            raise InputTextError(f"line {number}: '{line.strip()}' is not 'key: value'")
        while open_sections[-1][0] >= indent:
            open_sections.pop()
        section = open_sections[-1][1]
        if value.strip():
            section[key] = scalar(value)
        else:
            section[key] = {}
            open_sections.append((indent, section[key]))
    return root


def lookup(settings, name, default=None):
    """lookup(settings, "dynamics.time_step_ps")"""
    for part in name.split("."):
        if not isinstance(settings, dict) or part not in settings:
            return default
        settings = settings[part]
    return settings
