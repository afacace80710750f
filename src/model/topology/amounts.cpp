// Sums of masses and charges, and concentrations.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "system/units.hpp"

namespace nfold::topology {
namespace {

constexpr double molecules_per_nm3_of_millimolar = 6.02214076e-4;  // N_A 1e-27

struct SpeciesAmount {
  long molecules = 0, chains = 0, residues = 0;
  double mass_amu = 0, charge_e = 0;
  long domains = 0;
  long pieces = 0;  ///< more than `chains` if a chain is not connected
};

SpeciesAmount sum_species(const Topology& topology, int species) {
  SpeciesAmount amount;
  int last_molecule = -1, last_domain = -1;
  for (const Chain& chain : topology.chains) {
    if (chain.species != species) continue;
    ++amount.chains;
    amount.pieces += chain.pieces;
    amount.molecules += chain.molecule != last_molecule ? 1 : 0;
    last_molecule = chain.molecule;
    for (int i = chain.first; i < chain.first + chain.count; ++i) {
      const Residue residue = topology.residues[static_cast<std::size_t>(i)];
      ++amount.residues;
      amount.mass_amu += residue.concentration_mass_amu();
      amount.charge_e += residue.charge_e;
      if (residue.domain > last_domain) {
        last_domain = residue.domain;
        ++amount.domains;
      }
    }
  }
  return amount;
}

std::string species_line(const std::string& name, const SpeciesAmount& amount,
                         const system::Box& box) {
  constexpr double kda = 1e-3;
  const long n = amount.molecules;
  std::string line = fmt::format("{}: {} of {} residues", name, core::pluralise(n, "molecule"),
                                 amount.residues / n);
  if (amount.chains > n) line += fmt::format(" in {} chains", amount.chains / n);
  if (amount.pieces > amount.chains) {
    line += fmt::format(" in {} pieces that nothing joins", amount.pieces / n);
  }
  if (amount.domains > 0) line += ", " + core::pluralise(amount.domains / n, "folded domain");
  const double molecules = static_cast<double>(n);
  line += fmt::format(", {:.2f} kDa, {:+.2f} e", amount.mass_amu * kda / molecules,
                      amount.charge_e / molecules);
  if (box.volume_nm3() > 0) {
    line += fmt::format("; {:.4g} mg/ml, {:.4g} mmol/l",
                        mass_concentration(amount.mass_amu, box.volume_nm3()),
                        molecules / (box.volume_nm3() * molecules_per_nm3_of_millimolar));
  }
  return line;
}

}  // namespace

double total_mass(const Topology& topology) {
  double mass = 0;
  for (const Residue& residue : topology.residues) mass += residue.concentration_mass_amu();
  return mass;
}

double total_charge(const Topology& topology) {
  double charge = 0;
  for (const Residue& residue : topology.residues) charge += residue.charge_e;
  return charge;
}

double mass_concentration(double mass_amu, double volume_nm3) {
  return volume_nm3 > 0 ? mass_amu * system::mg_per_ml_of_amu_per_nm3 / volume_nm3 : 0;
}

double copies_at_mg_per_ml(double mg_per_ml, double molecule_mass_amu, const system::Box& box) {
  return std::round(mg_per_ml * box.volume_nm3() /
                    (molecule_mass_amu * system::mg_per_ml_of_amu_per_nm3));
}

double copies_at_millimolar(double millimolar, const system::Box& box) {
  return std::round(millimolar * box.volume_nm3() * molecules_per_nm3_of_millimolar);
}

system::Box cube_at_mg_per_ml(double mg_per_ml, double mass_amu) {
  // Rounded to 2^-30 nm, because the last bits of cbrt() depend on the system and would change the
  // hash.
  constexpr double grid = 0x1p30;
  const double edge =
      std::nearbyint(grid * std::cbrt(mass_amu * system::mg_per_ml_of_amu_per_nm3 / mg_per_ml)) /
      grid;
  return {{edge, edge, edge}};
}

double longest_range_nm(const Topology& topology) {
  const auto& charges = topology.electrostatics;
  return std::max(topology.short_range.cutoff_nm, charges.acts() ? charges.cutoff_nm : 0.0);
}

std::vector<std::string> describe_amounts(const Topology& topology) {
  std::vector<std::string> lines;
  for (std::size_t s = 0; s < topology.species.size(); ++s) {
    const auto amount = sum_species(topology, static_cast<int>(s));
    if (amount.molecules == 0) continue;
    lines.push_back(species_line(topology.species[s].name, amount, topology.box));
  }
  const auto& edge = topology.box.length_nm;
  lines.push_back(topology.box.is_open()
                      ? fmt::format("net charge {:+.2f} e, no box", total_charge(topology))
                      : fmt::format("net charge {:+.2f} e, box {:.6g} x {:.6g} x {:.6g} nm{}",
                                    total_charge(topology), edge[0], edge[1], edge[2],
                                    topology.box.volume_nm3() > 0 ? "" : " (0: open)"));
  return lines;
}

}  // namespace nfold::topology
