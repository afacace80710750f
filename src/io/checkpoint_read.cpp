// Reader of checkpoints: one rank verifies the file, each reads a share, all fail together.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <numeric>
#include <span>
#include <utility>

#include "core/storage/byte_packer.hpp"
#include "core/storage/checksum.hpp"
#include "io/agreement.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_layout.hpp"
#include "io/checkpoint_rows.hpp"
#include "io/hdf5_files.hpp"

namespace nfold::io {

using namespace storage;

namespace {

namespace layout = checkpoint_layout;
namespace fs = std::filesystem;

void expect_checksum(hid_t parent, const std::string& name, std::span<const std::byte> bytes,
                     const std::string& what) {
  const auto dataset = open_dataset(parent, name, what);
  if (read_attribute<std::uint64_t>(dataset, "checksum", what) != checksum(bytes)) {
    throw FileError(
        fmt::format("{}: damaged: the checksum of {} does not fit its contents", what, name));
  }
}

/// Rows first .. end - 1, read by one rank.
struct Share {
  system::State state;
  std::array<std::uint64_t, 2> sums{};      // checksums of positions and velocities in this share
  std::array<std::uint64_t, 2> expected{};  // checksums of all rows, from the file
};

// Reads some rows of /state/NAME as arrays of three, with their checksum and the file's checksum of
// all rows.
template <class Row>
std::vector<Row> read_rows(hid_t state, const std::string& name, std::int64_t rows,
                           const system::State& wanted, const std::string& what, std::uint64_t& sum,
                           std::uint64_t& expected) {
  using Value = typename Row::value_type;
  const auto dataset = open_dataset(state, name, what);
  if (read_extent(dataset, what) != std::vector<hsize_t>{static_cast<hsize_t>(rows), 3}) {
    throw FileError(fmt::format("{}: {} does not have {} rows of 3", what, name, rows));
  }
  expected = read_attribute<std::uint64_t>(dataset, "checksum", what);
  std::vector<Row> values(wanted.id.size());
  if (values.empty()) return values;
  const std::int64_t first = wanted.id.front();
  transfer_rows(Transfer::read, dataset, hdf5_type<Value>(), first,
                static_cast<std::int64_t>(values.size()), values.data(), 3 * values.size(), what);
  sum = checksum(std::as_bytes(std::span(values)),
                 static_cast<std::uint64_t>(first) * layout::words_per_row);
  return values;
}

std::array<double, 3> read_box(hid_t file, const std::string& what) {
  const auto lengths = read_dataset<double>(file, "box_nm", what);
  expect_checksum(file, "box_nm", std::as_bytes(std::span(lengths)), what);
  if (lengths.size() != 3) throw FileError(what + ": box_nm does not hold three lengths");
  return {lengths[0], lengths[1], lengths[2]};
}

CheckpointHeader read_header(hid_t file, const std::string& what) {
  if (read_text_attribute(file, "format", what) != layout::format_name) {
    throw FileError(what + ": not an nfold checkpoint");
  }
  const auto version = read_attribute<std::int64_t>(file, "format_version", what);
  if (version != layout::format_version) {
    throw FileError(
        fmt::format("{}: format version {}, this nfold reads {} (use the nfold that "
                    "wrote it)",
                    what, version, layout::format_version));
  }
  CheckpointHeader header;
  layout::for_each_number(header, [&]<class Number>(const char* attribute, Number& number) {
    number = read_attribute<Number>(file, attribute, what);
  });
  if (read_attribute<std::uint64_t>(file, "header_checksum", what) !=
      layout::header_checksum(header)) {
    throw FileError(what + ": damaged: the checksum of the header does not fit it");
  }
  header.resolved_input = read_text(file, "input", what);
  const auto& input = header.resolved_input;
  expect_checksum(file, "input", std::as_bytes(std::span(input.data(), input.size())), what);
  if (has_link(file, "box_nm")) header.box_nm = read_box(file, what);
  const auto accumulators = open_group(file, "accumulators", what);
  for (const auto& name : link_names(accumulators, what)) {
    auto values = read_dataset<std::int64_t>(accumulators, name, what);
    expect_checksum(accumulators, name, std::as_bytes(std::span(values)), what);
    header.accumulators.emplace(name, std::move(values));
  }
  const auto provenance = open_group(file, "provenance", what);
  for (const auto& name : link_names(provenance, what)) {
    header.provenance.emplace(name, read_text(provenance, name, what));
  }
  return header;
}

/// Reads the header of a file whose seal is valid.
CheckpointHeader verified_header(const fs::path& path) {
  layout::require_complete(PosixFile(path, PosixFile::Mode::read));
  const Hdf5File file(path);
  return read_header(file.id, file.what);
}

Share read_share(const fs::path& path, const CheckpointHeader& header, std::int64_t first,
                 std::int64_t end) {
  const Hdf5File file(path);
  const auto group = open_group(file.id, "state", file.what);
  const auto rows = header.residue_count;
  Share share;
  auto& state = share.state;
  state.step = header.step;
  state.id.resize(static_cast<std::size_t>(end - first));
  std::iota(state.id.begin(), state.id.end(), static_cast<int>(first));
  state.position = read_rows<system::FixedPosition>(group, "position", rows, state, file.what,
                                                    share.sums[0], share.expected[0]);
  state.velocity = read_rows<system::Velocity>(group, "velocity", rows, state, file.what,
                                               share.sums[1], share.expected[1]);
  return share;
}

std::string pack(const CheckpointHeader& header) {
  BytePacker packer;
  layout::for_each_number(header,
                          [&](const char* /*attribute*/, auto number) { packer.put(number); });
  packer.put(header.box_nm);
  packer.put_text(header.resolved_input);
  packer.put<std::uint64_t>(header.accumulators.size());
  for (const auto& [name, values] : header.accumulators) {
    packer.put_text(name);
    packer.put_array(values);
  }
  packer.put<std::uint64_t>(header.provenance.size());
  for (const auto& [name, text] : header.provenance) {
    packer.put_text(name);
    packer.put_text(text);
  }
  return packer.bytes();
}

CheckpointHeader unpack(const std::string& bytes) {
  ByteUnpacker unpacker(bytes);
  CheckpointHeader header;
  layout::for_each_number(header, [&]<class Number>(const char* /*attribute*/, Number& number) {
    number = unpacker.get<Number>();
  });
  header.box_nm = unpacker.get<std::array<double, 3>>();
  header.resolved_input = unpacker.get_text();
  for (auto left = unpacker.get<std::uint64_t>(); left > 0; --left) {
    auto name = unpacker.get_text();
    header.accumulators.emplace(std::move(name), unpacker.get_array<std::int64_t>());
  }
  for (auto left = unpacker.get<std::uint64_t>(); left > 0; --left) {
    auto name = unpacker.get_text();
    header.provenance.emplace(std::move(name), unpacker.get_text());
  }
  return header;
}

/// Collective. A failure on one rank is thrown on all ranks.
Checkpoint load(const comm::Communicator& communicator, const fs::path& path, CheckpointRows rows) {
  Checkpoint checkpoint;
  checkpoint.read_from = path;
  std::string packed;
  run_all_or_none(communicator, [&] {
    if (communicator.is_root()) packed = pack(verified_header(path));
  });
  checkpoint.header = unpack(communicator.broadcast(packed));
  const auto& header = checkpoint.header;
  const checkpoint_rows::Layout blocks(header.residue_count, communicator.size(),
                                       header.residue_count);
  Share share;
  run_all_or_none(communicator, [&] {
    share = read_share(path, header, blocks.first_row(communicator.rank(), 0),
                       blocks.first_row(communicator.rank(), 1));
  });
  const auto sums = sum_over_ranks(communicator, share.sums);
  run_all_or_none(communicator, [&] {
    for (std::size_t column = 0; column < sums.size(); ++column) {
      if (sums[column] == share.expected[column]) continue;
      throw FileError(fmt::format("{}: damaged: the checksum of {} does not fit its contents",
                                  path.string(), column == 0 ? "position" : "velocity"));
    }
  });
  auto& state = checkpoint.state;
  state = std::move(share.state);
  if (rows == CheckpointRows::share || communicator.size() == 1) return checkpoint;
  state.id = communicator.all_gather(std::span<const int>(state.id));
  state.position = communicator.all_gather(std::span<const system::FixedPosition>(state.position));
  state.velocity = communicator.all_gather(std::span<const system::Velocity>(state.velocity));
  return checkpoint;
}

}  // namespace

Checkpoint read_checkpoint(const comm::Communicator& communicator, const fs::path& path,
                           CheckpointRows rows) {
  std::string faults;
  for (const auto& candidate : {path, previous_checkpoint_path(path)}) {
    try {
      auto checkpoint = load(communicator, candidate, rows);
      if (!faults.empty()) {
        checkpoint.warning = fmt::format("{}; using {} of step {}", faults, candidate.string(),
                                         checkpoint.header.step);
      }
      return checkpoint;
    } catch (const FileError& failure) {
      if (!faults.empty()) faults += "; ";
      faults += failure.what();
    }
  }
  throw FileError(faults +
                      " (no checkpoint can be read: bring back a copy of one, or start anew by "
                      "--overwrite or in "
                      "another folder by --output)",
                  core::Outcome::damage);
}

}  // namespace nfold::io
