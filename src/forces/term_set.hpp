// The terms of one kind that this rank computes, as tables on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/device_array.hpp"
#include "device/memory_plan.hpp"
#include "kernels/loops/term_loop.hpp"

namespace nfold::forces {

/// Kernels count in int what one rank has of a thing. Throws std::runtime_error beyond that.
inline void require_countable(std::int64_t count, const char* things) {
  constexpr int most = std::numeric_limits<int>::max();
  if (count <= most) return;
  throw std::runtime_error("one rank has " + std::to_string(count) + " " + things +
                           ", more than the " + std::to_string(most) +
                           " that it can count; use more ranks (mpirun -np N)");
}

/// One term as the builder sees it: local rows and numbers.
template <class Term>
struct LocalTerm {
  std::array<int, Term::ends> row;
  std::array<double, Term::parameters> parameter;
  bool counted;  // this rank counts its energy
};

/// Tables of a kind of term: those without ghosts first, each part padded on its own.
template <class Precision, class Term>
class TermSet {
 public:
  using Real = typename Precision::Real;

  explicit TermSet(const std::string& label)
      : counted_(label + ".counted"),
        rows_{make_arrays<int, Term::ends>(label + ".row")},
        parameters_{make_arrays<Real, Term::parameters>(label + ".parameter")},
        exact_{make_arrays<double, Term::parameters>(label + ".exact_parameter")} {}

  /// Takes `count` terms, term_at(k) being a LocalTerm; rows below `owned` are owned. The force on
  /// end e of the t-th term will stand in slot first_slot + e * terms() + t; returns the next free
  /// one. Where a CPU gathers forces by slot, row_of_slot receives the owned row of each, else -1.
  /// Without forces, which something else then computes, the terms serve energies only.
  template <class TermAt>
  std::int64_t build(std::size_t count, const TermAt& term_at, int owned, std::int64_t first_slot,
                     bool with_forces, std::vector<int>& row_of_slot) {
    with_forces_ = with_forces;
    first_slot_ = first_slot;
    const Sorted sorted = sorted_terms(count, term_at, owned);
    const auto terms = static_cast<std::int64_t>(sorted.terms.size());
    const std::int64_t next = first_slot + (with_forces ? Term::ends * terms : 0);
    require_countable(next, "ends of terms");
    total_ = static_cast<int>(terms);
    if (device::on_host && with_forces) {
      row_of_slot.resize(static_cast<std::size_t>(next), -1);
      const auto mark = [&](std::size_t t, std::size_t end) {
        for (; t < end; ++t) {
          for (std::size_t e = 0; e < Term::ends; ++e) {
            const int row = sorted.terms[t].row[e];
            const auto slot = static_cast<std::size_t>(first_slot) + e * sorted.terms.size() + t;
            if (row < owned) row_of_slot[slot] = row;
          }
        }
      };
      mark(0, sorted.inside);
      mark(static_cast<std::size_t>(interior_), sorted.border_end);
    }
    upload(sorted.terms);
    return next;
  }

  /// Terms in the tables, with those that only pad.
  [[nodiscard]] static std::int64_t padded_terms(std::int64_t inner, std::int64_t border) {
    constexpr std::int64_t padding = kernels::term_padding;
    const auto whole = [](std::int64_t n) { return (n + padding - 1) / padding * padding; };
    return whole(inner) + whole(border);
  }
  static void plan(device::MemoryPlan& plan, const std::string& label, std::int64_t inner,
                   std::int64_t border) {
    const std::int64_t terms = padded_terms(inner, border);
    if (terms == 0) return;
    plan.array<int>(label + ".counted", terms);
    for (int e = 0; e < Term::ends; ++e) plan.array<int>(label + ".row" + std::to_string(e), terms);
    for (int k = 0; k < Term::parameters; ++k) {
      plan.array<Real>(label + ".parameter" + std::to_string(k), terms);
      plan.array<double>(label + ".exact_parameter" + std::to_string(k), terms);
    }
  }

  /// Factor of the forces and virials, of terms that have one; energies are at strength 1.
  void set_strength(double strength) { strength_ = strength; }

  /// Work items without ghosts and of all.
  [[nodiscard]] int interior_items() const { return with_forces_ ? interior_ / kernels::lanes : 0; }
  [[nodiscard]] int items() const { return with_forces_ ? total_ / kernels::lanes : 0; }
  [[nodiscard]] int terms() const { return total_; }
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(total_) *
           static_cast<std::int64_t>(sizeof(int) * (Term::ends + 1) +
                                     (sizeof(Real) + sizeof(double)) * Term::parameters);
  }

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
  struct Sorted {
    std::vector<LocalTerm<Term>> terms;
    std::size_t inside = 0;      // end of those without ghosts, before padding
    std::size_t border_end = 0;  // end of the others, before padding
  };
  template <class TermAt>
  Sorted sorted_terms(std::size_t count, const TermAt& term_at, int owned) {
    constexpr std::size_t padding = kernels::term_padding;
    Sorted sorted;
    auto& terms = sorted.terms;
    terms.reserve(count + 2 * padding);
    std::vector<std::size_t> border;
    for (std::size_t k = 0; k < count; ++k) {
      const LocalTerm<Term> term = term_at(k);
      const bool has_ghost =
          std::any_of(term.row.begin(), term.row.end(), [owned](int row) { return row >= owned; });
      if (has_ghost) {
        border.push_back(k);
      } else {
        terms.push_back(term);
      }
    }
    const auto pad = [&terms] {
      while (terms.size() % padding != 0) {
        terms.push_back(terms.back());
        terms.back().counted = false;
      }
    };
    sorted.inside = terms.size();
    pad();
    interior_ = static_cast<int>(terms.size());
    for (const std::size_t k : border) terms.push_back(term_at(k));
    sorted.border_end = terms.size();
    pad();
    return sorted;
  }
  template <class T, int n>
  static std::vector<device::DeviceArray<T>> make_arrays(const std::string& label) {
    std::vector<device::DeviceArray<T>> arrays;
    arrays.reserve(n);
    for (int i = 0; i < n; ++i) arrays.emplace_back(label + std::to_string(i));
    return arrays;
  }
  void upload(const std::vector<LocalTerm<Term>>& terms) {
    if (terms.empty()) return;
    std::vector<int> column(terms.size());
    for (int e = 0; e < Term::ends; ++e) {
      for (std::size_t t = 0; t < terms.size(); ++t) column[t] = terms[t].row[e];
      rows_[e].upload(column);
    }
    for (std::size_t t = 0; t < terms.size(); ++t) column[t] = terms[t].counted ? 1 : 0;
    counted_.upload(column);
    std::vector<Real> numbers(terms.size());
    std::vector<double> exact(terms.size());
    for (int k = 0; k < Term::parameters; ++k) {
      for (std::size_t t = 0; t < terms.size(); ++t) {
        exact[t] = terms[t].parameter[k];
        numbers[t] = static_cast<Real>(exact[t]);
      }
      parameters_[k].upload(numbers);
      exact_[k].upload(exact);
    }
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
