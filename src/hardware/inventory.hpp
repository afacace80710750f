// What a node has to compute with, as far as its system and drivers tell.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hardware/processors.hpp"

namespace nfold::hardware {

// What cannot be told is empty, never 0.

/// What `nfold devices --measure` found; each empty where it was not measured.
struct MeasuredSpeed {
  std::optional<double> pair_forces_per_second;
  std::optional<double> residue_steps_per_second;    ///< of the same system: residues x steps
  std::optional<double> memory_bytes_per_second;     ///< of a large array, read and written
  std::optional<double> host_link_bytes_per_second;  ///< from the host's memory to the GPU's
  std::optional<double> exchange_latency_seconds;    ///< of 8 bytes to a neighbour and back
  std::optional<std::string> failure;                ///< why nothing was measured
};

struct Cpu {
  std::string model;
  std::optional<int> sockets, cores, numa_nodes;
  std::optional<int> processors;  ///< hardware threads that this process may reach
  std::optional<int> clock_mhz, most_clock_mhz;
  std::optional<std::int64_t> memory_total_bytes, memory_free_bytes;
  std::optional<double> utilisation;  ///< 0 to 1, by the load of the last minute
  MeasuredSpeed measured;
};

struct GpuProcess {
  std::int64_t pid = 0;
  std::optional<std::int64_t> memory_bytes;
};

/// Rows of a GPU's memory that spare ones stand in for.
struct RowRemaps {
  int corrected = 0, uncorrected = 0;  ///< by the kind of error that led to them
  bool is_pending = false;             ///< until the GPU is reset
  bool has_failed = false;             ///< no spare rows were left
};

struct Gpu {
  int index = 0;  ///< as nvidia-smi counts
  std::string name, uuid, pci_bus_id;
  std::optional<std::string> lost;  ///< why its driver cannot reach it; the rest is then empty
  bool is_visible = true;           ///< to CUDA, by CUDA_VISIBLE_DEVICES
  std::optional<std::string> compute_capability;  ///< "9.0"
  std::optional<int> compute_units;               ///< multiprocessors
  std::string compute_units_source;
  std::optional<std::int64_t> memory_total_bytes, memory_free_bytes;
  std::optional<int> clock_mhz, most_clock_mhz;  ///< of the multiprocessors
  std::optional<int> temperature_celsius, temperature_limit_celsius;
  std::optional<double> power_watt, power_limit_watt;
  std::optional<std::int64_t> corrected_errors, uncorrected_errors;  ///< since the last reset
  std::optional<RowRemaps> row_remaps;
  std::optional<std::vector<std::string>> throttle_reasons;  ///< empty list: not throttled
  std::optional<double> utilisation;                         ///< 0 to 1
  std::optional<std::vector<GpuProcess>> processes;          ///< that compute
  std::optional<bool> is_split;                              ///< MIG is on
  std::optional<int> pcie_generation, pcie_width;            ///< at most
  std::optional<int> numa_node;
  std::optional<ProcessorSet> processors;  ///< beside it
  std::optional<std::string> network_card;
  MeasuredSpeed measured;
};

/// Between two GPUs of a node.
struct GpuLink {
  int first = 0, second = 0;                           ///< by Gpu::index
  std::optional<int> nvlink_generation, nvlink_links;  ///< links side by side; none: PCIe
  std::optional<std::string> path;                     ///< over PCIe, in words
  std::optional<double> bytes_per_second;              ///< measured, one way
  std::optional<double> latency_seconds;
};

struct NodeInventory {
  std::string host;
  Cpu cpu;
  std::optional<std::string> driver;  ///< of the GPUs
  std::vector<Gpu> gpus;
  std::vector<GpuLink> links;
  std::vector<std::string> notes;  ///< what cannot be told, and why
};

}  // namespace nfold::hardware
