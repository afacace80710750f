// Words that people know from other programs, and what nfold has for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nfold::cli {

struct HelpTopic {
  std::string_view words;     ///< "rg, gyration", in small letters
  std::string_view answer;    ///< a sentence or two
  std::string_view keys;      ///< "bias.variable observables.chain_sizes", keys and sections
  std::string_view commands;  ///< "plan launch"
  std::string_view guide;     ///< ENSEMBLES; empty: none
};

[[nodiscard]] std::span<const HelpTopic> help_topics();
/// The topic that has this word, whatever its letters; nullptr if none has.
[[nodiscard]] const HelpTopic* find_topic(std::string_view word);
/// The answer, a line for each key, and where to read on.
[[nodiscard]] std::string describe_topic(const HelpTopic& topic);

}  // namespace nfold::cli
