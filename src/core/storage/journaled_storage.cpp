// Storage with atomic commits by a write-ahead journal next to the file.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

#include "core/storage/checksum.hpp"
#include "core/storage/hdf5_storage.hpp"

namespace nfold::storage {

namespace {

// Header of the journal. For each run, its offset, its length and its bytes follow.
struct JournalHeader {
  std::array<char, 8> magic;
  std::uint64_t payload_bytes;
  std::uint64_t file_size;
  std::uint64_t sum;  // checksum of the payload and of the two members above
};
constexpr std::array<char, 8> journal_magic = {'N', 'F', 'O', 'L', 'D', 'W', 'A', 'L'};

std::uint64_t journal_sum(std::uint64_t file_size, std::span<const std::byte> payload) {
  return checksum(payload) + word_hash(payload.size(), ~0ULL) + word_hash(file_size, ~1ULL);
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// Returns the payload of a complete journal, empty if there is none or it is torn.
std::pair<JournalHeader, std::vector<std::byte>> read_journal(const PosixFile& journal) {
  JournalHeader header{};
  const auto size = static_cast<std::uint64_t>(journal.size());
  if (size < sizeof header) return {};
  journal.read_at(0, std::as_writable_bytes(std::span(&header, 1)));
  if (header.magic != journal_magic || header.payload_bytes != size - sizeof header) return {};
  std::vector<std::byte> payload(header.payload_bytes);
  journal.read_at(sizeof header, payload);
  if (journal_sum(header.file_size, payload) != header.sum) return {};
  return {header, std::move(payload)};
}

void replay(PosixFile& file, const JournalHeader& header, std::span<const std::byte> payload) {
  for (std::size_t at = 0; at + 16 <= payload.size();) {
    std::array<std::int64_t, 2> place{};  // offset, length
    std::memcpy(place.data(), payload.data() + at, sizeof place);
    at += sizeof place;
    const auto length = static_cast<std::size_t>(place[1]);
    if (length > payload.size() - at) return;
    file.write_at(place[0], payload.subspan(at, length));
    at += length;
  }
  file.truncate(static_cast<std::int64_t>(header.file_size));
}

}  // namespace

std::filesystem::path JournaledStorage::journal_path(const std::filesystem::path& path) {
  std::filesystem::path journal = path;
  journal += ".journal";
  return journal;
}

bool JournaledStorage::recover(const std::filesystem::path& path) {
  const auto journal = journal_path(path);
  if (!std::filesystem::exists(journal)) return false;
  PosixFile log(journal, PosixFile::Mode::update);
  const auto [header, payload] = read_journal(log);
  if (!payload.empty()) {
    PosixFile file(path, PosixFile::Mode::update);
    replay(file, header, payload);
    file.sync();
  }
  log.truncate(0);
  return !payload.empty();
}

const std::filesystem::path& JournaledStorage::recovered(const std::filesystem::path& path,
                                                         PosixFile::Mode mode) {
  if (mode == PosixFile::Mode::update) recover(path);
  return path;
}

JournaledStorage::JournaledStorage(const std::filesystem::path& path, PosixFile::Mode mode,
                                   std::size_t bytes_in_memory)
    : file_(recovered(path, mode), mode),
      journal_(journal_path(path), PosixFile::Mode::create),
      committed_size_(file_.size()),
      size_(committed_size_),
      first_page_limit_(std::max<std::size_t>(1, bytes_in_memory / page_bytes)),
      page_limit_(first_page_limit_) {}

std::vector<std::byte>& JournaledStorage::page(std::int64_t number, bool whole) {
  auto [place, is_new] = pages_.try_emplace(number);
  if (is_new) {
    place->second.resize(page_bytes);
    const std::int64_t start = number * page_bytes;
    // Beyond the committed or written end there is nothing, or the rest of a failed commit.
    const auto old = std::min(page_bytes, std::max(committed_size_, written_end_) - start);
    if (!whole && old > 0) {
      file_.read_at(start, std::span(place->second).first(static_cast<std::size_t>(old)));
    }
  }
  return place->second;
}

void JournaledStorage::read(std::int64_t offset, std::span<std::byte> to) {
  const auto length = static_cast<std::int64_t>(to.size());
  const auto on_disk =
      std::clamp<std::int64_t>(std::max(committed_size_, written_end_) - offset, 0, length);
  if (on_disk > 0) file_.read_at(offset, to.first(static_cast<std::size_t>(on_disk)));
  std::fill(to.begin() + on_disk, to.end(), std::byte{0});
  for (auto place = pages_.lower_bound(offset / page_bytes);
       place != pages_.end() && place->first * page_bytes < offset + length; ++place) {
    const std::int64_t start = place->first * page_bytes;
    const auto from = std::max(start, offset);
    const auto until = std::min(start + page_bytes, offset + length);
    std::copy(place->second.begin() + (from - start), place->second.begin() + (until - start),
              to.begin() + (from - offset));
  }
}

void JournaledStorage::write(std::int64_t offset, std::span<const std::byte> from) noexcept {
  const auto length = static_cast<std::int64_t>(from.size());
  size_ = std::max(size_, offset + length);
  try {
    for (std::int64_t done = 0; done < length;) {
      const std::int64_t number = (offset + done) / page_bytes;
      const std::int64_t within = (offset + done) % page_bytes;
      const auto count = std::min(page_bytes - within, length - done);
      auto& target = page(number, count == page_bytes);
      std::copy_n(from.begin() + done, count, target.begin() + within);
      done += count;
    }
    if (pages_.size() >= page_limit_) write_new_pages();
  } catch (const std::exception&) {
    if (!error_) error_ = std::current_exception();
  }
}

// Nothing refers to bytes beyond the committed end until the commit. The first page is excluded,
// since it makes the file valid.
void JournaledStorage::write_new_pages() {
  const auto first = pages_.lower_bound(
      std::max<std::int64_t>(1, (committed_size_ + page_bytes - 1) / page_bytes));
  std::vector<std::byte> run;
  std::int64_t run_start = 0;
  const auto put = [&] {
    if (run.empty()) return;
    file_.write_at(run_start, run);
    written_end_ = std::max(written_end_, run_start + static_cast<std::int64_t>(run.size()));
    run.clear();
  };
  try {
    for (auto place = first; place != pages_.end(); ++place) {
      const std::int64_t start = place->first * page_bytes;
      if (start != run_start + static_cast<std::int64_t>(run.size()) || run.size() >= run_bytes) {
        put();
        run_start = start;
      }
      run.insert(run.end(), place->second.begin(), place->second.end());
    }
    put();
  } catch (const FileError&) {
    // The disk is full: the pages stay in memory, and the commit will fail. Not retried at each
    // page.
    page_limit_ *= 2;
    return;
  }
  pages_.erase(first, pages_.end());
  page_limit_ = pages_.size() + first_page_limit_;
}

// Returns changed pages as contiguous runs, split at the committed end, cut at the new one.
std::vector<JournaledStorage::Run> JournaledStorage::runs() const {
  std::vector<Run> result;
  const auto add = [&result](std::int64_t offset, std::span<const std::byte> bytes, bool join) {
    if (bytes.empty()) return;
    if (!join || result.empty() ||
        result.back().offset + static_cast<std::int64_t>(result.back().bytes.size()) != offset) {
      result.push_back({offset, {}});
    }
    result.back().bytes.insert(result.back().bytes.end(), bytes.begin(), bytes.end());
  };
  for (const auto& [number, bytes] : pages_) {
    const std::int64_t start = number * page_bytes;
    const auto used = std::clamp<std::int64_t>(size_ - start, 0, page_bytes);
    const auto old = std::clamp<std::int64_t>(committed_size_ - start, 0, used);
    const std::span<const std::byte> all(bytes);
    add(start, all.first(static_cast<std::size_t>(old)), true);
    add(start + old,
        all.subspan(static_cast<std::size_t>(old), static_cast<std::size_t>(used - old)), old == 0);
  }
  return result;
}

void JournaledStorage::write_journal(Durability durability) {
  std::vector<std::byte> text(sizeof(JournalHeader));
  for (const auto& run : overwritten_) {
    const std::array<std::int64_t, 2> place = {run.offset,
                                               static_cast<std::int64_t>(run.bytes.size())};
    const auto head = bytes_of(place);
    text.insert(text.end(), head.begin(), head.end());
    text.insert(text.end(), run.bytes.begin(), run.bytes.end());
  }
  const auto payload = std::span<const std::byte>(text).subspan(sizeof(JournalHeader));
  const auto new_size = static_cast<std::uint64_t>(size_);
  const JournalHeader header{journal_magic, payload.size(), new_size,
                             journal_sum(new_size, payload)};
  std::memcpy(text.data(), &header, sizeof header);
  journal_.write_at(0, text);
  if (durability == Durability::power) journal_.sync();
}

void JournaledStorage::roll_back_growth() noexcept {
  try {
    journal_.truncate(0);
    file_.truncate(std::max(committed_size_, written_end_));
  } catch (const std::exception&) {
    // Nothing refers to bytes beyond the committed end.
  }
}

void JournaledStorage::prepare(Durability durability) {
  if (error_) std::rethrow_exception(error_);
  overwritten_.clear();
  try {
    for (auto& run : runs()) {
      if (run.offset >= committed_size_) {
        file_.write_at(run.offset, run.bytes);
      } else {
        overwritten_.push_back(std::move(run));
      }
    }
    const auto end = std::max(size_, committed_size_);
    if (end > committed_size_ || written_end_ > end) file_.truncate(end);
    if (durability == Durability::power) file_.sync();
    if (!overwritten_.empty()) write_journal(durability);
  } catch (const FileError&) {
    roll_back_growth();
    throw;
  }
}

void JournaledStorage::apply(Durability durability) {
  try {
    for (const auto& run : overwritten_) file_.write_at(run.offset, run.bytes);
    if (size_ < committed_size_) file_.truncate(size_);
    if (durability == Durability::power) file_.sync();
    journal_.truncate(0);
  } catch (const FileError&) {
    error_ =
        std::current_exception();  // the journal is complete: opening the file again repairs it
    throw;
  }
  overwritten_.clear();
  pages_.clear();
  committed_size_ = size_;
  written_end_ = 0;
  page_limit_ = first_page_limit_;
}

void JournaledStorage::remove_journal() {
  std::error_code ignored;
  std::filesystem::remove(journal_.path(), ignored);
}

}  // namespace nfold::storage
