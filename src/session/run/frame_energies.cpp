// Evaluation of configurations by an engine, and the table of their energies.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/frame_energies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "core/parse_number.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "input/input.hpp"
#include "io/forces_file.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/result_files.hpp"
#include "session/setup/coordinate_file.hpp"
#include "session/setup/device_setup.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::run {
namespace {

namespace fs = std::filesystem;

/// True for a checkpoint of a run, which holds its exact state.
bool is_checkpoint(const fs::path& file) { return file.filename().string().ends_with(".ckpt.h5"); }

input::Settings parse_settings(const comm::Communicator& communicator,
                               const EnergyOptions& options) {
  const std::string text = job::text_from_root(
      communicator, [&options] { return input::read_input_text(options.input); });
  auto settings = input::parse_input(text, options.input.string(), options.overrides);
  if (options.coordinates.empty()) return settings;
  settings.start = {};
  settings.start.from = input::StartFrom::coordinates;
  if (is_checkpoint(options.coordinates)) {
    settings.start.from = input::StartFrom::checkpoint;
    settings.start.checkpoint = fs::absolute(options.coordinates).string();
  }
  return settings;
}

/// Returns the rows of a rank.
system::State rows_of_rank(const system::State& all, const std::vector<int>& owner, int rank) {
  system::State mine;
  mine.step = all.step;
  for (std::size_t row = 0; row < all.id.size(); ++row) {
    if (owner[static_cast<std::size_t>(all.id[row])] != rank) continue;
    mine.id.push_back(all.id[row]);
    mine.position.push_back(all.position[row]);
    mine.velocity.push_back(all.velocity[row]);
  }
  return mine;
}

/// One configuration and its potential energy.
struct FrameEnergies {
  std::int64_t frame = 0, step = 0;
  std::vector<NamedEnergy> energies;
};

/// Evaluation of all configurations of a command. Members are collective.
class Evaluation {
 public:
  Evaluation(const comm::Communicator& communicator, const EnergyOptions& options)
      : communicator_(communicator),
        options_(options),
        settings_(parse_settings(communicator, options)) {
    comm::set_wait_limit(std::chrono::duration<double>(settings_.partition.wait_limit_seconds));
    system_ = setup::build_system(communicator_, settings_, options_.input);
  }

  core::ExitCode run() {
    open_coordinates();
    device::limit_device_memory(setup::device_memory_limit(options_.device_memory, settings_));
    compute_.emplace(communicator_, options_.threads,
                     setup::to_device_request(settings_.devices, options_.gpus));
    auto first = first_configuration();
    settings_.dynamics.precision = system::Precision::full;
    auto owner =
        setup::make_shared_partition(communicator_, settings_, system_.topology, first).owner;
    setup::keep_own_rows(communicator_, settings_, system_.topology, owner, first);
    auto engine = setup::make_engine(communicator_, compute_->devices(), settings_,
                                     system_.topology, std::move(first.state), std::move(owner));
    evaluate(engine, frames_.front());
    for (std::size_t k = 1; k < frames_.size(); ++k) {
      engine.restore_state(
          rows_of_rank(file_->state(frames_[k]), *engine.owner(), communicator_.rank()));
      evaluate(engine, frames_[k]);
    }
    job::on_root(communicator_, [&] { write_results(); });
    return core::ExitCode::done;
  }

 private:
  void open_coordinates() {
    if (settings_.start.from == input::StartFrom::coordinates && !options_.coordinates.empty()) {
      file_.emplace(communicator_, options_.coordinates, settings_.system, system_.topology);
      frames_ = select_frames(options_.frames, file_->frame_count());
    } else if (!options_.frames.empty()) {
      core::refuse("--frames", "there is no trajectory to choose from",
                   "give a file of frames as COORDINATES, or leave it out");
    }
  }

  /// Returns the first configuration: of the file, or the input's state at step 0.
  setup::FirstState first_configuration() {
    if (file_) {
      setup::FirstState first{file_->state(frames_.front()), {}};
      notes_ = file_->notes();
      return first;
    }
    auto first = setup::first_positions(communicator_, settings_, options_.input, system_.topology);
    notes_ = first.notes;
    if (settings_.start.minimise_steps == 0) return first;
    auto owner =
        setup::make_shared_partition(communicator_, settings_, system_.topology, first).owner;
    setup::keep_own_rows(communicator_, settings_, system_.topology, owner, first);
    auto engine = setup::make_engine(communicator_, compute_->devices(), settings_,
                                     system_.topology, std::move(first.state), std::move(owner));
    notes_.push_back(setup::minimise_start(engine, settings_.start));
    return {engine.shared_state(), {}};
  }

