// Gathers and names the numbers of a report.
// SPDX-License-Identifier: BSD-3-Clause

#include "setup/report.hpp"

#include <limits>

#include "analysis/observables.hpp"
#include "analysis/pressure.hpp"

namespace nfold::setup {

Report make_report(dynamics::Engine& engine, const topology::Topology& topology,
                   double time_step_ps) {
  Report report;
  report.step = engine.step();
  report.time_ps = static_cast<double>(report.step) * time_step_ps;
  report.energies = engine.energies();
  report.saturated = report.energies.saturated;
  if (topology::has_pressure(topology)) {
    const auto sums = engine.pressure();
    report.saturated = report.saturated || sums.saturated;
    report.pressure_bar =
        analysis::pressure_bar(sums.kinetic, sums.virial, topology.box.volume_nm3());
  }
  report.positions_nm = engine.gathered_positions_nm();
  if (report.positions_nm.empty()) return report;
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
