# What nfold plan predicts for the systems of a study.
# SPDX-License-Identifier: BSD-3-Clause

import json

from .program import StudyError
from .rows import write_atomically


class Model:
    """Asks once for each system and precision; the answers stay below `folder`. `notes` says what could not be asked."""

    def __init__(self, program, config, folder):
        self.program, self.config, self.folder = program, config, folder
        self.notes, self.answers = [], {}

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def steps_per_second(self, system, precision, ranks):
        """None, with a note, where the plan does not say."""
        if not self.config["model"]:
            return None
        key = (system.name, precision)
        if key not in self.answers:
            self.answers[key] = self.ask(system, precision)
        told = self.answers[key]
        if told is None:
            return None
        unit = "GPU" if self.program.on_gpu else "core"
        for layout in told["layouts"]:
            same = layout["nodes"] * layout["ranks_per_node"] == ranks and layout["on_gpu"] == self.program.on_gpu
            if same and layout["possible"] and layout["step_seconds"] > 0:
                return 1 / layout["step_seconds"]
        self.note(f"no prediction for {system.name} on {ranks} {unit}{'s' if ranks > 1 else ''}: the plan for machine "
                  f"{told['machine']['name']} has no such layout")
        return None

    def ask(self, system, precision):
        if system.input is None:
            self.note(f"no prediction for {system.name}: nfold's suite has no input file of it")
            return None
        words = ["plan", system.input, "--json", "--set", f"dynamics.precision={precision}", *system.settings,
                 *self.config["settings"]]
        if self.config["machine"]:
            words += ["--machine", self.config["machine"]]
        try:
            told = self.program.ask_json(*words)
        except StudyError as failure:
            self.note(f"no prediction for {system.name}: {failure}")
            return None
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.folder / f"{system.name}-{precision}.json", json.dumps(told, indent=1) + "\n")
        self.note(f"predictions are those of nfold plan for machine {told['machine']['name']}; its speeds: "
                  f"{told['machine']['speeds_are']}")
        return told
