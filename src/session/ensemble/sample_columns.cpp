// List of the datasets of samples, and their values from the rows of the file.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/sample_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/node_threads.hpp"
#include "session/ensemble/tables_umbrella.hpp"

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

/// Dataset of the group `samples`. fill: sets its values of a row; empty: a constant dataset.
struct SampleTable {
  io::ObservedTable table;
  std::function<void(const io::SampleRow&, std::span<double>)> fill;
};

/// Returns a SampleTable::fill of value(row, k), the value k of a row.
template <class Value>
auto fill_by(Value value) {
  return [value](const io::SampleRow& row, std::span<double> own) {
    for (std::size_t k = 0; k < own.size(); ++k) own[k] = value(row, k);
  };
}

/// Returns all datasets, without values.
std::vector<SampleTable> sample_tables(const EnsembleSnapshot& snapshot, std::int64_t rows) {
  const auto& exchange = snapshot.exchange;
  const std::int64_t replicas = exchange.replicas();
  std::vector<SampleTable> all;
  const auto add = [&](const std::string& name, const std::string& unit, const std::string& help,
                       auto value) {
    all.push_back({{"samples/" + name, unit, "(samples, replicas) " + help, {rows, replicas}, {}},
                   fill_by(std::move(value))});
  };
  all.push_back({{"samples/step", "", "(samples) step of each", {rows}, {}},
                 fill_by([](const auto& row, auto) { return static_cast<double>(row.step); })});
  add("potential_energy", "kJ mol-1", "potential energy in the state at that step",
      [](const auto& row, auto k) { return row.replica[k].potential_kj_mol; });
  add("contact_energy", "kJ mol-1", "native contacts' energy at strength 1",
      [](const auto& row, auto k) { return row.replica[k].contact_kj_mol; });
  if (thermodynamics::has_umbrellas(exchange.ladder())) {
    add("umbrella_" + umbrella_dataset(snapshot.settings), "nm", "what umbrellas act on",
        [](const auto& row, auto k) { return row.replica[k].umbrella_variable_nm; });
  }
  const auto columns = replicas::sampled_columns(snapshot.topology);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    add(columns[c].name, columns[c].unit, columns[c].help,
        [c, all_columns = columns.size()](const auto& row, auto k) {
          return row.quantities[k * all_columns + c];
        });
  }
  if (const auto& kappa = exchange.screening().kappa_per_nm(); !kappa.empty()) {
    all.push_back({{"samples/screening",
                    "nm-1",
                    "(nodes) inverse Debye lengths at which electrostatic energies are kept; "
                    "others follow by the polynomial through them",
                    {std::ssize(kappa)},
                    kappa},
                   {}});
    all.push_back({{"samples/screened_energy",
                    "kJ mol-1",
                    "(samples, replicas, nodes) electrostatic energy with that screening and "
                    "ke/eps_r = 1 kJ nm/mol",
                    {rows, replicas, std::ssize(kappa)},
                    {}},
                   fill_by([](const auto& row, auto k) { return row.screened[k]; })});
  }
  const auto contacts =
      static_cast<double>(std::max<std::int64_t>(1, snapshot.topology.contact_count()));
  add("native_fraction", "", "native contacts up to 1.2 times their distance, over all",
      [contacts](const auto& row, auto k) { return row.replica[k].formed_contacts / contacts; });
  add("state", "",
      "index of the replica's state, before any exchange at that step; which state that was: "
      "exchange/ladders",
      [](const auto& row, auto k) { return static_cast<double>(row.replica[k].state); });
  return all;
}

/// Allocates the columns with several threads, which is faster.
void allocate(std::size_t rows_kept, std::vector<SampleTable>& tables,
              thermodynamics::FoldingSamples& kept) {
  std::vector<std::function<void()>> allocations;
  const auto add = [&allocations](auto& column, std::size_t size) {
    allocations.emplace_back([&column, size] { column.resize(size); });
  };
  for (auto& one : tables) {
    if (!one.fill) continue;
    std::size_t size = 1;
    for (const auto extent : one.table.extent) size *= static_cast<std::size_t>(extent);
    add(one.table.values, size);
  }
  const std::size_t samples = rows_kept * static_cast<std::size_t>(kept.replicas);
  for (auto* const column : {&kept.potential_kj_mol, &kept.contact_kj_mol, &kept.variable_nm}) {
    add(*column, samples);
  }
  for (auto& column : kept.quantities) add(column, samples);
  for (auto* const column : {&kept.formed_contacts, &kept.state}) add(*column, samples);
  add(kept.screened, samples * kept.screening.size());
  device::for_each_on_node_threads(allocations.size(), [&](std::size_t k) { allocations[k](); });
}

void keep_row(const io::SampleRow& now, std::size_t row, thermodynamics::FoldingSamples& kept) {
  std::copy(now.screened.begin(), now.screened.end(),
            kept.screened.begin() + static_cast<std::ptrdiff_t>(row * now.screened.size()));
  std::size_t at = row * now.replica.size();
  auto quantity = now.quantities.begin();
  for (const auto& one : now.replica) {
    kept.potential_kj_mol[at] = one.potential_kj_mol;
    kept.contact_kj_mol[at] = one.contact_kj_mol;
    kept.variable_nm[at] = one.umbrella_variable_nm;
    kept.formed_contacts[at] = one.formed_contacts;
    kept.state[at] = one.state;
    for (auto& column : kept.quantities) column[at] = *quantity++;
    ++at;
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
  kept.quantities.resize(replicas::sampled_columns(snapshot.topology).size());
  const auto rows = static_cast<std::size_t>(samples.rows());
  const auto first = static_cast<std::size_t>(first_counted_row(snapshot, samples));
  auto tables = sample_tables(snapshot, samples.rows());
  allocate(rows - first, tables, kept);
  device::for_each_on_node_threads(rows, [&](std::size_t row) {
    const auto index = static_cast<std::int64_t>(row);
    const auto now = samples.row(index);
    check_row(now, index, snapshot, samples);
    for (auto& [table, fill] : tables) {
      if (!fill) continue;
      const std::size_t length = table.values.size() / rows;
      fill(now, std::span(table.values).subspan(row * length, length));
    }
    if (row >= first) keep_row(now, row - first, kept);
  });
  columns.tables.reserve(tables.size());
  for (auto& one : tables) columns.tables.push_back(std::move(one.table));
  return columns;
}

const std::vector<double>& SampleColumns::values(std::string_view path) const {
  return std::ranges::find(tables, path, &io::ObservedTable::path)->values;
}

}  // namespace nfold::ensemble
