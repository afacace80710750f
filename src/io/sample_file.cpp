// Rows of samples: appended, cut at a resume, read back.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/sample_file.hpp"

#include <array>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

namespace nfold::io {
namespace {

constexpr std::array<char, 16> magic{"nfold-samples-2"};
constexpr std::int64_t header_size = 24;

static_assert(sizeof(ReplicaSample) == 32);

std::array<char, header_size> header_of(std::int64_t replicas) {
  std::array<char, header_size> header{};
  std::memcpy(header.data(), magic.data(), magic.size());
  std::memcpy(header.data() + magic.size(), &replicas, sizeof(replicas));
  return header;
}

}  // namespace

SampleFile::SampleFile(const std::filesystem::path& path, std::int64_t replicas, std::int64_t rows)
    : file_(path, rows > 0 ? PosixFile::Mode::update : PosixFile::Mode::create),
      replicas_(replicas),
      rows_(rows) {
  const auto header = header_of(replicas);
  if (rows == 0) {
    file_.write_at(0, std::as_bytes(std::span(header)));
    return;
  }
  std::array<char, header_size> found{};
  const auto read = file_.read_at(0, std::as_writable_bytes(std::span(found)));
  if (read != found.size() || found != header) {
    throw FileError(path.string() + ": not the samples of " + std::to_string(replicas) +
                    " replicas; bring the file back, or start anew by --overwrite");
  }
  if (file_.size() < place(rows)) {
    throw FileError(path.string() + ": has fewer than the " + std::to_string(rows) +
                    " samples that the checkpoint counts; bring the file back, or start anew by "
                    "--overwrite");
  }
  file_.truncate(place(rows));
}

std::int64_t SampleFile::bytes(std::int64_t rows, std::int64_t replicas) {
  return rows * (8 + replicas * static_cast<std::int64_t>(sizeof(ReplicaSample)));
}

std::int64_t SampleFile::place(std::int64_t row) const {
  return header_size + bytes(row, replicas_);
}

void SampleFile::append(const SampleRow& row) {
  if (static_cast<std::int64_t>(row.replica.size()) != replicas_) {
    throw std::invalid_argument("a sample of another number of replicas");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(place(1) - place(0)));
  std::memcpy(bytes.data(), &row.step, sizeof(row.step));
  std::memcpy(bytes.data() + sizeof(row.step), row.replica.data(),
              row.replica.size() * sizeof(ReplicaSample));
  file_.write_at(place(rows_), bytes);
  ++rows_;
}

SampleRow SampleFile::row(std::int64_t index) const {
  if (index < 0 || index >= rows_) throw std::out_of_range("there is no such sample");
  std::vector<std::byte> bytes(static_cast<std::size_t>(place(1) - place(0)));
  file_.read_at(place(index), bytes);
  SampleRow row;
  row.replica.resize(static_cast<std::size_t>(replicas_));
  std::memcpy(&row.step, bytes.data(), sizeof(row.step));
  std::memcpy(row.replica.data(), bytes.data() + sizeof(row.step),
              row.replica.size() * sizeof(ReplicaSample));
  return row;
}

}  // namespace nfold::io
