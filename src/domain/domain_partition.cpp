// Distribution of domains over nodes, then over the ranks of each.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/domain_partition.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "domain/cluster_partition.hpp"
#include "domain/communities.hpp"
#include "domain/unit_distribution.hpp"

namespace nfold::domain {
namespace {

constexpr double slack = 0.02;  // excess over a rank's part up to which a unit stays whole

/// Assigns residues of domain_of that are -1.
void close_gaps(const topology::Topology& topology, std::vector<int>& domain_of) {
  int next = domain_of.empty() ? 0 : *std::max_element(domain_of.begin(), domain_of.end()) + 1;
  for (const auto& chain : topology.chains) {
    const auto begin = domain_of.begin() + chain.first, end = begin + chain.count;
    const auto is_known = [](int domain) { return domain >= 0; };
    if (std::none_of(begin, end, is_known)) {
      std::fill(begin, end, next++);
      continue;
    }
    for (auto gap = begin; (gap = std::find(gap, end, -1)) != end;) {
      const auto behind = std::find_if(gap, end, is_known);
      const auto middle = gap == begin ? gap : behind == end ? end : gap + (behind - gap + 1) / 2;
      if (middle != gap) std::fill(gap, middle, *(gap - 1));
      if (middle != behind) std::fill(middle, behind, *behind);
      gap = behind;
    }
  }
}

/// Returns the residues of each domain, in the order of first residues.
std::vector<std::vector<int>> members(std::span<const int> domain_of) {
  std::map<int, std::size_t> place;
  std::vector<std::vector<int>> all;
  for (std::size_t id = 0; id < domain_of.size(); ++id) {
    const auto [at, is_new] = place.try_emplace(domain_of[id], all.size());
    if (is_new) all.emplace_back();
    all[at->second].push_back(static_cast<int>(id));
  }
  return all;
}

/// Returns the communities of each molecule separately: joint communities of many molecules would
/// be as large as molecules, by modularity's resolution limit.
std::vector<int> communities_of_molecules(const topology::Topology& topology,
                                          const ResidueGraph& graph) {
  std::map<int, std::vector<int>> molecules;
  for (const auto& chain : topology.chains) {
    auto& residues = molecules[chain.molecule];
    for (int id = chain.first; id < chain.first + chain.count; ++id) residues.push_back(id);
  }
  std::vector<int> domain_of(topology.residues.size(), -1);
  int domains = 0;
  for (auto& [molecule, residues] : molecules) {
    std::sort(residues.begin(), residues.end());
    const auto community = communities(subgraph(graph, residues));
    for (std::size_t k = 0; k < residues.size(); ++k) {
      domain_of[static_cast<std::size_t>(residues[k])] = domains + community[k];
    }
    if (!community.empty()) {
      domains += 1 + *std::max_element(community.begin(), community.end());
    }
  }
  return domain_of;
}

class Domains {
 public:
  using Units = std::vector<std::vector<int>>;

  Domains(const ResidueGraph& graph, std::span<const double> work) : graph_(graph), work_(work) {}

  /// (parts) Returns the units of each.
  [[nodiscard]] std::vector<Units> split(Units units, const std::vector<double>& part) const {
    if (part.size() == 1) return {std::move(units)};
    units = cut_to(std::move(units), part);
    std::vector<Units> groups(part.size());
    const auto place = distribute_units(tied_units(units), part, by_clusters(units, part));
    for (std::size_t u = 0; u < units.size(); ++u) groups[place[u]].push_back(std::move(units[u]));
    return groups;
  }

 private:
  [[nodiscard]] double work_of(const std::vector<int>& unit) const {
    double sum = 0;
    for (const int id : unit) sum += work_[static_cast<std::size_t>(id)];
    return sum;
  }

  [[nodiscard]] std::vector<double> work_of_each(const std::vector<int>& residues) const {
    std::vector<double> work;
    work.reserve(residues.size());
    for (const int id : residues) work.push_back(work_[static_cast<std::size_t>(id)]);
    return work;
  }

