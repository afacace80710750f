// Sparse contact maps: rows and columns of contacts, and result tables.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/sparse_contact_maps.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace nfold::analysis {
namespace {

// First word of saved sparse maps; saved whole tables never begin with it.
constexpr std::int64_t sparse_map_marker = -1;
// Typical number of residues that one of a compact chain touches in a run, at 1 nm.
constexpr std::int64_t typical_partners = 64;

}  // namespace

SparseContactMaps::SparseContactMaps(const topology::Topology& topology, double cutoff_nm,
                                     RowRange rows)
    : residues_(topology), cutoff_nm_(cutoff_nm), rows_(rows), per_chain_(contact_columns()) {}

SparseContactMaps::MapElement SparseContactMaps::find_element(int i, int j) const {
  const auto [row, column] = std::minmax({residues_.row_of(i), residues_.row_of(j)});
  return {residues_.chain_of(i) == residues_.chain_of(j), row, column};
}

void SparseContactMaps::count_chains(int i, int j, std::span<std::int64_t> contacts) const {
  const int chain_i = residues_.chain_of(i), chain_j = residues_.chain_of(j);
  const std::size_t first = chain_i == chain_j ? 0 : residues_.kinds().size();
  // One count for each residue of the contact; within a chain both are that chain's.
  ++contacts[first + static_cast<std::size_t>(residues_.kind_of_chain(chain_i))];
  ++contacts[first + static_cast<std::size_t>(residues_.kind_of_chain(chain_j))];
}

void SparseContactMaps::save(std::span<const SparseCounts::Entry> within,
                             std::span<const SparseCounts::Entry> between, WordWriter& to) const {
  to.put(sparse_map_marker);
  to.put_number(cutoff_nm_);
  to.put_all(
      std::vector<std::int64_t>(residues_.first_rows().begin(), residues_.first_rows().end()));
  per_chain_.save(to);
  for (const auto entries : {within, between}) SparseCounts::save(entries, to);
}

bool SparseContactMaps::restore(std::span<const std::int64_t> words) {
  WordReader from(words);
  if (from.get() != sparse_map_marker) return false;
  if (from.get() != std::bit_cast<std::int64_t>(cutoff_nm_)) return false;
  const auto first_rows = from.get_all();
  if (!std::ranges::equal(first_rows, residues_.first_rows())) return false;
  per_chain_.restore(from);
  for (auto& counts : counts_) counts.restore(from, rows_);
  return true;
}

void SparseContactMaps::add_map(bool within, std::vector<Result>& results) const {
  const std::string name = within ? "contact_maps/within_" : "contact_maps/between_";
  const auto entries = counts(within).entries();
  std::vector<std::int64_t> row_start(static_cast<std::size_t>(residues_.count()) + 1, 0);
  std::vector<std::int64_t> column, count;
  column.reserve(entries.size());
  count.reserve(entries.size());
  for (const auto& entry : entries) {
    ++row_start[static_cast<std::size_t>(SparseCounts::row_of(entry.key)) + 1];
    column.push_back(SparseCounts::column_of(entry.key));
    count.push_back(entry.count);
  }
  for (std::size_t k = 1; k < row_start.size(); ++k) row_start[k] += row_start[k - 1];
  results.push_back(
      whole_numbers(name + "row_start",
                    "(rows + 1) pairs of residues of row i stand from [i] to [i + 1]; "
                    "species_start says whose row it is",
                    std::move(row_start)));
  results.push_back(whole_numbers(name + "column",
                                  "(pairs) the other residue of each, from the row's own on",
                                  std::move(column)));
  results.push_back(whole_numbers(
      name + "count",
      std::string("(pairs) how often they were in contact, ") +
          (within ? "within a chain" : "in two chains") +
          ", over all frames and chains. Over frames times the chains of the row's species it is "
          "the mean number of contacts of residue i of a chain with residues j, for i = j half of "
          "it",
      std::move(count)));
}

void SparseContactMaps::add_chain_means(std::vector<Result>& results) const {
  const auto& kinds = residues_.kinds().kinds;
  const auto species = static_cast<std::int64_t>(kinds.size());
  for (const bool within : {true, false}) {
    std::vector<double> mean, error;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const double residues_counted = within ? 2 : 1;  // counts per contact, see count_chains()
      const double counts = residues_counted * static_cast<double>(kinds[k].chains.size());
      const std::size_t column = within ? k : kinds.size() + k;
      mean.push_back(per_chain_.mean(column) / counts);
      error.push_back(per_chain_.error(column) / counts);
    }
    const std::string name =
        within ? "contact_maps/within_per_chain" : "contact_maps/between_per_chain";
    const std::string who = within ? "within a chain" : "of a chain with other chains";
    results.push_back(
        {name, "", "(species) mean number of contacts " + who, {species}, std::move(mean)});
    results.push_back({name + "_error",
                       "",
                       "(species) standard error of that by blocking",
                       {species},
                       std::move(error)});
  }
}

std::vector<Result> SparseContactMaps::results() const {
  std::vector<Result> results{
      {"contact_maps/cutoff", "nm", "residues are in contact if closer", {}, {cutoff_nm_}},
      residues_.species_start("contact_maps")};
  add_map(true, results);
  add_map(false, results);
  add_chain_means(results);
  return results;
}

std::int64_t SparseContactMaps::expected_bytes(std::int64_t rows) {
  return rows * typical_partners * static_cast<std::int64_t>(sizeof(SparseCounts::Entry));
}

}  // namespace nfold::analysis
