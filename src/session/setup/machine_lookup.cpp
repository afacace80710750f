// Machines by name, by file, and by hwloc and NVML of this node.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/machine_lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "core/nearest.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/health.hpp"
#include "device/hardware/node.hpp"
#include "device/hardware/score.hpp"
#include "input/input.hpp"
#include "session/job/collective_work.hpp"

namespace nfold::setup {
namespace {

namespace fs = std::filesystem;

constexpr double giga = 1e9;

/// Returns the *.yaml of a folder by name; none if there is no such folder.
std::vector<fs::path> machine_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(folder, unknown)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string machine_of_variable() {
  const char* const variable = std::getenv("NFOLD_MACHINE");
  return variable == nullptr ? "" : variable;
}

/// Returns the names between commas; "here" if there are none.
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::stringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names.empty() ? std::vector<std::string>{"here"} : names;
}

/// Returns the words of letters and digits in `text`, in lower case.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words{""};
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

/// Returns the built-in machine whose name is a word of the GPU's name, or two adjacent words:
/// "rtx4060" for an RTX 4060, but not "a100" for an A1000.
std::optional<estimate::Machine> find_builtin_machine(const std::string& gpu) {
  const auto words = split_words(gpu);
  for (const auto& name : estimate::builtin_machine_names()) {
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (words[k] != name && (k == 0 || words[k - 1] + words[k] != name)) continue;
      auto machine = estimate::builtin_machine(name);
      if (machine.has_gpus()) return machine;  // "laptop" is a word of GPU names, too
    }
  }
  return std::nullopt;
}

bool is_usable(const hardware::Gpu& gpu) { return gpu.is_visible && !gpu.lost; }

/// Returns the file of a site's entry; empty if there is none of this name.
fs::path site_machine_file(const std::string& name) {
  for (const auto& file : site_machine_files()) {
    if (file.stem() == name) return file;
  }
  return {};
}

/// Returns the text of a site's entry, of a built-in one or of a file.
std::string text_of_machine(const std::string& wish) {
  if (const auto site = site_machine_file(wish); !site.empty()) {
    return input::read_input_text(site);
  }
  if (const auto text = estimate::builtin_machine_text(wish); !text.empty()) {
    return std::string(text);
  }
  std::error_code unknown;
  if (fs::is_regular_file(wish, unknown)) return input::read_input_text(wish);
  auto names = estimate::builtin_machine_names();
  for (const auto& file : site_machine_files()) names.push_back(file.stem().string());
  core::refuse(
      fmt::format("machine '{}'", wish), "no built-in machine and no file",
      core::suggest_word(wish, std::vector<std::string_view>(names.begin(), names.end()),
                         fmt::format("give 'here', one of {}, or a file of nfold bench --calibrate",
                                     fmt::join(names, ", "))));
}

estimate::Machine parse_machine_text(const std::string& text, const std::string& wish) {
  return estimate::parse_machine(text, fs::path(wish).stem().string(), wish);
}

hardware::NodeInventory read_this_node() {
  const auto memory = device::host_memory_of_all();
  return hardware::read_node({memory.free_bytes, memory.total_bytes});
}

/// Returns the site's entry `here`, if there is one.
std::optional<estimate::Machine> entry_of_this_node() {
  const auto file = site_machine_file("here");
  if (file.empty()) return std::nullopt;
  return parse_machine_text(input::read_input_text(file), file.string());
}

std::string gpu_label(const hardware::Gpu& gpu) {
  return fmt::format("GPU {} ({})", gpu.index, gpu.name);
}

/// Removes unfit GPUs and those that others keep busy, and limits the others to their free memory.
/// Orders them by the score that others leave.
void keep_free_gpus(hardware::NodeInventory& node, std::vector<std::string>& notes) {
  std::vector<hardware::Gpu> kept;
  for (auto& gpu : node.gpus) {
    if (!gpu.is_visible) continue;
    const auto health = hardware::assess_health(gpu);
    const bool is_busy = gpu.utilisation.value_or(0) >= hardware::max_foreign_utilisation;
    if (health.level != hardware::HealthLevel::healthy) {
      const bool is_left_out = is_busy || health.level == hardware::HealthLevel::unfit;
      notes.push_back(fmt::format("{} is {}: {}", gpu_label(gpu),
                                  is_left_out ? "left out" : "doubtful",
                                  fmt::join(health.reasons, "; ")));
      if (is_left_out) continue;
    }
    if (gpu.memory_free_bytes) gpu.memory_total_bytes = gpu.memory_free_bytes;
    kept.push_back(std::move(gpu));
  }
  std::ranges::stable_sort(kept, std::ranges::greater(),
                           [](const auto& gpu) { return hardware::available_score(gpu); });
  node.gpus = std::move(kept);
}

