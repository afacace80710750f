// The reference's terms, written from the equations with standard functions and no fixed point.
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/reference.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace nfold::dynamics {

namespace {

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector times(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
Vector plus(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double norm(const Vector& a) { return std::sqrt(dot(a, a)); }

class Sum {
 public:
  Sum(const topology::Topology& topology, const std::vector<Vector>& x)
      : topology_(topology), x_(x) {
    result_.force.assign(x.size(), Vector{0, 0, 0});
  }

  void bonds() {
    for (const auto& t : topology_.bonds) {
      const Vector d = minus(x_[t.i], x_[t.j]);
      const double r = norm(d);
      result_.bond += 0.5 * t.k_kj_mol_nm2 * (r - t.length_nm) * (r - t.length_nm);
      pair("bond", t.i, t.j, times(-t.k_kj_mol_nm2 * (r - t.length_nm) / r, d));
    }
  }
  void angles() {
    for (const auto& t : topology_.angles) {
      const Vector a = minus(x_[t.i], x_[t.j]), b = minus(x_[t.k], x_[t.j]);
      const double theta = std::atan2(norm(cross(a, b)), dot(a, b));
      const double bend = theta - t.theta0_rad;
      result_.angle += 0.5 * t.k_kj_mol_rad2 * bend * bend;
      // Directions in which each end moves to open the angle.
      const Vector n = cross(a, b);
      const Vector fi = times(-t.k_kj_mol_rad2 * bend / (dot(a, a) * norm(n)), cross(a, n));
      const Vector fk = times(t.k_kj_mol_rad2 * bend / (dot(b, b) * norm(n)), cross(b, n));
      const int ids[3] = {t.i, t.j, t.k};
      add("angle", ids, 3, 0, fi);
      add("angle", ids, 3, 2, fk);
      add("angle", ids, 3, 1, times(-1, plus(fi, fk)));
    }
  }
  void dihedrals() {
    for (const auto& t : topology_.dihedrals) {
      const Vector b1 = minus(x_[t.j], x_[t.i]), b2 = minus(x_[t.k], x_[t.j]),
                   b3 = minus(x_[t.l], x_[t.k]);
      const Vector n1 = cross(b1, b2), n2 = cross(b2, b3);
      const double phi = std::atan2(norm(b2) * dot(b1, n2), dot(n1, n2));
      const double d = phi - t.phi0_rad;
      result_.dihedral += t.k1_kj_mol * (1 - std::cos(d)) + t.k3_kj_mol * (1 - std::cos(3 * d));
      const double slope = t.k1_kj_mol * std::sin(d) + 3 * t.k3_kj_mol * std::sin(3 * d);
      const Vector f1 = times(slope * norm(b2) / dot(n1, n1), n1);
      const Vector f4 = times(-slope * norm(b2) / dot(n2, n2), n2);
      const double s = dot(b1, b2) / dot(b2, b2), u = dot(b3, b2) / dot(b2, b2);
      const Vector shift = minus(times(s, f1), times(u, f4));
      const int ids[4] = {t.i, t.j, t.k, t.l};
      add("dihedral", ids, 4, 0, f1);
      add("dihedral", ids, 4, 1, minus(times(-1, f1), shift));
      add("dihedral", ids, 4, 2, plus(times(-1, f4), shift));
      add("dihedral", ids, 4, 3, f4);
    }
  }
  void contacts() {
    for (const auto& t : topology_.contacts_12_10) {
      const Vector d = minus(x_[t.i], x_[t.j]);
      const double r = norm(d), q = t.distance_nm / r;
      result_.contact += t.epsilon_kj_mol * (5 * std::pow(q, 12) - 6 * std::pow(q, 10));
      pair("contact", t.i, t.j,
           times(60 * t.epsilon_kj_mol * (std::pow(q, 12) - std::pow(q, 10)) / (r * r), d));
    }
    for (const auto& t : topology_.contacts_gaussian) {
      const Vector d = minus(x_[t.i], x_[t.j]);
      const double r = norm(d), x = r - t.distance_nm, w2 = t.sigma_nm * t.sigma_nm;
      const double g = std::exp(-x * x / (2 * w2)), core = t.a_kj_mol_nm12 / std::pow(r, 12);
      result_.contact += core * (1 - g) - t.epsilon_kj_mol * g;
      const double slope =
          t.epsilon_kj_mol * g * x / w2 - 12 * core / r * (1 - g) + core * g * x / w2;
      pair("contact", t.i, t.j, times(-slope / r, d));
    }
  }
  void repulsion() {
    const auto& rep = topology_.short_range;
    std::map<std::array<std::int64_t, 3>, std::vector<int>> cells;
    const auto cell_of = [&](const Vector& x) {
      std::array<std::int64_t, 3> c{};
      for (int a = 0; a < 3; ++a)
        c[a] = static_cast<std::int64_t>(std::floor(x[a] / rep.cutoff_nm));
      return c;
    };
    for (std::size_t i = 0; i < x_.size(); ++i)
      cells[cell_of(x_[i])].push_back(static_cast<int>(i));
    for (int i = 0; i < static_cast<int>(x_.size()); ++i) {
      const auto c = cell_of(x_[i]);
      for (int n = 0; n < 27; ++n) {
        const auto at = cells.find({c[0] + n % 3 - 1, c[1] + n / 3 % 3 - 1, c[2] + n / 9 - 1});
        if (at == cells.end()) continue;
        for (const int j : at->second) {
          if (j > i) repel(i, j);
        }
      }
    }
  }
  ReferenceForces take() { return std::move(result_); }

 private:
  void repel(int i, int j) {
    const auto& rep = topology_.short_range;
    const Vector d = minus(x_[i], x_[j]);
    const double r = norm(d);
    if (!(r < rep.cutoff_nm)) return;
    if (std::binary_search(topology_.exclusions.begin(), topology_.exclusions.end(),
                           std::pair<int, int>{i, j})) {
      return;
    }
    const double u = rep.epsilon_kj_mol * std::pow(rep.sigma_nm / r, 12);
    result_.short_range += u;
    pair("repulsion", i, j, times(12 * u / (r * r), d));
  }
  void pair(const char* kind, int i, int j, const Vector& force_on_i) {
    const int ids[2] = {i, j};
    add(kind, ids, 2, 0, force_on_i);
    add(kind, ids, 2, 1, times(-1, force_on_i));
  }
  void add(const char* kind, const int* ids, int ends, int end, const Vector& f) {
    auto& sum = result_.force[static_cast<std::size_t>(ids[end])];
    sum = plus(sum, f);
    const double size = norm(f);
    // Not a number counts as the strongest of all.
    if (size <= result_.strongest.force_kj_mol_nm) return;
    if (std::isnan(result_.strongest.force_kj_mol_nm)) return;
    std::string name = kind;
    for (int e = 0; e < ends; ++e) {
      name += (e == 0 ? " " : " - ") + topology::residue_label(topology_, ids[e]);
    }
    result_.strongest = {size, std::move(name), ids[end]};
  }

  const topology::Topology& topology_;
  const std::vector<Vector>& x_;
  ReferenceForces result_;
};

}  // namespace

ReferenceForces reference_forces(const topology::Topology& topology,
                                 const std::vector<Vector>& x_nm) {
  Sum sum(topology, x_nm);
  sum.bonds();
  sum.angles();
  sum.dihedrals();
  sum.contacts();
  sum.repulsion();
  return sum.take();
}

}  // namespace nfold::dynamics
