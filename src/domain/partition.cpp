// Partitioners for residue ranges of equal work and for random owners in tests.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/partition.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace nfold::domain {
namespace {

std::uint64_t mix_bits(std::uint64_t x) {  // finaliser of SplitMix64 (Steele, Lea, Flood, 2014)
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace

WorkShares::WorkShares(std::span<const double> work, RankLevels rank_levels)
    : WorkShares(comm::Communicator(), work, std::move(rank_levels)) {}

WorkShares::WorkShares(const comm::Communicator& communicator, std::span<const double> work,
                       RankLevels rank_levels)
    : levels(std::move(rank_levels)) {
  const auto bad = std::find_if(work.begin(), work.end(),
                                [](double w) { return !(w >= 0) || !std::isfinite(w); });
  if (communicator.any(bad != work.end())) {
    throw std::invalid_argument(
        bad == work.end() ? "work of a residue of another rank is below 0 or not finite"
                          : "work of residue " + std::to_string(bad - work.begin()) + " is " +
                                std::to_string(*bad) + " (must be finite and >= 0)");
  }
  // Sums residue by residue in order, so that the sum equals that of one rank to the last bit.
  double sum = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (rank == communicator.rank()) sum = std::accumulate(work.begin(), work.end(), sum);
    const auto bytes = communicator.broadcast(
        std::string_view(reinterpret_cast<const char*>(&sum), sizeof sum), rank);
    std::memcpy(&sum, bytes.data(), sizeof sum);
  }
  of.reserve(work.size());
  const double scale = sum > 0 ? 0x1p44 / sum : 0;
  std::int64_t own = 0;
  for (const double w : work) {
    of.push_back(static_cast<std::uint64_t>(std::llrint(w * scale)));
    own += static_cast<std::int64_t>(of.back());
  }
  total = static_cast<std::uint64_t>(communicator.sum(own));
}

int WorkShares::rank_at(std::uint64_t before, std::size_t id) const {
  if (total == 0) return 0;
  const double middle = (static_cast<double>(before) + 0.5 * static_cast<double>(of[id])) /
                        static_cast<double>(total);
  const auto& before_each = levels.part_before;
  const auto next = std::upper_bound(before_each.begin() + 1, before_each.end() - 1, middle);
  return levels.ranks[static_cast<std::size_t>(next - before_each.begin()) - 1];
}

Ownership residue_ranges(std::span<const double> work, int rank_count,
                         std::span<const double> speed, std::span<const int> node) {
  const WorkShares shares(work, {rank_count, speed, node});
  Ownership owner(work.size(), 0);
  std::uint64_t before = 0;
  for (std::size_t id = 0; id < owner.size(); ++id) {
    owner[id] = shares.rank_at(before, id);
    before += shares.of[id];
  }
  return owner;
}

std::uint64_t partition_checksum(const Ownership& owner) {
  std::uint64_t sum = owner.size();
  for (const int rank : owner)
    sum = mix_bits(sum * 0x9e3779b97f4a7c15U + static_cast<unsigned>(rank));
  return sum;
}

std::vector<double> rank_loads(std::span<const double> work, const Ownership& owner,
                               int rank_count) {
  require_ranks(rank_count);
  std::vector<double> load(static_cast<std::size_t>(rank_count), 0);
  for (std::size_t id = 0; id < work.size(); ++id) {
    load[static_cast<std::size_t>(owner[id])] += work[id];
  }
  return load;
}

double load_imbalance(std::span<const double> work, const Ownership& owner, int rank_count) {
  const auto load = rank_loads(work, owner, rank_count);
  const double total = std::accumulate(load.begin(), load.end(), 0.0);
  return total > 0 ? *std::max_element(load.begin(), load.end()) * rank_count / total : 1;
}

std::int64_t contacts_cut(const topology::Topology& topology, const Ownership& owner) {
  std::int64_t cut = 0;
  topology::BondedKinds::for_each([&](auto kind) {
    using Kind = decltype(kind);
    if constexpr (topology::is_native_contact<Kind>) {
      for (const auto& contact : terms_of(topology, kind)) {
        const auto is_cut = owner[static_cast<std::size_t>(contact.i)] !=
                            owner[static_cast<std::size_t>(contact.j)];
        cut += is_cut ? 1 : 0;
      }
    }
  });
  return cut;
}

Ownership random_owners(int residue_count, int rank_count, std::uint64_t seed) {
  require_ranks(rank_count);
  Ownership owner(static_cast<std::size_t>(std::max(residue_count, 0)));
  for (std::size_t id = 0; id < owner.size(); ++id) {
    const std::uint64_t word = mix_bits(mix_bits(seed + 0x9e3779b97f4a7c15U) ^ id);
    owner[id] = static_cast<int>((word >> 32U) * static_cast<std::uint64_t>(rank_count) >> 32U);
  }
  return owner;
}

}  // namespace nfold::domain