/// Returns the number of cores that the load of the last minute occupies.
int count_busy_cores(const hardware::Cpu& cpu, std::vector<std::string>& notes) {
  const int all = cpu.cores.value_or(0);
  const int busy =
      static_cast<int>(std::lround(all * std::clamp(cpu.utilisation.value_or(0), 0.0, 1.0)));
  if (busy > 0) {
    notes.push_back(fmt::format("{} of {} are busy by the load of the last minute", busy,
                                core::pluralise(all, "core")));
  }
  return busy;
}

/// Sets the speed and memory of each GPU, if they differ. gpus: fittest first.
void set_unequal_gpus(estimate::Machine& machine, const std::vector<hardware::Gpu>& gpus) {
  if (!machine.gpu || gpus.empty()) return;
  const double whole = hardware::score_of(gpus.front());
  bool differ = false;
  std::vector<estimate::NodeGpu> found;
  for (const auto& gpu : gpus) {
    auto& one = found.emplace_back(1 - gpu.utilisation.value_or(0), machine.gpu->memory_gb);
    if (whole > 0) one.speed = hardware::available_score(gpu) / whole;
    if (gpu.memory_total_bytes) one.memory_gb = static_cast<double>(*gpu.memory_total_bytes) / giga;
    constexpr double alike = 0.99;
    differ = differ || one.speed < alike || one.memory_gb < alike * found.front().memory_gb;
  }
  if (differ) machine.unequal_gpus = std::move(found);
}

}  // namespace

void set_host(estimate::Machine& machine, const hardware::NodeInventory& node) {
  if (node.cpu.cores) machine.cores_per_node = *node.cpu.cores;
  if (node.cpu.memory_total_bytes) {
    machine.host_memory_gb = static_cast<double>(*node.cpu.memory_total_bytes) / giga;
  }
}

void set_gpu(estimate::DataSheet& sheet, const hardware::Gpu& gpu, bool with_speed) {
  sheet.name = gpu.name;
  if (gpu.memory_total_bytes) sheet.memory_gb = static_cast<double>(*gpu.memory_total_bytes) / giga;
  if (with_speed && gpu.compute_units) sheet.units = *gpu.compute_units;
  if (with_speed && gpu.most_clock_mhz) sheet.clock_mhz = *gpu.most_clock_mhz;
  if (gpu.power_limit_watt) sheet.watts = *gpu.power_limit_watt;
}

const hardware::Gpu* first_usable_gpu(const hardware::NodeInventory& node) {
  const auto first = std::ranges::find_if(node.gpus, is_usable);
  return first == node.gpus.end() ? nullptr : &*first;
}

estimate::Machine estimate_machine(const hardware::NodeInventory& node) {
  auto machine = estimate::builtin_machine(estimate::default_machine);
  const auto* const gpu = first_usable_gpu(node);
  if (gpu != nullptr) {
    auto known = find_builtin_machine(gpu->name);
    const auto default_sheet = *machine.gpu;
    if (known) machine = std::move(*known);
    set_gpu(*machine.gpu, *gpu, !known);
    if (!known) {
      machine.steps_are_scaled = machine.replicas_are_scaled = true;
      auto ratio = estimate::compare_sheets(*machine.gpu, default_sheet);
      ratio.memory = ratio.computing;  // NVML does not report the bandwidth
      machine.gpu_step = estimate::scaled(machine.gpu_step, ratio);
      estimate::scale(machine.speeds.gpu, ratio.computing);
    }
  } else {
    machine.gpu.reset();
    if (node.cpu.most_clock_mhz) {
      auto sheet = machine.core;
      sheet.clock_mhz = *node.cpu.most_clock_mhz;
      machine.core_step =
          estimate::scaled(machine.core_step, estimate::compare_sheets(sheet, machine.core));
      machine.core = sheet;
    }
    machine.steps_are_scaled = machine.replicas_are_scaled = true;
    machine.core.name = node.cpu.model;
  }
  machine.gpus_per_node = static_cast<int>(std::ranges::count_if(node.gpus, is_usable));
  machine.based_on = machine.steps_are_scaled ? "here" : machine.name;
  machine.name = "here";
  machine.description = fmt::format("this computer, {}", node.host);
  machine.speed_source =
      fmt::format("those of {}, not measured here: nfold bench --calibrate FILE measures them",
                  gpu != nullptr ? machine.gpu->name : "a core of an AMD EPYC by clock");
  machine.most_nodes = 1;
  machine.most_hours = 24 * 30;
  machine.gpu_hour = 0;
  machine.core_hour = 0;
  machine.transfer.wait_minutes = 0;
  set_host(machine, node);
  return machine;
}

