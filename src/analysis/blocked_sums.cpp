// Blocking on integer sums, exact at every level.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/blocked_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "analysis/frame.hpp"
#include "analysis/sampling_limits.hpp"

namespace nfold::analysis {
namespace {

constexpr double sums_not_known = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::int64_t sum_within_range(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw AnalysisError("an observable's sum left 64 bits (sample less often)");
  }
  return sum;
}

std::int64_t to_fixed_point(double value, double quantum, const char* what) {
  const double quanta = value / quantum;
  if (!(std::abs(quanta) < 0x1p52)) {
    throw AnalysisError(std::string(what) + " = " + std::to_string(value) +
                        " is outside the range of its sums, +-" + std::to_string(0x1p52 * quantum));
  }
  return std::llrint(quanta);
}

void BlockedSums::add(std::span<const std::int64_t> row) {
  std::vector<std::int64_t> block(row.begin(), row.end());
  for (std::size_t depth = 0;; ++depth) {
    if (depth == levels_.size()) {
      levels_.push_back(
          {0, std::vector<std::int64_t>(columns_, 0), std::vector<Int128>(columns_, 0), {}});
    }
    auto& level = levels_[depth];
    for (std::size_t c = 0; c < columns_; ++c) {
      level.sum[c] = sum_within_range(level.sum[c], block[c]);
      level.sum_of_squares[c] += static_cast<Int128>(block[c]) * block[c];
    }
    ++level.blocks;
    if (level.blocks % 2 == 1) {
      level.waiting = std::move(block);
      return;
    }
    for (std::size_t c = 0; c < columns_; ++c) {
      block[c] = sum_within_range(block[c], level.waiting[c]);
    }
    level.waiting.clear();
  }
}

double BlockedSums::mean(std::size_t column) const {
  if (rows() == 0) return sums_not_known;
  return static_cast<double>(levels_[0].sum[column]) / static_cast<double>(rows());
}

double BlockedSums::error_at(const Level& level, std::size_t column, double block_rows) const {
  // Squares about a nearby integer avoid cancellation, however small the spread.
  const Int128 n = level.blocks, sum = level.sum[column], about = sum / n;
  const Int128 squares = level.sum_of_squares[column] - 2 * about * sum + n * about * about;
  const auto blocks = static_cast<double>(level.blocks);
  const double rest = static_cast<double>(sum - n * about);
  const double spread = static_cast<double>(squares) - rest * rest / blocks;
  return std::sqrt(std::max(0.0, spread) / (blocks * (blocks - 1))) / block_rows;
}

double BlockedSums::error(std::size_t column) const {
  double largest = sums_not_known;
  double block_rows = 1;
  for (const auto& level : levels_) {
    if (level.blocks < fewest_blocks) break;
    const double level_error = error_at(level, column, block_rows);
    if (!(level_error <= largest)) largest = level_error;
    block_rows *= 2;
  }
  return largest;
}

void BlockedSums::add_tables(Result table, std::span<const std::size_t> columns, double factor,
                             std::vector<Result>& results, std::string error_text) const {
  if (error_text.empty()) {
    error_text = "standard error by blocking of " + table.path.substr(table.path.rfind('/') + 1);
  }
  Result errors{table.path + "_error", table.unit, std::move(error_text), table.extent, {}};
  for (const auto column : columns) {
    const bool is_known = column != no_column;
    table.values.push_back(is_known ? factor * mean(column) : sums_not_known);
    errors.values.push_back(is_known ? factor * error(column) : sums_not_known);
  }
  results.push_back(std::move(table));
  results.push_back(std::move(errors));
}

void BlockedSums::save(WordWriter& to) const {
  to.put(static_cast<std::int64_t>(columns_));
  to.put(static_cast<std::int64_t>(levels_.size()));
  for (const auto& level : levels_) {
    to.put(level.blocks);
    to.put_all(level.sum);
    for (const auto& square : level.sum_of_squares) to.put_wide(square);
    to.put_all(level.waiting);
  }
}

void BlockedSums::restore(WordReader& from) {
  if (from.get() != static_cast<std::int64_t>(columns_)) {
    throw std::out_of_range("saved sums have another number of columns");
  }
  levels_.assign(static_cast<std::size_t>(from.get()), {});
  for (auto& level : levels_) {
    level.blocks = from.get();
    level.sum = from.get_all(columns_);
    for (std::size_t c = 0; c < columns_; ++c) level.sum_of_squares.push_back(from.get_wide());
    level.waiting = from.get_all();
  }
}

}  // namespace nfold::analysis
