// Counter of cases with a few examples, for one line of a report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace nfold::structure {

class Tally {
 public:
  void add(const std::string& example) {
    constexpr int shown = 4;
    if (count_ < shown) examples_ += (count_ == 0 ? "" : ", ") + example;
    if (count_ == shown) examples_ += ", ...";
    ++count_;
  }
  [[nodiscard]] int count() const { return count_; }
  /// Returns the first four examples, "478 200 (chain B), ...".
  [[nodiscard]] const std::string& examples() const { return examples_; }
  /// Returns "WHAT: 2 (478 200 (chain B), ...)".
  [[nodiscard]] std::string line(const std::string& what) const {
    return fmt::format("{}: {} ({})", what, count_, examples_);
  }
  /// Adds the line to the notes unless there is no case.
  void note(const std::string& what, std::vector<std::string>& notes) const {
    if (count_ > 0) notes.push_back(line(what));
  }

 private:
  int count_ = 0;
  std::string examples_;
};

}  // namespace nfold::structure
