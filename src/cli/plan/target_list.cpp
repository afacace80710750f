// Reading of a list, and sizing of its targets.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/target_list.hpp"

#include <fmt/format.h>

#include "batch/list_text.hpp"
#include "batch/target_size.hpp"
#include "cli/plan/target_sizes.hpp"
#include "core/document/document.hpp"
#include "core/input_error.hpp"
#include "input/input.hpp"

namespace nfold::plan {
namespace {

bool is_list_of_targets(const std::string& text, const std::filesystem::path& file) {
  // Reading a long list takes most of a plan's time: its usual form is recognised without.
  if (text.starts_with("targets:") || text.find("\ntargets:") != std::string::npos) return true;
  try {
    const auto root = document::read_document(text, file.string());
    return document::find_entry(root, "targets") != nullptr;
  } catch (const core::InputError&) {
    return false;  // reported when it is read as an input
  }
}

}  // namespace

std::optional<input::BatchFile> read_target_list(const std::filesystem::path& input) {
  const auto list = batch::read_list_text(input);
  if (!list.is_list && !is_list_of_targets(list.text, input)) return std::nullopt;
  return input::parse_batch(list.text, list.file.string());
}

CheckedTargets check_targets(const input::BatchFile& list,
                             const std::vector<std::string>& overrides) {
  CheckedTargets checked;
  const auto sizes = find_sizes(list, overrides);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto& target = list.targets[k];
    const auto& [size, protocol, memory] = sizes[k];
    if (!size.problem.empty()) {
      checked.errors.push_back(fmt::format("target '{}': {}", target.name, size.problem));
      continue;
    }
    checked.notes.push_back(fmt::format("target '{}': {} residues, {}", target.name,
                                        size.work.residues,
                                        protocol.empty() ? "run by its input" : protocol));
    for (const auto& note : size.notes) {
      checked.notes.push_back(fmt::format("target '{}': {}", target.name, note));
    }
  }
  return checked;
}

}  // namespace nfold::plan
