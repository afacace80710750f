// Stages of writing a checkpoint: take rows, write pieces, sum, seal and rename.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include "core/storage/atomic_file.hpp"
#include "core/storage/checksum.hpp"
#include "io/agreement.hpp"
#include "io/checkpoint_layout.hpp"

namespace nfold::io {

using namespace storage;

namespace {

namespace layout = checkpoint_layout;
namespace metadata = checkpoint_metadata;
namespace rows = checkpoint_rows;
namespace fs = std::filesystem;

constexpr std::size_t write_stage = 1;  // repeated for each piece
constexpr std::int64_t position_bytes = sizeof(system::FixedPosition);
static_assert(sizeof(system::Velocity) == position_bytes);

// Renames PATH to the previous name, unless PATH is damaged and the previous checkpoint worth more.
// A hard link keeps PATH present at every moment. Without hard links, a kill between the renames
// leaves only the previous name, which the reader accepts.
void rotate(const fs::path& temporary, const fs::path& path) {
  if (fs::exists(path) && layout::describe_fault(PosixFile(path, PosixFile::Mode::read)).empty()) {
    auto linked = path;
    linked += ".link";
    std::error_code ignored;
    fs::remove(linked, ignored);
    const bool has_link = ::link(path.c_str(), linked.c_str()) == 0;
    fs::rename(has_link ? linked : path, previous_checkpoint_path(path));
    // Rename does nothing if a kill left PATH and the previous name as links to one file.
    fs::remove(linked, ignored);
  }
  rename_durably(temporary, path);
}

/// Returns the checksums of rows with arbitrary ids, summed over runs of consecutive ids.
metadata::RowChecksums row_checksums(const system::State& mine) {
  metadata::RowChecksums sums;
  const auto add = [](std::uint64_t& to, const auto& column, std::size_t first, std::size_t end,
                      int id) {
    to += checksum(std::as_bytes(std::span(column).subspan(first, end - first)),
                   static_cast<std::uint64_t>(id) * layout::words_per_row);
  };
  for (std::size_t first = 0; first < mine.id.size();) {
    std::size_t end = first + 1;
    while (end < mine.id.size() && mine.id[end] == mine.id[end - 1] + 1) ++end;
    add(sums.position, mine.position, first, end, mine.id[first]);
    add(sums.velocity, mine.velocity, first, end, mine.id[first]);
    first = end;
  }
  return sums;
}

}  // namespace

const CheckpointWriter::Stage CheckpointWriter::stages[] = {
    {&CheckpointWriter::take_rows, &CheckpointWriter::lay_out},
    {&CheckpointWriter::write_piece, &CheckpointWriter::exchange_next_piece},
    {&CheckpointWriter::sum_contents, &CheckpointWriter::agree_on_sum},
    {&CheckpointWriter::seal_and_rename, &CheckpointWriter::no_op}};

CheckpointWriter::CheckpointWriter(const comm::Communicator& communicator, fs::path path,
                                   CheckpointHeader header,
                                   std::function<system::StateSource()> fetch,
                                   std::int64_t piece_rows)
    : communicator_(communicator),
      path_(std::move(path)),
      temporary_(path_),
      header_(std::move(header)),
      fetch_(std::move(fetch)),
      layout_(header_.residue_count, communicator.size(), piece_rows) {
  temporary_ += ".tmp";
  begin_stage();
}

CheckpointWriter::~CheckpointWriter() {
  if (local_half_.valid()) local_half_.wait();
  if (!is_done_) give_up();
}

/// Starts the first half of a stage. If the system grants no thread, advance() runs it.
void CheckpointWriter::begin_stage() {
  local_half_ = std::async(std::launch::async | std::launch::deferred, [this] {
    const auto began_at = std::chrono::steady_clock::now();
    (this->*stages[stage_].local_half)();
    busy_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_at).count();
  });
}

bool CheckpointWriter::is_ready() const {
  return !local_half_.valid() ||
         local_half_.wait_for(std::chrono::seconds(0)) != std::future_status::timeout;
}

bool CheckpointWriter::advance() {
  if (is_done_) return true;
  try {
    run_all_or_none(communicator_, [this] { local_half_.get(); });
    (this->*stages[stage_].collective_half)();
  } catch (const FileError&) {
    give_up();
    throw;
  }
  const bool has_more_pieces = stage_ == write_stage && ++piece_ < layout_.pieces();
  if (!has_more_pieces) ++stage_;
  is_done_ = stage_ == std::size(stages);
  if (!is_done_) begin_stage();
  return is_done_;
}

