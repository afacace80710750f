// Names of models, and built-in force fields, read at first use.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/models.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "input/force_field.hpp"

namespace nfold::input {

std::span<const std::string_view> model_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all{"go"};
    all.insert(all.end(), builtin_force_field_names().begin(), builtin_force_field_names().end());
    return all;
  }();
  return names;
}

std::string_view model_name(ForceFieldModel model) {
  return model_names()[static_cast<std::size_t>(model)];
}

ForceFieldModel find_model(std::string_view name) {
  const auto names = model_names();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::logic_error("no model " + std::string(name));
  return static_cast<ForceFieldModel>(found - names.begin());
}

std::shared_ptr<const ForceFieldFile> builtin_force_field(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const ForceFieldFile>, std::less<>> files;
  const std::scoped_lock lock(mutex);
  auto& file = files[std::string(name)];
  if (file == nullptr) {
    file =
        read_force_field(builtin_force_field_text(name), fmt::format("built-in table of {}", name));
  }
  return file;
}

}  // namespace nfold::input
