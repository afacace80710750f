// The guides of input/, built into the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace nfold::cli {

struct Guide {
  std::string_view name;  ///< DEVICES
  std::string_view text;  ///< of input/DEVICES.md
  /// Its first heading.
  [[nodiscard]] std::string_view title() const { return text.substr(2, text.find('\n') - 2); }
};

[[nodiscard]] std::span<const Guide> guides();
/// By DEVICES, devices or DEVICES.md; nullptr if there is none.
[[nodiscard]] const Guide* find_guide(std::string_view name);

}  // namespace nfold::cli
