// Inventory of a node's devices, reported by its system and drivers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/hardware/processors.hpp"

namespace nfold::hardware {

// Unknown values are empty, never 0.

/// Results of `nfold devices --measure`; empty if not measured.
struct MeasuredSpeed {
  std::optional<double> pair_forces_per_second;
  std::optional<double> residue_steps_per_second;  ///< residues x steps of the same system
  std::optional<double> memory_bytes_per_second;  ///< copy of a large array, bytes read and written
  std::optional<double> host_link_bytes_per_second;  ///< from host memory to GPU memory
  std::optional<double> exchange_latency_seconds;    ///< 8 bytes to a neighbour and back
  std::optional<std::string> failure;                ///< reason why nothing was measured
};

struct Cpu {
  std::string model;
  std::optional<int> sockets, cores, numa_nodes;
  std::optional<int> processors;  ///< hardware threads that this process may use
  std::optional<int> clock_mhz, most_clock_mhz;
  std::optional<std::int64_t> memory_total_bytes, memory_free_bytes;
  std::optional<double> utilisation;  ///< 0 to 1, from the load of the last minute
  MeasuredSpeed measured;
};

struct GpuProcess {
  std::int64_t pid = 0;
  std::optional<std::int64_t> memory_bytes;
};

/// Rows of GPU memory replaced by spare ones.
struct RowRemaps {
  int corrected = 0, uncorrected = 0;  ///< by the kind of error that caused them
  bool is_pending = false;             ///< until the GPU is reset
  bool has_failed = false;             ///< no spare rows were left
};

struct Gpu {
  int index = 0;  ///< index of nvidia-smi
  std::string name, uuid, pci_bus_id;
  std::optional<std::string> lost;  ///< why its driver cannot reach it; the rest is then empty
  bool is_visible = true;           ///< to CUDA, by CUDA_VISIBLE_DEVICES
  std::optional<std::string> compute_capability;  ///< "9.0"
  std::optional<int> compute_units;               ///< multiprocessors
  std::string compute_units_source;
  std::optional<std::int64_t> memory_total_bytes, memory_free_bytes;
  std::optional<int> clock_mhz, most_clock_mhz;  ///< clock of the multiprocessors
  std::optional<int> temperature_celsius, temperature_limit_celsius;
  std::optional<double> power_watt, power_limit_watt;
  std::optional<std::int64_t> corrected_errors, uncorrected_errors;  ///< since the last reset
  std::optional<RowRemaps> row_remaps;
  std::optional<std::vector<std::string>> throttle_reasons;  ///< empty list: not throttled
  std::optional<double> utilisation;                         ///< 0 to 1
  std::optional<std::vector<GpuProcess>> processes;          ///< compute processes
  std::optional<bool> is_split;                              ///< MIG is on
  std::optional<int> pcie_generation, pcie_width;            ///< maximum
  std::optional<int> numa_node;
  std::optional<ProcessorSet> processors;  ///< nearest ones
  std::optional<std::string> network_card;
  MeasuredSpeed measured;
};

/// Link between two GPUs of a node.
struct GpuLink {
  int first = 0, second = 0;                           ///< by Gpu::index
  std::optional<int> nvlink_generation, nvlink_links;  ///< number of parallel links; none: PCIe
  std::optional<std::string> path;                     ///< description of the PCIe path
  std::optional<double> bytes_per_second;              ///< measured, one way
  std::optional<double> latency_seconds;
};

struct NodeInventory {
  std::string host;
  Cpu cpu;
  std::optional<std::string> driver;  ///< driver version of the GPUs
  std::vector<Gpu> gpus;
  std::vector<GpuLink> links;
  std::vector<std::string> notes;  ///< unknown values and their reasons
};

}  // namespace nfold::hardware
