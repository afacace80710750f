// Domains of a predicted structure: groups of confident residues with a low PAE between them.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <utility>

#include "model/topology/disjoint_sets.hpp"
#include "model/topology/folded_domains.hpp"

namespace nfold::topology {
namespace {

/// Average linkage by chains of nearest neighbours (Murtagh, Comput. J. 26, 354 (1983)), in a time
/// that grows with the square of the members. Members are numbered from 0.
class AverageLinkage {
 public:
  /// distance(a, b): symmetric.
  template <class Distance>
  AverageLinkage(std::size_t count, const Distance& distance)
      : count_(count), distance_(count * count, 0), size_(count, 1), sets_(count) {
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < a; ++b) at(a, b) = at(b, a) = distance(a, b);
    }
  }

  /// Joins groups while the mean distance between two is at most `largest`. Returns the group of
  /// each member, by its first member.
  std::vector<std::size_t> groups(double largest) {
    std::vector<std::size_t> chain;
    for (std::size_t start = 0; start < count_; ++start) {
      if (size_[start] == 0) continue;
      chain.assign(1, start);
      while (true) {
        const std::size_t top = chain.back();
        const std::size_t before = chain.size() > 1 ? chain[chain.size() - 2] : count_;
        const std::size_t nearest = nearest_to(top, before);
        // Only `start` can have no group near enough: others are in the chain for one that is. It
        // stays alone when others are joined, since a mean is not below the least of two distances.
        if (nearest == count_ || at(top, nearest) > largest) break;
        if (nearest != before) {
          chain.push_back(nearest);
          continue;
        }
        join(std::min(top, nearest), std::max(top, nearest));
        chain.resize(chain.size() - 2);
        if (chain.empty()) chain.push_back(start);
      }
    }
    std::vector<std::size_t> group(count_);
    for (std::size_t a = 0; a < count_; ++a) group[a] = sets_.root(a);
    return group;
  }

 private:
  double& at(std::size_t a, std::size_t b) { return distance_[a * count_ + b]; }

  /// Returns the nearest group, the one before in the chain or else the first on a tie.
  std::size_t nearest_to(std::size_t a, std::size_t before) {
    std::size_t nearest = before;
    double least = before < count_ ? at(a, before) : std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < count_; ++b) {
      if (b == a || size_[b] == 0 || at(a, b) >= least) continue;
      nearest = b;
      least = at(a, b);
    }
    return nearest;
  }

  /// Joins b to a.
  void join(std::size_t a, std::size_t b) {
    const auto of_a = static_cast<double>(size_[a]), of_b = static_cast<double>(size_[b]);
    for (std::size_t c = 0; c < count_; ++c) {
      if (size_[c] == 0 || c == a || c == b) continue;
      at(a, c) = at(c, a) = (of_a * at(a, c) + of_b * at(b, c)) / (of_a + of_b);
    }
    size_[a] += size_[b];
    size_[b] = 0;
    sets_.join(a, b);
  }

  std::size_t count_;
  std::vector<double> distance_;   ///< (members, members); rows of groups without members are stale
  std::vector<std::size_t> size_;  ///< (members) of the group with this first member; 0: joined
  DisjointSets sets_;
};

using Residues = std::vector<std::size_t>;

/// Moves each residue of a set to the domain that has the lowest mean PAE to it, until none moves.
void settle(const Residues& set, const structure::Confidence& confidence, double largest,
            std::vector<int>& domain_of) {
  int domains = 0;
  for (const std::size_t i : set) domains = std::max(domains, domain_of[i] + 1);
  std::vector<double> sum(static_cast<std::size_t>(domains)), count(sum.size());
  constexpr int most_rounds = 10;
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<int> settled = domain_of;
    for (const std::size_t i : set) {
      std::fill(sum.begin(), sum.end(), 0);
      std::fill(count.begin(), count.end(), 0);
      for (const std::size_t j : set) {
        if (j == i || domain_of[j] < 0) continue;
        sum[static_cast<std::size_t>(domain_of[j])] += confidence.symmetric_pae(i, j);
        ++count[static_cast<std::size_t>(domain_of[j])];
      }
      settled[i] = -1;
      double least = largest;
      for (std::size_t domain = 0; domain < sum.size(); ++domain) {
        const double mean = sum[domain] / count[domain];  // NaN without other members
        if (!(mean <= least)) continue;
        settled[i] = static_cast<int>(domain);
        least = mean;
      }
    }
    if (settled == domain_of) break;
    domain_of = std::move(settled);
  }
}

}  // namespace

std::vector<int> find_domains_by_pae(const structure::Structure& structure,
                                     const DomainSearch& search) {
  const auto& confidence = structure.confidence;
  std::vector<int> group_of(confidence.plddt.size(), -1);
  // Confident residues, together or chain by chain.
  std::vector<Residues> sets(1);
  std::size_t id = 0;
  for (const structure::Chain& chain : structure.chains) {
    if (!search.between_chains && !sets.back().empty()) sets.emplace_back();
    for (std::size_t k = 0; k < chain.residues.size(); ++k, ++id) {
      if (confidence.plddt[id] >= search.least_plddt) sets.back().push_back(id);
    }
  }
  for (const auto& set : sets) {
    AverageLinkage linkage(set.size(), [&](std::size_t a, std::size_t b) {
      return confidence.symmetric_pae(set[a], set[b]);
    });
    const auto groups = linkage.groups(search.largest_pae_angstrom);
    for (std::size_t a = 0; a < set.size(); ++a) {
      group_of[set[a]] = static_cast<int>(set[groups[a]]);
    }
  }
  auto domain_of = number_domains(group_of, search.least_residues);
  for (const auto& set : sets) {
    settle(set, confidence, search.largest_pae_angstrom, domain_of);
  }
  return number_domains(domain_of, search.least_residues);
}

}  // namespace nfold::topology
