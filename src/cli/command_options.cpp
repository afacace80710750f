// Options shared by several commands.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/command_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/document/scalars.hpp"
#include "core/failure.hpp"
#include "core/status/status_file.hpp"
#include "core/text.hpp"

namespace nfold::cli {
namespace {

/// Returns a validator that checks a text and replaces it by its number.
template <class Read, class Allows>
CLI::Validator number_check(Read read, Allows allows, const std::string& expected) {
  return {[read, allows, expected](std::string& text) -> std::string {
            const auto number = read(text);
            if (!number || !allows(*number)) return fmt::format("'{}' is not {}", text, expected);
            text = fmt::format("{}", *number);
            return {};
          },
          ""};
}

std::optional<std::int64_t> to_signed(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const auto size = document::to_integer(text.substr(is_negative ? 1 : 0));
  if (!size || *size > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  const auto number = static_cast<std::int64_t>(*size);
  return is_negative ? -number : number;
}

std::optional<std::uint64_t> to_bytes(std::string text) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  constexpr std::array units{Unit{"kib", 0x1p10}, Unit{"mib", 0x1p20}, Unit{"gib", 0x1p30},
                             Unit{"tib", 0x1p40}, Unit{"kb", 1e3},     Unit{"mb", 1e6},
                             Unit{"gb", 1e9},     Unit{"tb", 1e12},    Unit{"b", 1}};
  text = core::to_lower(text);
  double unit_bytes = 1;
  for (const auto& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    unit_bytes = unit.bytes;
    text.resize(text.size() - unit.name.size());
    break;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const auto number = document::to_real(text);
  constexpr double most = 0x1p62;
  if (!number || *number * unit_bytes < 1 || *number * unit_bytes > most) return std::nullopt;
  return static_cast<std::uint64_t>(std::floor(*number * unit_bytes));
}

}  // namespace

CLI::Validator real_from(double least, double most) {
  return number_check(
      document::to_real, [=](double number) { return number >= least && number <= most; },
      fmt::format("a number from {} to {}", least, most));
}

CLI::Validator real_above(double bound, double most) {
  return number_check(
      document::to_real, [=](double number) { return number > bound && number <= most; },
      fmt::format("a number above {}, at most {}", bound, most));
}

CLI::Validator whole_from(std::int64_t least, std::int64_t most) {
  return number_check(
      to_signed, [=](std::int64_t number) { return number >= least && number <= most; },
      fmt::format("a whole number from {} to {}", least, most));
}

CLI::Validator size_in_bytes() {
  return number_check(
      to_bytes, [](std::uint64_t /*bytes*/) { return true; },
      "a size such as 500MB, 7.6GB or 2GiB");
}

void add_set_option(CLI::App& command, std::vector<std::string>& overrides) {
  command
      .add_option("--set", overrides,
                  "Override keys: --set dynamics.steps=1000 dynamics.seed=2, or --set before each")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->take_all();
}

void add_threads_option(CLI::App& command, int& threads) {
  command
      .add_option("--threads", threads,
                  "Threads per rank [OMP_NUM_THREADS, else the cores shared by the ranks]")
      ->transform(whole_from(1, 4096));
}

void add_gpus_option(CLI::App& command, std::string& gpus) {
  command
      .add_option("--gpus", gpus,
                  "GPUs of each node: how many, the best first; or which, by the numbers of nfold "
                  "devices ('2,' is GPU 2); or all [the best, one for each rank]")
      ->type_name("N|0,2,3|all");
}

void add_output_option(CLI::App& command, std::string& output, const std::string& type,
                       const std::string& help) {
  command.add_option("-o,--output", output, help)->type_name(type);
}

void add_overwrite_option(CLI::App& command, bool& overwrite) {
  command.add_flag("--overwrite", overwrite, "Replace files that exist");
}

void add_device_memory_option(CLI::App& command, std::uint64_t& bytes) {
  command
      .add_option("--device-memory", bytes,
                  "The most that each rank may take of its GPU's memory, without a GPU of the "
                  "host's: 500MB, 7.6GB [all that is free]")
      ->transform(size_in_bytes())
      ->type_name("SIZE");
}

void add_attempt_option(CLI::App& command) {
  command.add_option_function<std::string>("--attempt", core::mark_attempt)->group("");
}

}  // namespace nfold::cli
