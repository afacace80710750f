// Q, radius of gyration and RMSD, summed in the order of residue ids.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/observables.hpp"

#include <cmath>
#include <limits>

#include "analysis/chain_sizes.hpp"
#include "analysis/superposition.hpp"

namespace nfold::analysis {
namespace {

constexpr double observable_not_defined = std::numeric_limits<double>::quiet_NaN();

double nearest_squared_distance(const system::Box& box, const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = box.nearest_nm(k, a[k] - b[k]);
    sum += d * d;
  }
  return sum;
}

template <class Contacts>
std::int64_t count_formed(const system::Box& box, const Contacts& contacts,
                          std::span<const Point> x_nm, double factor) {
  std::int64_t formed = 0;
  for (const auto& contact : contacts) {
    const double reach = factor * contact.distance_nm;
    const double r2 = nearest_squared_distance(box, x_nm[static_cast<std::size_t>(contact.i)],
                                               x_nm[static_cast<std::size_t>(contact.j)]);
    if (r2 <= reach * reach) ++formed;
  }
  return formed;
}

}  // namespace

double native_contact_fraction(const topology::Topology& topology, std::span<const Point> x_nm,
                               double factor) {
  const std::int64_t contacts = topology.contact_count();
  if (contacts == 0) return observable_not_defined;
  const std::int64_t formed = count_formed(topology.box, topology.contacts_12_10, x_nm, factor) +
                              count_formed(topology.box, topology.contacts_gaussian, x_nm, factor);
  return static_cast<double>(formed) / static_cast<double>(contacts);
}

SpeciesMeans::SpeciesMeans(const topology::Topology& topology)
    : sum_(topology.species_count(), 0), chains_(sum_.size(), 0) {
  for (const auto& chain : topology.chains) ++chains_[static_cast<std::size_t>(chain.species)];
}

std::vector<double> SpeciesMeans::means() const {
  std::vector<double> means;
  for (std::size_t s = 0; s < sum_.size(); ++s) means.push_back(sum_[s] / chains_[s]);
  return means;
}

std::string radius_of_gyration_name(const topology::Topology& topology, std::size_t species) {
  const bool is_only = topology.species_count() == 1;
  return "radius_of_gyration" + (is_only ? "" : "_" + topology.species[species].name);
}

std::vector<double> radii_of_gyration_nm(const topology::Topology& topology,
                                         std::span<const Point> x_nm) {
  SpeciesMeans radii(topology);
  for (const auto& chain : topology.chains) {
    radii.add(chain, chain_radius_of_gyration_nm(topology, chain, x_nm));
  }
  return radii.means();
}

double rmsd_to_native_nm(const topology::Topology& topology, std::span<const Point> x_nm) {
  if (!topology.has_native_structure()) return observable_not_defined;
  return superposed_rmsd(topology.native_nm.flat(), x_nm);
}

}  // namespace nfold::analysis
