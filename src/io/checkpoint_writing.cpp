// The stages of a checkpoint: take rows, sort them, write them, sum up, seal and rename.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_writing.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include "io/checkpoint_layout.hpp"
#include "storage/agreement.hpp"
#include "storage/atomic_file.hpp"
#include "storage/checksum.hpp"

namespace nfold::io {

using namespace storage;

namespace {

namespace layout = checkpoint_layout;
namespace metadata = checkpoint_metadata;
namespace rows = checkpoint_rows;
namespace fs = std::filesystem;

constexpr std::int64_t row_bytes = sizeof(system::FixedPosition);
static_assert(sizeof(system::Velocity) == row_bytes);

// PATH becomes the previous one, unless it is damaged: then the previous one is worth more. With a
// hard link PATH is there at every moment; without, a kill between the renames leaves the previous
// name, which the reader takes.
void rotate(const fs::path& temporary, const fs::path& path) {
  if (fs::exists(path) && layout::fault_of(PosixFile(path, PosixFile::Mode::read)).empty()) {
    auto linked = path;
    linked += ".link";
    std::error_code ignored;
    fs::remove(linked, ignored);
    const bool has_link = ::link(path.c_str(), linked.c_str()) == 0;
    fs::rename(has_link ? linked : path, previous_checkpoint_path(path));
  }
  rename_durably(temporary, path);
}

/// Element-wise over all ranks, modulo 2^64.
template <std::size_t n>
std::array<std::uint64_t, n> sum(const comm::Communicator& communicator,
                                 const std::array<std::uint64_t, n>& mine) {
  std::array<std::int64_t, n> sums{};
  for (std::size_t k = 0; k < n; ++k) sums[k] = static_cast<std::int64_t>(mine[k]);
  communicator.sum(std::span<std::int64_t>(sums));
  std::array<std::uint64_t, n> all{};
  for (std::size_t k = 0; k < n; ++k) all[k] = static_cast<std::uint64_t>(sums[k]);
  return all;
}

}  // namespace

const CheckpointWriting::Stage CheckpointWriting::stages[] = {
    {&CheckpointWriting::take_rows, &CheckpointWriting::exchange_rows},
    {&CheckpointWriting::sort_rows, &CheckpointWriting::lay_out},
    {&CheckpointWriting::write_rows, &CheckpointWriting::meet},
    {&CheckpointWriting::sum_contents, &CheckpointWriting::agree_on_sum},
    {&CheckpointWriting::seal_and_rename, &CheckpointWriting::meet}};

CheckpointWriting::CheckpointWriting(const comm::Communicator& communicator, fs::path path,
                                     CheckpointHeader header, std::function<system::State()> fetch)
    : communicator_(communicator),
      path_(std::move(path)),
      temporary_(path_),
      header_(std::move(header)),
      fetch_(std::move(fetch)) {
  temporary_ += ".tmp";
  begin_stage();
}

CheckpointWriting::~CheckpointWriting() {
  if (alone_.valid()) alone_.wait();
  if (!is_done_) give_up();
}

/// Where the system grants no thread, go_on() does it.
void CheckpointWriting::begin_stage() {
  alone_ = std::async(std::launch::async | std::launch::deferred, [this] {
    const auto began_at = std::chrono::steady_clock::now();
    (this->*stages[stage_].alone)();
    busy_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_at).count();
  });
}

bool CheckpointWriting::is_ready() const {
  return !alone_.valid() || alone_.wait_for(std::chrono::seconds(0)) != std::future_status::timeout;
}

bool CheckpointWriting::go_on() {
  if (is_done_) return true;
  try {
    all_or_none(communicator_, [this] { alone_.get(); });
    (this->*stages[stage_].together)();
  } catch (const FileError&) {
    give_up();
    throw;
  }
  is_done_ = ++stage_ == std::size(stages);
  if (!is_done_) begin_stage();
  return is_done_;
}

void CheckpointWriting::give_up() noexcept {
  file_.reset();
  if (!communicator_.is_root()) return;
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

// --- The stages: alone and together.

void CheckpointWriting::take_rows() {
  mine_ = std::exchange(fetch_, nullptr)();
  rows::require_rows(mine_, header_.residue_count);
  if (communicator_.size() > 1) {
    room_ = rows::room_for_block(header_.residue_count, communicator_.rank(), communicator_.size());
  }
  if (!communicator_.is_root()) return;
  file_.emplace(temporary_, PosixFile::Mode::create);
  file_->reserve(metadata::space_needed(header_));
}

void CheckpointWriting::exchange_rows() {
  mine_ = rows::exchange(communicator_, header_.residue_count, std::exchange(mine_, {}),
                         std::exchange(room_, {}));
}

void CheckpointWriting::sort_rows() {
  const int rank = communicator_.rank(), ranks = communicator_.size();
  const auto first = rows::first_row(header_.residue_count, rank, ranks);
  const auto count = rows::first_row(header_.residue_count, rank + 1, ranks) - first;
  block_ = rows::in_order(std::exchange(mine_, {}), first, count);
  const auto place = static_cast<std::uint64_t>(first) * layout::words_per_row;
  sums_ = {checksum(std::as_bytes(std::span(block_.position)), place),
           checksum(std::as_bytes(std::span(block_.velocity)), place)};
}

void CheckpointWriting::lay_out() {
  const auto [position, velocity] = sum<2>(communicator_, {sums_.position, sums_.velocity});
  all_or_none(communicator_, [&] {
    if (communicator_.is_root())
      offsets_ = metadata::lay_out(*file_, header_, {position, velocity});
  });
  const auto all = communicator_.all_gather(std::span<const metadata::RowOffsets>(&offsets_, 1));
  offsets_ = all.front();
}

void CheckpointWriting::write_rows() {
  if (!file_ && !block_.position.empty()) file_.emplace(temporary_, PosixFile::Mode::update);
  if (!file_) return;
  const auto write = [this](std::int64_t offset, const auto& values) {
    file_->write_at(offset + block_.first * row_bytes, std::as_bytes(std::span(values)));
  };
  write(offsets_.position, block_.position);
  write(offsets_.velocity, block_.velocity);
  file_->sync();
  file_.reset();  // closed, so that other nodes see it whole
  block_ = {};
}

// What all have written, by all: each reads what others wrote.
void CheckpointWriting::sum_contents() {
  const PosixFile file(temporary_, PosixFile::Mode::read);
  bytes_ = file.size();
  contents_ = layout::contents_checksum(file, bytes_, communicator_.rank(), communicator_.size());
}

void CheckpointWriting::agree_on_sum() { contents_ = sum<1>(communicator_, {contents_})[0]; }

void CheckpointWriting::seal_and_rename() {
  if (!communicator_.is_root()) return;
  {
    PosixFile file(temporary_, PosixFile::Mode::update);
    layout::write_seal(file, layout::make_seal(bytes_, contents_));
    file.sync();
  }
  rotate(temporary_, path_);
}

void write_checkpoint(const comm::Communicator& communicator, const fs::path& path,
                      const CheckpointHeader& header, system::State mine) {
  CheckpointWriting writing(communicator, path, header,
                            [&mine] { return std::exchange(mine, {}); });
  writing.finish();
}

}  // namespace nfold::io
