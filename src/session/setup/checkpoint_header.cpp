// Writing and reading of a checkpoint's header.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/checkpoint_header.hpp"

#include <ctime>
#include <string>
#include <utility>

#include "core/host_name.hpp"
#include "core/parse_number.hpp"
#include "core/utc.hpp"
#include "core/version.hpp"
#include "device/compute_environment.hpp"
#include "engine/engine.hpp"
#include "input/input.hpp"
#include "session/job/backend_ranks.hpp"

namespace nfold::setup {
namespace {

const std::string frames_key = "trajectory_frames", energy_rows_key = "energy_rows";

// Returns an empty text if the header lacks the key.
std::string provenance_of(const io::CheckpointHeader& header, const std::string& key) {
  const auto found = header.provenance.find(key);
  return found == header.provenance.end() ? "" : found->second;
}

// Returns -1 if the text is not a whole number.
std::int64_t count_in(const std::string& text) {
  return core::parse_number<std::int64_t>(text).value_or(-1);
}

}  // namespace

input::Settings without_layout(input::Settings settings) {
  settings.neighbour_list = {};
  settings.devices = {};
  settings.partition = {};
  settings.reliability = {};
  settings.output.checkpoint_in_background = input::OutputSettings().checkpoint_in_background;
  return settings;
}

io::CheckpointHeader checkpoint_header(const comm::Communicator& communicator,
                                       const input::Settings& settings,
                                       const SystemIdentity& system, std::int64_t step,
                                       const std::string& frames, const std::string& energy_rows) {
  io::CheckpointHeader header;
  header.residue_count = system.residue_count;
  header.step = step;
  header.seed = settings.dynamics.seed;
  header.topology_hash = system.hash;
  header.box_nm = system.box_nm;
  header.resolved_input = input::write_input(without_layout(settings));
  // All ranks write the same bytes: those of rank 0.
  header.provenance = {
      {"host", communicator.broadcast(core::host_name())},
      {"ranks", std::to_string(communicator.size())},
      {"execution_space", communicator.broadcast(device::execution_space_name())},
      {"space", communicator.broadcast(estimate::backend_name(job::this_build().space))},
      {"version", core::version},
      {"written", communicator.broadcast(core::utc(std::time(nullptr)))},
      {"given_input", input::write_input(settings)},
      {frames_key, frames},
      {energy_rows_key, energy_rows}};
  return header;
}

std::string frames_text(const io::CheckpointHeader& header) {
  return provenance_of(header, frames_key);
}

std::int64_t written_frames(const io::CheckpointHeader& header) {
  return count_in(frames_text(header));
}

std::int64_t written_energy_rows(const io::CheckpointHeader& header) {
  return count_in(provenance_of(header, energy_rows_key));
}

}  // namespace nfold::setup
