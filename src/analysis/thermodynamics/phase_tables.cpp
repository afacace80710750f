// Result tables of the phase-locking matrices of all states.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/phase_tables.hpp"

#include <string>
#include <utility>

#include "analysis/thermodynamics/phase_matrix.hpp"

namespace nfold::thermodynamics {
namespace {

template <class Values>
analysis::Result whole_table(const char* name, const char* help,
                             const std::vector<std::int64_t>& extent, const Values& values) {
  auto result = analysis::whole_numbers(std::string("phase_locking/") + name, help,
                                        {values.begin(), values.end()});
  result.extent = extent;
  return result;
}

}  // namespace

std::vector<analysis::Result> phase_tables(const PhaseSums& of) {
  const auto phases = static_cast<std::int64_t>(of.residues.size());
  const auto count = static_cast<std::int64_t>(of.states.size());
  const std::int64_t pairs = phases * (phases + 1) / 2;
  struct Quantity {
    std::vector<double> PhaseMatrix::*values;
    const char *name, *help;
    std::int64_t values_per_table;
  };
  const Quantity quantities[] = {
      {&PhaseMatrix::cosine, "cosine",
       "(tables, pairs) real part of C_ij = <exp(i (theta_i - theta_j))>; pairs i <= j of phases, "
       "row by row",
       pairs},
      {&PhaseMatrix::sine, "sine", "(tables, pairs) imaginary part of C_ij", pairs},
      {&PhaseMatrix::sum_cosine, "sum_cosine",
       "(tables, pairs) real part of D_ij = <exp(i (theta_i + theta_j))>", pairs},
      {&PhaseMatrix::sum_sine, "sum_sine", "(tables, pairs) imaginary part of D_ij", pairs},
      {&PhaseMatrix::order_cosine, "order_cosine",
       "(tables, phases) real part of R_i = <exp(i theta_i)>", phases},
      {&PhaseMatrix::order_sine, "order_sine", "(tables, phases) imaginary part of R_i", phases}};
  PhaseMatrix all;  // the values of all states in order
  std::vector<std::int64_t> samples;
  const auto each = of.sums.size() / of.states.size();
  for (std::size_t k = 0; k < of.states.size(); ++k) {
    const auto m = phase_matrix(of.sums.subspan(k * each, each), phases);
    samples.push_back(static_cast<std::int64_t>(m.samples));
    for (const auto& quantity : quantities) {
      auto& values = all.*quantity.values;
      values.insert(values.end(), (m.*quantity.values).begin(), (m.*quantity.values).end());
    }
  }
  std::vector<analysis::Result> tables;
  const auto add = [&](const char* name, const char* help, std::vector<std::int64_t> extent,
                       std::vector<double> values) {
    tables.push_back(
        {std::string("phase_locking/") + name, "", help, std::move(extent), std::move(values)});
  };
  tables.push_back(whole_table(
      "residue",
      "(phases) residue i, from 0, of theta_i: the pseudo-dihedral of residues i - 1 to i + 2",
      {phases}, of.residues));
  tables.push_back(
      whole_table("state", "(tables) index of the temperature of each matrix", {count}, of.states));
  tables.push_back(whole_table("samples", "(tables) samples of each", {count}, samples));
  tables.push_back(whole_table(
      "undefined",
      "(tables, phases) samples without the phase, three residues being nearly in a line; they "
      "count as z = 0",
      {count, phases}, of.undefined));
  for (const auto& quantity : quantities) {
    add(quantity.name, quantity.help, {count, quantity.values_per_table},
        std::move(all.*quantity.values));
  }
  return tables;
}

}  // namespace nfold::thermodynamics
