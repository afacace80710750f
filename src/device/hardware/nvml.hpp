// Functions of NVIDIA's management library, opened at run time without its header.
// SPDX-License-Identifier: BSD-3-Clause
//
// A CPU build reports GPUs too, and no machine needs the library to build. Declarations follow
// NVML's published interface, in which a function name keeps its signature. Any function may be
// missing.
#pragma once

#include <optional>
#include <string>

namespace nfold::hardware::nvml {

struct DeviceOpaque;
using Device = DeviceOpaque*;

inline constexpr int success = 0, insufficient_size = 7, gpu_is_lost = 15, reset_required = 16;

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;  ///< per cent
};
struct Process {
  unsigned pid;
  unsigned long long used_memory;  ///< all bits set: not available
  unsigned gpu_instance, compute_instance;
};

inline constexpr int sm_clock = 1, temperature_of_gpu = 0;
inline constexpr int slowdown_threshold = 1, gpu_most_threshold = 3;
inline constexpr int corrected = 0, uncorrected = 1, since_reset = 0;
/// Bits of throttle_reasons: hardware slowdown, heat (by driver and hardware), power brake.
inline constexpr unsigned long long throttled_by_heat_or_hardware = 0x8 | 0x20 | 0x40 | 0x80;
inline constexpr unsigned most_links = 36;
inline constexpr unsigned link_to_switch = 2;

/// Functions of the library; null if it has none of the name.
struct Functions {
  int (*init)();
  int (*shutdown)();
  const char* (*error_string)(int);
  int (*driver_version)(char*, unsigned);
  int (*count)(unsigned*);
  int (*handle_by_index)(unsigned, Device*);
  int (*handle_by_uuid)(const char*, Device*);
  int (*name)(Device, char*, unsigned);
  int (*uuid)(Device, char*, unsigned);
  int (*pci_info)(Device, PciInfo*);
  int (*memory)(Device, Memory*);
  int (*utilization)(Device, Utilization*);
  int (*throttle_reasons)(Device, unsigned long long*);
  int (*total_ecc_errors)(Device, int, int, unsigned long long*);
  int (*remapped_rows)(Device, unsigned*, unsigned*, unsigned*, unsigned*);
  int (*compute_processes)(Device, unsigned*, Process*);
  int (*link_state)(Device, unsigned, unsigned*);
  int (*link_version)(Device, unsigned, unsigned*);
  int (*link_remote_type)(Device, unsigned, unsigned*);
  int (*link_remote_pci)(Device, unsigned, PciInfo*);
  int (*common_ancestor)(Device, Device, int*);
  int (*mig_mode)(Device, unsigned*, unsigned*);
  int (*power_usage)(Device, unsigned*);  ///< [mW], also for the limit
  int (*power_limit)(Device, unsigned*);
  int (*total_energy)(Device, unsigned long long*);  ///< [mJ] since the driver was loaded
  int (*temperature)(Device, int, unsigned*);
  int (*temperature_threshold)(Device, int, unsigned*);
  int (*clock)(Device, int, unsigned*);  ///< [MHz]
  int (*most_clock)(Device, int, unsigned*);
  int (*compute_capability)(Device, int*, int*);
  int (*cores)(Device, unsigned*);
  int (*pcie_generation)(Device, unsigned*);
  int (*pcie_width)(Device, unsigned*);
};

/// Library in use. Opened once per process; NVML is initialised and shut down by each object.
class Library {
 public:
  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Reason why the library cannot be used; empty if it can.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const Functions& functions() const { return functions_; }
  [[nodiscard]] std::string error(int code) const;

 private:
  Functions functions_{};
  std::string failure_;
};

/// Returns the value that a function writes to its last argument; none if it is missing or fails.
template <class Answer, class... Given, class... Types>
[[nodiscard]] std::optional<Answer> query(int (*function)(Types...), Given... given) {
  Answer answer{};
  if (function == nullptr || function(given..., &answer) != success) return std::nullopt;
  return answer;
}

}  // namespace nfold::hardware::nvml
