// Counts of terms and neighbours, times what each takes.
// SPDX-License-Identifier: BSD-3-Clause

#include "setup/memory_estimate.hpp"

#include <algorithm>
#include <numbers>
#include <vector>

#include "system/cell_list.hpp"

namespace nfold::setup {

namespace {

// Of the engine, measured against its own count: positions, velocities, coordinates and forces,
// each with a saved copy for the replay of a block; a term's parameters, its ends and their places.
constexpr std::int64_t bytes_per_residue = 320;
constexpr std::int64_t bytes_per_term_end = 32;
constexpr std::int64_t bytes_per_list_entry = 4;
constexpr int shortest_list = 32;

template <class T>
std::int64_t bytes_of(const std::vector<T>& items) {
  return static_cast<std::int64_t>(items.size() * sizeof(T));
}

}  // namespace

int most_neighbours(const topology::Topology& topology, double range_nm) {
  constexpr std::size_t sample = 5000;
  const auto& x_nm = topology.native_nm;
  if (!topology.has_native_structure()) {
    constexpr double dense_phase_per_nm3 = 4;  // some 800 mg/ml
    return static_cast<int>(dense_phase_per_nm3 * 4 / 3 * std::numbers::pi * range_nm * range_nm *
                            range_nm);
  }
  const system::CellList cells({}, x_nm, range_nm);
  const std::size_t stride = std::max<std::size_t>(1, x_nm.size() / sample);
  int most = 0;
  for (std::size_t i = 0; i < x_nm.size(); i += stride) {
    int count = -1;  // without itself
    cells.for_each_near(x_nm[i], [&](int j) {
      const auto& other = x_nm[static_cast<std::size_t>(j)];
      const double dx = other[0] - x_nm[i][0], dy = other[1] - x_nm[i][1],
                   dz = other[2] - x_nm[i][2];
      if (dx * dx + dy * dy + dz * dz < range_nm * range_nm) ++count;
    });
    most = std::max(most, count);
  }
  return most;
}

SystemMemory estimate_memory(const topology::Topology& topology, double list_range_nm) {
  SystemMemory memory;
  memory.topology_bytes =
      bytes_of(topology.residues) + bytes_of(topology.exclusions) + bytes_of(topology.native_nm);
  std::int64_t ends = 0;
  topology::BondedKinds::for_each([&](auto kind) {
    const auto& terms = terms_of(topology, kind);
    memory.topology_bytes += bytes_of(terms);
    ends +=
        static_cast<std::int64_t>(topology::ends_of<typename decltype(kind)::Term> * terms.size());
  });
  const int list_length = std::max(shortest_list, most_neighbours(topology, list_range_nm) * 5 / 4);
  memory.engine_bytes = static_cast<std::int64_t>(topology.residues.size()) *
                            (bytes_per_residue + bytes_per_list_entry * list_length) +
                        ends * bytes_per_term_end;
  return memory;
}

}  // namespace nfold::setup
