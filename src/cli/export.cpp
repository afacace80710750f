// nfold export: an H5MD trajectory as DCD, XTC, GSD, PSF, PDB and mmCIF.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cli/all_atom.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "io/structure_files.hpp"
#include "io/trajectory.hpp"
#include "io/trajectory_export.hpp"
#include "session/job/failure.hpp"
#include "session/job/result_files.hpp"
#include "session/run/frame_energies.hpp"

namespace nfold::cli {

namespace {

struct ExportOptions {
  std::string trajectory, prefix, frames;
  bool dcd = false, xtc = false, gsd = false, psf = false, pdb = false, cif = false;
  bool all_atom = false;
  bool wrap = false, centre = false, overwrite = false;
  std::optional<std::int64_t> frame;
  std::int64_t stride = 1;

  /// True if a PDB or mmCIF file takes a model of each chosen frame.
  [[nodiscard]] bool has_models() const { return !frame && (!frames.empty() || stride > 1); }
  [[nodiscard]] io::Placement placement() const {
    if (centre) return io::Placement::centred;
    return wrap ? io::Placement::wrapped : io::Placement::unchanged;
  }
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

/// Returns the frames of --frames and --stride.
std::vector<std::int64_t> chosen_frames(const ExportOptions& options, std::int64_t count) {
  std::vector<std::int64_t> frames(static_cast<std::size_t>(count));
  std::iota(frames.begin(), frames.end(), 0);
  if (!options.frames.empty()) frames = run::select_frames(options.frames, count);
  std::vector<std::int64_t> chosen;
  for (std::size_t k = 0; k < frames.size(); k += static_cast<std::size_t>(options.stride)) {
    chosen.push_back(frames[k]);
  }
  return chosen;
}

/// Returns the frame of --frame, by default the first.
std::int64_t chosen_frame(const ExportOptions& options, std::int64_t count) {
  const auto given = options.frame.value_or(0);
  const auto frame = given < 0 ? count + given : given;
  if (frame < 0 || frame >= count) {
    throw storage::FileError(
        fmt::format("{}: no frame {} among {}", options.trajectory, given, count));
  }
  return frame;
}

void write_models(const io::TrajectoryReader& trajectory, const io::ExportedFrames& frames,
                  const ExportOptions& options) {
  const io::FrameReader read = [&frames](std::int64_t frame) { return frames.positions_nm(frame); };
  if (options.pdb) {
    const auto path = target(options, ".pdb");
    io::write_pdb(path, trajectory.description(), frames.count(), read);
    report_file(path, trajectory, frames.count());
  }
  if (options.cif) {
    const auto path = target(options, ".cif");
    io::write_mmcif(path, trajectory.description(), frames.count(), read);
    report_file(path, trajectory, frames.count());
  }
  if (options.all_atom) {
    const auto path = target(options, ".all-atom.pdb");
    const auto counts = write_all_atom(path, frames);
    std::cout << fmt::format("wrote {}: {} of {} atoms; closer than 0.2 nm: {}\n", path.string(),
                             core::pluralise(frames.count(), "frame"),
                             counts.atoms / std::max<std::int64_t>(frames.count(), 1),
                             core::pluralise(counts.clashes, "pair"));
  }
}

void export_files(const ExportOptions& options) {
  const io::TrajectoryReader trajectory(options.trajectory);
  const auto count = trajectory.frame_count();
  const auto chosen = chosen_frames(options, count);
  const io::ExportedFrames frames(trajectory, chosen, options.placement());
  const bool all = !options.dcd && !options.xtc && !options.gsd && !options.psf && !options.pdb &&
                   !options.cif && !options.all_atom;
  const auto write_frames = [&](const char* extension, const auto& write) {
    const auto path = target(options, extension);
    const auto warning = write(frames, path);
    report_file(path, trajectory, frames.count());
    if (!warning.empty()) std::cerr << "nfold: warning: " << warning << '\n';
  };
  if (options.dcd || all) write_frames(".dcd", io::export_dcd);
  if (options.xtc) write_frames(".xtc", io::export_xtc);
  if (options.gsd) {
    const auto path = target(options, ".gsd");
    io::export_gsd(frames, path);
    report_file(path, trajectory, frames.count());
  }
  if (options.psf || all) {
    const auto path = target(options, ".psf");
    io::write_psf(path, trajectory.description());
    report_file(path, trajectory, 0);
  }
  if (options.has_models()) {
    write_models(trajectory, frames, options);
  } else if (options.pdb || options.cif || options.all_atom) {
    const io::ExportedFrames one(trajectory, {chosen_frame(options, count)}, options.placement());
    write_models(trajectory, one, options);
  }
}

}  // namespace

void add_export(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "Converts a trajectory for other tools: XTC or DCD with PSF, GSD, PDB, mmCIF");
  command->add_option("FILE", options->trajectory, "NAME.h5md")->required();
  command->add_flag("--dcd", options->dcd, "Frames, as NAME.dcd");
  command->add_flag("--xtc", options->xtc,
                    "Frames, as NAME.xtc (GROMACS): coordinates rounded to 0.001 nm, a third of a "
                    "DCD's size");
  command->add_flag("--gsd", options->gsd,
                    "Frames, names, masses, charges and bonds, as NAME.gsd (HOOMD-blue), of a "
                    "system in a box");
  command->add_flag("--psf", options->psf, "Names, masses, charges and bonds, as NAME.psf");
  command->add_flag("--pdb", options->pdb,
                    "One frame, or a model of each with --frames or --stride, as NAME.pdb");
  command->add_flag("--cif", options->cif, "The same as NAME.cif (mmCIF), for systems of any size");
  command->add_flag(
      "--all-atom", options->all_atom,
      "The same with all heavy atoms, rebuilt by the command pulchra in some seconds a "
      "chain and frame, as NAME.all-atom.pdb; clashes are counted");
  command->add_option("--frame", options->frame, "Frame of PDB or mmCIF; -1 is the last [0]")
      ->transform(whole_from(-1'000'000'000'000, 1'000'000'000'000))
      ->type_name("FRAME");
  command
      ->add_option("--frames", options->frames,
                   "Frames: a number from 0, or FIRST:END:STEP as in Python [all]")
      ->type_name("FRAMES");
  command->add_option("--stride", options->stride, "Every N-th of these frames")
      ->transform(whole_from(1, 1'000'000'000'000))
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--wrap", options->wrap,
                    "Move each chain, as a whole, by edges of the box, so that its centre of mass "
                    "is in the box");
  command->add_flag("--centre,--center", options->centre,
                    "Move all chains together so that their centre of mass is the middle of the "
                    "box (0 without a box), then as --wrap");
  add_output_option(*command, options->prefix, "NAME", "Another NAME, with its folder");
  add_overwrite_option(*command, options->overwrite);
  command->footer("Without a format: DCD and PSF.");
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
