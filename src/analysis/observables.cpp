// Q, radius of gyration and RMSD, summed in the order of residue ids.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/observables.hpp"

#include <cmath>

#include "analysis/superposition.hpp"

namespace nfold::analysis {
namespace {

double squared_distance(const Point& a, const Point& b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

template <class Contact>
std::int64_t count_formed(const std::vector<Contact>& contacts, std::span<const Point> x_nm,
                          double factor) {
  std::int64_t formed = 0;
  for (const auto& contact : contacts) {
    const double reach = factor * contact.distance_nm;
    const double r2 = squared_distance(x_nm[static_cast<std::size_t>(contact.i)],
                                       x_nm[static_cast<std::size_t>(contact.j)]);
    if (r2 <= reach * reach) ++formed;
  }
  return formed;
}

}  // namespace

std::vector<Point> positions_nm(const topology::Box& box, const system::State& state) {
  std::vector<Point> x_nm;
  x_nm.reserve(state.position.size());
  for (const auto& row : state.position) x_nm.push_back(system::position_nm(box, row));
  return x_nm;
}

double native_contact_fraction(const topology::Topology& topology, std::span<const Point> x_nm,
                               double factor) {
  const std::size_t contacts = topology.contacts_12_10.size() + topology.contacts_gaussian.size();
  if (contacts == 0) return 0;
  const std::int64_t formed = count_formed(topology.contacts_12_10, x_nm, factor) +
                              count_formed(topology.contacts_gaussian, x_nm, factor);
  return static_cast<double>(formed) / static_cast<double>(contacts);
}

double radius_of_gyration_nm(const topology::Topology& topology, std::span<const Point> x_nm) {
  // Two passes: centre first, so that a molecule far from the origin loses no digits.
  double mass = 0;
  Point centre{};
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    const double m = topology.residues[i].mass_amu;
    mass += m;
    for (std::size_t k = 0; k < 3; ++k) centre[k] += m * (x_nm[i][k] - x_nm[0][k]);
  }
  if (mass <= 0) return 0;
  for (std::size_t k = 0; k < 3; ++k) centre[k] = x_nm[0][k] + centre[k] / mass;
  double sum = 0;
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    sum += topology.residues[i].mass_amu * squared_distance(x_nm[i], centre);
  }
  return std::sqrt(sum / mass);
}

double rmsd_to_native_nm(const topology::Topology& topology, std::span<const Point> x_nm) {
  return superposed_rmsd(topology.native_nm, x_nm);
}

}  // namespace nfold::analysis
