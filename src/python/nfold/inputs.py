# Inputs: a mapping of keys to values over the text of an input file.
# SPDX-License-Identifier: BSD-3-Clause

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from nfold_report.resolved_input import lookup, parse_input

from . import _core


@dataclass(frozen=True)
class Key:
    """A key of the input, from the table that the parser itself uses."""

    name: str
    takes: str  # accepted values with their unit
    default: str
    help: str
    may_change: bool  # True if a resume may change it


def keys() -> list[Key]:
    """All keys of an input in the order of the reference.

    >>> next(key.takes for key in nfold.keys() if key.name == "dynamics.time_step_ps")
    'a number > 0 and at most 1 [ps]'
    """
    return [Key(*row) for row in _core.describe_keys()]


def describe(topic: str) -> str:
    """Help on a key, a section or a word, as 'nfold help TOPIC' prints it. Raises InputError.

    >>> print(nfold.describe("dynamics.friction_per_ps").splitlines()[0])
    dynamics.friction_per_ps
    """
    return _core.help_topic(topic)


def _plain(value: Any) -> Any:
    """A value for JSON: numpy scalars and arrays, and paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"nfold.Input: {type(value).__name__} is no value of an input")


class Input(Mapping[str, Any]):
    """Input of a simulation: a mapping of key names to values, those not given being defaults.

    source: an input file, or a mapping {"section": {"key": value}} or {"section.key": value}, or another Input. Further
    names as in Input(file, {"dynamics.steps": 1000}). Paths in it start at the file's folder, or at the current folder.
    name: stem of the output, for a mapping.

    >>> input = nfold.Input(nfold.examples / "ubiquitin.yaml")
    >>> input["dynamics.steps"] = 2000
    >>> input["dynamics.steps"], input["dynamics.seed"]
    (2000, 1)
    >>> input["dynamics.stepz"] = 1
    Traceback (most recent call last):
    ...
    nfold.InputError: --set dynamics.stepz=1: unknown key 'dynamics.stepz' (did you mean 'dynamics.steps'?)
    """

    def __init__(self, source: "Input | Mapping[str, Any] | str | Path | None" = None,
                 changes: Mapping[str, Any] | None = None, *, name: str = "input"):
        self._text: str
        self._file: str
        self._overrides: list[str] = []
        self._resolved: dict[str, Any] | None = None
        if isinstance(source, Input):
            self._text, self._file = source._text, source._file
            self._overrides = list(source._overrides)
        elif source is None or isinstance(source, Mapping):
            self._text, self._file = "", f"{name}.yaml"
            self.update(source or {})
        else:
            self._file = str(source)
            self._text = _core.read_input_text(self._file)
        self.update(changes or {})

    @property
    def file(self) -> Path:
        """Path of the input file; of a mapping the name under which it runs."""
        return Path(self._file)

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for inner, each in value.items():
                self[f"{name}.{inner}"] = each
            return
        text = f"{name}={json.dumps(value, default=_plain)}"
        if not _core.find_key(name):
            _core.resolve(self._text, self._file, [*self._overrides, text])  # raises InputError with the nearest key
        self._overrides = [one for one in self._overrides if not one.startswith(f"{name}=")] + [text]
        self._resolved = None

    def update(self, changes: Mapping[str, Any]) -> None:
        """Set the keys of a mapping."""
        for name, value in changes.items():
            self[name] = value

    def _values(self) -> dict[str, Any]:
        if self._resolved is None:
            self._resolved = parse_input(_core.resolve(self._text, self._file, self._overrides))
        return self._resolved

    def __getitem__(self, name: str) -> Any:
        if not _core.find_key(name):
            raise KeyError(name)
        return lookup(self._values(), name)

    def __iter__(self) -> Iterator[str]:
        return (row[0] for row in _core.describe_keys() if "[]" not in row[0])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _core.find_key(name)

    _ipython_key_completions_ = Mapping.keys

    def check(self) -> "Input":
        """Read the whole input. Raises InputError with a line for each problem."""
        self._values()
        return self

    def given(self) -> dict[str, Any]:
        """{key: value} of the file's text and of all changes, without defaults."""
        found: dict[str, Any] = {}

        def add(section: str, values: dict[str, Any]) -> None:
            for name, value in values.items():
                full = f"{section}.{name}" if section else name
                if isinstance(value, dict) and _core.find_key(full) and full not in names:
                    add(full, value)
                else:
                    found[full] = value

        names = set(self)
        if self._text.strip():
            add("", parse_input(self._text))
        for text in self._overrides:
            name, value = text.split("=", 1)
            found[name] = json.loads(value)
        return found

    def to_yaml(self) -> str:
        """Text of the input with every default."""
        return _core.resolve(self._text, self._file, self._overrides)

    def save(self, path: str | Path) -> "Input":
        """Write an input file of the given keys, and return its Input. Relative paths in it start at its folder."""
        nested: dict[str, Any] = {}
        for name, value in self.given().items():
            *sections, last = name.split(".")
            place = nested
            for section in sections:
                place = place.setdefault(section, {})
            place[last] = value
        Path(path).write_text(yaml.safe_dump(nested, sort_keys=False), encoding="utf-8")
        return Input(path)

    def __repr__(self) -> str:
        return f"nfold.Input({self._file!r}, {self.given()!r})"
