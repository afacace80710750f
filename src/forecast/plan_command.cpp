// Asks machine and input, chooses, prints.
// SPDX-License-Identifier: BSD-3-Clause

#include "forecast/plan_command.hpp"

#include <fmt/format.h>

#include <iostream>

#include "forecast/answer.hpp"
#include "forecast/machine_here.hpp"
#include "forecast/workload.hpp"
#include "job/duration.hpp"
#include "job/refusal.hpp"
#include "storage/atomic_file.hpp"

namespace nfold::forecast {
namespace {

void list_machines() {
  for (const auto& name : plan::builtin_machine_names()) {
    const auto machine = plan::builtin_machine(name);
    std::cout << fmt::format("{:<10} {}; speeds {}\n", name, machine.description,
                             machine.speeds_are);
  }
}

}  // namespace

job::ExitCode make_plan(const PlanOptions& options) {
  if (options.list_machines) {
    list_machines();
    return job::ExitCode::done;
  }
  if (options.input.empty()) {
    job::refuse("nfold plan", "no input", "name an input file, a list of targets or a folder");
  }
  plan::Question question{options.objective, {}, options.budget};
  if (!options.deadline.empty()) {
    question.deadline_seconds = job::parse_duration_seconds(options.deadline, "--deadline");
  }
  const auto machine = machine_for(options.machine);
  const auto workload = workload_of(options.input, options.overrides, machine);
  const auto choice = plan::choose(machine, plan::layouts_of(machine), workload.on, question);
  const Answer answer{options.input, machine, workload, question, choice};
  std::cout << (options.json ? json_of(answer) : text_of(answer)) << std::flush;
  if (!options.csv.empty()) storage::write_file_atomically(options.csv, csv_of(answer));
  return choice.best ? job::ExitCode::done : job::ExitCode::wrong_input;
}

}  // namespace nfold::forecast
