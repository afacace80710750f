// Search for folded domains as clusters of packed residues, cut where few contacts join two lobes.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "model/topology/disjoint_sets.hpp"
#include "model/topology/folded_domains.hpp"

namespace nfold::topology {
namespace {

using Residues = std::vector<std::size_t>;  // ascending

/// Contacts of packed residues: for each residue its partners with a lower index.
using Contacts = std::vector<Residues>;

/// Members first .. last - 1 of a cluster, and the ratio of their contacts with the others.
struct Cut {
  std::size_t first = 0, last = 0;
  double ratio = std::numeric_limits<double>::max();
};

/// Returns the range of members with the fewest contacts to the rest, relative to the contacts of
/// the less connected side. A range finds both a chain that enters a lobe once and one that leaves
/// it and returns.
Cut best_cut(const Residues& members, const Contacts& contacts, const DomainSearch& search) {
  const std::size_t count = members.size(), least = search.least_residues;
  std::vector<Residues> before(count);  // lower partners, by index among the members
  std::vector<long> degree(count, 0);
  long all = 0;
  for (std::size_t at = 0; at < count; ++at) {
    for (const std::size_t partner : contacts[members[at]]) {
      const auto found = std::lower_bound(members.begin(), members.end(), partner);
      if (found == members.end() || *found != partner) continue;
      const auto other = static_cast<std::size_t>(found - members.begin());
      before[at].push_back(other);
      ++degree[at];
      ++degree[other];
      ++all;
    }
  }
  Cut best;
  for (std::size_t first = 0; first + least <= count; ++first) {
    long inside = 0, ends = 0;  // contacts within the range; contact ends in the range
    for (std::size_t last = first; last < count; ++last) {
      inside += std::count_if(before[last].begin(), before[last].end(),
                              [first](std::size_t other) { return other >= first; });
      ends += degree[last];
      const std::size_t size = last + 1 - first;
      if (size < least || count - size < least) continue;
      const long across = ends - 2 * inside, outside = all - inside - across;
      const long fewer = std::min(inside, outside);
      if (fewer <= 0) continue;
      const double ratio = static_cast<double>(across) / static_cast<double>(fewer);
      if (ratio < best.ratio) best = {first, last + 1, ratio};
    }
  }
  return best;
}

/// Cuts a cluster recursively while two lobes can be distinguished.
void add_lobes(Residues members, const Contacts& contacts, const DomainSearch& search,
               std::vector<Residues>& lobes) {
  const Cut cut = best_cut(members, contacts, search);
  if (cut.ratio >= search.largest_cut) {
    lobes.push_back(std::move(members));
    return;
  }
  const auto first = members.begin() + static_cast<std::ptrdiff_t>(cut.first);
  const auto last = members.begin() + static_cast<std::ptrdiff_t>(cut.last);
  Residues stretch(first, last);
  members.erase(first, last);
  add_lobes(std::move(stretch), contacts, search, lobes);
  add_lobes(std::move(members), contacts, search, lobes);
}

std::vector<int> chain_of_residues(const structure::Structure& structure) {
  std::vector<int> chain_of;
  for (std::size_t c = 0; c < structure.chains.size(); ++c) {
    chain_of.insert(chain_of.end(), structure.chains[c].residues.size(), static_cast<int>(c));
  }
  return chain_of;
}

/// Joins clusters that alternate along the chain, such as both sides of a helix in a bundle.
template <typename IsPacked>
void join_interleaved(const std::vector<int>& chain_of, const IsPacked& packed,
                      const DomainSearch& search, DisjointSets& clusters) {
  const std::size_t count = chain_of.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!packed(i)) continue;
    const std::size_t end = std::min(count, i + static_cast<std::size_t>(search.longest_loop) + 2);
    std::size_t last = i;  // last nearby residue of the same cluster
    for (std::size_t j = i + 1; j < end && chain_of[j] == chain_of[i]; ++j) {
      if (packed(j) && clusters.root(j) == clusters.root(i)) last = j;
    }
    for (std::size_t k = i + 1; k < last; ++k) {
      if (packed(k)) clusters.join(i, k);
    }
  }
}

/// Assigns loops between two packed residues of one lobe to the lobe.
void fill_loops(const std::vector<int>& chain_of, const DomainSearch& search,
                std::vector<int>& lobe_of) {
  const std::vector<int> packed = lobe_of;
  std::size_t last = packed.size();
  for (std::size_t i = 0; i < packed.size(); ++i) {
    if (packed[i] < 0) continue;
    const bool is_near = last < i && chain_of[last] == chain_of[i] &&
                         static_cast<int>(i - last) <= search.longest_loop + 1;
    if (is_near && packed[last] == packed[i]) {
      for (std::size_t k = last + 1; k < i; ++k) lobe_of[k] = packed[i];
    }
    last = i;
  }
}

