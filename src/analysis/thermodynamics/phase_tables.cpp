// Result tables of the phase-locking matrices of all states.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/phase_tables.hpp"

#include <string>
#include <utility>

#include "analysis/thermodynamics/phase_matrix.hpp"

namespace nfold::thermodynamics {
namespace {

template <class Values>
std::vector<double> as_doubles(const Values& values) {
  return {values.begin(), values.end()};
}

}  // namespace

std::vector<analysis::Result> phase_tables(const PhaseSums& of) {
  const auto phases = static_cast<std::int64_t>(of.residues.size());
  const auto each = of.sums.size() / of.states.size();
  std::vector<double> samples, cosine, sine, sum_cosine, sum_sine, order_cosine, order_sine;
  samples.reserve(of.states.size());
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t k = 0; k < of.states.size(); ++k) {
    const auto m = phase_matrix(of.sums.subspan(k * each, each), phases);
    samples.push_back(static_cast<double>(m.samples));
    append(cosine, m.cosine);
    append(sine, m.sine);
    append(sum_cosine, m.sum_cosine);
    append(sum_sine, m.sum_sine);
    append(order_cosine, m.order_cosine);
    append(order_sine, m.order_sine);
  }
  const auto count = static_cast<std::int64_t>(of.states.size());
  const std::int64_t pairs = phases * (phases + 1) / 2;
  std::vector<analysis::Result> tables;
  const auto add = [&](const char* name, const char* help, std::vector<std::int64_t> extent,
                       std::vector<double> values) {
    tables.push_back(
        {std::string("phase_locking/") + name, "", help, std::move(extent), std::move(values)});
  };
  add("residue",
      "(phases) residue i, from 0, of theta_i: the pseudo-dihedral of residues i - 1 to i + 2",
      {phases}, as_doubles(of.residues));
  add("state", "(tables) index of the temperature of each matrix", {count}, as_doubles(of.states));
  add("samples", "(tables) samples of each", {count}, std::move(samples));
  add("undefined",
      "(tables, phases) samples without the phase, three residues being nearly in a line; they "
      "count as z = 0",
      {count, phases}, as_doubles(of.undefined));
  add("cosine",
      "(tables, pairs) real part of C_ij = <exp(i (theta_i - theta_j))>; pairs i <= j of phases, "
      "row by row",
      {count, pairs}, std::move(cosine));
  add("sine", "(tables, pairs) imaginary part of C_ij", {count, pairs}, std::move(sine));
  add("sum_cosine", "(tables, pairs) real part of D_ij = <exp(i (theta_i + theta_j))>",
      {count, pairs}, std::move(sum_cosine));
  add("sum_sine", "(tables, pairs) imaginary part of D_ij", {count, pairs}, std::move(sum_sine));
  add("order_cosine", "(tables, phases) real part of R_i = <exp(i theta_i)>", {count, phases},
      std::move(order_cosine));
  add("order_sine", "(tables, phases) imaginary part of R_i", {count, phases},
      std::move(order_sine));
  return tables;
}

}  // namespace nfold::thermodynamics
