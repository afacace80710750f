// Reading a checkpoint: one rank verifies and reads, all get the same contents or the same error.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <numeric>
#include <span>
#include <utility>

#include "io/checkpoint.hpp"
#include "io/checkpoint_layout.hpp"
#include "storage/byte_packer.hpp"
#include "storage/checksum.hpp"
#include "storage/hdf5_objects.hpp"

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

// The rows of /state/NAME as arrays of three.
template <class Row>
std::vector<Row> read_rows(hid_t state, const std::string& name, std::int64_t rows,
                           const std::string& what) {
  using Value = typename Row::value_type;
  const auto extent = extent_of(open_dataset(state, name, what), what);
  if (extent != std::vector<hsize_t>{static_cast<hsize_t>(rows), 3}) {
    throw FileError(fmt::format("{}: {} does not have {} rows of 3", what, name, rows));
  }
  std::vector<Row> values(static_cast<std::size_t>(rows));
  const auto dataset = open_dataset(state, name, what);
  check_hdf5(H5Dread(dataset, hdf5_type<Value>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
             what, "read " + name);
  expect_checksum(state, name, std::as_bytes(std::span(values)), what);
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
  header.residue_count = read_attribute<std::int64_t>(file, "residue_count", what);
  header.step = read_attribute<std::int64_t>(file, "step", what);
  header.seed = read_attribute<std::uint64_t>(file, "seed", what);
  header.topology_hash = read_attribute<std::uint64_t>(file, "topology_hash", what);
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

Checkpoint load(const fs::path& path) {
  const std::string what = path.string();
  PosixFile file(path, PosixFile::Mode::read);
  if (const auto fault = layout::fault_of(file); !fault.empty()) {
    throw FileError(what + ": " + fault);
  }
  DirectStorage storage(file, PosixFile::Mode::read);
  const auto hdf5 = open_hdf5(storage, what, Hdf5Access::read);
  Checkpoint checkpoint;
  checkpoint.header = read_header(hdf5, what);
  checkpoint.read_from = path;
  const auto rows = checkpoint.header.residue_count;
  const auto state = open_group(hdf5, "state", what);
  checkpoint.state.step = checkpoint.header.step;
  checkpoint.state.position = read_rows<system::FixedPosition>(state, "position", rows, what);
  checkpoint.state.velocity = read_rows<system::Velocity>(state, "velocity", rows, what);
  return checkpoint;
}

Checkpoint load_newest(const fs::path& path) {
  std::string faults;
  for (const auto& candidate : {path, previous_checkpoint_path(path)}) {
    try {
      auto checkpoint = load(candidate);
      if (!faults.empty()) {
        checkpoint.warning = fmt::format("{}; using {} of step {}", faults, candidate.string(),
                                         checkpoint.header.step);
      }
      return checkpoint;
    } catch (const std::exception& failure) {
      if (!faults.empty()) faults += "; ";
      faults += failure.what();
    }
  }
  throw FileError(
      faults +
      " (no checkpoint can be read: bring back a copy of one, or start anew by --overwrite or in "
      "another folder by --output)");
}

std::string pack(const Checkpoint& checkpoint) {
  BytePacker packer;
  const auto& header = checkpoint.header;
  packer.put(header.residue_count);
  packer.put(header.step);
  packer.put(header.seed);
  packer.put(header.topology_hash);
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
  packer.put_array(checkpoint.state.position);
  packer.put_array(checkpoint.state.velocity);
  packer.put_text(checkpoint.read_from.string());
  packer.put_text(checkpoint.warning);
  return packer.bytes();
}

Checkpoint unpack(const std::string& bytes) {
  ByteUnpacker unpacker(bytes);
  Checkpoint checkpoint;
  auto& header = checkpoint.header;
  header.residue_count = unpacker.get<std::int64_t>();
  header.step = unpacker.get<std::int64_t>();
  header.seed = unpacker.get<std::uint64_t>();
  header.topology_hash = unpacker.get<std::uint64_t>();
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
  auto& state = checkpoint.state;
  state.step = header.step;
  state.position = unpacker.get_array<system::FixedPosition>();
  state.velocity = unpacker.get_array<system::Velocity>();
  state.id.resize(state.position.size());
  std::iota(state.id.begin(), state.id.end(), 0);
  checkpoint.read_from = unpacker.get_text();
  checkpoint.warning = unpacker.get_text();
  return checkpoint;
}

}  // namespace

Checkpoint read_checkpoint(const comm::Communicator& communicator, const fs::path& path) {
  std::string packed, error;
  if (communicator.is_root()) {
    try {
      packed = pack(load_newest(path));
    } catch (const std::exception& failure) {
      error = failure.what();
    }
  }
  error = communicator.broadcast(error);
  if (!error.empty()) throw FileError(error);
  return unpack(communicator.broadcast(packed));
}

}  // namespace nfold::io
