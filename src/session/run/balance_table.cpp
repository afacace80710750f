// Rows of the balance table, one for each rank at an assessment.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/balance_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace nfold::run {
namespace {

const std::vector<std::string>& columns() {
  static const std::vector<std::string> names{"session_seconds", "balance", "step_milliseconds",
                                              "has_moved",       "rank",    "busy_milliseconds",
                                              "residues",        "ghosts"};
  return names;
}

}  // namespace

BalanceTable::BalanceTable(std::filesystem::path path, std::optional<std::int64_t> resumes_after)
    : path_(std::move(path)), resumes_after_(resumes_after) {
  // Rows of steps that will be computed again are removed, even if no others follow.
  if (resumes_after_ && std::filesystem::exists(path_)) {
    file_.emplace(io::CsvWriter::append(path_, columns(), *resumes_after_));
  }
}

void BalanceTable::write(const Assessment& assessment, double seconds) {
  if (!file_) file_.emplace(io::CsvWriter::create(path_, columns()));
  double sum = 0, most = 0;
  for (const auto& rank : assessment.ranks) {
    sum += rank.busy_seconds;
    most = std::max(most, rank.busy_seconds);
  }
  const double balance = most > 0 ? sum / most / static_cast<double>(assessment.ranks.size()) : 1;
  for (std::size_t rank = 0; rank < assessment.ranks.size(); ++rank) {
    const auto& one = assessment.ranks[rank];
    const std::array<double, 8> row{seconds,
                                    balance,
                                    1e3 * assessment.step_seconds,
                                    assessment.has_moved ? 1.0 : 0.0,
                                    static_cast<double>(rank),
                                    1e3 * one.busy_seconds,
                                    static_cast<double>(one.residues),
                                    static_cast<double>(one.ghosts)};
    file_->write_row(assessment.step, row);
  }
}

void BalanceTable::sync() {
  if (file_) file_->sync();
}

}  // namespace nfold::run
