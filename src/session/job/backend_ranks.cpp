// Exchange of build descriptions, and groups of ranks with one backend.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/backend_ranks.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>

#include "core/refusal.hpp"
#include "core/text.hpp"

namespace nfold::job {
namespace {

/// RankBuild as a message.
struct PlainBuild {
  std::array<char, 32> sources{};
  std::int64_t space = 0;
};

std::vector<RankBuild> gather_builds(const comm::Communicator& world, const RankBuild& own) {
  PlainBuild mine;
  mine.space = static_cast<std::int64_t>(own.space);
  own.sources.copy(mine.sources.data(), mine.sources.size() - 1);
  std::vector<RankBuild> builds;
  for (const auto& one : world.all_gather(std::span<const PlainBuild>(&mine, 1))) {
    builds.push_back({static_cast<estimate::Backend>(one.space), one.sources.data()});
  }
  return builds;
}

}  // namespace

std::string describe_source_mismatch(const std::vector<RankBuild>& builds) {
  for (std::size_t rank = 1; rank < builds.size(); ++rank) {
    if (builds[rank].sources == builds[0].sources) continue;
    return fmt::format("rank 0 is of sources {} ({} build), rank {} of {} ({} build)",
                       builds[0].sources, estimate::backend_name(builds[0].space), rank,
                       builds[rank].sources, estimate::backend_name(builds[rank].space));
  }
  return {};
}

BackendRanks::BackendRanks(const comm::Communicator& world, const RankBuild& mine)
    : space_(mine.space), alike_(world) {
  const auto builds = gather_builds(world, mine);
  if (const auto problem = describe_source_mismatch(builds); !problem.empty()) {
    core::refuse(
        "this job mixes unlike programs", problem,
        "build both from one checkout and start them again; nfold --version tells the sources");
  }
  std::vector<int> members;
  for (std::size_t rank = 0; rank < builds.size(); ++rank) {
    ++(builds[rank].space == estimate::Backend::cpu ? ranks_.cpu : ranks_.gpu);
    if (builds[rank].space == space_) members.push_back(static_cast<int>(rank));
  }
  if (has_both()) alike_ = world.group(members, static_cast<int>(space_));
}

void BackendRanks::count_threads(const comm::Communicator& world, int of_this_rank) {
  ranks_.cpu_threads = static_cast<int>(
      world.sum(space_ == estimate::Backend::cpu ? std::int64_t{of_this_rank} : 0));
}

std::string BackendRanks::describe() const {
  const auto gpus = core::pluralise(ranks_.gpu, "GPU rank");
  const auto cpus = core::pluralise(ranks_.cpu, "CPU rank");
  return has_both() ? gpus + " and " + cpus : ranks_.gpu > 0 ? gpus : cpus;
}

void require_one_backend(const comm::Communicator& world, const std::string& command) {
  const BackendRanks ranks(world);
  if (!ranks.has_both()) return;
  core::refuse(command, fmt::format("the job has {}", ranks.describe()),
               "start one build only; targets of nfold batch may be shared out among both");
}

}  // namespace nfold::job
