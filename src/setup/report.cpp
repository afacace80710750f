// Gathers and names the numbers of a report.
// SPDX-License-Identifier: BSD-3-Clause

#include "setup/report.hpp"

#include <algorithm>
#include <limits>

#include "analysis/chain_sizes.hpp"
#include "analysis/observables.hpp"
#include "analysis/pressure.hpp"

namespace nfold::setup {
namespace {

/// Chains that stand behind each other, of which no more than one is here at a time.
class ChainRadii {
 public:
  explicit ChainRadii(const topology::Topology& topology) : topology_(topology) {}

  void take(std::span<const analysis::Point> nm) {
    while (!nm.empty() && chain_ < topology_.chains.size()) {
      const auto count = static_cast<std::size_t>(topology_.chains[chain_].count);
      const auto part = nm.first(std::min(nm.size(), count - rows_.size()));
      rows_.insert(rows_.end(), part.begin(), part.end());
      nm = nm.subspan(part.size());
      if (rows_.size() < count) return;
      sum_nm_ +=
          analysis::radius_of_gyration_of_chain_nm(topology_, topology_.chains[chain_], rows_);
      rows_.clear();
      ++chain_;
    }
  }
  [[nodiscard]] double mean_nm() const {
    return sum_nm_ / static_cast<double>(topology_.chains.size());
  }
  /// Whether chains stand behind each other.
  [[nodiscard]] static bool serve(const topology::Topology& topology) {
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
  double sum_nm_ = 0;
};

}  // namespace

bool keeps_all_positions(const topology::Topology& topology) {
  return topology.contact_count() > 0 || topology.has_native_structure() ||
         !ChainRadii::serve(topology);
}

Report make_report(dynamics::Engine& engine, const topology::Topology& topology,
                   double time_step_ps, const PositionUse& use) {
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
  const bool keeps = use.keeps || keeps_all_positions(topology);
  ChainRadii radii(topology);
  bool is_told = false;
  engine.visit_positions_nm([&](std::span<const std::array<double, 3>> nm) {
    is_told = true;
    if (use.sink) use.sink(nm);
    if (keeps) {
      report.positions_nm.reserve(topology.residues.size());
      report.positions_nm.insert(report.positions_nm.end(), nm.begin(), nm.end());
    } else {
      radii.take(nm);
    }
  });
  if (!is_told) return report;
  if (!keeps) {
    report.native_fraction = report.rmsd_nm = std::numeric_limits<double>::quiet_NaN();
    report.radius_of_gyration_nm = radii.mean_nm();
    return report;
  }
  report.native_fraction = analysis::native_contact_fraction(topology, report.positions_nm);
  report.radius_of_gyration_nm = analysis::radius_of_gyration_nm(topology, report.positions_nm);
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

const std::vector<ReportColumn>& report_columns() {
  static const std::vector<ReportColumn> columns{
      {"time_ps", nullptr, nullptr},  // H5MD has the time of each frame already
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
      {"native_fraction", "native_fraction", ""},
      {"radius_of_gyration_nm", "radius_of_gyration", "nm"},
      {"rmsd_nm", "rmsd", "nm"},
      {"pressure_bar", "pressure", "bar"}};
  return columns;
}

std::vector<double> report_values(const Report& report) {
  const auto& e = report.energies;
  return {report.time_ps,
          e.bond,
          e.angle,
          e.dihedral,
          e.restraint,
          e.contact,
          e.short_range,
          e.electrostatic,
          e.potential(),
          e.kinetic,
          e.total(),
          e.temperature_kelvin,
          report.native_fraction,
          report.radius_of_gyration_nm,
          report.rmsd_nm,
          mean_pressure_bar(report)};
}

}  // namespace nfold::setup
