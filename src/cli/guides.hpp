// Guides of input/, built into the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace nfold::cli {

struct Guide {
  std::string_view name;  ///< name of the file without its ending, "DEVICES"
  std::string_view text;  ///< contents of input/DEVICES.md
  /// Returns the first heading.
  [[nodiscard]] std::string_view title() const { return text.substr(2, text.find('\n') - 2); }
};

[[nodiscard]] std::span<const Guide> guides();
/// Finds a guide by DEVICES, devices or DEVICES.md. Returns nullptr if there is none.
[[nodiscard]] const Guide* find_guide(std::string_view name);

}  // namespace nfold::cli
