// nfold check INPUT.yaml: finds errors of run and batch inputs without MPI or a device.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "batch/target_size.hpp"
#include "cli/calvados/prepare_folder.hpp"
#include "cli/calvados/system_xml.hpp"
#include "cli/check_parts.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "cli/plan/target_list.hpp"
#include "comm/communicator.hpp"
#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/telemetry/progress.hpp"
#include "core/text.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"
#include "io/checkpoint.hpp"
#include "io/sample_file.hpp"
#include "model/topology/held_residues.hpp"
#include "replicas/replica_set.hpp"
#include "session/ensemble/chain_observation.hpp"
#include "session/ensemble/ladder.hpp"
#include "session/ensemble/memory.hpp"
#include "session/job/changed_input.hpp"
#include "session/job/failure.hpp"
#include "session/job/output_folder.hpp"
#include "session/run/observation.hpp"
#include "session/run/run_time_estimate.hpp"
#include "session/setup/cold_start.hpp"
#include "session/setup/collective_variables.hpp"
#include "session/setup/continuation.hpp"
#include "session/setup/device_setup.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/partition_domains.hpp"
#include "session/setup/partition_table.hpp"
#include "session/setup/schedule.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::cli {
namespace {

namespace fs = std::filesystem;

std::string choice(const char* key, const input::Settings& settings) {
  return input::value_text(*input::find_key(key), settings);
}

void describe_system(const setup::SystemSetup& system, const input::Settings& settings,
                     Findings& findings) {
  const auto& topology = system.topology;
  findings.note_all(system.notes);
  findings.note(fmt::format("{} residues, {}, {}", topology.residue_count(),
                            core::pluralise(topology.chains.size(), "chain"),
                            describe_bonded_terms(topology)));
  for (const auto& line : topology::describe_held_residues(topology)) {
    findings.note("residues " + line);
  }
  const bool is_go = settings.force_field.model == input::ForceFieldModel::go;
  if (is_go && topology.contact_count() == 0)
    findings.note("warning: no native contact, nothing will fold");
}

void describe_dynamics(const setup::SystemSetup& system, const input::Settings& settings,
                       Findings& findings) {
  const auto& dynamics = settings.dynamics;
  constexpr double ns_per_ps = 1e-3;
  findings.note_all(setup::schedule_warnings(settings));
  if (settings.ensemble.is_enabled()) {
    const auto& e = settings.ensemble;
    const std::int64_t samples = dynamics.steps / e.sample_every_steps + 1;
    const auto ladder = ensemble::first_ladder(e, ensemble::charge_model(system));
    const thermodynamics::ScreeningNodes nodes(ladder, system.topology.electrostatics.cutoff_nm);
    findings.note(fmt::format(
        "{} replicas ({}, {}) for {} steps of {} ps, {}; samples: {}, about {}", e.replicas(),
        ensemble::describe(ladder), core::pluralise(e.ladders, "ladder"), dynamics.steps,
        dynamics.time_step_ps,
        e.exchanges() ? fmt::format("exchange every {}", e.exchange_every_steps) : "no exchange",
        samples,
        telemetry::format_bytes(io::SampleFile::bytes(
            samples, {e.replicas(), static_cast<std::int64_t>(nodes.size()),
                      std::ssize(replicas::sampled_columns(system.topology))}))));
    return;
  }
  findings.note(fmt::format("{} steps of {} ps ({:.4g} ns) at {} K, {}, {} precision, start: {}",
                            dynamics.steps, dynamics.time_step_ps,
                            static_cast<double>(dynamics.steps) * dynamics.time_step_ps * ns_per_ps,
                            dynamics.temperature_kelvin, choice("dynamics.integrator", settings),
                            choice("dynamics.precision", settings),
                            choice("start.from", settings)));
}

/// Runs only the comparison of partitions.
void check_partitions(const CheckOptions& options, const CheckedInput& input, Findings& findings) {
  const auto& settings = input.settings;
  if (settings.ensemble.is_enabled()) {
    core::refuse(input.file.string(), "an ensemble shares out replicas, not residues",
                 "leave --partitions out");
  }
  const comm::Communicator alone;
  const auto system = setup::build_system(alone, settings, input.file);
  const auto first = setup::first_state(alone, settings, input.file, system.topology);
  findings.note(fmt::format("{} residues, {}, {}", system.topology.residue_count(),
                            core::pluralise(system.topology.chains.size(), "chain"),
                            core::pluralise(system.topology.contact_count(), "native contact")));
  const auto comparisons =
      compare_requested(options.partitions, settings, system.topology, first.state);
  for (const auto& one : comparisons) {
    findings.note_all(setup::partition_table(one, system.topology));
    findings.details["partitions"].push_back(setup::partition_json(one, system.topology));
  }
  if (options.output.empty()) return;
  setup::write_partition_files(options.output,
                               options.overwrite ? job::Overwrite::yes : job::Overwrite::no,
                               comparisons, system.topology, first.state);
  findings.note(
      fmt::format("written to {}; tools/report.py {} draws it", options.output, options.output));
}

/// Returns a target with the settings of its first part.
CheckedInput input_of_target(const CheckOptions& options, const input::BatchFile& list,
                             const input::BatchTarget& target) {
  const auto given = input::read_target_input(list, target);
  return {given.path_base, batch::first_settings(given, options.overrides)};
}

using CheckOfOne = void(const CheckOptions&, const CheckedInput&, Findings&);

/// Checks the input, or each target of a list.
void check_each(const CheckOptions& options, CheckOfOne& check, Findings& findings) {
  findings.collect([&] {
    const auto list = plan::read_target_list(options.input);
    if (!list) {
      const auto text = input::read_input_text(options.input);
      check(options,
            {options.input, input::parse_input(text, options.input.string(), options.overrides)},
            findings);
      return;
    }
    if (!options.output.empty()) {
      core::refuse("--output", "is for one input, not for a list", "leave it out");
    }
    for (const auto& target : list->targets) {
      Findings of_target;
      of_target.collect(
          [&] { check(options, input_of_target(options, *list, target), of_target); });
      const std::string name = fmt::format("target '{}'", target.name);
      for (const auto& error : of_target.errors) {
        findings.errors.push_back(fmt::format("{}: {}", name, error));
      }
      findings.note(name);
      for (const auto& note : of_target.notes) findings.note("  " + note);
      if (!of_target.details.empty()) findings.details["targets"][target.name] = of_target.details;
    }
  });
}

/// Returns the folder, or its nearest existing parent.
fs::path existing_part(const fs::path& folder) {
  fs::path part = fs::absolute(folder).lexically_normal();
  std::error_code error;
  while (!fs::exists(part, error) && part.has_relative_path()) part = part.parent_path();
  return part;
}

void check_writable(const fs::path& folder) {
  const fs::path part = existing_part(folder);
  const bool is_folder = fs::is_directory(part);
  if (is_folder && access(part.c_str(), W_OK | X_OK) == 0) return;
  core::refuse(
      folder.string(),
      fmt::format("'{}' is {}", part.string(), is_folder ? "not writable" : "a file, not a folder"),
      "choose another folder by --output");
}

void describe_frames(const fs::path& folder, const topology::Topology& topology,
                     const input::Settings& settings, Findings& findings) {
  const auto& output = settings.output;
  const auto& ensemble = settings.ensemble;
  const std::int64_t steps = settings.dynamics.steps;
  const std::size_t files = ensemble.is_enabled() ? ensemble.trajectory_replicas.size() : 1;
  if (output.trajectory_every_steps == 0 || files == 0) return;
  constexpr std::int64_t bytes_per_residue = 3 * sizeof(float);
  const std::int64_t frames = output.frame_count(steps);
  const double bytes = static_cast<double>(frames) *
                       static_cast<double>(topology.residue_count() * bytes_per_residue) *
                       (output.dcd ? 2 : 1) * static_cast<double>(files);
  std::error_code error;
  const auto space = fs::space(existing_part(folder), error);
  findings.note(fmt::format(
      "{}: {} frames{}, about {}",
      ensemble.is_enabled() ? "trajectories of " + core::pluralise(files, "replica") : "trajectory",
      frames, files > 1 ? " each" : "", telemetry::format_bytes(static_cast<std::int64_t>(bytes))));
  if (!error && bytes > static_cast<double>(space.available)) {
    findings.note(fmt::format("warning: {} has only {} left", folder.string(),
                              telemetry::format_bytes(static_cast<std::int64_t>(space.available))));
  }
}

/// Checks the contents of an existing output folder by the rules of run, and notes how the run
/// would resume. Returns the step from which it resumes.
std::int64_t check_contents(const fs::path& input, const status::OutputPaths& paths,
                            const input::Settings& settings, const topology::Topology& topology,
                            Findings& findings) {
  switch (job::inspect_folder(paths, settings, job::ResumeMode::automatic, input)) {
    case job::FolderContents::fresh:
      return 0;
    case job::FolderContents::begun:
      findings.note("output: " + paths.folder.string() +
                    ", begun without a checkpoint: starts anew");
      return 0;
    case job::FolderContents::checkpoint:
      break;
  }
  const auto checkpoint = io::read_checkpoint(comm::Communicator(), paths.checkpoint());
  if (!checkpoint.warning.empty()) findings.note("warning: " + checkpoint.warning);
  const std::string where = checkpoint.read_from.string();
  job::refuse_changed_keys(
      job::adopt_same_paths(input::parse_input(checkpoint.header.resolved_input, where), settings,
                            input, paths.input()),
      settings, where);
  const auto& ensemble = settings.ensemble;
  setup::require_same_system(checkpoint, topology, ensemble.is_enabled() ? ensemble.replicas() : 1);
  setup::require_steps_left(checkpoint.header, settings, paths.folder.string(),
                            job::is_finished(paths));
  findings.note(fmt::format("output: {}, goes on from step {}", paths.folder.string(),
                            checkpoint.header.step));
  return checkpoint.header.step;
}

/// Checks a list of targets, or a folder of them. Returns false if the input is neither.
bool check_list(const CheckOptions& options, Findings& findings) {
  bool is_list = false;
  const bool is_read = findings.collect([&] {
    const auto list = plan::read_target_list(options.input);
    if (!list) return;
    is_list = true;
    auto [errors, notes] = plan::check_targets(*list, options.overrides);
    findings.errors.insert(findings.errors.end(), errors.begin(), errors.end());
    findings.notes = std::move(notes);
  });
  return is_list || !is_read;
}

/// Runs each check whose preconditions hold.
void check_all(const CheckOptions& options, Findings& findings) {
  const status::OutputPaths paths = status::output_paths(options.input, options.output);
  const bool writable = findings.collect([&] { check_writable(paths.folder); });
  input::Settings settings;
  const bool readable = findings.collect([&] {
    settings = input::parse_input(input::read_input_text(options.input), options.input.string(),
                                  options.overrides);
  });
  if (!readable) return;
  const comm::Communicator alone;
  std::optional<setup::SystemSetup> system;
  if (!findings.collect([&] { system = setup::build_system(alone, settings, options.input); }))
    return;
  describe_system(*system, settings, findings);
  if (const auto& file = options.openmm_system; !file.empty()) {
    findings.collect([&] {
      findings.note(file.string() + ", largest relative difference of a number:");
      for (const auto& line : calvados::compare_with_system(
               system->topology, core::read_required_text(file), file.string())) {
        findings.note("  " + line);
      }
    });
  }
  if (!findings.collect([&] { describe_dynamics(*system, settings, findings); })) return;
  setup::FirstState first;
  findings.collect([&] { (void)setup::to_device_request(settings.devices, ""); });
  findings.collect(
      [&] { (void)setup::given_domains(system->topology, settings.partition.domains); });
  findings.collect([&] {
    first = setup::first_state(alone, settings, options.input, system->topology);
    findings.note_all(first.notes);
  });
  const bool has_start = !first.state.position.empty();
  findings.collect([&] {
    if (settings.ensemble.is_enabled()) {
      (void)setup::umbrella_variable(settings.ensemble, system->topology);
      ensemble::require_one_chain(settings, system->topology);
      if (has_start) {
        findings.note(ensemble::check_ensemble_memory(settings, *system, first.state));
        refuse_memory(options,
                      ensemble::estimate_ensemble_memory(settings, *system, first.state, 1,
                                                         std::max(1, options.threads)),
                      nullptr, settings, findings);
      }
    } else if (has_start) {
      const setup::MemoryEstimator estimator(settings, system->topology, first.state);
      const auto memory = estimator.on(1);
      refuse_memory(options, memory, &estimator, settings, findings);
      findings.note(setup::memory_message(memory) + "; --memory has the table");
    }
  });
  findings.collect([&] {
    const run::Observation observation(alone, settings, system->topology);
    findings.note_all(observation.notes());
  });
  if (!writable) return;
  describe_frames(paths.folder, system->topology, settings, findings);
  std::int64_t steps_done = 0;
  findings.collect([&] {
    if (options.overwrite) {
      job::require_replaceable(paths);
    } else {
      steps_done = check_contents(options.input, paths, settings, system->topology, findings);
    }
  });
  if (steps_done == 0) findings.note(setup::cold_start_warning(settings));
  if (options.no_time || !findings.errors.empty() || !job::is_root_before_mpi()) return;
  findings.note(
      run::describe_run_time({settings, *system, first.state, steps_done, options.threads}));
}

/// Sets the input of a CALVADOS folder, and its System if it has one.
void take_folder(CheckOptions& options) {
  if (!calvados::is_calvados_folder(options.input)) return;
  const auto given = calvados::input_of_folder(options.input, std::cerr);
  const auto& folder = given.translation.folder;
  const auto system = folder.path / (folder.config.name + ".xml");
  std::error_code error;
  if (fs::is_regular_file(system, error)) options.openmm_system = system;
  options.input = given.input;
}

core::ExitCode check(const CheckOptions& options) {
  Findings findings;
  if (options.compares_partitions) {
    if (!job::is_root_before_mpi()) return core::ExitCode::done;
    check_each(options, check_partitions, findings);
  } else if (options.memory) {
    check_each(options, check_memory, findings);
  } else if (!check_list(options, findings)) {
    check_all(options, findings);
  }
  const bool can_run = findings.errors.empty();
  const auto exit_code = can_run ? core::ExitCode::done : core::ExitCode::wrong_input;
  if (!job::is_root_before_mpi()) return can_run ? exit_code : job::delay_failure(exit_code);
  if (options.json) {
    nlohmann::ordered_json json{{"input", options.input.string()},
                                {"can_run", can_run},
                                {"errors", findings.errors},
                                {"notes", findings.notes}};
    if (!findings.details.empty()) json.update(findings.details);
    std::cout << json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << std::endl;
    return exit_code;
  }
  const bool is_table = options.memory || options.compares_partitions;
  if (can_run || is_table) {
    std::cout << options.input.string() << (is_table ? ":\n" : " can run\n");
    for (const auto& note : findings.notes) std::cout << "  " << note << '\n';
    std::cout << std::flush;
  }
  for (const auto& error : findings.errors) core::print_error(error);
  return exit_code;
}

}  // namespace

