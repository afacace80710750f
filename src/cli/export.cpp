// nfold export: an H5MD trajectory as DCD, PSF, PDB and mmCIF.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "io/structure_files.hpp"
#include "io/trajectory.hpp"
#include "io/trajectory_export.hpp"
#include "session/job/failure.hpp"
#include "session/job/result_files.hpp"

namespace nfold::cli {

namespace {

struct ExportOptions {
  std::string trajectory, prefix;
  bool dcd = false, psf = false, pdb = false, cif = false, overwrite = false;
  std::int64_t frame = 0;
};

std::filesystem::path target(const ExportOptions& options, const char* extension) {
  std::filesystem::path path(options.prefix.empty() ? options.trajectory : options.prefix);
  if (options.prefix.empty()) path.replace_extension();
  path += extension;
  if (job::is_special(path)) {
    core::refuse(path.string(), "is no regular file", "choose another name with --output");
  }
  job::require_writable(std::array{job::ResultFile{"--output", path}},
                        options.overwrite ? job::Overwrite::yes : job::Overwrite::no,
                        std::array{std::filesystem::path(options.trajectory)});
  return path;
}

void report_file(const std::filesystem::path& path, const io::TrajectoryReader& trajectory,
                 std::int64_t frames) {
  std::cout << fmt::format(
      "wrote {}: {} of {} residues\n", path.string(),
      frames == 0 ? "names, masses, charges and bonds" : core::pluralise(frames, "frame"),
      trajectory.description().residue_count());
}

void write_one_frame(const io::TrajectoryReader& trajectory, const ExportOptions& options) {
  const auto frame = options.frame < 0 ? trajectory.frame_count() + options.frame : options.frame;
  if (frame < 0 || frame >= trajectory.frame_count()) {
    throw storage::FileError(options.trajectory + ": no frame " + std::to_string(options.frame) +
                             " among " + std::to_string(trajectory.frame_count()));
  }
  const auto positions = trajectory.positions_nm(frame);
  if (options.pdb) {
    const auto path = target(options, ".pdb");
    io::write_pdb(path, trajectory.description(), positions);
    report_file(path, trajectory, 1);
  }
  if (options.cif) {
    const auto path = target(options, ".cif");
    io::write_mmcif(path, trajectory.description(), positions);
    report_file(path, trajectory, 1);
  }
}

void export_files(const ExportOptions& options) {
  const io::TrajectoryReader trajectory(options.trajectory);
  const bool one_frame = options.pdb || options.cif;
  const bool all = !options.dcd && !options.psf && !one_frame;
  if (options.dcd || all) {
    const auto path = target(options, ".dcd");
    const auto warning = io::export_dcd(trajectory, path);
    report_file(path, trajectory, trajectory.frame_count());
    if (!warning.empty()) std::cerr << "nfold: warning: " << warning << '\n';
  }
  if (options.psf || all) {
    const auto path = target(options, ".psf");
    io::write_psf(path, trajectory.description());
    report_file(path, trajectory, 0);
  }
  if (one_frame) write_one_frame(trajectory, options);
}

}  // namespace

void add_export(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "Converts a trajectory for other tools: DCD with PSF, PDB, mmCIF");
  command->add_option("FILE", options->trajectory, "NAME.h5md")->required();
  command->add_flag("--dcd", options->dcd, "All frames, as NAME.dcd");
  command->add_flag("--psf", options->psf, "Names, masses, charges and bonds, as NAME.psf");
  command->add_flag("--pdb", options->pdb, "One frame, as NAME.pdb");
  command->add_flag("--cif", options->cif,
                    "One frame, as NAME.cif (mmCIF), for systems of any size");
  command->add_option("--frame", options->frame, "Which frame of PDB or mmCIF; -1 is the last")
      ->transform(whole_from(-1'000'000'000'000, 1'000'000'000'000))
      ->type_name("FRAME")
      ->capture_default_str();
  add_output_option(*command, options->prefix, "NAME", "Another NAME, with its folder");
  add_overwrite_option(*command, options->overwrite);
  command->footer("Without --dcd, --psf, --pdb or --cif: DCD and PSF.");
  command->callback([options, &invocation] {
    if (!job::is_root_before_mpi()) return;
    try {
      export_files(*options);
      invocation.exit_code = core::ExitCode::done;
    } catch (const storage::FileError& failure) {
      core::print_error(failure.what());
      invocation.exit_code = core::ExitCode::wrong_input;
    }
  });
}

}  // namespace nfold::cli
