// Reads a machine's speeds and interpolates between them.
// SPDX-License-Identifier: BSD-3-Clause

#include "plan/machine_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "document/document.hpp"
#include "document/input_error.hpp"
#include "document/scalars.hpp"

namespace nfold::plan {
namespace {

using document::InputNode;
using document::InputProblem;
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

/// Finds every problem of a table before it gives up.
class TableReader {
 public:
  explicit TableReader(const std::string& file) : file_(file) {}

  MachineTable read(const InputNode& root) {
    MachineTable table;
    known_keys(root, "the table", {"terms_per_residue", "gpu", "cpu_core"});
    table.terms_per_residue = number(root, "terms_per_residue", "the table");
    table.gpu = space(root, "gpu");
    table.cpu_core = space(root, "cpu_core");
    if (!problems_.empty()) throw document::InputError(std::move(problems_));
    return table;
  }

 private:
  void complain(const InputNode& at, std::string problem, std::string remedy) {
    problems_.push_back(
        InputProblem{{file_, at.line, at.column}, std::move(problem), std::move(remedy)});
  }
  void known_keys(const InputNode& map, const std::string& where,
                  const std::vector<std::string_view>& known) {
    for (const auto& name : map.entry_names) {
      if (std::find(known.begin(), known.end(), name.text) != known.end()) continue;
      complain(name, fmt::format("unknown key '{}' in {}", name.text, where),
               fmt::format("it takes {}", fmt::join(known, ", ")));
    }
  }
  static const InputNode* find(const InputNode& map, std::string_view key) {
    for (std::size_t i = 0; i < map.entry_names.size(); ++i) {
      if (map.entry_names[i].text == key) return &map.items[i];
    }
    return nullptr;
  }
  const InputNode* wanted(const InputNode& map, std::string_view key, const std::string& where,
                          NodeKind kind, const char* what) {
    const auto* node = find(map, key);
    if (node == nullptr) {
      complain(map, fmt::format("{} has no key '{}'", where, key),
               fmt::format("give it {}, as input/machines/speeds.yaml does", what));
      return nullptr;
    }
    if (node->kind == kind) return node;
    complain(*node, fmt::format("'{}' of {} is not {}", key, where, what),
             "see input/machines/speeds.yaml");
    return nullptr;
  }
  double number_of(const InputNode& node, std::string_view key) {
    const auto value =
        node.kind == NodeKind::scalar ? document::to_real(node.text) : std::optional<double>();
    if (value && *value > 0) return *value;
    complain(node, fmt::format("{} = {}", key, node.kind == NodeKind::scalar ? node.text : "..."),
             "must be a number above 0");
    return 1;
  }
  double number(const InputNode& map, std::string_view key, const std::string& where) {
    const auto* node = wanted(map, key, where, NodeKind::scalar, "a number above 0");
    return node == nullptr ? 1 : number_of(*node, key);
  }

  SpaceSpeeds space(const InputNode& root, const char* key) {
    SpaceSpeeds speeds;
    const auto* node = wanted(root, key, "the table", NodeKind::map, "a section");
    if (node == nullptr) return speeds;
    const bool is_gpu = std::string_view(key) == "gpu";
    std::vector<std::string_view> known{"name", "resident", "go", "condensate"};
    if (is_gpu) known.emplace_back("resident_chains");
    known_keys(*node, key, known);
    if (const auto* name = wanted(*node, "name", key, NodeKind::scalar, "a text")) {
      speeds.name = name->text;
    }
    speeds.resident = curve(*node, key, "resident");
    if (is_gpu) speeds.resident_chains = curve(*node, key, "resident_chains");
    speeds.go = curve(*node, key, "go");
    speeds.condensate = curve(*node, key, "condensate");
    return speeds;
  }

  SpeedCurve curve(const InputNode& space_node, const char* space_key, const char* key) {
    SpeedCurve curve;
    const auto where = fmt::format("{}.{}", space_key, key);
    const auto* node = wanted(space_node, key, space_key, NodeKind::map, "a section");
    if (node == nullptr) return curve;
    known_keys(*node, where, {"most_steps_per_second", "points"});
    curve.most_steps_per_second = number(*node, "most_steps_per_second", where);
    const auto* points = wanted(*node, "points", where, NodeKind::list, "a list");
    if (points == nullptr) return curve;
    if (points->items.empty()) complain(*points, where + " has no points", "give it one at least");
    for (const auto& item : points->items) curve.points.push_back(point(item, where));
    const auto order = [](const SpeedPoint& p) { return std::pair(p.residues, p.replicas); };
    std::stable_sort(curve.points.begin(), curve.points.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    for (std::size_t k = 1; k < curve.points.size(); ++k) {
      if (order(curve.points[k]) != order(curve.points[k - 1])) continue;
      complain(*points,
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
      complain(node, in + " is no section", "write {residues: N, steps_per_second: X}");
      return point;
    }
    known_keys(node, in, {"residues", "replicas", "steps_per_second", "residue_steps_per_second"});
    point.residues = std::max(1.0, number(node, "residues", in));
    if (const auto* replicas = find(node, "replicas")) {
      point.replicas = std::max(1.0, number_of(*replicas, "replicas"));
    }
    const auto* steps = find(node, "steps_per_second");
    const auto* residue_steps = find(node, "residue_steps_per_second");
    if ((steps == nullptr) == (residue_steps == nullptr)) {
      complain(node, in + " has no speed, or two",
               "give it steps_per_second or residue_steps_per_second");
    } else if (steps != nullptr) {
      point.steps_per_second = number_of(*steps, "steps_per_second");
    } else {
      point.steps_per_second =
          number_of(*residue_steps, "residue_steps_per_second") / point.residues;
    }
    return point;
  }

  const std::string& file_;
  std::vector<InputProblem> problems_;
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

MachineTable parse_machine_table(std::string_view text, const std::string& file) {
  return TableReader(file).read(document::read_document(text, file));
}

}  // namespace nfold::plan
