// Pressure from kinetic energy and virial; means with errors.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/pressure.hpp"

#include <string>

namespace nfold::analysis {
namespace {

constexpr double bar_per_kj_mol_nm3 = 16.6053906717;  // 1e22 / Avogadro's number
constexpr double mn_m_per_bar_nm = 0.1;
constexpr double quantum = 0x1p-20;  // [bar] or [mN/m]
constexpr std::size_t mean_column = 9, tension_column = 10;

}  // namespace

Tensor pressure_bar(const Tensor& kinetic_kj_mol, const Tensor& virial_kj_mol, double volume_nm3) {
  Tensor pressure{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      pressure[a][b] =
          (kinetic_kj_mol[a][b] + virial_kj_mol[a][b]) / volume_nm3 * bar_per_kj_mol_nm3;
    }
  }
  return pressure;
}

double surface_tension_mn_m(const Tensor& pressure_bar, std::size_t axis, double length_nm) {
  const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  const double lateral = (pressure_bar[u][u] + pressure_bar[v][v]) / 2;
  return length_nm / 2 * (pressure_bar[axis][axis] - lateral) * mn_m_per_bar_nm;
}

PressureAverage::PressureAverage(const topology::Topology& topology, std::size_t axis)
    : box_(topology.box), axis_(axis) {
  if (box_.volume_nm3() <= 0) {
    throw AnalysisError("a pressure needs a box that is periodic along x, y and z");
  }
}

void PressureAverage::add(const Frame& frame) {
  const Tensor& p = frame.pressure_bar.value();
  std::vector<std::int64_t> row;
  for (const auto& line : p) {
    for (const double value : line)
      row.push_back(to_fixed_point(value, quantum, "a pressure in bar"));
  }
  row.push_back(to_fixed_point((p[0][0] + p[1][1] + p[2][2]) / 3, quantum, "the pressure in bar"));
  row.push_back(to_fixed_point(surface_tension_mn_m(p, axis_, box_.length_nm[axis_]), quantum,
                               "the surface tension in mN/m"));
  sums_.add(row);
}

std::vector<Result> PressureAverage::results() const {
  const std::string tension =
      "of one of the two surfaces of a slab across axis " + std::string(1, "xyz"[axis_]);
  std::vector<Result> results;
  sums_.add_tables({"pressure/tensor", "bar", "(3, 3) mean pressure tensor", {3, 3}, {}},
                   std::array<std::size_t, 9>{0, 1, 2, 3, 4, 5, 6, 7, 8}, quantum, results);
  sums_.add_tables({"pressure/mean", "bar", "a third of the tensor's trace", {}, {}},
                   std::array{mean_column}, quantum, results);
  sums_.add_tables({"pressure/surface_tension", "mN m-1", tension, {}, {}},
                   std::array{tension_column}, quantum, results);
  return results;
}

}  // namespace nfold::analysis