estimate::Machine free_machine(hardware::NodeInventory node,
                               const std::optional<estimate::Machine>& entry) {
  std::vector<std::string> notes;
  keep_free_gpus(node, notes);
  const int busy_cores = count_busy_cores(node.cpu, notes);
  if (node.cpu.memory_free_bytes) node.cpu.memory_total_bytes = node.cpu.memory_free_bytes;
  auto machine = entry ? *entry : estimate_machine(node);
  machine.notes = std::move(notes);
  machine.busy_cores = busy_cores;
  machine.most_nodes = 1;
  machine.transfer.wait_minutes = 0;
  machine.gpus_per_node = std::min(machine.gpus_per_node, static_cast<int>(node.gpus.size()));
  if (machine.gpus_per_node == 0) machine.gpu.reset();
  machine.cores_per_node = std::min(machine.cores_per_node, node.cpu.cores.value_or(INT_MAX));
  if (node.cpu.memory_total_bytes) {
    machine.host_memory_gb =
        std::min(machine.host_memory_gb, static_cast<double>(*node.cpu.memory_total_bytes) / giga);
  }
  set_unequal_gpus(machine, node.gpus);
  return machine;
}

std::vector<fs::path> site_machine_files() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const auto config = variable("XDG_CONFIG_HOME"), home = variable("HOME");
  if (config.empty() && home.empty()) return {};
  return machine_files((config.empty() ? fs::path(home) / ".config" : fs::path(config)) / "nfold" /
                       "machines");
}

estimate::Machine machine_for(const std::string& wish) {
  const auto name = wish.empty() ? split_names(machine_of_variable()).front() : wish;
  if (name != "here") return parse_machine_text(text_of_machine(name), name);
  const auto entry = entry_of_this_node();
  return entry ? *entry : estimate_machine(read_this_node());
}

std::vector<estimate::Machine> machines_for(const std::string& wish) {
  std::vector<estimate::Machine> machines;
  const auto add = [&](estimate::Machine machine) {
    if (std::ranges::find(machines, machine.name, &estimate::Machine::name) != machines.end()) {
      core::refuse(fmt::format("machine '{}'", machine.name), "it is named twice",
                   "give each machine once, and entries different file names");
    }
    machines.push_back(std::move(machine));
  };
  for (const auto& name : split_names(wish.empty() ? machine_of_variable() : wish)) {
    std::error_code unknown;
    if (name == "here") {
      add(free_machine(read_this_node(), entry_of_this_node()));
    } else if (estimate::builtin_machine_text(name).empty() && fs::is_directory(name, unknown)) {
      const auto files = machine_files(name);
      if (files.empty()) {
        core::refuse(fmt::format("machine folder '{}'", name), "it has no *.yaml",
                     "give a folder of machine entries");
      }
      for (const auto& file : files) {
        add(parse_machine_text(input::read_input_text(file), file.string()));
      }
    } else {
      add(parse_machine_text(text_of_machine(name), name));
    }
  }
  return machines;
}

const estimate::Machine& machine_here() {
  static const auto machine = [] {
    try {
      return machine_for("");
    } catch (const std::exception&) {
      return estimate::builtin_machine(estimate::default_machine);
    }
  }();
  return machine;
}

estimate::Machine machine_named(const comm::Communicator& communicator, const std::string& wish) {
  return parse_machine_text(
      job::text_from_root(communicator, [&] { return text_of_machine(wish); }), wish);
}

}  // namespace nfold::setup
