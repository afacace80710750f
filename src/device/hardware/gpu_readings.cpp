// GPU readings through NVML, each of which may be missing.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/gpu_readings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "core/parse_number.hpp"
#include "core/text.hpp"

namespace nfold::hardware {
namespace {

using nvml::Device;
using nvml::Functions;
using nvml::query;

std::optional<int> whole(std::optional<unsigned> value) {
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}
std::optional<double> watt(std::optional<unsigned> milliwatt) {
  return milliwatt ? std::optional(*milliwatt * 1e-3) : std::nullopt;
}
std::optional<std::int64_t> number(std::optional<unsigned long long> value) {
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

/// Returns the text that a function writes; empty if it is missing or fails.
template <class Function, class... Given>
std::string text_of(Function function, Given... given) {
  std::array<char, 97> text{};
  if (function == nullptr || function(given..., text.data(), text.size() - 1) != nvml::success) {
    return {};
  }
  return text.data();
}

/// Returns the reasons that reduce the clock; idling, a set clock and a display do not count.
std::optional<std::vector<std::string>> throttle_reasons(const Functions& nvml, Device device) {
  const auto bits = query<unsigned long long>(nvml.throttle_reasons, device);
  if (!bits) return std::nullopt;
  constexpr std::array<std::pair<unsigned long long, const char*>, 8> reasons{{
      {0x04, "power limit"},
      {0x08, "hardware slowdown"},
      {0x10, "kept to the clock of a group"},
      {0x20, "temperature, by the driver"},
      {0x40, "temperature, by the hardware"},
      {0x80, "power brake of the hardware"},
      {0x200, "limit of the board"},
      {0x400, "reliability limit"},
  }};
  std::vector<std::string> found;
  for (const auto& [bit, words] : reasons) {
    if ((*bits & bit) != 0) found.emplace_back(words);
  }
  return found;
}

std::optional<RowRemaps> row_remaps(const Functions& nvml, Device device) {
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (nvml.remapped_rows == nullptr ||
      nvml.remapped_rows(device, &corrected, &uncorrected, &pending, &failed) != nvml::success) {
    return std::nullopt;
  }
  return RowRemaps{static_cast<int>(corrected), static_cast<int>(uncorrected), pending != 0,
                   failed != 0};
}

std::optional<std::vector<GpuProcess>> processes(const Functions& nvml, Device device) {
  if (nvml.compute_processes == nullptr) return std::nullopt;
  // Repeated with a larger buffer, since processes may start meanwhile.
  for (std::size_t capacity = 64; capacity <= 4096; capacity *= 4) {
    std::vector<nvml::Process> found(capacity);
    auto count = static_cast<unsigned>(capacity);
    const int code = nvml.compute_processes(device, &count, found.data());
    if (code == nvml::insufficient_size) continue;
    if (code != nvml::success) return std::nullopt;
    std::vector<GpuProcess> all;
    for (std::size_t k = 0; k < std::min<std::size_t>(count, capacity); ++k) {
      const auto used = found[k].used_memory;
      const bool is_known = used != std::numeric_limits<unsigned long long>::max();
      all.push_back(
          {found[k].pid, is_known ? std::optional(static_cast<std::int64_t>(used)) : std::nullopt});
    }
    return all;
  }
  return std::nullopt;
}

void read_compute_units(const Functions& nvml, Device device, Gpu& gpu) {
  int major = 0, minor = 0;
  if (nvml.compute_capability == nullptr ||
      nvml.compute_capability(device, &major, &minor) != nvml::success) {
    return;
  }
  gpu.compute_capability = fmt::format("{}.{}", major, minor);
  const auto cores = query<unsigned>(nvml.cores, device);
  const auto each = cores_per_compute_unit(major, minor);
  if (!cores || !each) return;
  gpu.compute_units = static_cast<int>(*cores) / *each;
  gpu.compute_units_source =
      fmt::format("{} cores, {} to a multiprocessor of compute capability {}", *cores, *each,
                  *gpu.compute_capability);
}

/// Returns why the driver cannot reach the GPU; none if it can.
std::optional<std::string> why_lost(const nvml::Library& library, int code) {
  if (code == nvml::gpu_is_lost) return "it fell off the bus";
  if (code == nvml::reset_required) return "it needs a reset before it can be used";
  return "NVML cannot reach it: " + library.error(code);
}

/// Active links of a GPU: the number to each bus id; "" for links to a switch.
struct LinksOut {
  std::optional<int> generation;
  std::map<std::string, int> by_end;
  [[nodiscard]] int to(const std::string& end) const {
    const auto links = by_end.find(end);
    return links == by_end.end() ? 0 : links->second;
  }
};

LinksOut links_of(const Functions& nvml, Device device) {
  LinksOut out;
  for (unsigned link = 0; link < nvml::most_links; ++link) {
    const auto is_up = query<unsigned>(nvml.link_state, device, link);
    if (!is_up) break;  // no further links
    if (*is_up == 0) continue;
    if (const auto version = query<unsigned>(nvml.link_version, device, link)) {
      out.generation = std::max(out.generation.value_or(0), static_cast<int>(*version));
    }
    const auto type = query<unsigned>(nvml.link_remote_type, device, link);
    const auto remote = query<nvml::PciInfo>(nvml.link_remote_pci, device, link);
    if (type && *type == nvml::link_to_switch) {
      ++out.by_end[""];
    } else if (remote) {
      ++out.by_end[plain_bus_id(remote->bus_id)];
    }
  }
  return out;
}

std::optional<std::string> pcie_path(const Functions& nvml, Device first, Device second) {
  constexpr std::array paths{"one board",       "one PCIe switch", "several PCIe switches",
                             "one host bridge", "one NUMA node",   "across sockets"};
  const int level = query<int>(nvml.common_ancestor, first, second).value_or(-1);
  const auto path = static_cast<std::size_t>(level) / 10;
  if (level % 10 != 0 || path >= paths.size()) return std::nullopt;
  return paths[path];
}

struct ReachableGpu {
  Device device;
  std::size_t index;  ///< in NodeInventory::gpus
};

void read_links(const Functions& nvml, const std::vector<ReachableGpu>& gpus, NodeInventory& node) {
  std::vector<LinksOut> out;
  out.reserve(gpus.size());
  for (const auto& gpu : gpus) out.push_back(links_of(nvml, gpu.device));
  for (std::size_t a = 0; a < gpus.size(); ++a) {
    for (std::size_t b = a + 1; b < gpus.size(); ++b) {
      const auto& first = node.gpus[gpus[a].index];
      const auto& second = node.gpus[gpus[b].index];
      GpuLink link{first.index, second.index, {}, {}, {}, {}, {}};
      const int direct = out[a].to(second.pci_bus_id);
      const int switched = std::min(out[a].to(""), out[b].to(""));
      if (direct + switched > 0) {
        link.nvlink_links = direct + switched;
        link.nvlink_generation = out[a].generation;
      }
      link.path = pcie_path(nvml, gpus[a].device, gpus[b].device);
      node.links.push_back(std::move(link));
    }
  }
}

}  // namespace

std::optional<int> cores_per_compute_unit(int major, int minor) {
  // CUDA Programming Guide, "Compute Capabilities": FP32 results per clock of a multiprocessor.
  switch (major) {
    case 3:
      return 192;
    case 6:
    case 8:
      return minor == 0 ? 64 : 128;
    case 7:
      return 64;
    case 5:
    case 9:
    case 10:
    case 11:
    case 12:
      return 128;
    default:
      return std::nullopt;
  }
}

std::string plain_bus_id(std::string_view text) {
  auto plain = core::to_lower(text);
  const auto colon = plain.find(':');
  if (colon != std::string::npos && colon > 4) plain.erase(0, colon - 4);  // NVML writes 8 digits
  return plain;
}

Gpu read_gpu(const nvml::Library& library, nvml::Device device, int index) {
  const auto& nvml = library.functions();
  Gpu gpu;
  gpu.index = index;
  gpu.name = text_of(nvml.name, device);
  gpu.uuid = text_of(nvml.uuid, device);
  if (const auto pci = query<nvml::PciInfo>(nvml.pci_info, device)) {
    gpu.pci_bus_id = plain_bus_id(pci->bus_id);
  }
  nvml::Memory memory{};
  if (nvml.memory != nullptr) {
    const int code = nvml.memory(device, &memory);
    if (code == nvml::success) {
      gpu.memory_total_bytes = static_cast<std::int64_t>(memory.total);
      gpu.memory_free_bytes = static_cast<std::int64_t>(memory.free);
    } else if (code == nvml::gpu_is_lost || code == nvml::reset_required) {
      gpu.lost = why_lost(library, code);
      return gpu;
    }
  }
  read_compute_units(nvml, device, gpu);
  gpu.clock_mhz = whole(query<unsigned>(nvml.clock, device, nvml::sm_clock));
  gpu.most_clock_mhz = whole(query<unsigned>(nvml.most_clock, device, nvml::sm_clock));
  gpu.temperature_celsius =
      whole(query<unsigned>(nvml.temperature, device, nvml::temperature_of_gpu));
  for (const int kind : {nvml::slowdown_threshold, nvml::gpu_most_threshold}) {
    if (gpu.temperature_limit_celsius) break;
    gpu.temperature_limit_celsius =
        whole(query<unsigned>(nvml.temperature_threshold, device, kind));
  }
  gpu.power_watt = watt(query<unsigned>(nvml.power_usage, device));
  gpu.power_limit_watt = watt(query<unsigned>(nvml.power_limit, device));
  gpu.corrected_errors = number(
      query<unsigned long long>(nvml.total_ecc_errors, device, nvml::corrected, nvml::since_reset));
  gpu.uncorrected_errors = number(query<unsigned long long>(nvml.total_ecc_errors, device,
                                                            nvml::uncorrected, nvml::since_reset));
  gpu.row_remaps = row_remaps(nvml, device);
  gpu.throttle_reasons = throttle_reasons(nvml, device);
  if (const auto use = query<nvml::Utilization>(nvml.utilization, device)) {
    gpu.utilisation = use->gpu * 1e-2;
  }
  gpu.processes = processes(nvml, device);
  unsigned now = 0, next = 0;
  if (nvml.mig_mode != nullptr && nvml.mig_mode(device, &now, &next) == nvml::success) {
    gpu.is_split = now != 0;
  }
  gpu.pcie_generation = whole(query<unsigned>(nvml.pcie_generation, device));
  gpu.pcie_width = whole(query<unsigned>(nvml.pcie_width, device));
  return gpu;
}

void read_gpus(const nvml::Library& library, NodeInventory& node) {
  if (!library.failure().empty()) {
    node.notes.push_back("GPUs cannot be read: " + library.failure());
    return;
  }
  const auto& nvml = library.functions();
  if (const auto version = text_of(nvml.driver_version); !version.empty()) node.driver = version;
  const auto count = query<unsigned>(nvml.count);
  if (!count) {
    node.notes.emplace_back("NVML does not report the number of GPUs");
    return;
  }
  if (*count == 0) node.notes.emplace_back("NVML finds no GPU");
  std::vector<ReachableGpu> reachable;
  for (unsigned index = 0; index < *count; ++index) {
    Device device = nullptr;
    const int code = nvml.handle_by_index(index, &device);
    if (code != nvml::success) {
      Gpu gone;
      gone.index = static_cast<int>(index);
      gone.lost = why_lost(library, code);
      node.gpus.push_back(std::move(gone));
      continue;
    }
    node.gpus.push_back(read_gpu(library, device, static_cast<int>(index)));
    if (!node.gpus.back().lost) reachable.push_back({device, node.gpus.size() - 1});
  }
  read_links(nvml, reachable, node);
}

void mark_visible(const char* variable, std::vector<Gpu>& gpus) {
  if (variable == nullptr) return;
  for (auto& gpu : gpus) gpu.is_visible = false;
  std::string rest = variable;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string word = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    const auto gpu = std::ranges::find_if(gpus, [&](const Gpu& each) {
      return core::parse_number<int>(word) == each.index ||
             (word.starts_with("GPU-") && each.uuid.starts_with(word));
    });
    if (gpu == gpus.end()) return;  // CUDA also ignores the rest of the list
    gpu->is_visible = true;
  }
}

}  // namespace nfold::hardware