void CheckpointWriter::give_up() noexcept {
  file_.reset();
  if (!communicator_.is_root()) return;
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

// --- Stages: first halves (alone) and second halves (together).

void CheckpointWriter::take_rows() {
  mine_ = std::exchange(fetch_, nullptr)();
  rows::require_rows(mine_.id, header_.residue_count);
  sum_rows();
  read_piece(0);
  if (!communicator_.is_root()) return;
  file_.emplace(temporary_, PosixFile::Mode::create);
  file_->reserve(metadata::space_needed(header_));
}

/// Sums the checksums of this rank's rows, for which all are read once, because the layout contains
/// them.
void CheckpointWriter::sum_rows() {
  for (std::size_t first = 0; first < mine_.id.size();) {
    const auto end = std::min(first + static_cast<std::size_t>(rows::piece_rows), mine_.id.size());
    system::State some;
    mine_.append_to(some, first, end);
    const auto sums = row_checksums(some);
    sums_.position += sums.position;
    sums_.velocity += sums.velocity;
    first = end;
  }
}

/// Reads the rows of a piece that any rank is to write, and allocates the buffer for the rows
/// received.
void CheckpointWriter::read_piece(int piece) {
  leaving_ = rows::select_rows(mine_, layout_, piece, communicator_.size());
  if (piece + 1 == layout_.pieces()) mine_ = {};
  if (communicator_.size() == 1) return;
  rows_ = rows::make_row_buffer(layout_.row_count(communicator_.rank(), piece));
}

void CheckpointWriter::lay_out() {
  const auto [position, velocity] =
      sum_over_ranks<2>(communicator_, {sums_.position, sums_.velocity});
  run_all_or_none(communicator_, [&] {
    if (communicator_.is_root())
      offsets_ = metadata::lay_out(*file_, header_, {position, velocity});
  });
  const auto all = communicator_.all_gather(std::span<const metadata::RowOffsets>(&offsets_, 1));
  offsets_ = all.front();
  exchange_piece(0);
}

void CheckpointWriter::write_piece() {
  const int rank = communicator_.rank();
  const bool is_last = piece_ + 1 == layout_.pieces();
  {
    const auto block = rows::sort_rows(std::exchange(rows_, {}), layout_.first_row(rank, piece_),
                                       layout_.row_count(rank, piece_));
    if (!file_ && !block.position.empty()) file_.emplace(temporary_, PosixFile::Mode::update);
    const auto write = [&](std::int64_t offset, const auto& values) {
      if (values.empty()) return;
      file_->write_at(offset + block.first * position_bytes, std::as_bytes(std::span(values)));
    };
    write(offsets_.position, block.position);
    write(offsets_.velocity, block.velocity);
  }
  if (!is_last) {
    read_piece(piece_ + 1);
  } else if (file_) {
    file_->sync();
    file_.reset();  // closed, so that other nodes see its whole content
  }
}

void CheckpointWriter::exchange_next_piece() {
  if (piece_ + 1 < layout_.pieces()) exchange_piece(piece_ + 1);
}

void CheckpointWriter::exchange_piece(int piece) {
  if (communicator_.size() == 1) {
    rows_ = std::exchange(leaving_, {});
  } else {
    rows_ = rows::exchange(communicator_, layout_, piece, leaving_, std::exchange(rows_, {}));
    leaving_ = {};
  }
}

// Computes the checksum of this rank's share of the file, including parts that other ranks wrote.
void CheckpointWriter::sum_contents() {
  const PosixFile file(temporary_, PosixFile::Mode::read);
  bytes_ = file.size();
  contents_ = layout::contents_checksum(file, bytes_, communicator_.rank(), communicator_.size());
}

void CheckpointWriter::agree_on_sum() {
  contents_ = sum_over_ranks<1>(communicator_, {contents_})[0];
}

void CheckpointWriter::seal_and_rename() {
  if (!communicator_.is_root()) return;
  {
    PosixFile file(temporary_, PosixFile::Mode::update);
    layout::write_seal(file, layout::make_seal(bytes_, contents_));
    file.sync();
  }
  rotate(temporary_, path_);
}

}  // namespace nfold::io