  void evaluate(engine::Engine& engine, std::int64_t frame) {
    const auto energies = engine.energies();
    if (energies.saturated) {
      notes_.push_back(
          fmt::format("warning: frame {}: a term or pair is stronger than {:g} kJ/mol and counts "
                      "as that: beads "
                      "overlap",
                      frame, engine::largest_counted_energy_kj_mol));
    }
    results_.push_back({frame, engine.step(), name_energies(energies, system_.topology)});
    if (!options_.forces.empty()) add_forces(engine, frame);
  }

  void add_forces(engine::Engine& engine, std::int64_t frame) {
    if (engine.minimise({.steps = 0}).forces_were_clamped) {
      notes_.push_back(fmt::format(
          "warning: frame {}: the force of a term or pair is clamped, for it exceeds {:g} "
          "kJ/mol/nm: beads overlap",
          frame, engine::largest_term_force_kj_mol_nm));
    }
    const auto forces = engine.owned_forces();
    const auto ids = engine.owned_state().id;
    struct Row {
      std::int64_t id;
      std::array<double, 3> force;
    };
    std::vector<Row> rows;
    for (std::size_t row = 0; row < ids.size(); ++row) rows.push_back({ids[row], forces[row]});
    const auto beads = system_.topology.residues.size();
    const auto first = forces_.force_kj_mol_nm.size();
    if (communicator_.is_root()) {
      forces_.beads = beads;
      forces_.frames.push_back(frame);
      forces_.force_kj_mol_nm.resize(first + beads);
    }
    communicator_.gather_each(std::span<const Row>(rows), [&](int /*from*/, const auto& came) {
      for (const Row& row : came) {
        forces_.force_kj_mol_nm[first + static_cast<std::size_t>(row.id)] = row.force;
      }
    });
  }

  void write_results() const {
    if (!options_.csv.empty()) job::write_result(options_.csv, csv());
    if (!options_.forces.empty()) {
      const auto ending = core::to_lower(options_.forces.extension().string());
      if (ending == ".csv") {
        job::write_result(options_.forces, io::forces_csv(forces_));
      } else {
        io::write_forces_hdf5(options_.forces, forces_);
      }
    }
    std::cout << (options_.json ? json() : table()) << std::flush;
  }

  [[nodiscard]] std::string csv() const {
    std::string text = "frame,step";
    for (const auto& one : results_.front().energies) text += "," + one.name + "_kj_mol";
    text += '\n';
    for (const auto& result : results_) {
      text += fmt::format("{},{}", result.frame, result.step);
      for (const auto& one : result.energies) text += fmt::format(",{}", one.kj_mol);
      text += '\n';
    }
    return text;
  }

  [[nodiscard]] std::string json() const {
    nlohmann::ordered_json json{{"input", options_.input.string()}};
    if (!options_.coordinates.empty()) json["coordinates"] = options_.coordinates.string();
    json["frames"] = nlohmann::ordered_json::array();
    for (const auto& result : results_) {
      nlohmann::ordered_json frame{{"frame", result.frame}, {"step", result.step}};
      for (const auto& one : result.energies) frame[one.name + "_kj_mol"] = one.kj_mol;
      json["frames"].push_back(std::move(frame));
    }
    json["notes"] = notes_;
    return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }

  [[nodiscard]] std::string table() const {
    const auto number = [](double kj_mol) { return fmt::format("{:#.12g}", kj_mol); };
    std::string text =
        fmt::format("energies of {} [kJ/mol]\n", options_.coordinates.empty()
                                                     ? "the start of " + options_.input.string()
                                                     : options_.coordinates.string());
    for (const auto& note : notes_) text += note + "\n";
    const bool is_single = results_.size() == 1;
    core::TextTable table(is_single ? "lr"
                                    : std::string(2 + results_.front().energies.size(), 'r'));
    if (is_single) {
      for (const auto& one : results_.front().energies) table.add({one.name, number(one.kj_mol)});
      return text + table.text();
    }
    std::vector<std::string> heading{"frame", "step"};
    for (const auto& one : results_.front().energies) heading.push_back(one.name);
    table.add(std::move(heading));
    for (const auto& result : results_) {
      std::vector<std::string> row{fmt::format("{}", result.frame), fmt::format("{}", result.step)};
      for (const auto& one : result.energies) row.push_back(number(one.kj_mol));
      table.add(std::move(row));
    }
    return text + table.text();
  }