/// Joins domains of different chains that have enough contacts.
void join_chains(const std::vector<structure::Contact>& between, const DomainSearch& search,
                 std::vector<int>& domain_of) {
  std::map<std::pair<int, int>, int> contacts;
  for (const auto& contact : between) {
    const int a = domain_of[static_cast<std::size_t>(contact.i)];
    const int b = domain_of[static_cast<std::size_t>(contact.j)];
    if (a >= 0 && b >= 0) ++contacts[std::minmax(a, b)];
  }
  DisjointSets joined(domain_of.size());
  for (const auto& [domains, count] : contacts) {
    if (count < search.least_interface) continue;
    joined.join(static_cast<std::size_t>(domains.first), static_cast<std::size_t>(domains.second));
  }
  for (int& domain : domain_of) {
    if (domain >= 0) domain = static_cast<int>(joined.root(static_cast<std::size_t>(domain)));
  }
  domain_of = number_domains(domain_of, search.least_residues);
}

}  // namespace

std::vector<int> number_domains(const std::vector<int>& group_of, std::size_t least_residues) {
  const int groups = 1 + std::accumulate(group_of.begin(), group_of.end(), -1,
                                         [](int a, int b) { return std::max(a, b); });
  std::vector<std::size_t> size(static_cast<std::size_t>(groups), 0);
  for (const int group : group_of) {
    if (group >= 0) ++size[static_cast<std::size_t>(group)];
  }
  std::vector<int> number(size.size(), -1), domain_of(group_of.size(), -1);
  int domains = 0;
  for (std::size_t i = 0; i < group_of.size(); ++i) {
    if (group_of[i] < 0) continue;
    const auto group = static_cast<std::size_t>(group_of[i]);
    if (size[group] < least_residues) continue;
    if (number[group] < 0) number[group] = domains++;
    domain_of[i] = number[group];
  }
  return domain_of;
}

std::vector<int> find_domains(const structure::Structure& structure, const DomainSearch& search) {
  if (structure.confidence.has_pae()) return find_domains_by_pae(structure, search);
  const auto count = static_cast<std::size_t>(structure.residue_count());
  const auto& plddt = structure.confidence.plddt;
  const auto confident = [&](std::size_t i) {
    return plddt.empty() || plddt[i] >= search.least_plddt;
  };
  structure::ContactOptions options;
  options.map = system::ContactMap::calpha;
  options.cutoff_nm = search.contact_nm;
  options.min_sequence_separation = search.least_separation;
  const auto chain_of = chain_of_residues(structure);
  auto found = structure::native_contacts(structure, options);
  std::vector<structure::Contact> between;  // contacts of two chains
  std::erase_if(found, [&](const structure::Contact& contact) {
    const auto i = static_cast<std::size_t>(contact.i), j = static_cast<std::size_t>(contact.j);
    if (!confident(i) || !confident(j)) return true;
    if (chain_of[i] != chain_of[j]) between.push_back(contact);
    return chain_of[i] != chain_of[j];
  });
  std::vector<int> contacts_of(count, 0);
  for (const auto& contact : found) {
    ++contacts_of[static_cast<std::size_t>(contact.i)];
    ++contacts_of[static_cast<std::size_t>(contact.j)];
  }
  const auto packed = [&](std::size_t i) { return contacts_of[i] >= search.least_contacts; };

  DisjointSets clusters(count);
  Contacts contacts(count);
  for (const auto& contact : found) {
    const auto i = static_cast<std::size_t>(contact.i), j = static_cast<std::size_t>(contact.j);
    if (!packed(i) || !packed(j)) continue;
    clusters.join(i, j);
    contacts[j].push_back(i);
  }
  join_interleaved(chain_of, packed, search, clusters);
  std::map<std::size_t, Residues> members;  // key: root, the cluster's first residue
  for (std::size_t i = 0; i < count; ++i) {
    if (packed(i)) members[clusters.root(i)].push_back(i);
  }
  std::vector<Residues> lobes;
  for (auto& [root, residues] : members) {
    add_lobes(std::move(residues), contacts, search, lobes);
  }
  std::vector<int> lobe_of(count, -1);
  for (std::size_t lobe = 0; lobe < lobes.size(); ++lobe) {
    for (const std::size_t i : lobes[lobe]) lobe_of[i] = static_cast<int>(lobe);
  }
  fill_loops(chain_of, search, lobe_of);
  for (std::size_t i = 0; i < count; ++i) {
    if (!confident(i)) lobe_of[i] = -1;
  }
  auto domain_of = number_domains(lobe_of, search.least_residues);
  if (search.between_chains) join_chains(between, search, domain_of);
  return domain_of;
}

}  // namespace nfold::topology
