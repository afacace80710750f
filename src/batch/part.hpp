// A part of a list, for jobs that share its targets out beforehand: which it is, and whose target
// is whose. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

namespace nfold::batch {

struct Part {
  int number = 1, of = 1;
  [[nodiscard]] bool is_all() const { return of == 1; }
};

/// "2/4". InputError.
[[nodiscard]] Part parse_part(const std::string& text);

/// Between a file's name and its suffix: ".part-2-of-4"; empty for all.
[[nodiscard]] std::string infix_of(const Part& part);

/// (seconds) The part, from 1, that does each target: the longest first, to whom has least. Jobs on
/// other machines deal in the same way, though their seconds may differ in a last bit.
[[nodiscard]] std::vector<int> deal(std::span<const double> seconds, int parts);

}  // namespace nfold::batch
