// Choice between a new start and a checkpoint, and checks against the input.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/continuation.hpp"

#include <fmt/core.h>

#include <utility>

#include "core/refusal.hpp"
#include "input/input.hpp"
#include "input/named_files.hpp"
#include "session/job/changed_input.hpp"
#include "session/job/collective_work.hpp"
#include "session/setup/checkpoint_header.hpp"

namespace nfold::setup {
namespace {

// Claims the folder on rank 0 and returns `checkpoint` or `fresh` on all ranks.
job::FolderContents shared_offer(const comm::Communicator& communicator,
                                 const status::OutputPaths& paths, const input::Settings& settings,
                                 const job::RunOptions& options) {
  const auto answer = job::text_from_root(communicator, [&] {
    const auto offer =
        job::claim_folder(paths, settings, options.resume_mode(),
                          options.overwrite ? job::Overwrite::yes : job::Overwrite::no,
                          input::find_input_files(settings, options.input));
    return std::string(offer == job::FolderContents::checkpoint ? "checkpoint" : "fresh");
  });
  return answer == "checkpoint" ? job::FolderContents::checkpoint : job::FolderContents::fresh;
}

}  // namespace

Continuation start_or_resume(const comm::Communicator& communicator,
                             const status::OutputPaths& paths, const input::Settings& settings,
                             const job::RunOptions& options, io::CheckpointRows rows) {
  const bool named = options.resume_mode() == job::ResumeMode::from_file;
  if (named && options.overwrite) {
    core::refuse(
        "--overwrite", "cannot go with --resume FILE",
        "it would remove the trajectory that the checkpoint belongs to; leave one of them out");
  }
  const auto offer = shared_offer(communicator, paths, settings, options);
  Continuation continuation;
  if (offer == job::FolderContents::fresh && !named) return continuation;

  const std::filesystem::path file =
      named ? std::filesystem::path(options.resume) : paths.checkpoint();
  auto checkpoint = io::read_checkpoint(communicator, file, rows);
  const std::string where = checkpoint.read_from.string();
  auto before = input::parse_input(checkpoint.header.resolved_input, where);
  // Rank 0 compares the files for all ranks, since some ranks may not see them.
  const auto text = job::text_from_root(communicator, [&] {
    return input::write_input(
        job::adopt_same_paths(before, settings, options.input, paths.input()));
  });
  before = input::parse_input(text, where);
  job::refuse_changed_keys(before, settings, where);
  const bool finished = job::text_from_root(communicator, [&] {
                          return job::is_finished(paths) ? "yes" : "no";
                        }) == "yes";
  require_steps_left(checkpoint.header, settings, named ? where : paths.folder.string(),
                     finished && !named);

  if (!checkpoint.warning.empty()) continuation.notes.push_back(checkpoint.warning);
  continuation.notes.push_back(
      fmt::format("going on from step {} of {}", checkpoint.header.step, where));
  if (const auto changes = job::accepted_changes(before, without_layout(settings));
      !changes.empty()) {
    continuation.notes.push_back("changed since: " + changes);
  }
  continuation.checkpoint = std::move(checkpoint);
  return continuation;
}

void require_steps_left(const io::CheckpointHeader& header, const input::Settings& settings,
                        const std::string& where, bool finished) {
  const auto steps = settings.dynamics.steps;
  if (header.step > steps) {
    core::refuse(where,
                 fmt::format("is at step {}, beyond dynamics.steps = {}", header.step, steps),
                 "ask for more steps, choose another folder by --output, or replace this one by "
                 "--overwrite");
  }
  if (finished && header.step == steps) {
    core::refuse(
        where, fmt::format("holds a finished run of {} steps", steps),
        "to go on ask for more by --set dynamics.steps=N, choose another folder by --output, or "
        "replace this one by --overwrite",
        core::Outcome::already_done);
  }
}

void require_same_system(const io::Checkpoint& checkpoint, const topology::Topology& topology,
                         std::int64_t replicas) {
  const auto& header = checkpoint.header;
  if (header.residue_count == replicas * topology.residue_count() &&
      header.topology_hash == topology::hash_topology(topology)) {
    return;
  }
  core::refuse(
      checkpoint.read_from.string(),
      fmt::format("is of another system: {} residues, hash {:016x}; the structure now gives {} "
                  "residues, hash {:016x}",
                  header.residue_count, header.topology_hash, replicas * topology.residue_count(),
                  topology::hash_topology(topology)),
      "bring back the structure file that the run began with, or start anew by --overwrite");
}

}  // namespace nfold::setup
