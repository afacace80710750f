// Boxes of a disordered protein by any built-in model, for calibrations.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "cli/bench/builtin_files.hpp"
#include "cli/bench/systems.hpp"
#include "comm/communicator.hpp"
#include "model/structure/fasta.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/start_setup.hpp"

namespace nfold::bench {
namespace {

constexpr WarmUp warm_up{200, 500, 1500};

std::string sequence_of(const ModelBox& box) {
  const std::string file = "sequences.fasta";
  return structure::find_record(structure::parse_fasta(published_sequences(), file), box.record,
                                file)
      .sequence;
}

std::string input_text(const ModelBox& box) {
  const double residues =
      static_cast<double>(box.copies) * static_cast<double>(sequence_of(box).size());
  return fmt::format(R"(
system:
  species: [{{name: {}, sequence: {}, copies: {}}}]
  box_nm: {:.6f}
force_field: {{model: {}}}
start: {{from: random}}
dynamics: {{steps: 1, time_step_ps: 0.01, temperature_kelvin: 300, friction_per_ps: 0.01}}
)",
                     box.record, sequence_of(box), box.copies,
                     std::cbrt(residues / box.residues_per_nm3), box.model);
}

}  // namespace

BenchSystem model_system(const std::string& name, const ModelBox& box) {
  BenchSystem system;
  system.name = name;
  system.residues =
      static_cast<std::int64_t>(box.copies) * static_cast<std::int64_t>(sequence_of(box).size());
  system.description = fmt::format("{} copies of {} by {}, {} residues/nm3", box.copies, box.record,
                                   box.model, box.residues_per_nm3);
  system.warm_up = warm_up;
  system.settings = [name, text = input_text(box)](const std::vector<std::string>& overrides) {
    return bench_settings(name, text, overrides);
  };
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
