// Columns filled from the rows of the file, several rows at once.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/sample_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "device/node_threads.hpp"

namespace nfold::ensemble {
namespace {

/// Returns the first row that averages include. A start is no sample of any state, and rows before
/// the last change of the ladder are of other states. Steps ascend.
std::int64_t first_counted_row(const EnsembleSnapshot& snapshot, const io::SampleFile& samples) {
  std::int64_t first = 0, last = samples.rows();
  while (first < last) {
    const auto middle = first + (last - first) / 2;
    const auto step = samples.row(middle).step;
    const bool counts = step > snapshot.exchange.history().back().step &&
                        step >= snapshot.settings.ensemble.equilibration_steps;
    (counts ? last : first) = counts ? middle : middle + 1;
  }
  return first;
}

/// Allocates the columns with several threads, which is faster.
void allocate_columns(std::size_t rows, std::size_t rows_kept, std::size_t replicas,
                      std::size_t nodes, std::size_t species, SampleColumns& columns) {
  auto& kept = columns.after_equilibration;
  std::vector<std::function<void()>> allocations;
  const auto add = [&allocations](auto& column, std::size_t size) {
    allocations.emplace_back([&column, size] { column.resize(size); });
  };
  columns.step.resize(rows);
  for (auto* const column :
       {&columns.energy, &columns.contacts, &columns.variable, &columns.q, &columns.state}) {
    add(*column, rows * replicas);
  }
  columns.radius.resize(species);
  for (auto& column : columns.radius) add(column, rows * replicas);
  add(columns.screened, rows * replicas * nodes);
  for (auto* const column : {&kept.potential_kj_mol, &kept.contact_kj_mol, &kept.variable_nm}) {
    add(*column, rows_kept * replicas);
  }
  kept.radius_of_gyration_nm.resize(species);
  for (auto& column : kept.radius_of_gyration_nm) add(column, rows_kept * replicas);
  add(kept.formed_contacts, rows_kept * replicas);
  add(kept.state, rows_kept * replicas);
  add(kept.screened, rows_kept * replicas * nodes);
  device::for_each_on_node_threads(allocations.size(), [&](std::size_t k) { allocations[k](); });
}

/// Columns that all samples and those for averages have in common.
struct SharedColumns {
  std::vector<double>&potential, &contact, &variable, &screened;
  std::vector<std::vector<double>>& radius;  // (species)
};
/// Fills a row and returns the index of its first replica.
std::size_t fill_shared(const io::SampleRow& now, std::size_t row, const SharedColumns& columns) {
  std::copy(now.screened.begin(), now.screened.end(),
            columns.screened.begin() + static_cast<std::ptrdiff_t>(row * now.screened.size()));
  const std::size_t first = row * now.replica.size();
  for (std::size_t k = 0; k < now.replica.size(); ++k) {
    const auto& one = now.replica[k];
    columns.potential[first + k] = one.potential_kj_mol;
    columns.contact[first + k] = one.contact_kj_mol;
    columns.variable[first + k] = one.umbrella_variable_nm;
    for (std::size_t s = 0; s < columns.radius.size(); ++s) {
      columns.radius[s][first + k] = now.radius_of_gyration_nm[k * columns.radius.size() + s];
    }
  }
  return first;
}

void fill_row(const io::SampleRow& now, std::size_t row, SampleColumns& columns) {
  const auto contacts =
      static_cast<double>(std::max<std::int64_t>(1, columns.after_equilibration.contacts));
  columns.step[row] = static_cast<double>(now.step);
  std::size_t at = fill_shared(
      now, row,
      {columns.energy, columns.contacts, columns.variable, columns.screened, columns.radius});
  for (const auto& one : now.replica) {
    columns.q[at] = one.formed_contacts / contacts;
    columns.state[at++] = one.state;
  }
}

void keep_row(const io::SampleRow& now, std::size_t row, thermodynamics::FoldingSamples& kept) {
  std::size_t at = fill_shared(now, row,
                               {kept.potential_kj_mol, kept.contact_kj_mol, kept.variable_nm,
                                kept.screened, kept.radius_of_gyration_nm});
  for (const auto& one : now.replica) {
    kept.formed_contacts[at] = one.formed_contacts;
    kept.state[at++] = one.state;
  }
}

/// Throws FileError unless each ladder has each of its states once, and no replica has more native
/// contacts than exist.
void check_row(const io::SampleRow& now, std::int64_t index, const EnsembleSnapshot& snapshot,
               const io::SampleFile& samples) {
  const std::int64_t contacts = snapshot.topology.contact_count();
  const auto states = static_cast<std::size_t>(snapshot.exchange.states());
  std::vector<char> is_taken(states);
  for (std::size_t r = 0; r < now.replica.size(); ++r) {
    if (r % states == 0) std::fill(is_taken.begin(), is_taken.end(), char{0});
    const auto& one = now.replica[r];
    const auto state = static_cast<std::size_t>(one.state);  // negative ones become too large
    if (state >= states || is_taken[state] != 0) {
      throw samples.damaged(index, "has a ladder without each of its states once");
    }
    is_taken[state] = 1;
    if (one.formed_contacts < 0 || one.formed_contacts > contacts) {
      throw samples.damaged(index, "has more native contacts than there are");
    }
  }
}

}  // namespace

SampleColumns sample_columns(const EnsembleSnapshot& snapshot, const io::SampleFile& samples) {
  SampleColumns columns;
  auto& kept = columns.after_equilibration;
  kept.states = snapshot.exchange.ladder();
  kept.replicas = snapshot.exchange.replicas();
  kept.residues = snapshot.topology.residue_count();
  kept.contacts = snapshot.topology.contact_count();
  kept.screening = snapshot.exchange.screening();
  const auto rows = static_cast<std::size_t>(samples.rows());
  const auto first = static_cast<std::size_t>(first_counted_row(snapshot, samples));
  allocate_columns(rows, rows - first, static_cast<std::size_t>(kept.replicas),
                   kept.screening.size(), snapshot.topology.species_count(), columns);
  device::for_each_on_node_threads(rows, [&](std::size_t row) {
    const auto index = static_cast<std::int64_t>(row);
    const auto now = samples.row(index);
    check_row(now, index, snapshot, samples);
    fill_row(now, row, columns);
    if (row >= first) keep_row(now, row - first, kept);
  });
  return columns;
}

}  // namespace nfold::ensemble
