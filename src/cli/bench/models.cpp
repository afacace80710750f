// Boxes of a disordered or a folded protein by any built-in model, for calibrations.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/bench/builtin_files.hpp"
#include "cli/bench/systems.hpp"
#include "cli/bench/temporary_folder.hpp"
#include "comm/communicator.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/start_setup.hpp"

namespace nfold::bench {
namespace {

/// Returns the text of an input. species: its entries but the copies.
std::string input_text(const std::string& species, const std::string& model, const char* start,
                       int copies, double edge_nm) {
  return fmt::format(R"(
system:
  species: [{{{}, copies: {}}}]
  box_nm: {:.6f}
force_field: {{model: {}}}
start: {}
dynamics: {{steps: 1, time_step_ps: 0.01, temperature_kelvin: 300, friction_per_ps: 0.01}}
)",
                     species, copies, edge_nm, model, start);
}

/// Returns the system of an input at its first state. file: path where its paths start.
BuiltSystem build(const input::Settings& settings, const std::filesystem::path& file) {
  const comm::Communicator alone;
  BuiltSystem built{setup::build_system(alone, settings, file).topology, {}};
  built.start = setup::start_at_rest(settings, file, built.topology, settings.dynamics.seed).state;
  return built;
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
  system.input_text = input_text(
      fmt::format("name: {}, sequence: {}", box.record, sequence), box.model, "{from: random}",
      box.copies, std::cbrt(static_cast<double>(system.residues) / box.residues_per_nm3));
  system.build = [name](const input::Settings& settings) { return build(settings, name); };
  return system;
}

BenchSystem folded_system(const std::string& name, const FoldedBox& box) {
  constexpr int residues_of_ubiquitin = 76;
  constexpr const char* structure_file = "1ubq.pdb.gz";
  BenchSystem system;
  system.name = name;
  system.residues = std::int64_t{box.copies} * residues_of_ubiquitin;
  system.description = fmt::format("{} copies of folded ubiquitin by {}, {} residues/nm3",
                                   box.copies, box.model, box.residues_per_nm3);
  system.warm_up = {200, 500, 1500};
  system.input_text =
      input_text(fmt::format("name: ubiquitin, structure: {}, domains: [\"1-72\"]", structure_file),
                 box.model, "{from: random, conformation: native}", box.copies,
                 std::cbrt(static_cast<double>(system.residues) / box.residues_per_nm3));
  system.build = [=](const input::Settings& settings) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / structure_file, std::ios::binary) << ubiquitin_file();
    return build(settings, folder.path() / name);
  };
  return system;
}

}  // namespace nfold::bench
