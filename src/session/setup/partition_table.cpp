// Figures of partitions as text and as comma-separated values.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/partition_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/csv.hpp"
#include "core/telemetry/progress.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"
#include "device/device_memory.hpp"
#include "session/job/result_files.hpp"

namespace nfold::setup {
namespace {

constexpr double microseconds = 1e6, percent = 100;

std::string format_cut_contacts(std::int64_t cut, std::int64_t all) {
  if (all == 0) return "-";
  return fmt::format("{} ({:.1f} %)", cut,
                     percent * static_cast<double>(cut) / static_cast<double>(all));
}

std::string format_step_time(double seconds) {
  constexpr double milliseconds = 1e3, long_us = 1e4;
  return microseconds * seconds < long_us ? fmt::format("{:.4g} us", microseconds * seconds)
                                          : fmt::format("{:.4g} ms", milliseconds * seconds);
}

template <class Visit>
void for_each_contact(const topology::Topology& topology, const Visit& visit) {
  for (const auto& contact : topology.contacts_12_10) visit(contact.i, contact.j);
  for (const auto& contact : topology.contacts_gaussian) visit(contact.i, contact.j);
}

std::string figures_text(std::span<const PartitionComparison> comparisons,
                         const topology::Topology& topology) {
  std::string text =
      "ranks,method,is_auto,contacts,contacts_cut,ghosts,most_ghosts,balance,exchange_bytes,"
      "step_microseconds,efficiency\n";
  for (const auto& comparison : comparisons) {
    for (const auto& one : comparison.methods) {
      text += core::csv_row(comparison.rank_count, method_name(one.method),
                            one.method == comparison.automatic, topology.contact_count(),
                            one.contacts_cut, one.ghosts, one.most_ghosts, one.balance,
                            one.exchange_bytes, microseconds * one.step_seconds, one.efficiency) +
              "\n";
    }
  }
  return text;
}

std::string owners_text(std::span<const PartitionComparison> comparisons,
                        const topology::Topology& topology, const system::State& state) {
  std::string text = "chain,segment,residue,x_nm,y_nm,z_nm";
  for (const auto& comparison : comparisons) {
    for (const auto& one : comparison.methods) {
      text += fmt::format(",{}:{}", method_name(one.method), comparison.rank_count);
    }
  }
  text += '\n';
  for (std::size_t id = 0; id < topology.residues.size(); ++id) {
    const auto& residue = topology.residues[id];
    const auto& name = topology.chains[static_cast<std::size_t>(residue.chain)].name;
    const auto x = system::position_nm(topology.box, state.position[id]);
    fmt::format_to(std::back_inserter(text), "{},{},{},{:.4f},{:.4f},{:.4f}", name, residue.segment,
                   residue.number, x[0], x[1], x[2]);
    for (const auto& comparison : comparisons) {
      for (const auto& one : comparison.methods) {
        fmt::format_to(std::back_inserter(text), ",{}", one.owner[id]);
      }
    }
    text += '\n';
  }
  return text;
}

std::string contacts_text(const topology::Topology& topology) {
  std::string text = "i,j\n";
  for_each_contact(
      topology, [&](int i, int j) { fmt::format_to(std::back_inserter(text), "{},{}\n", i, j); });
  return text;
}

}  // namespace

PartitionComparison compare_methods(const input::Settings& settings,
                                    const topology::Topology& topology, const system::State& state,
                                    int rank_count) {
  PartitionComparison comparison;
  comparison.rank_count = rank_count;
  comparison.methods = compare_partitions(settings, topology, state, rank_count);
  auto by_itself = settings;
  by_itself.partition.method = input::PartitionMethod::automatic;
  comparison.automatic = compares(by_itself, topology, rank_count)
                             ? best_partition(comparison.methods, preference_for(topology)).method
                             : usual_method(topology);
  return comparison;
}

std::vector<std::string> partition_table(const PartitionComparison& comparison,
                                         const topology::Topology& topology) {
  const auto& methods = comparison.methods;
  const double shortest =
      std::min_element(methods.begin(), methods.end(), [](const auto& a, const auto& b) {
        return a.step_seconds < b.step_seconds;
      })->step_seconds;
  core::TextTable table("lrrrrrrrr");
  table.add({"  method", "contacts cut", "ghosts", "on a rank", "balance", "sent", "step",
             "to best", "efficiency"});
  for (const auto& one : methods) {
    table.add(
        {(one.method == comparison.automatic ? "> " : "  ") + std::string(method_name(one.method)),
         format_cut_contacts(one.contacts_cut, topology.contact_count()),
         std::to_string(one.ghosts), std::to_string(one.most_ghosts),
         fmt::format("{:.3f}", one.balance), telemetry::format_bytes(one.exchange_bytes),
         format_step_time(one.step_seconds), fmt::format("{:.3f}", one.step_seconds / shortest),
         fmt::format("{:.2f}", one.efficiency)});
  }
  auto lines = table.lines();
  lines.insert(lines.begin(),
               fmt::format("partitions on {}, predicted for {}; > is what auto takes",
                           core::pluralise(comparison.rank_count, "rank"),
                           device::computes_on_gpu() ? "GPUs of one node" : "cores of one node"));
  return lines;
}

void write_partition_files(const std::filesystem::path& folder, job::Overwrite overwrite,
                           std::span<const PartitionComparison> comparisons,
                           const topology::Topology& topology, const system::State& state) {
  const auto owners = folder / "owners.csv", contacts = folder / "contacts.csv",
             figures = folder / "partitions.csv";
  job::make_output_folder(folder);
  job::require_writable(
      std::array{job::ResultFile{"--output", owners}, job::ResultFile{"--output", contacts},
                 job::ResultFile{"--output", figures}},
      overwrite, {});
  job::write_result(owners, owners_text(comparisons, topology, state));
  job::write_result(contacts, contacts_text(topology));
  job::write_result(figures, figures_text(comparisons, topology));
}

}  // namespace nfold::setup
