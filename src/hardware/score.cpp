// Scores of devices.
// SPDX-License-Identifier: BSD-3-Clause
#include "hardware/score.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace nfold::hardware {
namespace {

/// Whether one of a name's words begins so: "NVIDIA A100-SXM4-80GB" has "A100", "RTX A1000" no
/// "A10".
bool has_word(std::string_view name, std::string_view word) {
  for (auto at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || name[at - 1] == ' ';
    const bool ends = end == name.size() || name[end] == ' ' || name[end] == '-';
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

DeviceType type_of(const Gpu& gpu) {
  constexpr std::array integrated{"Orin", "Xavier", "Thor", "Tegra", "GB10"};
  constexpr std::array data_centre{"Tesla", "P100", "V100",  "A100", "A800", "H100", "H800",
                                   "H200",  "H20",  "GH200", "B100", "B200", "B300", "GB200",
                                   "GB300", "A30",  "A40",   "A10",  "A10G", "A16",  "A2",
                                   "L4",    "L40",  "L40S",  "T4",   "P40",  "P4",   "T4G"};
  const auto is_one_of = [&gpu](const auto& words) {
    return std::any_of(words.begin(), words.end(),
                       [&gpu](const char* word) { return has_word(gpu.name, word); });
  };
  if (is_one_of(integrated)) return DeviceType::integrated_gpu;
  return is_one_of(data_centre) ? DeviceType::data_centre_gpu : DeviceType::desktop_gpu;
}

double type_points(DeviceType type) {
  switch (type) {
    case DeviceType::data_centre_gpu:
      return 100;
    case DeviceType::desktop_gpu:
      return 80;
    case DeviceType::integrated_gpu:
      return 50;
    default:
      return 20;
  }
}

double backend_points(Backend backend) { return backend == Backend::cuda ? 100 : 50; }

double memory_points(std::optional<std::int64_t> bytes) {
  constexpr double gigabyte = 1e9, points_each = 10;
  return std::min(100.0, static_cast<double>(bytes.value_or(0)) / gigabyte * points_each);
}

double compute_points(std::optional<int> compute_units) {
  constexpr double units_a_point = 20;
  return std::min(100.0, compute_units.value_or(0) / units_a_point);
}

double score_of(DeviceType type, Backend backend, std::optional<std::int64_t> memory_bytes,
                std::optional<int> compute_units) {
  return 0.4 * type_points(type) + 0.2 * backend_points(backend) +
         0.2 * memory_points(memory_bytes) + 0.2 * compute_points(compute_units);
}

double score_of(const Gpu& gpu) {
  return score_of(type_of(gpu), Backend::cuda, gpu.memory_total_bytes, gpu.compute_units);
}
double score_of(const Cpu& cpu) {
  return score_of(DeviceType::cpu, Backend::openmp, cpu.memory_total_bytes, cpu.cores);
}

double best_score(double score, std::optional<double> use) {
  return score * (1 - std::clamp(use.value_or(0), 0.0, 1.0));
}

}  // namespace nfold::hardware
