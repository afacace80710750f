// Clusters by union-find over close pairs.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/clusters.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "model/topology/disjoint_sets.hpp"
#include "system/cell_list.hpp"

namespace nfold::analysis {

std::vector<int> cluster_sizes(const topology::Topology& topology, std::span<const Point> x_nm,
                               double cutoff_nm) {
  topology::DisjointSets sets(topology.chains.size());
  system::CellList(topology.box, x_nm, cutoff_nm).for_each_pair([&](int i, int j) {
    const int a = topology.residues[static_cast<std::size_t>(i)].chain;
    const int b = topology.residues[static_cast<std::size_t>(j)].chain;
    if (a != b) sets.join(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  });
  std::vector<int> sizes(topology.chains.size(), 0);
  for (std::size_t chain = 0; chain < sizes.size(); ++chain) ++sizes[sets.root(chain)];
  std::erase(sizes, 0);
  std::ranges::sort(sizes, std::greater{});
  return sizes;
}

Clusters::Clusters(const topology::Topology& topology, double cutoff_nm)
    : topology_(topology),
      cutoff_nm_(cutoff_nm),
      clusters_of_size_(topology.chains.size(), 0),
      largest_of_size_(topology.chains.size(), 0) {}

void Clusters::add(const Frame& frame) {
  const auto sizes = cluster_sizes(topology_, frame.x_nm, cutoff_nm_);
  std::int64_t squares = 0;
  for (const int size : sizes) {
    ++clusters_of_size_[static_cast<std::size_t>(size) - 1];
    squares += static_cast<std::int64_t>(size) * size;
  }
  ++largest_of_size_[static_cast<std::size_t>(sizes.at(0)) - 1];
  const std::int64_t row[] = {static_cast<std::int64_t>(sizes.size()), sizes[0], squares};
  sums_.add(row);
}

std::vector<Result> Clusters::results() const {
  const auto chains = static_cast<double>(topology_.chains.size());
  const auto frames = static_cast<double>(sums_.rows());
  const std::int64_t sizes = static_cast<std::int64_t>(clusters_of_size_.size());
  std::vector<std::int64_t> size(clusters_of_size_.size());
  std::iota(size.begin(), size.end(), 1);
  Result count{
      "clusters/count_of_size", "", "(sizes) mean number of clusters of that size", {sizes}, {}};
  Result fraction{"clusters/chain_fraction",
                  "",
                  "(sizes) mean fraction of all chains that are in a cluster of that size",
                  {sizes},
                  {}};
  Result largest{"clusters/largest_distribution",
                 "",
                 "(sizes) fraction of frames whose largest cluster has that size",
                 {sizes},
                 {}};
  for (std::size_t s = 0; s < clusters_of_size_.size(); ++s) {
    const double mean = static_cast<double>(clusters_of_size_[s]) / frames;
    const auto members = static_cast<double>(s + 1);
    count.values.push_back(mean);
    fraction.values.push_back(mean * members / chains);
    largest.values.push_back(static_cast<double>(largest_of_size_[s]) / frames);
  }
  std::vector<Result> results{
      whole_numbers("clusters/size", "(sizes) chains of a cluster", std::move(size)),
      std::move(count),
      std::move(fraction),
      std::move(largest),
      {"clusters/cutoff", "nm", "chains touch if residues of them are closer", {}, {cutoff_nm_}}};
  const auto add = [&](const char* path, const char* text, std::size_t column, double factor) {
    sums_.add_tables({path, "", text, {}, {}}, std::array{column}, factor, results);
  };
  add("clusters/number", "mean number of clusters", 0, 1);
  add("clusters/largest", "mean size of the largest cluster", 1, 1);
  add("clusters/weighted_size", "mean size of the cluster that a chain is in", 2, 1 / chains);
  return results;
}

void Clusters::save_sums(WordWriter& to) const {
  to.put_all(clusters_of_size_);
  to.put_all(largest_of_size_);
  sums_.save(to);
}

void Clusters::restore_sums(WordReader& from) {
  for (auto* counts : {&clusters_of_size_, &largest_of_size_}) {
    *counts = from.get_all(counts->size());
  }
  sums_.restore(from);
}

}  // namespace nfold::analysis
