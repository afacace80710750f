// Rows of samples: appended, truncated at a resume, read back.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/sample_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

#include "core/storage/checksum.hpp"

namespace nfold::io {
namespace {

constexpr std::array<char, 16> magic{"nfold-samples-4"};
constexpr std::int64_t header_size = 40;

static_assert(sizeof(ReplicaSample) == 32 && sizeof(SampleFile::Extent) == 24);

std::array<char, header_size> make_header(const SampleFile::Extent& extent) {
  std::array<char, header_size> header{};
  std::memcpy(header.data(), magic.data(), magic.size());
  std::memcpy(header.data() + magic.size(), &extent, sizeof(extent));
  return header;
}

/// Returns the checksum of all words of a row except the last.
std::uint64_t row_checksum(std::span<const std::byte> row, std::int64_t index) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  return storage::checksum(row.first(row.size() - word),
                           static_cast<std::uint64_t>(index) * (row.size() / word));
}

/// Visits the blocks of a row in the order of the file, with each one's length.
template <class Row, class Visit>
void for_each_block(Row& row, const SampleFile::Extent& extent, const Visit& visit) {
  visit(row.replica, extent.replicas);
  visit(row.quantities, extent.replicas * extent.columns);
  visit(row.screened, extent.replicas * extent.screenings);
}

}  // namespace

SampleFile::SampleFile(const std::filesystem::path& path, const Extent& extent, std::int64_t rows)
    : file_(path, rows > 0 ? storage::PosixFile::Mode::update : storage::PosixFile::Mode::create),
      extent_(extent),
      rows_(rows) {
  const auto header = make_header(extent);
  if (rows == 0) {
    file_.write_at(0, std::as_bytes(std::span(header)));
    return;
  }
  std::array<char, header_size> found{};
  const auto read = file_.read_at(0, std::as_writable_bytes(std::span(found)));
  if (read != found.size() || found != header) {
    throw storage::FileError(
        fmt::format("{}: not the samples of {} replicas by its header, which has to begin with {}; "
                    "bring the file back, or start anew by --overwrite",
                    path.string(), extent.replicas, magic.data()));
  }
  if (file_.size() < offset(rows)) {
    throw storage::FileError(
        fmt::format("{}: has fewer than the {} samples that the checkpoint counts; bring the file "
                    "back, or start anew by --overwrite",
                    path.string(), rows));
  }
  for (std::int64_t index = 0; index < rows; ++index) (void)bytes_of_row(index);
  file_.truncate(offset(rows));
}

std::int64_t SampleFile::bytes(std::int64_t rows, const Extent& extent) {
  const auto of_replica =
      static_cast<std::int64_t>(sizeof(ReplicaSample)) + 8 * (extent.screenings + extent.columns);
  constexpr std::int64_t step_and_checksum = 16;
  return rows * (step_and_checksum + extent.replicas * of_replica);
}

std::int64_t SampleFile::offset(std::int64_t row) const {
  return header_size + bytes(row, extent_);
}

storage::FileError SampleFile::damaged(std::int64_t index, const std::string& how) const {
  return storage::FileError(
      fmt::format("{}: sample {} {}; the file is damaged: bring it back, or start anew by "
                  "--overwrite",
                  file_.path().string(), index, how));
}

std::vector<std::byte> SampleFile::bytes_of_row(std::int64_t index) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(offset(1) - offset(0)));
  if (file_.read_at(offset(index), bytes) != bytes.size()) {
    throw damaged(index, "ends before its last byte");
  }
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof(sum), sizeof(sum));
  if (sum != row_checksum(bytes, index)) throw damaged(index, "does not match its checksum");
  return bytes;
}

void SampleFile::append(const SampleRow& row) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(offset(1) - offset(0)));
  auto* to = bytes.data();
  const auto put = [&to](std::span<const std::byte> from) {
    to = std::copy(from.begin(), from.end(), to);
  };
  put(std::as_bytes(std::span(&row.step, 1)));
  for_each_block(row, extent_, [&](const auto& block, std::int64_t length) {
    if (static_cast<std::int64_t>(block.size()) != length) {
      throw std::invalid_argument("a sample of another number of replicas, screenings or columns");
    }
    put(std::as_bytes(std::span(block)));
  });
  const auto sum = row_checksum(bytes, rows_);
  put(std::as_bytes(std::span(&sum, 1)));
  file_.write_at(offset(rows_), bytes);
  ++rows_;
}

SampleRow SampleFile::row(std::int64_t index) const {
  if (index < 0 || index >= rows_) throw std::out_of_range("there is no such sample");
  const auto bytes = bytes_of_row(index);
  SampleRow row;
  const auto* from = bytes.data();
  const auto take = [&from](std::span<std::byte> to) {
    std::copy_n(from, to.size(), to.begin());
    from += to.size();
  };
  take(std::as_writable_bytes(std::span(&row.step, 1)));
  for_each_block(row, extent_, [&](auto& block, std::int64_t length) {
    block.resize(static_cast<std::size_t>(length));
    take(std::as_writable_bytes(std::span(block)));
  });
  return row;
}

}  // namespace nfold::io
