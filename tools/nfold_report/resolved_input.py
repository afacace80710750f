# YAML reader with nfold's rules: input files, resolved inputs, parameter tables.
# SPDX-License-Identifier: BSD-3-Clause

import re

import yaml


class InputTextError(ValueError):
    """The text is not YAML; the message names the line."""


class Loader(yaml.SafeLoader):
    """YAML 1.2 loader: only true and false are bools, and 1e-3 is a number."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"), list("-+.0123456789"))


def parse_input(text):
    """Nested dicts of a text. InputTextError names the line."""
    try:
        root = yaml.load(text, Loader)
    except yaml.YAMLError as failure:
        mark = getattr(failure, "context_mark", None) or getattr(failure, "problem_mark", None)
        place = f"line {mark.line + 1}" if mark else "the text"
        raise InputTextError(f"{place}: {getattr(failure, 'problem', failure)}; expected YAML") from failure
    if not isinstance(root, dict):
        raise InputTextError(f"line 1: found {str(text)[:20]!r}; expected 'section:' with keys below it")
    return root


def lookup(settings, name, default=None):
    """Value of a dotted name, as in lookup(settings, "dynamics.time_step_ps")."""
    for part in name.split("."):
        if not isinstance(settings, dict) or part not in settings:
            return default
        settings = settings[part]
    return settings