  [[nodiscard]] Units cut_to(Units units, const std::vector<double>& part) const {
    double all = 0;
    for (const auto& unit : units) all += work_of(unit);
    const double most = all / static_cast<double>(part.size());
    Units cut;
    for (auto& unit : units) {
      const double own = work_of(unit);
      if (own <= (1 + slack) * most) {
        cut.push_back(std::move(unit));
        continue;
      }
      const int pieces = static_cast<int>(std::ceil(own / most));
      const auto piece = contact_clusters(subgraph(graph_, unit), work_of_each(unit), pieces);
      Units parts(static_cast<std::size_t>(pieces));
      for (std::size_t k = 0; k < unit.size(); ++k) {
        parts[static_cast<std::size_t>(piece[k])].push_back(unit[k]);
      }
      for (auto& one : parts) {
        if (!one.empty()) cut.push_back(std::move(one));
      }
    }
    return cut;
  }

  /// (units) Returns for each the cluster with most of its work, among clusters of these parts.
  [[nodiscard]] std::vector<std::size_t> by_clusters(const Units& units,
                                                     const std::vector<double>& part) const {
    std::vector<int> residues;
    for (const auto& unit : units) residues.insert(residues.end(), unit.begin(), unit.end());
    std::sort(residues.begin(), residues.end());
    const auto cluster = contact_clusters(subgraph(graph_, residues), work_of_each(residues),
                                          static_cast<int>(part.size()), part);
    std::vector<int> cluster_of(work_.size(), 0);
    for (std::size_t k = 0; k < residues.size(); ++k) {
      cluster_of[static_cast<std::size_t>(residues[k])] = cluster[k];
    }
    std::vector<std::size_t> place;
    for (const auto& unit : units) {
      std::vector<double> work(part.size(), 0);
      for (const int id : unit) {
        const auto r = static_cast<std::size_t>(id);
        work[static_cast<std::size_t>(cluster_of[r])] += work_[r];
      }
      place.push_back(
          static_cast<std::size_t>(std::max_element(work.begin(), work.end()) - work.begin()));
    }
    return place;
  }

  [[nodiscard]] std::vector<TiedUnit> tied_units(const Units& units) const {
    std::vector<int> unit_of(work_.size(), -1);
    for (std::size_t u = 0; u < units.size(); ++u) {
      for (const int id : units[u]) unit_of[static_cast<std::size_t>(id)] = static_cast<int>(u);
    }
    std::vector<TiedUnit> tied(units.size());
    for (std::size_t u = 0; u < units.size(); ++u) {
      std::map<int, double> ties;
      tied[u].work = work_of(units[u]);
      for (const int id : units[u]) {
        const auto r = static_cast<std::size_t>(id);
        for (auto k = graph_.first[r]; k < graph_.first[r + 1]; ++k) {
          const auto at = static_cast<std::size_t>(k);
          const int other = unit_of[static_cast<std::size_t>(graph_.neighbour[at])];
          if (other >= 0 && other != static_cast<int>(u)) ties[other] += graph_.weight[at];
        }
      }
      tied[u].ties.assign(ties.begin(), ties.end());
    }
    return tied;
  }

  const ResidueGraph& graph_;
  std::span<const double> work_;
};

}  // namespace

std::vector<int> structural_domains(const topology::Topology& topology, const ResidueGraph& graph,
                                    std::span<const int> given) {
  std::vector<int> domain_of(given.begin(), given.end());
  if (domain_of.empty()) {
    for (const auto& residue : topology.residues) domain_of.push_back(residue.domain);
  }
  const bool any = std::any_of(domain_of.begin(), domain_of.end(), [](int d) { return d >= 0; });
  if (!any) return communities_of_molecules(topology, graph);
  close_gaps(topology, domain_of);
  return domain_of;
}

Ownership whole_domains(const ResidueGraph& graph, std::span<const int> domain_of,
                        std::span<const double> work, int rank_count, std::span<const double> speed,
                        std::span<const int> node) {
  const WorkShares shares(work, {rank_count, speed, node});
  if (graph.first.size() != work.size() + 1 || domain_of.size() != work.size()) {
    throw std::invalid_argument(
        "a graph of " + std::to_string(graph.first.size()) + " - 1 residues and the domains of " +
        std::to_string(domain_of.size()) + " with the work of " + std::to_string(work.size()));
  }
  Ownership owner(work.size(), 0);
  if (shares.total == 0) return owner;
  const Domains domains(graph, work);
  divide_by_levels(
      shares.levels, members(domain_of),
      [&](Domains::Units units, const auto& part) { return domains.split(std::move(units), part); },
      [&](const Domains::Units& units, int rank) {
        for (const auto& unit : units) {
          for (const int id : unit) owner[static_cast<std::size_t>(id)] = rank;
        }
      });
  return owner;
}

}  // namespace nfold::domain
