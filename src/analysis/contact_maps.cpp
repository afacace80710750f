// Counts of close pairs by species and position in the chain.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/contact_maps.hpp"

#include <array>
#include <utility>

#include "system/cell_list.hpp"

namespace nfold::analysis {
namespace {

std::size_t pairs_of(std::size_t species) { return species * (species + 1) / 2; }

}  // namespace

std::string ContactMaps::Map::path() const {
  return within ? "contact_maps/within_" + std::to_string(a)
                : "contact_maps/between_" + std::to_string(a) + "_" + std::to_string(b);
}

ContactMaps::ContactMaps(const topology::Topology& topology, double cutoff_nm)
    : topology_(topology),
      cutoff_nm_(cutoff_nm),
      species_(chain_kinds(topology)),
      sums_(species_.size() + pairs_of(species_.size())) {
  const auto species = static_cast<int>(species_.size());
  const auto add_map = [this](int a, int b, bool within) {
    const auto entries = static_cast<std::size_t>(residues(a) * residues(b));
    maps_.push_back({a, b, within, std::vector<std::int64_t>(entries, 0)});
  };
  for (int a = 0; a < species; ++a) add_map(a, a, true);
  for (int a = 0; a < species; ++a) {
    for (int b = a; b < species; ++b) add_map(a, b, false);
  }
}

std::int64_t ContactMaps::bytes(const ChainKinds& kinds) {
  std::int64_t entries = 0;
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    const std::int64_t rows = kinds.kinds[a].residues;
    entries += rows * rows;
    for (std::size_t b = a; b < kinds.size(); ++b) entries += rows * kinds.kinds[b].residues;
  }
  return entries * static_cast<std::int64_t>(sizeof(std::int64_t));
}

std::size_t ContactMaps::between(int a, int b) const {
  const auto species = species_.size();
  const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
  return species + row * species - row * (row + 1) / 2 + column;
}

void ContactMaps::add_pair(int i, int j, std::vector<std::int64_t>& found) {
  int chain_i = topology_.residues[static_cast<std::size_t>(i)].chain;
  int chain_j = topology_.residues[static_cast<std::size_t>(j)].chain;
  const auto species_of = [this](int c) { return species_.of_chain[static_cast<std::size_t>(c)]; };
  const auto first_of = [this](int c) {
    return topology_.chains[static_cast<std::size_t>(c)].first;
  };
  if (species_of(chain_i) > species_of(chain_j)) {
    std::swap(i, j);
    std::swap(chain_i, chain_j);
  }
  const int a = species_of(chain_i), b = species_of(chain_j);
  const bool within = chain_i == chain_j;
  const auto index = within ? static_cast<std::size_t>(a) : between(a, b);
  const auto row = static_cast<std::size_t>(i - first_of(chain_i));
  const auto column = static_cast<std::size_t>(j - first_of(chain_j));
  const auto columns = static_cast<std::size_t>(residues(b));
  auto& map = maps_[index];
  ++map.count[row * columns + column];
  if (a == b) ++map.count[column * columns + row];
  ++found[index];
}

void ContactMaps::add(const Frame& frame) {
  auto found = zero_counts();
  system::CellList(topology_.box, frame.x_nm, cutoff_nm_).for_each_pair([&](int i, int j) {
    add_pair(i, j, found);
  });
  end_frame(found);
}

std::vector<Result> ContactMaps::results() const {
  std::vector<Result> results{
      {"contact_maps/cutoff", "nm", "residues are in contact if closer", {}, {cutoff_nm_}}};
  const auto frames = static_cast<double>(sums_.rows());
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    const auto& map = maps_[m];
    const auto chains =
        static_cast<double>(species_.kinds[static_cast<std::size_t>(map.a)].chains.size());
    // A pair between two chains of one species is a contact of each of them.
    const double chains_of_pair = !map.within && map.a == map.b ? 2 : 1;
    const double per_chain = chains_of_pair / chains;
    const std::string who = map.within
                                ? "within a chain of species " + std::to_string(map.a)
                                : "of a chain of species " + std::to_string(map.a) +
                                      " with other chains of " + "species " + std::to_string(map.b);
    Result table{map.path(),
                 "",
                 "(residues of a chain, residues of a chain) [i][j]: mean number of contacts of "
                 "residue i with residues j, " +
                     who,
                 {residues(map.a), residues(map.b)},
                 {}};
    table.values.reserve(map.count.size());
    for (const auto count : map.count) {
      table.values.push_back(static_cast<double>(count) / (frames * chains));
    }
    results.push_back(std::move(table));
    sums_.add_tables({map.path() + "_per_chain", "", "mean number of contacts " + who, {}, {}},
                     std::array{m}, per_chain, results, "standard error of that by blocking");
  }
  return results;
}

void ContactMaps::save_sums(WordWriter& to) const {
  for (const auto& map : maps_) to.put_all(map.count);
  sums_.save(to);
}

void ContactMaps::restore_sums(WordReader& from) {
  for (auto& map : maps_) map.count = from.get_all(map.count.size());
  sums_.restore(from);
}

}  // namespace nfold::analysis