void add_check(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<CheckOptions>();
  auto* command = app.add_subcommand(
      "check", "Find everything that run would refuse, in a second and without a GPU");
  command
      ->add_option("INPUT", options->input,
                   "Input file (YAML), a list of targets or sequences, or a CALVADOS folder")
      ->required();
  add_set_option(*command, options->overrides);
  add_output_option(*command, options->output, "DIR",
                    "Folder that the run will write [NAME.out]; with --partitions, for the files "
                    "of the picture [none]");
  command->add_flag("--overwrite", options->overwrite, "As for run: what stands there may go");
  command->add_flag("--no-time", options->no_time,
                    "Do not try the first steps to estimate how long the run takes here");
  auto* const memory = command->add_flag(
      "--memory", options->memory,
      "Only a table of the memory that a run needs, by group of arrays, held against what is free");
  command
      ->add_option("--ranks", options->ranks,
                   "With --memory: the ranks (GPUs) that the run will have [1]")
      ->transform(whole_from(1, 65536))
      ->needs(memory);
  auto* const partitions = add_partition_options(*command, options->partitions);
  partitions->excludes(memory);
  command
      ->add_option("--machine", options->machine,
                   "With --memory: on the GPUs of a built-in machine, or of a file of nfold bench "
                   "--calibrate [this computer]")
      ->type_name("NAME|FILE")
      ->needs(memory);
  command->add_flag("--json", options->json, "As JSON, for programs");
  add_threads_option(*command, options->threads);
  add_device_memory_option(*command, options->device_memory);
  command->callback([options, partitions, &invocation] {
    options->compares_partitions = partitions->count() > 0;
    take_folder(*options);
    invocation.exit_code = check(*options);
  });
}

}  // namespace nfold::cli
