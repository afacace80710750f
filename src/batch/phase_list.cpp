// Boxes by the length of each chain, and the text of the list.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/phase_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "comm/communicator.hpp"
#include "core/document/scalars.hpp"
#include "core/failure.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "input/input.hpp"
#include "input/named_files.hpp"
#include "model/structure/fasta.hpp"
#include "model/structure/structure.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::batch {
namespace {

namespace fs = std::filesystem;

constexpr int most_temperatures = 1000;

double read_temperature(std::string_view text, const std::string& all) {
  const auto kelvin = document::to_real(std::string(text));
  if (!kelvin || !(*kelvin > 0)) {
    core::refuse("--temperature", fmt::format("'{}'", all),
                 "give kelvins as FROM:TO:STEP or separated by commas: 280:320:10 or 280,300");
  }
  return *kelvin;
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Returns the record of FILE:RECORD, or the only one of FILE.
ListedSequence read_client(const std::string& argument) {
  fs::path file = argument;
  std::string record;
  std::error_code unknown;
  if (const auto colon = argument.rfind(':');
      colon != std::string::npos && !fs::exists(file, unknown)) {
    file = argument.substr(0, colon);
    record = argument.substr(colon + 1);
  }
  const auto records = structure::parse_fasta(structure::read_structure_bytes(file), file.string());
  const auto& found = structure::find_record(records, record, file.string());
  return {found.name, found.sequence, {}};
}

std::string species_text(const ListedSequence& one, int copies) {
  return fmt::format("{{name: {}, sequence: {}, copies: {}}}",
                     core::quote_yaml(input::to_name(one.name)), core::quote_yaml(one.sequence),
                     copies);
}

bool is_set(const std::vector<std::string>& overrides, std::string_view key) {
  return std::ranges::any_of(overrides, [key](const std::string& value) {
    return value.starts_with(std::string(key) + "=");
  });
}

class PhaseList {
 public:
  PhaseList(const PhaseRequest& request, const std::vector<std::string>& overrides)
      : request_(request), overrides_(overrides) {
    if (!request.temperatures.empty()) kelvins_ = parse_temperatures(request.temperatures);
    if (!request.client.empty()) client_ = read_client(request.client);
    if (request.client.empty() && request.client_copies > 0) {
      core::refuse("--client-copies", "without --client", "name the client, or leave it out");
    }
    (void)build_and_design({"any", "G", {}});  // refuses a wrong model or key
  }

  [[nodiscard]] std::string text() const {
    std::string list = fmt::format(
        "# Slabs of sequences, written by nfold phase. Edges across: 2.2 end-to-end distances of "
        "an\n"
        "# ideal chain; copies: a slab 1.5 edges thick; length: ten edges (input/PHASE.md).\n"
        "batch: {{protocol: phase}}\ninput: {{force_field: {{model: {}}}}}\ntargets:\n",
        core::quote_yaml(request_.model));
    for (const auto& file : request_.sequences) {
      for (const auto& one : read_sequences(file)) {
        const bool is_client = !client_.is_blank() && one.name == client_.name;
        if (!one.is_blank() && !is_client) list += entries(one);
      }
    }
    return list;
  }

 private:
  /// Returns an entry for each temperature.
  [[nodiscard]] std::string entries(ListedSequence one) const {
    const auto design = design_of(one);
    const int copies = request_.copies > 0 ? request_.copies : design.copies;
    auto species = species_text(one, copies);
    if (!client_.is_blank()) {
      constexpr int share = 10, fewest_clients = 8;
      const int clients = request_.client_copies > 0 ? request_.client_copies
                                                     : std::max(copies / share, fewest_clients);
      species += ", " + species_text(client_, clients);
    }
    one.set("system", "species", "[" + species + "]");
    if (!is_set(overrides_, "system.box_nm")) {
      one.set("system", "box_nm", fmt::format("[{}]", fmt::join(design.box_nm, ", ")));
    }
    const auto name = input::to_name(one.name);
    if (kelvins_.empty()) return entry(name, one);
    std::string text;
    for (const double kelvin : kelvins_) {
      auto at = one;
      at.set("dynamics", "temperature_kelvin", fmt::format("{:g}", kelvin));
      text += entry(fmt::format("{}-{:g}K", name, kelvin), at);
    }
    return text;
  }

  [[nodiscard]] static std::string entry(const std::string& name, const ListedSequence& one) {
    return fmt::format("- {{name: {}, input: {{{}}}}}\n", core::quote_yaml(name), one.input());
  }

  [[nodiscard]] SlabDesign design_of(const ListedSequence& one) const {
    try {
      return build_and_design(one);
    } catch (const core::Failure&) {
      return design_slab(1, 0);  // the target fails by itself, with the reason
    }
  }

  /// Builds one chain for its residues and the reach of its forces.
  [[nodiscard]] SlabDesign build_and_design(const ListedSequence& one) const {
    std::vector<std::string> values{"force_field.model=" + request_.model, "dynamics.steps=1"};
    for (const auto& value : overrides_) {
      if (value.starts_with("force_field.")) values.push_back(value);
    }
    values.push_back("system.species=[" + species_text(one, 1) + "]");
    const auto settings = input::parse_input("", "nfold phase", values);
    const auto system =
        setup::build_system(comm::Communicator(), settings, request_.sequences.front());
    const auto& topology = system.topology;
    const auto& charges = topology.electrostatics;
    return design_slab(
        topology.residue_count(),
        std::max(topology.short_range.cutoff_nm, charges.acts() ? charges.cutoff_nm : 0.0));
  }

  const PhaseRequest& request_;
  const std::vector<std::string>& overrides_;
  std::vector<double> kelvins_;
  ListedSequence client_;  // blank: none
};

}  // namespace

SlabDesign design_slab(std::int64_t residues, double reach_nm) {
  constexpr double end_to_end_nm = 0.58, ends_in_edge = 2.2, beyond_reach_nm = 1;
  constexpr double edges_thick = 1.5, edges_long = 10, residues_per_nm3 = 2.5;
  const auto n = static_cast<double>(residues);
  const double edge = std::ceil(
      std::max(ends_in_edge * end_to_end_nm * std::sqrt(n), 2 * reach_nm + beyond_reach_nm));
  return {{edge, edge, edges_long * edge},
          static_cast<int>(std::ceil(edges_thick * edge * edge * edge * residues_per_nm3 / n))};
}

std::vector<double> parse_temperatures(const std::string& text) {
  const auto range = split_at(text, ':');
  std::vector<double> kelvins;
  if (range.size() == 1) {
    for (const auto& part : split_at(text, ',')) kelvins.push_back(read_temperature(part, text));
  } else if (range.size() == 3) {
    const double from = read_temperature(range[0], text), to = read_temperature(range[1], text);
    const double step = read_temperature(range[2], text);
    constexpr double rounding = 1e-9;
    const double steps = std::floor((to - from) / step + rounding);
    if (steps < 0 || steps >= most_temperatures) {
      core::refuse(
          "--temperature", fmt::format("'{}'", text),
          fmt::format("FROM:TO:STEP rises and has at most {} temperatures", most_temperatures));
    }
    for (int k = 0; k <= static_cast<int>(steps); ++k) kelvins.push_back(from + k * step);
  } else {
    (void)read_temperature("", text);
  }
  auto sorted = kelvins;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) {
    core::refuse("--temperature", fmt::format("'{}' has a temperature twice", text),
                 "give each once");
  }
  return kelvins;
}

ListText make_phase_list(const PhaseRequest& request, const std::vector<std::string>& overrides) {
  return {PhaseList(request, overrides).text(), request.sequences.front()};
}

}  // namespace nfold::batch
