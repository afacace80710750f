// Reads a machine's speeds and interpolates between them.
// SPDX-License-Identifier: BSD-3-Clause

#include "plan/machine_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nfold::plan {
namespace {

using document::InputNode;
using document::NodeKind;

double in_logarithms(double x, double x0, double y0, double x1, double y1) {
  if (x1 <= x0) return y0;
  return y0 * std::pow(y1 / y0, std::log(x / x0) / std::log(x1 / x0));
}

/// Among points of one number of residues. Fewer replicas are each as fast as at the fewest, more
/// share what the most have.
double at_replicas(const SpeedPoint* first, const SpeedPoint* last, double replicas) {
  if (replicas <= first->replicas) return first->steps_per_second * replicas / first->replicas;
  for (const auto* p = first; p + 1 != last; ++p) {
    if (replicas > p[1].replicas) continue;
    return in_logarithms(replicas, p->replicas, p->steps_per_second, p[1].replicas,
                         p[1].steps_per_second);
  }
  return last[-1].steps_per_second;
}

/// The curves of one kind of device.
class CurveReader {
 public:
  explicit CurveReader(SectionReader& reader) : reader_(reader) {}

  SpeedCurve curve(const InputNode& space_node, const std::string& space_name, const char* key) {
    SpeedCurve curve;
    const auto where = fmt::format("{}.{}", space_name, key);
    const auto* node = reader_.wanted(space_node, key, space_name, NodeKind::map, "a section");
    if (node == nullptr) return curve;
    reader_.known_keys(*node, where, {"most_steps_per_second", "points"});
    curve.most_steps_per_second = reader_.number(*node, "most_steps_per_second", where);
    const auto* points = reader_.wanted(*node, "points", where, NodeKind::list, "a list");
    if (points == nullptr) return curve;
    if (points->items.empty())
      reader_.complain(*points, where + " has no points", "give it one at least");
    for (const auto& item : points->items) curve.points.push_back(point(item, where));
    const auto order = [](const SpeedPoint& p) { return std::pair(p.residues, p.replicas); };
    std::stable_sort(curve.points.begin(), curve.points.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    for (std::size_t k = 1; k < curve.points.size(); ++k) {
      if (order(curve.points[k]) != order(curve.points[k - 1])) continue;
      reader_.complain(*points,
                       fmt::format("two points of {} residues and {} replicas in {}",
                                   curve.points[k].residues, curve.points[k].replicas, where),
                       "keep one");
    }
    return curve;
  }

  SpeedPoint point(const InputNode& node, const std::string& where) {
    SpeedPoint point{1, 1, 1};
    const auto in = "a point of " + where;
    if (node.kind != NodeKind::map) {
      reader_.complain(node, in + " is no section", "write {residues: N, steps_per_second: X}");
      return point;
    }
    reader_.known_keys(node, in,
                       {"residues", "replicas", "steps_per_second", "residue_steps_per_second"});
    point.residues = std::max(1.0, reader_.number(node, "residues", in));
    if (const auto* replicas = SectionReader::find(node, "replicas")) {
      point.replicas = std::max(1.0, reader_.number_of(*replicas, "replicas"));
    }
    const auto* steps = SectionReader::find(node, "steps_per_second");
    const auto* residue_steps = SectionReader::find(node, "residue_steps_per_second");
    if ((steps == nullptr) == (residue_steps == nullptr)) {
      reader_.complain(node, in + " has no speed, or two",
                       "give it steps_per_second or residue_steps_per_second");
    } else if (steps != nullptr) {
      point.steps_per_second = reader_.number_of(*steps, "steps_per_second");
    } else {
      point.steps_per_second =
          reader_.number_of(*residue_steps, "residue_steps_per_second") / point.residues;
    }
    return point;
  }

  SectionReader& reader_;
};

}  // namespace

double SpeedCurve::steps_per_second(double residues, double replicas) const {
  // (sizes) residue-steps a second at these replicas: what varies least with the size.
  std::vector<std::pair<double, double>> sizes;
  const auto* const end = points.data() + points.size();
  for (const auto* first = points.data(); first != end;) {
    const auto* last = first;
    while (last != end && last->residues == first->residues) ++last;
    sizes.emplace_back(first->residues, first->residues * at_replicas(first, last, replicas));
    first = last;
  }
  double residue_steps = sizes.back().second;
  if (residues <= sizes.front().first) {
    residue_steps = sizes.front().second;
  } else {
    for (std::size_t k = 1; k < sizes.size(); ++k) {
      if (residues > sizes[k].first) continue;
      residue_steps = in_logarithms(residues, sizes[k - 1].first, sizes[k - 1].second,
                                    sizes[k].first, sizes[k].second);
      break;
    }
  }
  return std::min(residue_steps / residues, most_steps_per_second * replicas);
}

SpaceSpeeds read_speeds(SectionReader& reader, const document::InputNode& node,
                        const std::string& where, bool is_gpu) {
  std::vector<std::string_view> known{"resident", "go", "condensate"};
  if (is_gpu) known.emplace_back("resident_chains");
  reader.known_keys(node, where, known);
  CurveReader curves(reader);
  SpaceSpeeds speeds;
  speeds.resident = curves.curve(node, where, "resident");
  if (is_gpu) speeds.resident_chains = curves.curve(node, where, "resident_chains");
  speeds.go = curves.curve(node, where, "go");
  speeds.condensate = curves.curve(node, where, "condensate");
  return speeds;
}

void scale(SpaceSpeeds& speeds, double factor) {
  for (auto* curve : {&speeds.resident, &speeds.resident_chains, &speeds.go, &speeds.condensate}) {
    for (auto& point : curve->points) point.steps_per_second *= factor;
    // What a step without residues takes are launches and barriers, as quick as elsewhere.
    curve->most_steps_per_second *= std::min(1.0, factor);
  }
}

}  // namespace nfold::plan
