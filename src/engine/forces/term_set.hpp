// Device tables of one kind of terms on this rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/device_array.hpp"
#include "device/refill.hpp"
#include "kernels/loops/term_loop.hpp"

namespace nfold::forces {

/// Throws std::runtime_error if a count on one rank exceeds int, the kernels' index type.
inline void require_countable(std::int64_t count, const char* things) {
  constexpr int most = std::numeric_limits<int>::max();
  if (count <= most) return;
  throw std::runtime_error("one rank has " + std::to_string(count) + " " + things +
                           ", more than the " + std::to_string(most) +
                           " that it can count; use more ranks (mpirun -np N)");
}

/// Term with local rows and parameters, input of the builder.
template <class Term>
struct LocalTerm {
  std::array<int, Term::ends> row;
  std::array<double, Term::parameters> parameter;
  bool counted;  // this rank adds its energy
};

/// Host tables of one kind of terms, for upload: columns, terms without ghosts first, each part
/// padded on its own.
template <class Precision, class Term>
struct HostTerms {
  using Real = typename Precision::Real;

  static constexpr std::int64_t bytes_of_term =
      (Term::ends + 1) * sizeof(int) + Term::parameters * (sizeof(Real) + sizeof(double));

  std::array<std::vector<int>, Term::ends> row;
  std::array<std::vector<Real>, Term::parameters> parameter;
  std::array<std::vector<double>, Term::parameters> exact;
  std::vector<int> counted;
  bool with_forces = true;
  std::int64_t first_slot = 0;
  std::size_t inside = 0;      // end of terms without ghosts, before padding
  std::size_t interior = 0;    // same, after padding
  std::size_t border_end = 0;  // end of the others, before padding

  [[nodiscard]] std::size_t size() const { return counted.size(); }
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(size()) * bytes_of_term;
  }
  /// First slot after those of these terms' ends.
  [[nodiscard]] std::int64_t next_slot() const {
    return first_slot + (with_forces ? Term::ends * static_cast<std::int64_t>(size()) : 0);
  }

  /// Builds the columns from `count` terms; term_at(k) returns a LocalTerm; rows below `owned` are
  /// owned.
  template <class TermAt>
  void build(std::size_t count, const TermAt& term_at, int owned) {
    reserve_terms(count + 2 * static_cast<std::size_t>(kernels::term_padding));
    std::vector<std::size_t> border;
    for (std::size_t k = 0; k < count; ++k) {
      const LocalTerm<Term> term = term_at(k);
      const bool has_ghost =
          std::any_of(term.row.begin(), term.row.end(), [owned](int r) { return r >= owned; });
      if (has_ghost) {
        border.push_back(k);
      } else {
        put(term);
      }
    }
    inside = size();
    pad();
    interior = size();
    for (const std::size_t k : border) put(term_at(k));
    border_end = size();
    pad();
  }
  /// For CPUs, which gather forces by slot: sets the owned row of each slot, otherwise -1.
  void mark_slots(int owned, std::vector<int>& row_of_slot) const {
    row_of_slot.resize(static_cast<std::size_t>(next_slot()), -1);
    const auto mark = [&](std::size_t t, std::size_t end) {
      for (; t < end; ++t) {
        for (std::size_t e = 0; e < Term::ends; ++e) {
          const auto slot = static_cast<std::size_t>(first_slot) + e * size() + t;
          if (row[e][t] < owned) row_of_slot[slot] = row[e][t];
        }
      }
    };
    mark(0, inside);
    mark(interior, border_end);
  }

 private:
  template <class Visit>
  void for_each_column(const Visit& visit) {
    for (auto& column : row) visit(column);
    for (auto& column : parameter) visit(column);
    for (auto& column : exact) visit(column);
    visit(counted);
  }
  void reserve_terms(std::size_t terms) {
    for_each_column([terms](auto& column) { column.reserve(terms); });
  }
  void put(const LocalTerm<Term>& term) {
    for (std::size_t e = 0; e < row.size(); ++e) row[e].push_back(term.row[e]);
    for (std::size_t k = 0; k < exact.size(); ++k) {
      exact[k].push_back(term.parameter[k]);
      parameter[k].push_back(static_cast<Real>(term.parameter[k]));
    }
    counted.push_back(term.counted ? 1 : 0);
  }
  void pad() {
    constexpr std::size_t padding = kernels::term_padding;
    while (size() % padding != 0) {
      for_each_column([](auto& column) { column.push_back(column.back()); });
      counted.back() = 0;
    }
  }
};

/// Device tables of one kind of terms.
template <class Precision, class Term>
class TermSet {
 public:
  using Real = typename Precision::Real;

