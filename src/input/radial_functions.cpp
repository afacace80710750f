// Splines of tables, and potentials by expressions.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/radial_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/document/scalars.hpp"
#include "core/document/values.hpp"
#include "core/hash.hpp"
#include "core/input_error.hpp"
#include "core/lines.hpp"

namespace nfold::input {
namespace {

constexpr std::size_t fewest_rows = 3, most_rows = 100'000;

/// Hash of the text and numbers of a function.
class FunctionHash {
 public:
  void add(std::string_view text) { bytes_.add_letters(text); }
  void add(const std::vector<double>& values) {
    for (const double value : values) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      for (unsigned shift = 0; shift < 64; shift += 8) {
        bytes_.add(static_cast<unsigned char>(bits >> shift));
      }
    }
  }
  [[nodiscard]] std::uint64_t value() const { return bytes_.value(); }

 private:
  core::ByteHash bytes_;
};

}  // namespace

std::optional<double> find_in_range(double cutoff_nm, const std::function<bool(double)>& is_wrong) {
  constexpr int points = 200;
  for (int i = 0; i <= points; ++i) {
    const double r = shortest_checked_nm + (cutoff_nm - shortest_checked_nm) * i / points;
    if (r > 0 && is_wrong(r)) return r;
  }
  return std::nullopt;
}

TabulatedFunction::TabulatedFunction(std::string_view text, const std::string& file) {
  core::Lines lines(text);
  int line_number = 0;
  bool may_be_header = true;
  const auto refuse = [&](std::string problem, std::string remedy) {
    throw core::InputError({file, line_number, 1}, std::move(problem), std::move(remedy));
  };
  while (lines.next()) {
    line_number = lines.number();
    const std::string_view line = lines.line();
    const auto fields = core::split_fields(line, ",; \t\r");
    if (fields.empty() || fields[0].starts_with('#')) continue;
    const auto r = document::to_real(fields[0]);
    const auto u = document::to_real(fields.size() == 2 ? fields[1] : std::string_view());
    if (may_be_header && !r) {
      may_be_header = false;
      continue;
    }
    may_be_header = false;
    if (!r || !u) {
      refuse(fmt::format("'{}'", document::printable(std::string(line))),
             "a row is r [nm], U [kJ/mol]: two finite numbers");
    }
    if (*r <= 0 || (!r_.empty() && *r <= r_.back())) {
      refuse(fmt::format("r = {}", *r), "r must be > 0 and increase from row to row");
    }
    if (r_.size() >= most_rows) {
      refuse(fmt::format("more than {} rows", most_rows), "thin them out");
    }
    r_.push_back(r.value_or(0));
    u_.push_back(u.value_or(0));
  }
  if (r_.size() < fewest_rows) {
    line_number = 0;
    refuse(fmt::format("{} rows", r_.size()),
           fmt::format("a table has at least {} of r [nm], U [kJ/mol]", fewest_rows));
  }
  make_spline();
}

void TabulatedFunction::make_spline() {
  // Thomas algorithm for the second derivatives, which are 0 at both ends.
  const std::size_t n = r_.size();
  curvature_.assign(n, 0);
  std::vector<double> upper(n, 0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double left = r_[i] - r_[i - 1], right = r_[i + 1] - r_[i];
    const double pivot = 2 * (left + right) - left * upper[i - 1];
    const double jump = (u_[i + 1] - u_[i]) / right - (u_[i] - u_[i - 1]) / left;
    upper[i] = right / pivot;
    curvature_[i] = (6 * jump - left * curvature_[i - 1]) / pivot;
  }
  for (std::size_t i = n - 2; i > 0; --i) curvature_[i] -= upper[i] * curvature_[i + 1];
}

std::size_t TabulatedFunction::interval(double r_nm) const {
  const auto next = std::ranges::upper_bound(r_, r_nm);
  const auto index = static_cast<std::size_t>(next - r_.begin());
  return std::clamp<std::size_t>(index, 1, r_.size() - 1) - 1;
}

double TabulatedFunction::slope(double r_nm) const {
  const double r = std::max(r_nm, r_.front());
  const std::size_t i = interval(r);
  const double h = r_[i + 1] - r_[i], a = (r_[i + 1] - r) / h, b = (r - r_[i]) / h;
  return (u_[i + 1] - u_[i]) / h +
         h / 6 * ((3 * b * b - 1) * curvature_[i + 1] - (3 * a * a - 1) * curvature_[i]);
}

double TabulatedFunction::energy(double r_nm) const {
  if (r_nm < r_.front()) return u_.front() + slope(r_.front()) * (r_nm - r_.front());
  const std::size_t i = interval(r_nm);
  const double h = r_[i + 1] - r_[i], a = (r_[i + 1] - r_nm) / h, b = (r_nm - r_[i]) / h;
  return a * u_[i] + b * u_[i + 1] +
         h * h / 6 * ((a * a * a - a) * curvature_[i] + (b * b * b - b) * curvature_[i + 1]);
}

std::uint64_t TabulatedFunction::hash() const {
  FunctionHash hash;
  hash.add(r_);
  hash.add(u_);
  return hash.value();
}

double ExpressionFunction::energy(double r_nm) const {
  auto values = values_;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (expression_.names()[k] == "r") values[k] = r_nm;
  }
  return expression_.value(values);
}

std::uint64_t ExpressionFunction::hash() const {
  FunctionHash hash;
  hash.add(expression_.text());
  hash.add(values_);
  return hash.value();
}

double DielectricFunction::energy(double r_nm) const {
  const double dielectric = dielectric_.energy(r_nm);
  const double kappa = screening_.salt_per_nm2 > 0 ? std::sqrt(screening_.salt_per_nm2 / dielectric)
                                                   : screening_.kappa_per_nm;
  const long double decay = std::exp(static_cast<long double>(-kappa * r_nm));
  return coulomb_kj_mol_nm_ / (dielectric * r_nm) * static_cast<double>(decay);
}

std::uint64_t DielectricFunction::hash() const {
  FunctionHash hash;
  hash.add({coulomb_kj_mol_nm_, screening_.salt_per_nm2, screening_.kappa_per_nm});
  return hash.value() ^ dielectric_.hash();
}

}  // namespace nfold::input
