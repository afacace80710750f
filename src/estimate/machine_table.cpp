// Parsing and interpolation of measured speeds.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/machine_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace nfold::estimate {
namespace {

using namespace document::makers;
using document::InputNode;
using document::NodeKind;
using document::SectionReader;
using CurveKey = document::KeyOf<SpeedCurve>;

double in_logarithms(double x, double x0, double y0, double x1, double y1) {
  if (x1 <= x0) return y0;
  return y0 * std::pow(y1 / y0, std::log(x / x0) / std::log(x1 / x0));
}

/// Interpolates between points of one number of residues. Below the fewest replicas, the speed of
/// each replica is constant; above the most, the sum is.
double at_replicas(const SpeedPoint* first, const SpeedPoint* last, double replicas) {
  if (replicas <= first->replicas) return first->steps_per_second * replicas / first->replicas;
  for (const auto* p = first; p + 1 != last; ++p) {
    if (replicas > p[1].replicas) continue;
    return in_logarithms(replicas, p->replicas, p->steps_per_second, p[1].replicas,
                         p[1].steps_per_second);
  }
  return last[-1].steps_per_second;
}

/// Points of one number of residues.
struct PointsOfSize {
  const SpeedPoint *first, *last;
};
std::vector<PointsOfSize> points_of_sizes(const std::vector<SpeedPoint>& points) {
  std::vector<PointsOfSize> sizes;
  const auto* const end = points.data() + points.size();
  for (const auto* first = points.data(); first != end;) {
    const auto* last = first;
    while (last != end && last->residues == first->residues) ++last;
    sizes.push_back({first, last});
    first = last;
  }
  return sizes;
}

const std::array curve_keys{
    document::required("most_steps_per_second", real_above<&SpeedCurve::most_steps_per_second>(0)),
    CurveKey{"group", integer<&SpeedCurve::group>(1, 1024)},
    CurveKey{"repulsion_nm", real_above<&SpeedCurve::repulsion_nm>(0)},
};

/// A point as a file has it; one of the two speeds is given.
struct PointEntry {
  double residues = 1, replicas = 1, steps_per_second = 0, residue_steps_per_second = 0;
};
using PointKey = document::KeyOf<PointEntry>;
const std::array point_keys{
    document::required("residues", real<&PointEntry::residues>(1)),
    PointKey{"replicas", real<&PointEntry::replicas>(1)},
    PointKey{"steps_per_second", real_above<&PointEntry::steps_per_second>(0)},
    PointKey{"residue_steps_per_second", real_above<&PointEntry::residue_steps_per_second>(0)},
};

SpeedPoint read_point(SectionReader& reader, const InputNode& node, const std::string& path) {
  if (node.kind != NodeKind::map) {
    reader.complain(node, fmt::format("{} is {}", path, document::shown(node)),
                    "write {residues: N, steps_per_second: X}");
    return {};
  }
  PointEntry entry;
  reader.read_section(point_keys, node, path, entry);
  if ((find_entry(node, "steps_per_second") == nullptr) ==
      (find_entry(node, "residue_steps_per_second") == nullptr)) {
    reader.complain(node, path + " has no speed, or two",
                    "give it steps_per_second or residue_steps_per_second");
  }
  const double speed = entry.steps_per_second > 0 ? entry.steps_per_second
                                                  : entry.residue_steps_per_second / entry.residues;
  return {entry.residues, entry.replicas, speed};
}

SpeedCurve read_curve(SectionReader& reader, const InputNode& speeds, const char* key,
                      const std::string& path) {
  SpeedCurve curve;
  const auto* const section = reader.require(speeds, key, path, NodeKind::map);
  if (section == nullptr) return curve;
  const auto own_path = document::join_path(path, key);
  constexpr std::array<std::string_view, 1> others{"points"};
  reader.read_section(curve_keys, *section, own_path, curve, others);
  const auto* const points = reader.require(*section, "points", own_path, NodeKind::list);
  if (points == nullptr) return curve;
  if (points->items.empty()) {
    reader.complain(*points, own_path + " has no points", "give it one at least");
  }
  for (const auto& item : points->items) {
    curve.points.push_back(
        read_point(reader, item, fmt::format("{}.points[{}]", own_path, curve.points.size())));
  }
  const auto order = [](const SpeedPoint& p) { return std::pair(p.residues, p.replicas); };
  std::ranges::stable_sort(curve.points, {}, order);
  for (std::size_t k = 1; k < curve.points.size(); ++k) {
    if (order(curve.points[k]) != order(curve.points[k - 1])) continue;
    reader.complain(*points,
                    fmt::format("two points of {} residues and {} replicas in {}",
                                curve.points[k].residues, curve.points[k].replicas, own_path),
                    "keep one");
  }
  return curve;
}

void add_curve(std::string& text, const char* name, const SpeedCurve& curve) {
  if (curve.points.empty()) return;
  text += fmt::format("    {}:\n      most_steps_per_second: {:.6g}\n", name,
                      curve.most_steps_per_second);
  if (curve.group > 1) text += fmt::format("      group: {}\n", curve.group);
  if (curve.repulsion_nm > 0) {
    text += fmt::format("      repulsion_nm: {:.6g}\n", curve.repulsion_nm);
  }
  text += "      points:\n";
  for (const auto& point : curve.points) {
    text +=
        fmt::format("      - {{residues: {:.6g}, replicas: {:.6g}, steps_per_second: {:.6g}}}\n",
                    point.residues, point.replicas, point.steps_per_second);
  }
}

}  // namespace

