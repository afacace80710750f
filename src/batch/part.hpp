// Part K/N of a list of targets, for jobs that divide the list statically.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

namespace nfold::batch {

struct Part {
  int number = 1, of = 1;
  [[nodiscard]] bool is_all() const { return of == 1; }
};

/// Parses "2/4". Throws InputError.
[[nodiscard]] Part parse_part(const std::string& text);

/// Returns the infix of file names, ".part-2-of-4". Empty for the whole list.
[[nodiscard]] std::string part_infix(const Part& part);

/// Returns the part, from 1, of each target (seconds): longest first, to the least loaded part.
/// Rounds the seconds, so that jobs whose estimates differ in the last bit agree.
[[nodiscard]] std::vector<int> assign_parts(std::span<const double> seconds, int parts);

}  // namespace nfold::batch
