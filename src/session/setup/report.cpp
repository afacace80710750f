// Gathering and naming of a report's numbers.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/chain_sizes.hpp"
#include "analysis/observables.hpp"
#include "analysis/pressure.hpp"
#include "system/bias/variables.hpp"

namespace nfold::setup {
namespace {

/// Radii of gyration of consecutive chains, of which at most one is in memory at a time.
class ChainRadii {
 public:
  explicit ChainRadii(const topology::Topology& topology) : topology_(topology), radii_(topology) {}

  void take(std::span<const analysis::Point> nm) {
    while (!nm.empty() && chain_ < topology_.chains.size()) {
      const auto& chain = topology_.chains[chain_];
      const auto count = static_cast<std::size_t>(chain.count);
      const auto part = nm.first(std::min(nm.size(), count - rows_.size()));
      rows_.insert(rows_.end(), part.begin(), part.end());
      nm = nm.subspan(part.size());
      if (rows_.size() < count) return;
      radii_.add(chain, analysis::radius_of_gyration_from_rows_nm(topology_, chain, rows_));
      rows_.clear();
      ++chain_;
    }
  }
  [[nodiscard]] std::vector<double> means_nm() const { return radii_.means(); }
  /// True if chains are consecutive and cover all residues.
  [[nodiscard]] static bool are_consecutive(const topology::Topology& topology) {
    int next = 0;
    for (const auto& chain : topology.chains) {
      if (chain.first != next || chain.count < 1) return false;
      next += chain.count;
    }
    return next == topology.residue_count();
  }

 private:
  const topology::Topology& topology_;
  std::size_t chain_ = 0;
  std::vector<analysis::Point> rows_;
  analysis::SpeciesMeans radii_;
};

/// Variables of all biases, from positions that arrive in pieces.
class BiasedVariables {
 public:
  explicit BiasedVariables(const topology::Topology& topology) : topology_(topology) {
    for (const auto& variable : topology.biased_variables) {
      for (const int id : variable.residues) x_nm_[id] = {};
    }
  }

  void take(std::span<const analysis::Point> nm) {
    const int end = next_ + static_cast<int>(nm.size());
    for (auto at = x_nm_.lower_bound(next_); at != x_nm_.end() && at->first < end; ++at) {
      at->second = nm[static_cast<std::size_t>(at->first - next_)];
    }
    next_ = end;
  }
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> values;
    for (const auto& variable : topology_.biased_variables) {
      std::vector<analysis::Point> x_nm;
      std::vector<double> mass_amu;
      for (const int id : variable.residues) {
        x_nm.push_back(x_nm_.at(id));
        mass_amu.push_back(topology_.residues[static_cast<std::size_t>(id)].mass_amu);
      }
      values.push_back(bias::with_variable(variable.kind, [&](auto one) {
        return one.direct(x_nm, mass_amu, topology_.box).value;
      }));
    }
    return values;
  }

 private:
  const topology::Topology& topology_;
  std::map<int, analysis::Point> x_nm_;  // by global id
  int next_ = 0;
};

}  // namespace

bool needs_all_positions(const topology::Topology& topology) {
  return topology.contact_count() > 0 || topology.has_native_structure() ||
         !ChainRadii::are_consecutive(topology);
}

Report make_report(engine::Engine& engine, const topology::Topology& topology, double time_step_ps,
                   const PositionUse& use) {
  Report report;
  report.step = engine.step();
  report.time_ps = static_cast<double>(report.step) * time_step_ps;
  report.energies = engine.energies();
  report.saturated = report.energies.saturated;
  if (topology.box.volume_nm3() > 0) {
    const auto sums = engine.pressure();
    report.saturated = report.saturated || sums.saturated;
    report.pressure_bar =
        analysis::pressure_bar(sums.kinetic, sums.virial, topology.box.volume_nm3());
  }
  const bool keeps = use.keeps || needs_all_positions(topology);
  ChainRadii radii(topology);
  BiasedVariables biased(topology);
  bool has_positions = false;
  engine.visit_positions_nm([&](std::span<const std::array<double, 3>> nm) {
    has_positions = true;
    if (use.sink) use.sink(nm);
    biased.take(nm);
    if (keeps) {
      report.positions_nm.reserve(topology.residues.size());
      report.positions_nm.insert(report.positions_nm.end(), nm.begin(), nm.end());
    } else {
      radii.take(nm);
    }
  });
  if (!has_positions) return report;
  report.biased_variables = biased.values();
  if (!keeps) {
    report.native_fraction = report.rmsd_nm = std::numeric_limits<double>::quiet_NaN();
    report.radius_of_gyration_nm = radii.means_nm();
    return report;
  }
  report.native_fraction = analysis::native_contact_fraction(topology, report.positions_nm);
  report.radius_of_gyration_nm = analysis::radii_of_gyration_nm(topology, report.positions_nm);
  report.rmsd_nm = analysis::rmsd_to_native_nm(topology, report.positions_nm);
  return report;
}

