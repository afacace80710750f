// Force field models that an input may name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace nfold::input {

/// Index into model_names(). All but go are files of input/force_fields.
enum class ForceFieldModel : std::size_t { go };

/// Names in input files: go, then those of the built-in force fields in alphabetic order.
[[nodiscard]] std::span<const std::string_view> model_names();
[[nodiscard]] std::string_view model_name(ForceFieldModel model);
/// Returns the model of this name, which must be there.
[[nodiscard]] ForceFieldModel find_model(std::string_view name);

}  // namespace nfold::input
