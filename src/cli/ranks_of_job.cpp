// Ranks tell each other what they are, and those of one space become a group.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/ranks_of_job.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "cli/refusal.hpp"
#include "cli/version.hpp"

namespace nfold::cli {
namespace {

/// As it travels.
struct PlainBuild {
  std::array<char, 32> sources{};
  std::int64_t space = 0;
  std::int64_t is_known = 1;
};

/// NFOLD_TEST_SOURCES stands in for the hash, so that a test has unlike programs.
std::string own_sources() {
  const char* const posed = std::getenv("NFOLD_TEST_SOURCES");
  return posed != nullptr ? posed : source_hash;
}

/// Own space; where the variable is wrong, all ranks have to hear of it.
std::vector<RankBuild> builds_of(const comm::Communicator& world) {
  PlainBuild mine;
  try {
    mine.space = static_cast<std::int64_t>(own_space());
  } catch (const std::exception&) {
    mine.is_known = 0;
  }
  const std::string sources = own_sources();
  sources.copy(mine.sources.data(), mine.sources.size() - 1);
  const auto all = world.all_gather(std::span<const PlainBuild>(&mine, 1));
  std::vector<RankBuild> builds;
  for (const auto& one : all) {
    if (one.is_known == 0) refuse("NFOLD_TEST_SPACE", "names no space", "it takes cpu or gpu");
    builds.push_back({static_cast<plan::Space>(one.space), one.sources.data()});
  }
  return builds;
}

}  // namespace

plan::Space own_space() {
  const char* const posed = std::getenv("NFOLD_TEST_SPACE");
  if (posed != nullptr) {
    const auto space = plan::space_of(posed);
    if (!space) refuse("NFOLD_TEST_SPACE", fmt::format("= {}", posed), "it takes cpu or gpu");
    return *space;
  }
#ifdef NFOLD_BUILT_FOR_GPU
  return plan::Space::gpu;
#else
  return plan::Space::cpu;
#endif
}

std::string unlike_sources(const std::vector<RankBuild>& builds) {
  for (std::size_t rank = 1; rank < builds.size(); ++rank) {
    if (builds[rank].sources == builds[0].sources) continue;
    return fmt::format("rank 0 is of sources {} ({} build), rank {} of {} ({} build)",
                       builds[0].sources, plan::space_name(builds[0].space), rank,
                       builds[rank].sources, plan::space_name(builds[rank].space));
  }
  return {};
}

RanksOfJob::RanksOfJob(const comm::Communicator& world) : space_(plan::Space::cpu), alike_(world) {
  const auto builds = builds_of(world);
  if (const auto problem = unlike_sources(builds); !problem.empty()) {
    refuse("this job mixes unlike programs", problem,
           "build both from one checkout and start them again; nfold --version tells the sources");
  }
  space_ = builds[static_cast<std::size_t>(world.rank())].space;
  std::vector<int> members;
  for (std::size_t rank = 0; rank < builds.size(); ++rank) {
    ++(builds[rank].space == plan::Space::cpu ? ranks_.cpu : ranks_.gpu);
    if (builds[rank].space == space_) members.push_back(static_cast<int>(rank));
  }
  if (has_both()) alike_ = world.group(members, static_cast<int>(space_));
}

void RanksOfJob::count_threads(const comm::Communicator& world, int of_this_rank) {
  ranks_.cpu_threads =
      static_cast<int>(world.sum(space_ == plan::Space::cpu ? std::int64_t{of_this_rank} : 0));
}

std::string RanksOfJob::in_words() const {
  const auto count = [](int ranks, const char* kind) {
    return fmt::format("{} {} rank{}", ranks, kind, ranks == 1 ? "" : "s");
  };
  if (!has_both()) return ranks_.gpu > 0 ? count(ranks_.gpu, "GPU") : count(ranks_.cpu, "CPU");
  return count(ranks_.gpu, "GPU") + " and " + count(ranks_.cpu, "CPU");
}

}  // namespace nfold::cli