namespace {

double mean_pressure_bar(const Report& report) {
  if (!report.pressure_bar) return std::numeric_limits<double>::quiet_NaN();
  const auto& p = *report.pressure_bar;
  return (p[0][0] + p[1][1] + p[2][2]) / 3;
}

}  // namespace

std::vector<ReportColumn> report_columns(const topology::Topology& topology) {
  std::vector<ReportColumn> columns{{"time_ps", "", ""},  // H5MD stores the time of each frame
                                    {"bond_kj_mol", "bond_energy", "kJ mol-1"},
                                    {"angle_kj_mol", "angle_energy", "kJ mol-1"},
                                    {"dihedral_kj_mol", "dihedral_energy", "kJ mol-1"},
                                    {"restraint_kj_mol", "restraint_energy", "kJ mol-1"},
                                    {"contact_kj_mol", "contact_energy", "kJ mol-1"},
                                    {"short_range_kj_mol", "short_range_energy", "kJ mol-1"},
                                    {"electrostatic_kj_mol", "electrostatic_energy", "kJ mol-1"},
                                    {"potential_kj_mol", "potential_energy", "kJ mol-1"},
                                    {"kinetic_kj_mol", "kinetic_energy", "kJ mol-1"},
                                    {"total_kj_mol", "total_energy", "kJ mol-1"},
                                    {"temperature_kelvin", "temperature", "K"},
                                    {"native_fraction", "native_fraction", ""}};
  const auto add_length = [&columns](const std::string& name) {
    columns.push_back({name + "_nm", name, "nm"});
  };
  for (std::size_t s = 0; s < topology.species_count(); ++s) {
    add_length(analysis::radius_of_gyration_name(topology, s));
  }
  add_length("rmsd");
  columns.push_back({"pressure_bar", "pressure", "bar"});
  const auto& biased = topology.biased_variables;
  for (std::size_t b = 0; b < biased.size(); ++b) {
    const std::string number = biased.size() == 1 ? "" : fmt::format("_{}", b);
    bias::with_variable(biased[b].kind, [&](auto variable) {
      static_assert(variable.unit == "nm");
      std::string name(variable.name);
      std::replace(name.begin(), name.end(), '-', '_');
      add_length(fmt::format("bias{}_{}", number, name));
    });
  }
  return columns;
}

std::string report_comment() {
  return "temperature_kelvin and pressure_bar: of half-step velocities with a thermostat; "
         "radius_of_gyration: mean over the chains of a species; bias: a biased variable; "
         "restraint_kj_mol: elastic networks and biases; input/FILES.md explains each column";
}

std::vector<double> report_values(const Report& report) {
  const auto& e = report.energies;
  std::vector<double> values{report.time_ps,        e.bond,    e.angle,       e.dihedral,
                             e.restraint,           e.contact, e.short_range, e.electrostatic,
                             e.potential(),         e.kinetic, e.total(),     e.temperature_kelvin,
                             report.native_fraction};
  const auto add = [&values](const std::vector<double>& more) {
    values.insert(values.end(), more.begin(), more.end());
  };
  add(report.radius_of_gyration_nm);
  add({report.rmsd_nm, mean_pressure_bar(report)});
  add(report.biased_variables);
  return values;
}

}  // namespace nfold::setup
