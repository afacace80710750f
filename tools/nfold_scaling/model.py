# Predictions of nfold plan for the systems of a study.
# SPDX-License-Identifier: BSD-3-Clause

import json

from .program import StudyError
from .rows import write_atomically


class Model:
    """Runs nfold plan once per system and precision; the answers stay below `folder`. `notes` lists failed queries."""

    def __init__(self, program, config, folder):
        self.program, self.config, self.folder = program, config, folder
        self.notes, self.answers = [], {}

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def steps_per_second(self, system, precision, ranks):
        """Predicted steps per second; None, with a note, if the plan lacks it."""
        if not self.config["model"]:
            return None
        key = (system.name, precision)
        if key not in self.answers:
            self.answers[key] = self.query(system, precision)
        plan = self.answers[key]
        if plan is None:
            return None
        unit = "GPU" if self.program.on_gpu else "core"
        for layout in plan["layouts"]:
            same = layout["nodes"] * layout["ranks_per_node"] == ranks and layout["on_gpu"] == self.program.on_gpu
            if same and layout["possible"] and layout["step_seconds"] > 0:
                return 1 / layout["step_seconds"]
        self.note(f"no prediction for {system.name} on {ranks} {unit}{'s' if ranks > 1 else ''}: the plan for machine "
                  f"{plan['machine']['name']} has no such layout")
        return None

    def query(self, system, precision):
        if system.input is None:
            self.note(f"no prediction for {system.name}: nfold's suite has no input file of it")
            return None
        arguments = ["plan", system.input, "--json", "--every-layout", "--set", f"dynamics.precision={precision}", *system.settings,
                     *self.config["settings"]]
        if self.config["machine"]:
            arguments += ["--machine", self.config["machine"]]
        try:
            plan = self.program.query_json(*arguments)
        except StudyError as failure:
            self.note(f"no prediction for {system.name}: {failure}")
            return None
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.folder / f"{system.name}-{precision}.json", json.dumps(plan, indent=1) + "\n")
        self.note(f"predictions are those of nfold plan for machine {plan['machine']['name']}; its speeds: "
                  f"{plan['machine']['speeds_are']}")
        return plan
