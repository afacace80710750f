// Size distributions and means of chains.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/chain_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace nfold::analysis {
namespace {

constexpr double length_quantum_nm = 0x1p-30, square_quantum_nm2 = 0x1p-20;
constexpr double bond_nm = 0.38;
constexpr double size_not_defined = std::numeric_limits<double>::quiet_NaN();

double largest_distance_nm(const topology::Topology& topology) {
  int longest = 1;
  for (const auto& chain : topology.chains) longest = std::max(longest, chain.count);
  const double stretched = bond_nm * (longest - 1);
  // Random coil with a step of about 1.5 bonds.
  const double coil = 1.5 * bond_nm * std::sqrt(static_cast<double>(longest));
  return std::max(1.0, std::min(stretched, 4 * coil));
}

std::span<const Point> rows_of(const topology::Chain& chain, std::span<const Point> x_nm) {
  return x_nm.subspan(static_cast<std::size_t>(chain.first), static_cast<std::size_t>(chain.count));
}

double squared_distance(const Point& a, const Point& b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

Point centre_of_rows_nm(const topology::Topology& topology, const topology::Chain& chain,
                        std::span<const Point> rows) {
  // Relative to the first residue, so that a chain far from the origin loses no digits.
  double mass = 0;
  Point centre{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double m = topology.residues[static_cast<std::size_t>(chain.first) + i].mass_amu;
    mass += m;
    for (std::size_t k = 0; k < 3; ++k) centre[k] += m * (rows[i][k] - rows[0][k]);
  }
  for (std::size_t k = 0; k < 3; ++k) centre[k] = rows[0][k] + centre[k] / mass;
  return centre;
}

}  // namespace

Point chain_centre_nm(const topology::Topology& topology, const topology::Chain& chain,
                      std::span<const Point> x_nm) {
  return centre_of_rows_nm(topology, chain, rows_of(chain, x_nm));
}

double radius_of_gyration_from_rows_nm(const topology::Topology& topology,
                                       const topology::Chain& chain, std::span<const Point> rows) {
  if (chain.pieces > 1) return size_not_defined;
  const Point centre = centre_of_rows_nm(topology, chain, rows);
  double mass = 0, sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double m = topology.residues[static_cast<std::size_t>(chain.first) + i].mass_amu;
    mass += m;
    sum += m * squared_distance(rows[i], centre);
  }
  return std::sqrt(sum / mass);
}

double chain_radius_of_gyration_nm(const topology::Topology& topology, const topology::Chain& chain,
                                   std::span<const Point> x_nm) {
  return radius_of_gyration_from_rows_nm(topology, chain, rows_of(chain, x_nm));
}

ChainSizes::ChainSizes(const topology::Topology& topology, int bins, double largest_nm)
    : topology_(topology),
      species_(chain_kinds(topology)),
      bins_(bins),
      largest_nm_{largest_nm, largest_nm},
      counts_(sizes * species_.size() * static_cast<std::size_t>(bins), 0),
      sums_(sizes * species_.size() * 2) {
  if (largest_nm > 0) return;
  largest_nm_[distance] = largest_distance_nm(topology);
  largest_nm_[radius] = largest_nm_[distance] / 2;
}

void ChainSizes::count(Size size, std::size_t species, double nm) {
  const double bin = std::clamp(nm / largest_nm_[size] * bins_, 0.0, bins_ - 1.0);
  const auto row = size * species_.size() + species;
  ++counts_[row * static_cast<std::size_t>(bins_) + static_cast<std::size_t>(bin)];
}

void ChainSizes::add(const Frame& frame) {
  std::vector<std::int64_t> row;
  for (const auto size : {radius, distance}) {
    for (std::size_t s = 0; s < species_.size(); ++s) {
      double sum = 0, squares = 0;
      for (const int c : species_.kinds[s].chains) {
        const auto& chain = topology_.chains[static_cast<std::size_t>(c)];
        if (chain.pieces > 1) continue;
        const auto ends = rows_of(chain, frame.x_nm);
        const double nm = size == radius ? chain_radius_of_gyration_nm(topology_, chain, frame.x_nm)
                                         : std::sqrt(squared_distance(ends.front(), ends.back()));
        if (!std::isfinite(nm)) throw AnalysisError("a chain's size is not finite");
        count(size, s, nm);
        sum += nm;
        squares += nm * nm;
      }
      const auto chains = static_cast<double>(species_.kinds[s].chains.size());
      row.push_back(to_fixed_point(sum / chains, length_quantum_nm, "a chain's size in nm"));
      row.push_back(
          to_fixed_point(squares / chains, square_quantum_nm2, "a chain's size in nm, squared"));
    }
  }
  sums_.add(row);
}

void ChainSizes::add_results_of(Size size, std::vector<Result>& results) const {
  const std::string what = size == radius ? "radius_of_gyration" : "end_to_end";
  const std::string path = "chain_sizes/" + what;
  const auto species = static_cast<std::int64_t>(species_.size());
  const double width = largest_nm_[size] / bins_;
  Result middle{
      path + "_bins", "nm", "(bins) middle of each; the last one takes all beyond", {bins_}, {}};
  for (int bin = 0; bin < bins_; ++bin) middle.values.push_back((bin + 0.5) * width);
  Result density{path + "_distribution",
                 "nm-1",
                 "(species, bins) probability density of a chain's " + what,
                 {species, bins_},
                 {}};
  // NaN for species of broken chains.
  std::vector<std::size_t> means, squares;
  for (std::size_t s = 0; s < species_.size(); ++s) {
    const auto row = size * species_.size() + s;
    const double all =
        static_cast<double>(sums_.rows()) * static_cast<double>(species_.kinds[s].chains.size());
    const auto first = static_cast<std::size_t>(species_.kinds[s].chains.front());
    const bool is_defined = topology_.chains[first].pieces == 1;
    for (std::size_t bin = 0; bin < static_cast<std::size_t>(bins_); ++bin) {
      const auto counted = counts_[row * static_cast<std::size_t>(bins_) + bin];
      density.values.push_back(is_defined ? static_cast<double>(counted) / (all * width)
                                          : size_not_defined);
    }
    means.push_back(is_defined ? 2 * row : BlockedSums::no_column);
    squares.push_back(is_defined ? 2 * row + 1 : BlockedSums::no_column);
  }
  results.push_back(std::move(middle));
  results.push_back(std::move(density));
  sums_.add_tables(
      {path, "nm", "(species) mean over chains and frames of a chain's " + what, {species}, {}},
      means, length_quantum_nm, results);
  sums_.add_tables({path + "_squared", "nm2", "(species) mean of the squares", {species}, {}},
                   squares, square_quantum_nm2, results, "standard error by blocking of that");
}

std::vector<Result> ChainSizes::results() const {
  std::vector<Result> results;
  add_results_of(radius, results);
  add_results_of(distance, results);
  return results;
}

void ChainSizes::save_parameters(WordWriter& to) const {
  to.put(bins_);
  for (const double nm : largest_nm_) to.put_number(nm);
}

void ChainSizes::save_sums(WordWriter& to) const {
  to.put_all(counts_);
  sums_.save(to);
}

void ChainSizes::restore_sums(WordReader& from) {
  counts_ = from.get_all(counts_.size());
  sums_.restore(from);
}

}  // namespace nfold::analysis
