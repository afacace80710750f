// Boxes of a disordered protein by any built-in model, for calibrations.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "cli/bench/systems.hpp"
#include "comm/communicator.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/start_setup.hpp"

namespace nfold::bench {
namespace {

std::string input_text(const ModelBox& box, const std::string& sequence) {
  const double residues = static_cast<double>(box.copies) * static_cast<double>(sequence.size());
  return fmt::format(R"(
system:
  species: [{{name: {}, sequence: {}, copies: {}}}]
  box_nm: {:.6f}
force_field: {{model: {}}}
start: {{from: random}}
dynamics: {{steps: 1, time_step_ps: 0.01, temperature_kelvin: 300, friction_per_ps: 0.01}}
)",
                     box.record, sequence, box.copies, std::cbrt(residues / box.residues_per_nm3),
                     box.model);
}

}  // namespace

BenchSystem model_system(const std::string& name, const ModelBox& box) {
  BenchSystem system;
  const auto sequence = published_sequence(box.record);
  system.name = name;
  system.residues = box.copies * static_cast<std::int64_t>(sequence.size());
  system.description = fmt::format("{} copies of {} by {}, {} residues/nm3", box.copies, box.record,
                                   box.model, box.residues_per_nm3);
  system.warm_up = {200, 500, 1500};
  system.input_text = input_text(box, sequence);
  system.build = [name](const input::Settings& settings) {
    const comm::Communicator alone;
    BuiltSystem built{setup::build_system(alone, settings, name).topology, {}};
    built.start =
        setup::start_at_rest(settings, name, built.topology, settings.dynamics.seed).state;
    return built;
  };
  return system;
}

}  // namespace nfold::bench
