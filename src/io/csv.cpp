// NAME.energies.csv: one row of numbers per report.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/csv.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace nfold::io {

namespace {

constexpr auto flush_interval = std::chrono::seconds(1);

std::string column_line(const std::vector<std::string>& columns) {
  return fmt::format("step,{}\n", fmt::join(columns, ","));
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

struct KeptRows {
  std::size_t length = 0;  // includes the line of column names and the comment
  std::int64_t rows = 0;
};

// Returns the rows up to and including last_step. A line without a line end is torn.
KeptRows kept_rows(std::string_view text, std::size_t header, std::int64_t last_step,
                   const std::filesystem::path& path) {
  KeptRows kept{header, 0};
  while (true) {
    const auto end = text.find('\n', kept.length);
    if (end == std::string_view::npos) return kept;
    const auto line = text.substr(kept.length, end - kept.length);
    if (line.starts_with('#')) {
      kept.length = end + 1;
      continue;
    }
    std::int64_t step = 0;
    const auto [rest, fault] = std::from_chars(line.data(), line.data() + line.size(), step);
    if (fault != std::errc() || rest == line.data() + line.size() || *rest != ',') {
      throw storage::FileError(
          fmt::format("{}: byte {}: expected a row that starts with a step, found '{}' "
                      "(remove the line, or start anew with --overwrite)",
                      path.string(), kept.length, line.substr(0, 40)));
    }
    if (step > last_step) return kept;
    kept = {end + 1, kept.rows + 1};
  }
}

}  // namespace

CsvWriter::CsvWriter(storage::PosixFile file, std::size_t columns, std::int64_t end,
                     std::int64_t rows)
    : file_(std::move(file)),
      columns_(columns),
      end_(end),
      rows_(rows),
      last_flush_(std::chrono::steady_clock::now()) {}

CsvWriter CsvWriter::create(const std::filesystem::path& path,
                            const std::vector<std::string>& columns, const std::string& comment) {
  CsvWriter writer(storage::PosixFile(path, storage::PosixFile::Mode::create), columns.size(), 0,
                   0);
  writer.pending_ = column_line(columns);
  if (!comment.empty()) writer.pending_ += "# " + comment + "\n";
  writer.flush();
  return writer;
}

CsvWriter CsvWriter::append(const std::filesystem::path& path,
                            const std::vector<std::string>& columns, std::int64_t last_step,
                            std::int64_t expected_rows) {
  storage::PosixFile file(path, storage::PosixFile::Mode::update);
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text.data(), text.size())));
  const auto header = column_line(columns);
  if (!text.starts_with(header)) {
    throw storage::FileError(fmt::format(
        "{}:1: the columns are '{}', this run writes '{}' (move the file away, or start anew with "
        "--overwrite)",
        path.string(), text.substr(0, text.find('\n')), header.substr(0, header.size() - 1)));
  }
  const auto kept = kept_rows(text, header.size(), last_step, path);
  if (expected_rows >= 0 && kept.rows != expected_rows) {
    throw storage::FileError(fmt::format(
        "{}: {} rows up to step {}, the checkpoint was written after {} (bring the file back, move "
        "it away to go on in a new one, or start anew with --overwrite)",
        path.string(), kept.rows, last_step, expected_rows));
  }
  const auto length = static_cast<std::int64_t>(kept.length);
  file.truncate(length);
  return {std::move(file), columns.size(), length, kept.rows};
}

void CsvWriter::write_row(std::int64_t step, std::span<const double> values) {
  if (values.size() != columns_) {
    throw std::invalid_argument(
        fmt::format("{} values for {} columns of a CSV file", values.size(), columns_));
  }
  pending_ += fmt::format("{},{}\n", step, fmt::join(values, ","));
  ++rows_;
  if (std::chrono::steady_clock::now() - last_flush_ >= flush_interval) flush();
}

void CsvWriter::flush() {
  if (!pending_.empty()) {
    file_.write_at(end_, bytes_of(pending_));
    end_ += static_cast<std::int64_t>(pending_.size());
    pending_.clear();
  }
  last_flush_ = std::chrono::steady_clock::now();
}

void CsvWriter::sync() {
  flush();
  file_.sync();
}

}  // namespace nfold::io
