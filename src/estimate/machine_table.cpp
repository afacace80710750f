// Parsing and interpolation of measured speeds.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/machine_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nfold::estimate {
namespace {

using document::InputNode;
using document::NodeKind;

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

/// Parser of the curves of one kind of device.
class CurveReader {
 public:
  explicit CurveReader(SectionReader& reader) : reader_(reader) {}

  SpeedCurve curve(const InputNode& space_node, const std::string& backend_name, const char* key) {
    SpeedCurve curve;
    const auto where = fmt::format("{}.{}", backend_name, key);
    const auto* node = reader_.required(space_node, key, backend_name, NodeKind::map, "a section");
    if (node == nullptr) return curve;
    reader_.check_keys(*node, where, {"most_steps_per_second", "group", "repulsion_nm", "points"});
    curve.most_steps_per_second = reader_.number(*node, "most_steps_per_second", where);
    const double group = reader_.optional_number(*node, "group").value_or(1);
    curve.group = static_cast<int>(std::lround(std::clamp(group, 1.0, 1024.0)));
    curve.repulsion_nm = reader_.optional_number(*node, "repulsion_nm").value_or(0);
    const auto* points = reader_.required(*node, "points", where, NodeKind::list, "a list");
    if (points == nullptr) return curve;
    if (points->items.empty())
      reader_.add_problem(*points, where + " has no points", "give it one at least");
    for (const auto& item : points->items) curve.points.push_back(point(item, where));
    const auto order = [](const SpeedPoint& p) { return std::pair(p.residues, p.replicas); };
    std::stable_sort(curve.points.begin(), curve.points.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    for (std::size_t k = 1; k < curve.points.size(); ++k) {
      if (order(curve.points[k]) != order(curve.points[k - 1])) continue;
      reader_.add_problem(*points,
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
      reader_.add_problem(node, in + " is no section", "write {residues: N, steps_per_second: X}");
      return point;
    }
    reader_.check_keys(node, in,
                       {"residues", "replicas", "steps_per_second", "residue_steps_per_second"});
    point.residues = std::max(1.0, reader_.number(node, "residues", in));
    if (const auto* replicas = SectionReader::find(node, "replicas")) {
      point.replicas = std::max(1.0, reader_.number_of(*replicas, "replicas"));
    }
    const auto* steps = SectionReader::find(node, "steps_per_second");
    const auto* residue_steps = SectionReader::find(node, "residue_steps_per_second");
    if ((steps == nullptr) == (residue_steps == nullptr)) {
      reader_.add_problem(node, in + " has no speed, or two",
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

void read_speeds(SectionReader& reader, const document::InputNode& node, const std::string& where,
                 bool is_gpu, BackendSpeeds& speeds) {
  std::vector<std::string_view> known{"resident", "go", "condensate", "part"};
  if (is_gpu) known.emplace_back("resident_chains");
  reader.check_keys(node, where, known);
  CurveReader curves(reader);
  speeds.resident = curves.curve(node, where, "resident");
  if (is_gpu) speeds.resident_chains = curves.curve(node, where, "resident_chains");
  speeds.go = curves.curve(node, where, "go");
  speeds.condensate = curves.curve(node, where, "condensate");
  const auto* const part = reader.section(node, "part", where);
  if (part == nullptr) return;
  const auto in = where + ".part";
  std::vector<std::string_view> costs;
  costs.reserve(part_costs.size());
  for (const auto& cost : part_costs) costs.emplace_back(cost.key);
  reader.check_keys(*part, in, costs);
  for (const auto& cost : part_costs) speeds.part.*cost.value = reader.amount(*part, cost.key, in);
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
