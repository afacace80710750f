// Finds folded domains as clusters of packed residues.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "topology/folded_domains.hpp"

namespace nfold::topology {
namespace {

/// Sets of residues that hang together.
class Clusters {
 public:
  explicit Clusters(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// The smaller root stays, so a cluster is named by its first residue.
  void join(std::size_t i, std::size_t j) {
    const std::size_t a = root(i), b = root(j);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

std::vector<int> chain_of_residues(const structure::Structure& structure) {
  std::vector<int> chain_of;
  for (std::size_t c = 0; c < structure.chains.size(); ++c) {
    chain_of.insert(chain_of.end(), structure.chains[c].residues.size(), static_cast<int>(c));
  }
  return chain_of;
}

}  // namespace

std::vector<int> find_domains(const structure::Structure& structure, const DomainSearch& search) {
  const auto count = static_cast<std::size_t>(structure.residue_count());
  structure::ContactOptions options;
  options.map = structure::ContactMap::calpha;
  options.cutoff_nm = search.contact_nm;
  options.min_sequence_separation = search.least_separation;
  const auto contacts = structure::native_contacts(structure, options);
  std::vector<int> contacts_of(count, 0);
  for (const auto& contact : contacts) {
    ++contacts_of[static_cast<std::size_t>(contact.i)];
    ++contacts_of[static_cast<std::size_t>(contact.j)];
  }
  const auto packed = [&](std::size_t i) { return contacts_of[i] >= search.least_contacts; };

  Clusters clusters(count);
  for (const auto& contact : contacts) {
    const auto i = static_cast<std::size_t>(contact.i), j = static_cast<std::size_t>(contact.j);
    if (packed(i) && packed(j)) clusters.join(i, j);
  }
  // A loop between two packed residues of one cluster belongs to it.
  const auto chain_of = chain_of_residues(structure);
  std::size_t last = count;
  for (std::size_t i = 0; i < count; ++i) {
    if (!packed(i)) continue;
    const bool near = last < i && chain_of[last] == chain_of[i] &&
                      static_cast<int>(i - last) <= search.longest_loop + 1;
    if (near && clusters.root(last) == clusters.root(i)) {
      for (std::size_t k = last + 1; k < i; ++k) clusters.join(last, k);
    }
    last = i;
  }
  std::vector<int> size(count, 0), number(count, -1), domain_of(count, -1);
  for (std::size_t i = 0; i < count; ++i) ++size[clusters.root(i)];
  int domains = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t root = clusters.root(i);
    if (size[root] < search.least_residues) continue;
    if (number[root] < 0) number[root] = domains++;
    domain_of[i] = number[root];
  }
  return domain_of;
}

}  // namespace nfold::topology
