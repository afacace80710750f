// Stand-in for libnvidia-ml.so.1, which replays the recorded node in nvml.json beside it.
// SPDX-License-Identifier: BSD-3-Clause

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "device/hardware/nvml.hpp"

namespace nvml = nfold::hardware::nvml;
using Json = nlohmann::json;

namespace {

constexpr int not_supported = 3, not_found = 6;

const Json& recorded() {
  static const Json node = [] {
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(&recorded), &own);
    std::string file = own.dli_fname;
    file.replace(file.rfind('/') + 1, std::string::npos, "nvml.json");
    std::ifstream stream(file);
    return Json::parse(stream);
  }();
  return node;
}

// A handle is the device's number plus one, since null is no handle.
nvml::Device handle(std::size_t number) {
  return reinterpret_cast<nvml::Device>(number + 1);  // NOLINT(performance-no-int-to-ptr)
}
const Json& gpu_record(nvml::Device device) {
  return recorded().at("gpus").at(reinterpret_cast<std::size_t>(device) - 1);
}

template <class Value>
int answer(const Json& from, const char* key, Value* value) {
  if (!from.contains(key)) return not_supported;
  *value = from.at(key).get<Value>();
  return nvml::success;
}
int answer_text(const Json& from, const char* key, char* text, unsigned length) {
  if (!from.contains(key)) return not_supported;
  std::snprintf(text, length, "%s", from.at(key).get<std::string>().c_str());
  return nvml::success;
}
int bus_id(const std::string& text, nvml::PciInfo* info) {
  std::memset(info, 0, sizeof(*info));
  std::snprintf(info->bus_id, sizeof(info->bus_id), "%s", text.c_str());
  return nvml::success;
}
const Json* link(nvml::Device device, unsigned number) {
  const auto& gpu = gpu_record(device);
  if (!gpu.contains("links") || number >= gpu["links"].size()) return nullptr;
  return &gpu["links"][number];
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names of the replaced library
extern "C" {

int nvmlInit_v2() { return recorded().value("init", 0); }
int nvmlShutdown() { return nvml::success; }
const char* nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return answer_text(recorded(), "driver", text, length);
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(recorded().at("gpus").size());
  return nvml::success;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml::Device* device) {
  *device = handle(index);
  return gpu_record(*device).value("code", 0);
}
int nvmlDeviceGetHandleByUUID(const char* uuid, nvml::Device* device) {
  const auto& gpus = recorded().at("gpus");
  for (std::size_t k = 0; k < gpus.size(); ++k) {
    *device = handle(k);
    if (gpus[k].value("uuid", "") == uuid) return nvml::success;
  }
  return not_found;
}
int nvmlDeviceGetName(nvml::Device device, char* text, unsigned length) {
  return answer_text(gpu_record(device), "name", text, length);
}
int nvmlDeviceGetUUID(nvml::Device device, char* text, unsigned length) {
  return answer_text(gpu_record(device), "uuid", text, length);
}
int nvmlDeviceGetPciInfo_v3(nvml::Device device, nvml::PciInfo* info) {
  return bus_id(gpu_record(device).value("bus_id", ""), info);
}
int nvmlDeviceGetMemoryInfo(nvml::Device device, nvml::Memory* memory) {
  const auto& gpu = gpu_record(device);
  if (!gpu.contains("memory_total")) return not_supported;
  memory->total = gpu["memory_total"];
  memory->free = gpu["memory_free"];
  memory->used = memory->total - memory->free;
  return nvml::success;
}
int nvmlDeviceGetUtilizationRates(nvml::Device device, nvml::Utilization* use) {
  return answer(gpu_record(device), "use", &use->gpu);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(nvml::Device device, unsigned long long* bits) {
  return answer(gpu_record(device), "throttle", bits);
}
int nvmlDeviceGetTotalEccErrors(nvml::Device device, int kind, int, unsigned long long* count) {
  return answer(gpu_record(device), kind == nvml::corrected ? "ecc_corrected" : "ecc_uncorrected",
                count);
}
int nvmlDeviceGetRemappedRows(nvml::Device device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) {
  const auto& gpu = gpu_record(device);
  if (!gpu.contains("remaps")) return not_supported;
  unsigned* const parts[] = {corrected, uncorrected, pending, failed};
  for (std::size_t k = 0; k < 4; ++k) *parts[k] = gpu["remaps"][k];
  return nvml::success;
}
int nvmlDeviceGetComputeRunningProcesses_v3(nvml::Device device, unsigned* count,
                                            nvml::Process* processes) {
  const auto& gpu = gpu_record(device);
  if (!gpu.contains("processes")) return not_supported;
  const auto all = static_cast<unsigned>(gpu["processes"].size());
  const bool fits = all <= *count;
  *count = all;
  if (!fits) return nvml::insufficient_size;
  for (unsigned k = 0; k < all; ++k) {
    processes[k] = {gpu["processes"][k][0], gpu["processes"][k][1], 0, 0};
  }
  return nvml::success;
}
int nvmlDeviceGetNvLinkState(nvml::Device device, unsigned number, unsigned* is_up) {
  if (link(device, number) == nullptr) return not_supported;
  *is_up = link(device, number)->value("up", 1U);
  return nvml::success;
}
int nvmlDeviceGetNvLinkVersion(nvml::Device device, unsigned number, unsigned* version) {
  if (link(device, number) == nullptr) return not_supported;
  return answer(*link(device, number), "version", version);
}
int nvmlDeviceGetNvLinkRemoteDeviceType(nvml::Device device, unsigned number, unsigned* type) {
  if (link(device, number) == nullptr) return not_supported;
  constexpr unsigned to_gpu = 0;
  *type = link(device, number)->contains("to") ? to_gpu : nvml::link_to_switch;
  return nvml::success;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(nvml::Device device, unsigned number, nvml::PciInfo* info) {
  if (link(device, number) == nullptr) return not_supported;
  return bus_id(link(device, number)->value("to", "00000000:05:00.0"), info);
}
int nvmlDeviceGetTopologyCommonAncestor(nvml::Device first, nvml::Device second, int* level) {
  constexpr int numa_node = 40, across_sockets = 50;
  *level = gpu_record(first).value("socket", 0) == gpu_record(second).value("socket", 0)
               ? numa_node
               : across_sockets;
  return nvml::success;
}
int nvmlDeviceGetMigMode(nvml::Device device, unsigned* now, unsigned* next) {
  *next = 0;
  return answer(gpu_record(device), "mig", now);
}
int nvmlDeviceGetPowerUsage(nvml::Device device, unsigned* milliwatt) {
  return answer(gpu_record(device), "power", milliwatt);
}
int nvmlDeviceGetEnforcedPowerLimit(nvml::Device device, unsigned* milliwatt) {
  return answer(gpu_record(device), "power_limit", milliwatt);
}
/// Adds the energy of one second at the recorded power on each call.
int nvmlDeviceGetTotalEnergyConsumption(nvml::Device device, unsigned long long* millijoules) {
  static std::map<nvml::Device, unsigned long long> calls;
  unsigned milliwatt = 0;
  const int code = answer(gpu_record(device), "power", &milliwatt);
  *millijoules = 5'000'000'000'000ULL + ++calls[device] * milliwatt;
  return code;
}
int nvmlDeviceGetTemperature(nvml::Device device, int, unsigned* celsius) {
  return answer(gpu_record(device), "temperature", celsius);
}
int nvmlDeviceGetTemperatureThreshold(nvml::Device device, int kind, unsigned* celsius) {
  return answer(gpu_record(device), kind == nvml::slowdown_threshold ? "slowdown" : "most",
                celsius);
}
int nvmlDeviceGetClockInfo(nvml::Device device, int, unsigned* megahertz) {
  return answer(gpu_record(device), "clock", megahertz);
}
int nvmlDeviceGetMaxClockInfo(nvml::Device device, int, unsigned* megahertz) {
  return answer(gpu_record(device), "most_clock", megahertz);
}
int nvmlDeviceGetCudaComputeCapability(nvml::Device device, int* major, int* minor) {
  const auto& gpu = gpu_record(device);
  if (!gpu.contains("capability")) return not_supported;
  *major = gpu["capability"][0];
  *minor = gpu["capability"][1];
  return nvml::success;
}
int nvmlDeviceGetNumGpuCores(nvml::Device device, unsigned* cores) {
  return answer(gpu_record(device), "cores", cores);
}
int nvmlDeviceGetMaxPcieLinkGeneration(nvml::Device device, unsigned* generation) {
  return answer(gpu_record(device), "pcie_generation", generation);
}
int nvmlDeviceGetMaxPcieLinkWidth(nvml::Device device, unsigned* width) {
  return answer(gpu_record(device), "pcie_width", width);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
