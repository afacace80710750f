// Terms of other programs, and the nfold commands and keys that correspond to them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nfold::cli {

struct HelpTopic {
  std::string_view words;     ///< "rg, gyration", in lower case
  std::string_view answer;    ///< a sentence or two
  std::string_view keys;      ///< keys and sections, "bias.variable observables.chain_sizes"
  std::string_view commands;  ///< "plan launch"
  std::string_view guide;     ///< ENSEMBLES; empty: none
};

[[nodiscard]] std::span<const HelpTopic> help_topics();
/// Finds the topic of a term, ignoring case. Returns nullptr if there is none.
[[nodiscard]] const HelpTopic* find_topic(std::string_view word);
/// Returns the answer, a line for each key, and references.
[[nodiscard]] std::string describe_topic(const HelpTopic& topic);

}  // namespace nfold::cli
