// Energy bins and result tables.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/energy_histograms.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace nfold::analysis {
namespace {

// Typical number of bins that a residue's energy covers in a run.
constexpr std::int64_t typical_bins = 200;

}  // namespace

std::uint64_t EnergyHistograms::key_of(int residue, double kj_mol) const {
  const double bin = (kj_mol - range_.low) * (bins / (range_.high - range_.low));
  return SparseCounts::key_of(residues_.row_of(residue),
                              static_cast<int>(std::clamp(bin, 0.0, bins - 0.5)));
}

std::array<std::int64_t, 4> EnergyHistograms::parameters() const {
  return {residues_.count(), bins, std::bit_cast<std::int64_t>(range_.low),
          std::bit_cast<std::int64_t>(range_.high)};
}

void EnergyHistograms::save(std::span<const SparseCounts::Entry> all, WordWriter& to) const {
  for (const auto parameter : parameters()) to.put(parameter);
  SparseCounts::save(all, to);
}

bool EnergyHistograms::restore(std::span<const std::int64_t> words) {
  WordReader from(words);
  for (const auto parameter : parameters()) {
    if (from.get() != parameter) return false;
  }
  counts_.restore(from, rows_);
  return true;
}

std::vector<Result> EnergyHistograms::results() const {
  std::vector<double> edges;
  edges.reserve(bins + 1);
  for (int k = 0; k <= bins; ++k) {
    edges.push_back(range_.low + (range_.high - range_.low) * k / bins);
  }
  std::vector<std::int64_t> table(static_cast<std::size_t>(residues_.count()) * bins, 0);
  for (const auto& [key, count] : counts_.entries()) {
    table[static_cast<std::size_t>(SparseCounts::row_of(key)) * bins +
          static_cast<std::size_t>(SparseCounts::column_of(key))] = count;
  }
  std::vector<Result> results{residues_.species_start("residue_energy")};
  results.push_back(
      {"residue_energy/edges",
       "kJ mol-1",
       "(bins + 1) of the histograms; what is beyond is in the first and the last bin",
       {bins + 1},
       std::move(edges)});
  auto count = whole_numbers(
      "residue_energy/count",
      "(residues, bins) frames and chains by the potential energy of each residue; the energy of "
      "a term or a pair belongs to its residues in equal parts, that of a bias to none",
      std::move(table));
  count.extent = {residues_.count(), bins};
  results.push_back(std::move(count));
  return results;
}

std::int64_t EnergyHistograms::table_bytes(std::int64_t rows) {
  return rows * bins * static_cast<std::int64_t>(sizeof(std::int64_t));
}

std::int64_t EnergyHistograms::expected_bytes(std::int64_t rows) {
  return rows * typical_bins * static_cast<std::int64_t>(sizeof(SparseCounts::Entry));
}

}  // namespace nfold::analysis