  const comm::Communicator& communicator_;
  const EnergyOptions& options_;
  input::Settings settings_;
  setup::SystemSetup system_;
  std::optional<device::ComputeEnvironment> compute_;
  std::optional<setup::CoordinateFile> file_;
  std::vector<std::int64_t> frames_{0};
  std::vector<std::string> notes_;
  std::vector<FrameEnergies> results_;
  io::ForceTable forces_;  // rank 0 alone
};

void require_results(const EnergyOptions& options) {
  job::require_writable(std::array{job::ResultFile{"--csv", options.csv},
                                   job::ResultFile{"--forces", options.forces}},
                        options.overwrite ? job::Overwrite::yes : job::Overwrite::no,
                        std::array{options.input, options.coordinates});
  const auto ending = core::to_lower(options.forces.extension().string());
  constexpr std::array known{".csv", ".h5", ".hdf5"};
  if (options.forces.empty() || std::find(known.begin(), known.end(), ending) != known.end())
    return;
  core::refuse(options.forces.string(), fmt::format("--forces with the ending '{}'", ending),
               "expected .csv, .h5 or .hdf5");
}

/// True for a kind of terms that has the name of a part of the energy.
bool is_part_name(std::string_view name) {
  constexpr std::array<std::string_view, 5> parts{"bond", "angle", "dihedral", "restraint",
                                                  "contact"};
  return std::find(parts.begin(), parts.end(), name) != parts.end();
}

}  // namespace

std::vector<NamedEnergy> name_energies(const engine::Energies& e,
                                       const topology::Topology& topology) {
  std::vector<NamedEnergy> named{{"bond", e.bond},
                                 {"angle", e.angle},
                                 {"dihedral", e.dihedral},
                                 {"restraint", e.restraint},
                                 {"contact", e.contact},
                                 {"short_range", e.short_range},
                                 {"electrostatic", e.electrostatic},
                                 {"potential", e.potential()}};
  double of_biases = e.of_moments;
  topology::BondedKinds::for_each([&](auto kind) {
    using Kind = decltype(kind);
    const double energy = e.of_kind[topology::BondedKinds::index_of<Kind>()];
    if constexpr (topology::is_bias<Kind>) {
      of_biases += energy;
    } else if (!is_part_name(kind.name) && !topology::terms_of(topology, kind).empty()) {
      std::string name = kind.name;
      std::replace(name.begin(), name.end(), ' ', '_');
      named.push_back({std::move(name), energy});
    }
  });
  if (!topology.biased_variables.empty()) named.push_back({"bias", of_biases});
  if (!topology.fields.empty()) named.push_back({"external", e.external});
  return named;
}

std::vector<std::int64_t> select_frames(const std::string& text, std::int64_t count) {
  const auto refuse = [&](const std::string& problem) {
    core::refuse("--frames", problem,
                 fmt::format("expected a number, or FIRST:END:STEP as in Python; there are {}",
                             core::pluralise(count, "frame")));
  };
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const auto end = std::min(text.find(':', first), text.size());
    parts.push_back(text.substr(first, end - first));
    first = end + 1;
  }
  if (parts.size() > 3) refuse(fmt::format("'{}' has more than three parts", text));
  std::array<std::optional<std::int64_t>, 3> numbers;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].empty()) continue;
    numbers[k] = core::parse_number<std::int64_t>(parts[k]);
    if (!numbers[k]) refuse(fmt::format("'{}' is no whole number", parts[k]));
    if (k < 2 && *numbers[k] < 0) *numbers[k] += count;
  }
  const std::int64_t first = numbers[0].value_or(0);
  const bool is_single = parts.size() == 1 && numbers[0];
  const std::int64_t end = is_single ? first + 1 : numbers[1].value_or(count);
  const std::int64_t step = numbers[2].value_or(1);
  if (step < 1) refuse(fmt::format("'{}' has the step {}", text, step));
  if (first < 0 || end > count || first >= end) refuse(fmt::format("there is no frame '{}'", text));
  std::vector<std::int64_t> frames;
  for (std::int64_t frame = first; frame < end; frame += step) frames.push_back(frame);
  return frames;
}

core::ExitCode print_energies(job::Invocation& invocation, const EnergyOptions& options) {
  const comm::Environment environment(invocation.argc, invocation.argv);
  const auto world = comm::Communicator::world();
  return job::run_collectively(
      world,
      [&] {
        job::require_one_backend(world, "nfold energy");
        job::on_root(world, [&options] { require_results(options); });
        return Evaluation(world, options).run();
      },
      [](const core::Failure&) {});
}

}  // namespace nfold::run