  explicit TermSet(const std::string& label)
      : counted_(label + ".counted"),
        rows_{make_arrays<int, Term::ends>(label + ".row")},
        parameters_{make_arrays<Real, Term::parameters>(label + ".parameter")},
        exact_{make_arrays<double, Term::parameters>(label + ".exact_parameter")} {}

  /// Uploads the terms. The force on end e of term t is stored in slot first_slot + e * terms() +
  /// t. Terms without forces, which are computed elsewhere, are used for energies only.
  void take(const HostTerms<Precision, Term>& host) {
    require_countable(host.next_slot(), "ends of terms");
    with_forces_ = host.with_forces;
    first_slot_ = host.first_slot;
    interior_ = static_cast<int>(host.interior);
    total_ = static_cast<int>(host.size());
    if (total_ == 0) return;
    reserve(total_);
    for (std::size_t e = 0; e < host.row.size(); ++e) rows_[e].upload(host.row[e]);
    counted_.upload(host.counted);
    for (std::size_t k = 0; k < host.exact.size(); ++k) {
      parameters_[k].upload(host.parameter[k]);
      exact_[k].upload(host.exact[k]);
    }
  }
  void reserve(std::int64_t terms) {
    const auto reserve_each = [terms](auto& arrays) {
      for (auto& array : arrays) device::reserve_for_refill(array, terms);
    };
    device::reserve_for_refill(counted_, terms);
    reserve_each(rows_);
    reserve_each(parameters_);
    reserve_each(exact_);
  }

  /// Number of terms in the tables, including padding.
  [[nodiscard]] static std::int64_t padded_terms(std::int64_t inner, std::int64_t border) {
    constexpr std::int64_t padding = kernels::term_padding;
    const auto whole = [](std::int64_t n) { return (n + padding - 1) / padding * padding; };
    return whole(inner) + whole(border);
  }

  /// Sets the factor of forces and virials, for terms that have one; energies are at strength 1.
  void set_strength(double strength) { strength_ = strength; }

  /// Numbers of work items: without ghosts, and of all.
  [[nodiscard]] int interior_items() const { return with_forces_ ? interior_ / kernels::lanes : 0; }
  [[nodiscard]] int items() const { return with_forces_ ? total_ / kernels::lanes : 0; }
  [[nodiscard]] int terms() const { return total_; }
  [[nodiscard]] static constexpr int ends() { return Term::ends; }

  [[nodiscard]] kernels::TermForceLoop<Precision, Term> force_loop(
      kernels::Columns<const typename Precision::Coordinate> x, kernels::Scale<Real> scale,
      const kernels::TermForces<Precision>& force, int* exploded) const {
    kernels::TermForceLoop<Precision, Term> loop{
        {}, x, scale, force, first_slot_, total_, exploded, static_cast<Real>(strength_)};
    for (int e = 0; e < Term::ends; ++e) loop.table.row[e] = rows_[e].data();
    for (int k = 0; k < Term::parameters; ++k) loop.table.parameter[k] = parameters_[k].data();
    return loop;
  }
  [[nodiscard]] kernels::TermEnergyLoop<Precision, Term> energy_loop(
      kernels::Columns<const typename Precision::Coordinate> x,
      kernels::Scale<double> scale) const {
    kernels::TermEnergyLoop<Precision, Term> loop{{}, counted_.data(), x, scale};
    for (int e = 0; e < Term::ends; ++e) loop.table.row[e] = rows_[e].data();
    for (int k = 0; k < Term::parameters; ++k) loop.table.parameter[k] = exact_[k].data();
    return loop;
  }
  [[nodiscard]] kernels::TermVirialLoop<Precision, Term> virial_loop(
      kernels::Columns<const typename Precision::Coordinate> x,
      kernels::Scale<double> scale) const {
    return {energy_loop(x, scale), strength_};
  }

 private:
  template <class T, int n>
  static std::vector<device::DeviceArray<T>> make_arrays(const std::string& label) {
    std::vector<device::DeviceArray<T>> arrays;
    arrays.reserve(n);
    for (int i = 0; i < n; ++i) arrays.emplace_back(label + std::to_string(i));
    return arrays;
  }
  device::DeviceArray<int> counted_;
  std::vector<device::DeviceArray<int>> rows_;
  std::vector<device::DeviceArray<Real>> parameters_;
  std::vector<device::DeviceArray<double>> exact_;
  bool with_forces_ = true;
  int interior_ = 0, total_ = 0;
  std::int64_t first_slot_ = 0;
  double strength_ = 1;
};

}  // namespace nfold::forces
