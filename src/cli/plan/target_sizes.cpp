// Parallel sizing of targets, and the cache of sizes as JSON.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/target_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "comm/communicator.hpp"
#include "core/version.hpp"
#include "device/node_threads.hpp"
#include "estimate/history.hpp"
#include "estimate/result_cache.hpp"
#include "session/ensemble/memory.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/start_setup.hpp"

namespace nfold::plan {
namespace {

namespace fs = std::filesystem;
using document::InputNode;
using Json = nlohmann::json;

constexpr std::size_t fewest_to_keep = 8;

/// Appends all text of a node; for each word that names a file, also its size and time of change.
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

/// Returns the key of everything that the targets of the list have in common.
std::string hash_key(const input::BatchFile& list, const std::vector<std::string>& overrides) {
  std::error_code none;
  std::string text = std::string(core::source_hash) + '\n' +
                     fs::absolute(list.file, none).string() + '\n' +
                     std::to_string(static_cast<int>(list.protocol)) + ' ' +
                     std::to_string(static_cast<int>(list.execution)) + ' ' +
                     std::to_string(list.budget_gpu_seconds) + '\n';
  for (const auto& value : overrides) text += value + '\n';
  add(list.input, fs::path(list.file).parent_path(), text);
  return estimate::hash_key(text);
}

/// Returns the key of a target's entry, equal for targets that differ in their names alone. Empty
/// if it names an input file, whose own files are not tracked.
std::string hash_key(const input::BatchTarget& target, const fs::path& folder) {
  const auto& entry = target.entry;
  std::string text;
  for (std::size_t k = 0; k < entry.items.size(); ++k) {
    const auto& name = entry.entry_names[k].text;
    if (name == "input_file") return {};
    if (name == "name") continue;
    text += name + '\n';
    add(entry.items[k], folder, text);
  }
  return estimate::hash_key(text);
}

/// Sizes by target key.
using Sizes = std::map<std::string, SizedTarget>;

/// Returns the cached sizes; empty if they cannot be used.
Sizes load_sizes(const fs::path& file, const std::string& key) {
  try {
    Sizes sizes;
    const auto text = estimate::find_cached(file, key);
    if (!text) return sizes;
    const auto stored = Json::parse(*text);
    for (const auto& [target, size] : stored.items()) {
      sizes.emplace(target, SizedTarget{size.at(0),
                                        size.at(1),
                                        {size.at(2), size.at(3), size.at(4), size.at(5), size.at(6),
                                         size.at(7)}});
    }
    return sizes;
  } catch (const std::exception&) {
    return {};
  }
}

void store_sizes(const fs::path& file, const std::string& key, const Sizes& sizes) {
  Json stored = Json::object();
  for (const auto& [target, size] : sizes) {
    const auto& memory = size.memory;
    stored[target] = {size.size,   size.protocol,       memory.device,     memory.host,
                      memory.core, memory.least_device, memory.least_core, memory.limit};
  }
  try {
    estimate::store_cached(file, key, stored.dump(-1, ' ', false, Json::error_handler_t::replace));
  } catch (const estimate::HistoryError&) {
    // The cache is optional.
  }
}

/// Adds the memory of one part of a target, of which only the largest counts.
void add_part(const input::Settings& settings, const setup::SystemSetup& system,
              const system::State& state, TargetMemory& memory) {
  memory.limit = setup::device_memory_limit(0, settings);
  const auto add = [&](const setup::RunMemory& on_gpu, const setup::RunMemory& on_core) {
    memory.device = std::max(memory.device, on_gpu.device_bytes());
    memory.host = std::max(memory.host, on_gpu.host_bytes());
    memory.core = std::max(memory.core, on_core.device_bytes() + on_core.host_bytes());
    memory.least_device = std::max(memory.least_device, on_gpu.least_device_bytes());
    memory.least_core = std::max(memory.least_core, on_core.least_device_bytes());
  };
  if (settings.ensemble.is_enabled()) {
    const auto replicas = ensemble::estimate_ensemble_memory(settings, system, state, 1, 1);
    add(replicas, replicas);
  } else {
    const setup::MemoryEstimator on_gpu(settings, system.topology, state, true);
    add(on_gpu.about(1), on_gpu.on_backend(false).about(1));
  }
}

/// Returns the size and the memory of a target.
SizedTarget compute_size(const input::BatchFile& list, const input::BatchTarget& target,
                         const std::vector<std::string>& overrides) {
  SizedTarget sized;
  sized.size =
      batch::read_target_size(list, target, overrides,
                              [&](const setup::SystemSetup& system,
                                  const std::vector<input::Settings>& parts, const fs::path& base) {
                                const auto first = setup::first_state(
                                    comm::Communicator(), parts.front(), base, system.topology);
                                for (const auto& part : parts)
                                  add_part(part, system, first.state, sized.memory);
                              });
  sized.protocol = batch::describe_protocol(list, sized.size);
  return sized;
}

/// Returns the sizes of these targets, computed on all cores.
std::vector<SizedTarget> compute_sizes(const input::BatchFile& list,
                                       const std::vector<std::size_t>& targets,
                                       const std::vector<std::string>& overrides) {
  std::vector<SizedTarget> sizes(targets.size());
  const auto find = [&](std::size_t k) {
    sizes[k] = compute_size(list, list.targets[targets[k]], overrides);
  };
  device::for_each_on_node_threads(sizes.size(), find,
                                   static_cast<int>(std::thread::hardware_concurrency()));
  return sizes;
}

}  // namespace

std::vector<SizedTarget> find_sizes(const input::BatchFile& list,
                                    const std::vector<std::string>& overrides) {
  const auto file = list.targets.size() < fewest_to_keep ? std::nullopt : estimate::history_file();
  const auto key = hash_key(list, overrides);
  std::vector<std::string> keys;
  keys.reserve(list.targets.size());
  for (const auto& target : list.targets) {
    keys.push_back(hash_key(target, fs::path(list.file).parent_path()));
  }
  auto known = file ? load_sizes(*file, key) : Sizes();
  const auto kept = known.size();
  std::vector<SizedTarget> sizes(list.targets.size());
  const auto find = [&](const std::vector<std::size_t>& targets) {
    auto found = compute_sizes(list, targets, overrides);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto k = targets[i];
      sizes[k] = std::move(found[i]);
      if (!keys[k].empty() && sizes[k].size.problem.empty()) known[keys[k]] = sizes[k];
    }
  };
  std::vector<std::size_t> unknown, others;
  std::set<std::string> first_uses;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const bool is_first =
        keys[k].empty() || (!known.contains(keys[k]) && first_uses.insert(keys[k]).second);
    (is_first ? unknown : others).push_back(k);
  }
  find(unknown);
  std::vector<std::size_t> wrong;  // same key as a target that has a problem
  for (const auto k : others) {
    if (const auto one = known.find(keys[k]); one != known.end()) {
      sizes[k] = one->second;
    } else {
      wrong.push_back(k);
    }
  }
  find(wrong);
  if (file && known.size() > kept) {
    const std::set<std::string> present(keys.begin(), keys.end());
    std::erase_if(known, [&](const auto& one) { return !present.contains(one.first); });
    store_sizes(*file, key, known);
  }
  return sizes;
}

}  // namespace nfold::plan
