// Sorted table of counts with a buffer of new ones.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/sparse_counts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace nfold::analysis {
namespace {

constexpr std::size_t fewest_waiting = std::size_t{1} << 14U;

}  // namespace

void SparseCounts::add(std::uint64_t key, std::int64_t count) {
  waiting_.push_back({key, count});
  if (waiting_.size() >= std::max(fewest_waiting, sorted_.size() / 4)) sort_in();
}

void SparseCounts::sort_in() const {
  if (waiting_.empty()) return;
  std::ranges::sort(waiting_, {}, &Entry::key);
  std::vector<Entry> all;
  all.reserve(sorted_.size() + waiting_.size());
  const auto append = [&all](const Entry& entry) {
    if (!all.empty() && all.back().key == entry.key) {
      all.back().count += entry.count;
    } else {
      all.push_back(entry);
    }
  };
  auto old = sorted_.cbegin();
  for (const auto& entry : waiting_) {
    for (; old != sorted_.cend() && old->key <= entry.key; ++old) append(*old);
    append(entry);
  }
  for (; old != sorted_.cend(); ++old) append(*old);
  sorted_ = std::move(all);
  waiting_.clear();
}

std::span<const SparseCounts::Entry> SparseCounts::entries() const {
  sort_in();
  return sorted_;
}

std::vector<SparseCounts::Entry> SparseCounts::take() {
  sort_in();
  return std::exchange(sorted_, {});
}

void SparseCounts::save(std::span<const Entry> entries, WordWriter& to) {
  std::vector<std::int64_t> words;
  words.reserve(2 * entries.size());
  for (const auto& [key, count] : entries) {
    words.push_back(static_cast<std::int64_t>(key));
    words.push_back(count);
  }
  to.put_all(words);
}

void SparseCounts::restore(WordReader& from, RowRange rows) {
  const auto words = from.get_all();
  if (words.size() % 2 != 0) throw std::out_of_range("saved counts lack one");
  sorted_.clear();
  waiting_.clear();
  sorted_.reserve(words.size() / 2);
  for (std::size_t k = 0; k < words.size(); k += 2) {
    const Entry entry{static_cast<std::uint64_t>(words[k]), words[k + 1]};
    if (!sorted_.empty() && entry.key <= sorted_.back().key) {
      throw std::out_of_range("saved counts are not in order");
    }
    sorted_.push_back(entry);
  }
  std::erase_if(sorted_, [rows](const Entry& entry) { return !rows.has(row_of(entry.key)); });
  sorted_.shrink_to_fit();
}

}  // namespace nfold::analysis