double SpeedCurve::steps_per_second(double residues, double replicas) const {
  const auto sizes = points_of_sizes(points);
  // The dependence on replicas is that of the size with the most points. For other sizes it applies
  // at equal residues of all replicas together, because they fill a processor.
  const auto full =
      std::ranges::max_element(sizes, {}, [](const auto& size) { return size.last - size.first; });
  const auto at_size = [&](const PointsOfSize& size) {
    if (full->last - full->first == 1 || size.last - size.first > 1) {
      return size.first->residues * at_replicas(size.first, size.last, replicas);
    }
    const double scale = size.first->residues / full->first->residues;
    const auto of_full = [&](double many) {
      return at_replicas(full->first, full->last, std::max(1.0, scale * many));
    };
    return size.first->residues * size.first->steps_per_second * of_full(replicas) /
           of_full(size.first->replicas);
  };
  // Residue-steps per second at these replicas, which vary least with the size.
  double residue_steps = at_size(sizes.back());
  if (residues <= sizes.front().first->residues) {
    residue_steps = at_size(sizes.front());
  } else {
    for (std::size_t k = 1; k < sizes.size(); ++k) {
      if (residues > sizes[k].first->residues) continue;
      residue_steps = in_logarithms(residues, sizes[k - 1].first->residues, at_size(sizes[k - 1]),
                                    sizes[k].first->residues, at_size(sizes[k]));
      break;
    }
  }
  return std::min(residue_steps / residues, most_steps_per_second * replicas);
}

std::span<const document::KeyOf<PartCosts>> part_keys() {
  static const std::array keys{
      document::required("step_factor", real<&PartCosts::step_factor>(0)),
      document::required("start_seconds", real<&PartCosts::start_seconds>(0)),
      document::required("table_pair_us", real<&PartCosts::table_pair_us>(0)),
      document::required("analysis_us", real<&PartCosts::analysis_us>(0)),
      document::required("look_us", real<&PartCosts::look_us>(0)),
      document::required("look_residue_us", real<&PartCosts::look_residue_us>(0)),
      document::required("look_pair_us", real<&PartCosts::look_pair_us>(0)),
      document::required("look_chain_us", real<&PartCosts::look_chain_us>(0)),
      document::required("count_us", real<&PartCosts::count_us>(0)),
  };
  return keys;
}

void read_speeds(SectionReader& reader, const InputNode& section, const std::string& path,
                 BackendSpeeds& speeds) {
  const std::vector<std::string_view> known{"resident", "resident_chains", "go", "condensate",
                                            "part"};
  reader.read_section(std::span<const document::KeyOf<BackendSpeeds>>(), section, path, speeds,
                      known);
  speeds.resident = read_curve(reader, section, "resident", path);
  speeds.resident_chains = read_curve(reader, section, "resident_chains", path);
  speeds.go = read_curve(reader, section, "go", path);
  speeds.condensate = read_curve(reader, section, "condensate", path);
  if (const auto* part = reader.find_section(section, "part", path)) {
    reader.read_section(part_keys(), *part, document::join_path(path, "part"), speeds.part);
  }
}

std::string format_text(const BackendSpeeds& speeds) {
  std::string text = "  speeds:\n";
  add_curve(text, "resident", speeds.resident);
  add_curve(text, "resident_chains", speeds.resident_chains);
  add_curve(text, "go", speeds.go);
  add_curve(text, "condensate", speeds.condensate);
  std::vector<std::string> costs;
  costs.reserve(part_keys().size());
  for (const auto& key : part_keys()) {
    costs.push_back(
        fmt::format("{}: {:.4g}", key.name, std::get<double>(key.field.get(speeds.part))));
  }
  return text + fmt::format("    part: {{{}}}\n", fmt::join(costs, ", "));
}

void scale(BackendSpeeds& speeds, double factor) {
  for (const auto& one : speed_curves) {
    auto& curve = speeds.*one.curve;
    for (auto& point : curve.points) point.steps_per_second *= factor;
    // A step without residues consists of launches and barriers, which a faster device does not
    // shorten.
    curve.most_steps_per_second *= std::min(1.0, factor);
  }
  for (auto* cost : {&speeds.part.look_residue_us, &speeds.part.look_pair_us,
                     &speeds.part.look_chain_us, &speeds.part.count_us})
    *cost /= factor;
}

}  // namespace nfold::estimate
