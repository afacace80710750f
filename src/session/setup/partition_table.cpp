// Figures of partitions as text, as JSON and as comma-separated values.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/partition_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

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
      "step_microseconds,efficiency,nodes,within_nodes_bytes,between_nodes_bytes,"
      "within_nodes_peers,between_nodes_peers\n";
  for (const auto& comparison : comparisons) {
    for (const auto& one : comparison.methods) {
      text +=
          core::csv_row(comparison.layout.rank_count, method_name(one.method),
                        one.method == comparison.automatic, topology.contact_count(),
                        one.contacts_cut, one.ghosts, one.most_ghosts, one.balance,
                        one.exchange_bytes(), microseconds * one.step_seconds, one.efficiency,
                        comparison.layout.nodes, one.within_nodes.bytes, one.between_nodes.bytes,
                        one.within_nodes.peers, one.between_nodes.peers) +
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
      text += fmt::format(",{}:{}", method_name(one.method), comparison.layout.rank_count);
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

/// (ranks) Number of each rank's node.
std::vector<int> rank_nodes(const RankLayout& layout, int ranks_per_node) {
  std::vector<int> node;
  for (int rank = 0; rank < layout.rank_count; ++rank) {
    if (layout.nodes > 0) {
      node.push_back(rank * layout.nodes / layout.rank_count);
    } else {
      node.push_back(ranks_per_node > 0 ? rank / ranks_per_node : 0);
    }
  }
  return node;
}

const PartitionFigures& taken_figures(const PartitionComparison& comparison) {
  return *std::ranges::find(comparison.methods, comparison.taken, &PartitionFigures::method);
}

std::string format_traffic(const Traffic& traffic) {
  return fmt::format("{} rows, {}", traffic.rows, telemetry::format_bytes(traffic.bytes));
}

std::vector<std::string> method_lines(const PartitionComparison& comparison,
                                      const topology::Topology& topology) {
  const auto& methods = comparison.methods;
  const double shortest =
      std::ranges::min_element(methods, {}, &PartitionFigures::step_seconds)->step_seconds;
  const bool has_nodes = comparison.layout.nodes > 1;
  core::TextTable table("lrrrrrrrrrrr");
  std::vector<std::string> heading{"  method",  "contacts cut", "ghosts",
                                   "on a rank", "balance",      has_nodes ? "within nodes" : "sent",
                                   "peers"};
  if (has_nodes) heading.insert(heading.end(), {"between nodes", "peers"});
  heading.insert(heading.end(), {"step", "to best", "efficiency"});
  table.add(std::move(heading));
  for (const auto& one : methods) {
    std::vector<std::string> row{
        (one.method == comparison.automatic ? "> " : "  ") + method_name(one.method),
        format_cut_contacts(one.contacts_cut, topology.contact_count()),
        std::to_string(one.ghosts),
        std::to_string(one.most_ghosts),
        fmt::format("{:.3f}", one.balance),
        format_traffic(one.within_nodes),
        std::to_string(one.within_nodes.peers)};
    if (has_nodes) {
      row.push_back(format_traffic(one.between_nodes));
      row.push_back(std::to_string(one.between_nodes.peers));
    }
    row.push_back(format_step_time(one.step_seconds));
    row.push_back(fmt::format("{:.3f}", one.step_seconds / shortest));
    row.push_back(fmt::format("{:.2f}", one.efficiency));
    table.add(std::move(row));
  }
  return table.lines();
}

std::vector<std::string> rank_lines(const PartitionComparison& comparison) {
  const auto& taken = taken_figures(comparison);
  core::TextTable table("rrrrrrrrr");
  table.add({"  rank", "node", "speed", "residues", "work", "ghosts", "within nodes",
             "between nodes", "step"});
  for (std::size_t rank = 0; rank < taken.ranks.size(); ++rank) {
    const auto& one = taken.ranks[rank];
    table.add(
        {fmt::format("  {}", rank), std::to_string(one.node), fmt::format("{:.3f}", one.speed),
         std::to_string(one.residues), fmt::format("{:.1f} %", percent * one.work_share),
         std::to_string(one.ghosts), telemetry::format_bytes(one.bytes_within_node),
         telemetry::format_bytes(one.bytes_between_nodes), format_step_time(one.step_seconds)});
  }
  auto lines = table.lines();
  lines.insert(lines.begin(), fmt::format("ranks of {}, speeds relative to their mean",
                                          method_name(taken.method)));
  return lines;
}

}  // namespace

PartitionComparison compare_methods(const input::Settings& settings,
                                    const topology::Topology& topology, const system::State& state,
                                    RankLayout layout) {
  const auto node = rank_nodes(layout, settings.partition.ranks_per_node);
  PartitionComparison comparison;
  comparison.methods =
      compare_partitions(settings, topology, state, layout.rank_count, layout.speed, node);
  auto by_itself = settings;
  by_itself.partition.method = input::PartitionMethod::automatic;
  comparison.automatic = compares(by_itself, topology, layout.rank_count)
                             ? best_partition(comparison.methods, preference_for(topology)).method
                             : usual_method(topology);
  const auto own = settings.partition.method;
  comparison.taken = own == input::PartitionMethod::automatic ? comparison.automatic : own;
  if (own == input::PartitionMethod::random) comparison.taken = comparison.automatic;
  comparison.layout = std::move(layout);
  comparison.layout.nodes = node.back() + 1;
  return comparison;
}

std::vector<std::string> partition_table(const PartitionComparison& comparison,
                                         const topology::Topology& topology) {
  const auto& layout = comparison.layout;
  auto lines = method_lines(comparison, topology);
  lines.insert(lines.begin(),
               fmt::format("partitions on {}, predicted for {} of {}; > is what auto takes",
                           core::pluralise(layout.rank_count, "rank"),
                           device::computes_on_gpu() ? "GPUs" : "cores",
                           layout.nodes > 1 ? core::pluralise(layout.nodes, "node") : "one node"));
  if (layout.speed.empty()) return lines;
  const auto ranks = rank_lines(comparison);
  lines.insert(lines.end(), ranks.begin(), ranks.end());
  return lines;
}

nlohmann::ordered_json partition_json(const PartitionComparison& comparison,
                                      const topology::Topology& topology) {
  using Json = nlohmann::ordered_json;
  const auto traffic_json = [](const Traffic& traffic) {
    return Json{{"rows", traffic.rows}, {"bytes", traffic.bytes}, {"peers", traffic.peers}};
  };
  Json json{{"ranks", comparison.layout.rank_count},     {"nodes", comparison.layout.nodes},
            {"auto", method_name(comparison.automatic)}, {"taken", method_name(comparison.taken)},
            {"contacts", topology.contact_count()},      {"methods", Json::array()}};
  for (const auto& one : comparison.methods) {
    Json ranks = Json::array();
    for (const auto& rank : one.ranks) {
      ranks.push_back({{"node", rank.node},
                       {"speed", rank.speed},
                       {"residues", rank.residues},
                       {"work_share", rank.work_share},
                       {"ghosts", rank.ghosts},
                       {"bytes_within_node", rank.bytes_within_node},
                       {"bytes_between_nodes", rank.bytes_between_nodes},
                       {"step_seconds", rank.step_seconds}});
    }
    json["methods"].push_back({{"method", method_name(one.method)},
                               {"contacts_cut", one.contacts_cut},
                               {"ghosts", one.ghosts},
                               {"balance", one.balance},
                               {"within_nodes", traffic_json(one.within_nodes)},
                               {"between_nodes", traffic_json(one.between_nodes)},
                               {"step_seconds", one.step_seconds},
                               {"efficiency", one.efficiency},
                               {"ranks", std::move(ranks)}});
  }
  return json;
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
