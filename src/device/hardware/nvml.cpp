// Loading of libnvidia-ml.so.1 and lookup of its functions.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/nvml.hpp"

#include <dlfcn.h>

namespace nfold::hardware::nvml {
namespace {

constexpr const char* nvml_file_name = "libnvidia-ml.so.1";

/// Finds the first of the names that the library has.
template <class Function, class... Names>
void look_up(void* file, Function& function, Names... names) {
  for (const char* name : {names...}) {
    function = reinterpret_cast<Function>(dlsym(file, name));
    if (function != nullptr) return;
  }
}

Functions load_functions(void* file) {
  Functions f{};
  look_up(file, f.init, "nvmlInit_v2");
  look_up(file, f.shutdown, "nvmlShutdown");
  look_up(file, f.error_string, "nvmlErrorString");
  look_up(file, f.driver_version, "nvmlSystemGetDriverVersion");
  look_up(file, f.count, "nvmlDeviceGetCount_v2");
  look_up(file, f.handle_by_index, "nvmlDeviceGetHandleByIndex_v2");
  look_up(file, f.handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  look_up(file, f.name, "nvmlDeviceGetName");
  look_up(file, f.uuid, "nvmlDeviceGetUUID");
  look_up(file, f.pci_info, "nvmlDeviceGetPciInfo_v3");
  look_up(file, f.memory, "nvmlDeviceGetMemoryInfo");
  look_up(file, f.utilization, "nvmlDeviceGetUtilizationRates");
  look_up(file, f.throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
          "nvmlDeviceGetCurrentClocksThrottleReasons");
  look_up(file, f.total_ecc_errors, "nvmlDeviceGetTotalEccErrors");
  look_up(file, f.remapped_rows, "nvmlDeviceGetRemappedRows");
  // Both versions take the same struct.
  look_up(file, f.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3",
          "nvmlDeviceGetComputeRunningProcesses_v2");
  look_up(file, f.link_state, "nvmlDeviceGetNvLinkState");
  look_up(file, f.link_version, "nvmlDeviceGetNvLinkVersion");
  look_up(file, f.link_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
  look_up(file, f.link_remote_pci, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  look_up(file, f.common_ancestor, "nvmlDeviceGetTopologyCommonAncestor");
  look_up(file, f.mig_mode, "nvmlDeviceGetMigMode");
  look_up(file, f.power_usage, "nvmlDeviceGetPowerUsage");
  look_up(file, f.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  look_up(file, f.total_energy, "nvmlDeviceGetTotalEnergyConsumption");
  look_up(file, f.temperature, "nvmlDeviceGetTemperature");
  look_up(file, f.temperature_threshold, "nvmlDeviceGetTemperatureThreshold");
  look_up(file, f.clock, "nvmlDeviceGetClockInfo");
  look_up(file, f.most_clock, "nvmlDeviceGetMaxClockInfo");
  look_up(file, f.compute_capability, "nvmlDeviceGetCudaComputeCapability");
  look_up(file, f.cores, "nvmlDeviceGetNumGpuCores");
  look_up(file, f.pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  look_up(file, f.pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
  return f;
}

}  // namespace

Library::Library() {
  // Never closed: other libraries of the process may use it, and it has threads of its own.
  static void* const file = dlopen(nvml_file_name, RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) {
    failure_ = std::string("there is no ") + nvml_file_name + ", which NVIDIA's driver brings";
    return;
  }
  functions_ = load_functions(file);
  if (functions_.init == nullptr || functions_.count == nullptr ||
      functions_.handle_by_index == nullptr) {
    failure_ = std::string(nvml_file_name) +
               " lacks nvmlInit_v2, nvmlDeviceGetCount_v2 or "
               "nvmlDeviceGetHandleByIndex_v2";
    functions_ = {};
    return;
  }
  const int code = functions_.init();
  if (code == success) return;
  failure_ = std::string(nvml_file_name) + " does not start: " + error(code);
  functions_ = {};
}

Library::~Library() {
  if (failure_.empty() && functions_.shutdown != nullptr) functions_.shutdown();
}

std::string Library::error(int code) const {
  const char* text = functions_.error_string == nullptr ? nullptr : functions_.error_string(code);
  return text == nullptr ? "NVML error " + std::to_string(code) : std::string(text);
}

}  // namespace nfold::hardware::nvml
