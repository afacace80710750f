// Rigid residues of a start, molecules and rotations.
// SPDX-License-Identifier: BSD-3-Clause

#include "model/start/rigid_body.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/arithmetic/mathematics.hpp"
#include "model/topology/disjoint_sets.hpp"

namespace nfold::start {

using topology::Point;

namespace {

bool is_known(const topology::Topology& topology, int id) {
  return !topology.native_nm.empty() &&
         !std::isnan(topology.native_nm[static_cast<std::size_t>(id)][0]);
}

/// Makes known residues between rigid parts of a chain rigid: these parts keep their relative
/// positions, so the linkers of the structure fit.
void keep_known_linkers(const topology::Topology& topology, std::vector<char>& is_rigid) {
  for (const auto& chain : topology.chains) {
    const auto first = is_rigid.begin() + chain.first, end = first + chain.count;
    const auto is_set = [](char rigid) { return rigid != 0; };
    const auto from = std::find_if(first, end, is_set);
    const auto last =
        std::find_if(std::make_reverse_iterator(end), std::make_reverse_iterator(from), is_set);
    for (auto it = from; it < last.base(); ++it) {
      if (is_known(topology, static_cast<int>(it - is_rigid.begin()))) *it = 1;
    }
  }
}

}  // namespace

std::vector<char> rigid_residues(const topology::Topology& topology, Conformation conformation) {
  const std::size_t count = topology.residues.size();
  std::vector<char> is_rigid(count, 0);
  if (conformation == Conformation::native) {
    for (std::size_t i = 0; i < count; ++i)
      is_rigid[i] = is_known(topology, static_cast<int>(i)) ? 1 : 0;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (topology.residues[i].domain >= 0) is_rigid[i] = 1;
  }
  for (const auto& restraint : topology.restraints) {
    // A restraint of the input may join residues that have no structure.
    if (!is_known(topology, restraint.i) || !is_known(topology, restraint.j)) continue;
    is_rigid[static_cast<std::size_t>(restraint.i)] = 1;
    is_rigid[static_cast<std::size_t>(restraint.j)] = 1;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int id = static_cast<int>(i);
    if (is_rigid[i] == 0 || is_known(topology, id)) continue;
    throw PlacementError(topology::residue_label(topology, id) +
                             " belongs to a folded domain but has no reference coordinates",
                         "give a structure that has them, or a domain without this residue");
  }
  if (std::all_of(is_rigid.begin(), is_rigid.end(), [](char rigid) { return rigid == 0; })) {
    return {};
  }
  keep_known_linkers(topology, is_rigid);
  return is_rigid;
}

RigidBody rigid_body(const std::vector<int>& id, const std::vector<Point>& x_nm) {
  RigidBody body{id, x_nm, 0};
  Point centre{0, 0, 0};
  for (const auto& x : x_nm) {
    for (std::size_t k = 0; k < 3; ++k) centre[k] += x[k] / static_cast<double>(x_nm.size());
  }
  for (auto& x : body.x_nm) {
    x = topology::difference(x, centre);
    body.radius_nm = std::max(body.radius_nm, topology::norm(x));
  }
  return body;
}

namespace {

/// Joins the chains that a term between rigid residues connects.
template <class Terms>
void join_chains(const topology::Topology& topology, const std::vector<char>& is_rigid,
                 const Terms& terms, topology::DisjointSets& groups) {
  const auto chain_of = [&](int id) {
    return static_cast<std::size_t>(topology.residues[static_cast<std::size_t>(id)].chain);
  };
  for (const auto& term : terms) {
    if (is_rigid[static_cast<std::size_t>(term.i)] == 0) continue;
    if (is_rigid[static_cast<std::size_t>(term.j)] == 0) continue;
    groups.join(chain_of(term.i), chain_of(term.j));
  }
}

}  // namespace

RigidBody rigid_body(const topology::Topology& topology, const Molecule& molecule,
                     const std::vector<char>& is_rigid) {
  std::vector<int> ids;
  std::vector<Point> x_nm;
  for (const int c : molecule.chains) {
    const auto& chain = topology.chains[static_cast<std::size_t>(c)];
    for (int id = chain.first; !is_rigid.empty() && id < chain.first + chain.count; ++id) {
      if (is_rigid[static_cast<std::size_t>(id)] == 0) continue;
      ids.push_back(id);
      x_nm.push_back(topology.native_nm[static_cast<std::size_t>(id)]);
    }
  }
  return rigid_body(ids, x_nm);
}

std::vector<Molecule> find_molecules(const topology::Topology& topology,
                                     const std::vector<char>& is_rigid, Conformation conformation) {
  topology::DisjointSets groups(topology.chains.size());
  if (!is_rigid.empty()) {
    join_chains(topology, is_rigid, topology.bonds, groups);
    join_chains(topology, is_rigid, topology.restraints, groups);
    if (conformation == Conformation::native) {
      join_chains(topology, is_rigid, topology.contacts_12_10, groups);
      join_chains(topology, is_rigid, topology.contacts_gaussian, groups);
    }
  }
  std::vector<Molecule> molecules;
  std::vector<std::size_t> molecule_of(topology.chains.size());
  for (std::size_t c = 0; c < topology.chains.size(); ++c) {
    const std::size_t first = groups.root(c);
    if (first == c) {
      molecule_of[c] = molecules.size();
      molecules.emplace_back();
    }
    Molecule& molecule = molecules[molecule_of[first]];
    molecule.chains.push_back(static_cast<int>(c));
    const auto& chain = topology.chains[c];
    molecule.residues += chain.count;
    if (is_rigid.empty()) continue;
    const auto begin = is_rigid.begin() + chain.first;
    molecule.rigid_residues += static_cast<int>(
        std::count_if(begin, begin + chain.count, [](char rigid) { return rigid != 0; }));
  }
  return molecules;
}

std::vector<Point> rotated(const std::vector<Point>& x_nm, double u0, double u1, double u2) {
  double s1, c1, s2, c2;
  kernels::sine_cosine_of_turns(u1, s1, c1);
  kernels::sine_cosine_of_turns(u2, s2, c2);
  const double r1 = std::sqrt(1 - u0), r2 = std::sqrt(u0);
  const double x = r1 * s1, y = r1 * c1, z = r2 * s2, w = r2 * c2;  // a unit quaternion
  const std::array<Point, 3> rows{
      {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
       {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
       {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
  std::vector<Point> turned;
  turned.reserve(x_nm.size());
  for (const auto& p : x_nm) {
    turned.push_back(
        {topology::dot(rows[0], p), topology::dot(rows[1], p), topology::dot(rows[2], p)});
  }
  return turned;
}

}  // namespace nfold::start
