// Sizes by several threads, and as JSON.
// SPDX-License-Identifier: BSD-3-Clause

#include "forecast/target_sizes.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>

#include "batch/packed_size.hpp"
#include "device/threads_alone.hpp"
#include "job/version.hpp"
#include "plan/answer_cache.hpp"
#include "plan/history.hpp"

namespace nfold::forecast {
namespace {

namespace fs = std::filesystem;
using document::InputNode;
using Json = nlohmann::json;

constexpr std::size_t fewest_to_keep = 8;

/// All that is written, and of each word that names a file how long and how old that is.
void add(const InputNode& node, const fs::path& folder, std::string& text) {
  text += std::to_string(static_cast<int>(node.kind)) + node.text + '\n';
  std::error_code none;
  if (!node.text.empty() && fs::is_regular_file(folder / node.text, none)) {
    const auto path = folder / node.text;
    text += std::to_string(fs::file_size(path, none)) + ' ' +
            std::to_string(fs::last_write_time(path, none).time_since_epoch().count()) + '\n';
  }
  for (const auto& name : node.entry_names) text += name.text + '\n';
  for (const auto& item : node.items) add(item, folder, text);
}

/// Files of inputs name others, which are not looked for.
bool names_inputs(const input_files::BatchFile& list) {
  return std::ranges::any_of(list.targets, [](const auto& target) {
    return std::ranges::any_of(target.entry.entry_names,
                               [](const auto& name) { return name.text == "input_file"; });
  });
}

std::string key_of(const input_files::BatchFile& list, const std::vector<std::string>& overrides) {
  std::error_code none;
  std::string text = std::string(job::source_hash) + '\n' + fs::absolute(list.file, none).string() +
                     '\n' + std::to_string(static_cast<int>(list.protocol)) + ' ' +
                     std::to_string(static_cast<int>(list.execution)) + ' ' +
                     std::to_string(list.budget_gpu_seconds) + '\n';
  for (const auto& value : overrides) text += value + '\n';
  const auto folder = fs::path(list.file).parent_path();
  add(list.input, folder, text);
  for (const auto& target : list.targets) add(target.entry, folder, text);
  return plan::key_of(text);
}

Json json_of(const SizedTarget& target) {
  std::array<std::int64_t, batch::packed_numbers> numbers{};
  batch::pack(target.size, numbers.data());
  return {numbers, target.size.problem, target.protocol};
}

SizedTarget target_of(const Json& told) {
  const auto numbers = told.at(0).get<std::array<std::int64_t, batch::packed_numbers>>();
  SizedTarget target{batch::unpacked(numbers.data()), told.at(2)};
  told.at(1).get_to(target.size.problem);
  return target;
}

/// None: they are not there, or of no use.
std::optional<std::vector<SizedTarget>> kept_sizes(const fs::path& file, const std::string& key,
                                                   std::size_t count) {
  try {
    const auto text = plan::kept_answer(file, key);
    if (!text) return std::nullopt;
    const auto told = Json::parse(*text);
    if (told.size() != count) return std::nullopt;
    std::vector<SizedTarget> sizes;
    for (const auto& one : told) sizes.push_back(target_of(one));
    return sizes;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::vector<SizedTarget> found_sizes(const input_files::BatchFile& list,
                                     const std::vector<std::string>& overrides) {
  std::vector<SizedTarget> sizes(list.targets.size());
  const auto find = [&](std::size_t k) {
    sizes[k].size = batch::size_of(list, list.targets[k], overrides);
    sizes[k].protocol = batch::protocol_in_words(list, sizes[k].size);
  };
  device::on_threads_alone(sizes.size(), find,
                           static_cast<int>(std::thread::hardware_concurrency()));
  return sizes;
}

}  // namespace

std::vector<SizedTarget> sizes_of(const input_files::BatchFile& list,
                                  const std::vector<std::string>& overrides) {
  const auto file = plan::history_file();
  if (!file || list.targets.size() < fewest_to_keep || names_inputs(list)) {
    return found_sizes(list, overrides);
  }
  const auto key = key_of(list, overrides);
  if (auto kept = kept_sizes(*file, key, list.targets.size())) return std::move(*kept);
  auto sizes = found_sizes(list, overrides);
  Json told = Json::array();
  for (const auto& size : sizes) told.push_back(json_of(size));
  try {
    plan::keep_answer(*file, key, told.dump(-1, ' ', false, Json::error_handler_t::replace));
  } catch (const plan::HistoryError&) {
    // A plan is whole without it.
  }
  return sizes;
}

}  // namespace nfold::forecast
