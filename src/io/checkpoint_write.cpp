// Writing a checkpoint: reserve, lay out, write rows collectively, seal, rename.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/mpi_handle.hpp"
#include "comm/waiting.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_layout.hpp"
#include "storage/agreement.hpp"
#include "storage/atomic_file.hpp"
#include "storage/checksum.hpp"
#include "storage/hdf5_objects.hpp"
#include "system/box.hpp"

namespace nfold::io {

using namespace storage;

namespace {

namespace layout = checkpoint_layout;
namespace fs = std::filesystem;

// Consecutive global ids: what one rank writes, however the residues are owned. Contiguous rows
// are one request to the file system, random ones would be thousands.
struct Block {
  std::int64_t first = 0;
  std::vector<system::FixedPosition> position;
  std::vector<system::Velocity> velocity;
};

struct Row {
  std::int64_t id;
  system::FixedPosition position;
  system::Velocity velocity;
};

std::int64_t block_start(std::int64_t rows, int rank, int ranks) {
  return rows / ranks * rank + std::min<std::int64_t>(rank, rows % ranks);
}

int block_of(std::int64_t rows, std::int64_t id, int ranks) {
  const auto base = rows / ranks, longer = rows % ranks;
  const auto long_rows = longer * (base + 1);
  return static_cast<int>(id < long_rows ? id / (base + 1) : longer + (id - long_rows) / base);
}

std::vector<std::vector<Row>> rows_by_block(const CheckpointHeader& header,
                                            const system::State& mine, int ranks) {
  if (mine.position.size() != mine.id.size() || mine.velocity.size() != mine.id.size()) {
    throw FileError(fmt::format("checkpoint: {} ids, {} positions and {} velocities on one rank",
                                mine.id.size(), mine.position.size(), mine.velocity.size()));
  }
  std::vector<std::vector<Row>> send(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < mine.id.size(); ++i) {
    const std::int64_t id = mine.id[i];
    if (id < 0 || id >= header.residue_count) {
      throw FileError(
          fmt::format("checkpoint: residue id {} of {} residues", id, header.residue_count));
    }
    send[static_cast<std::size_t>(block_of(header.residue_count, id, ranks))].push_back(
        {id, mine.position[i], mine.velocity[i]});
  }
  return send;
}

Block place_rows(const std::vector<std::vector<Row>>& received, std::int64_t first,
                 std::int64_t count) {
  Block block{first, {}, {}};
  block.position.resize(static_cast<std::size_t>(count));
  block.velocity.resize(static_cast<std::size_t>(count));
  std::vector<char> seen(static_cast<std::size_t>(count), 0);
  for (const auto& part : received) {
    for (const auto& row : part) {
      const auto at = static_cast<std::size_t>(row.id - first);
      if (seen[at] != 0) {
        throw FileError(fmt::format("checkpoint: residue id {} came from two ranks", row.id));
      }
      seen[at] = 1;
      block.position[at] = row.position;
      block.velocity[at] = row.velocity;
    }
  }
  const auto missing = std::ranges::find(seen, char{0});
  if (missing != seen.end()) {
    throw FileError(fmt::format("checkpoint: residue id {} came from no rank",
                                first + (missing - seen.begin())));
  }
  return block;
}

Block redistribute(const comm::Communicator& communicator, const CheckpointHeader& header,
                   const system::State& mine) {
  const int ranks = communicator.size(), rank = communicator.rank();
  std::vector<std::vector<Row>> send;
  all_or_none(communicator, [&] { send = rows_by_block(header, mine, ranks); });
  const auto received = communicator.all_to_all(send);
  Block block;
  all_or_none(communicator, [&] {
    const auto first = block_start(header.residue_count, rank, ranks);
    block = place_rows(received, first, block_start(header.residue_count, rank + 1, ranks) - first);
  });
  return block;
}

struct RowChecksums {
  std::uint64_t position = 0, velocity = 0;
};

RowChecksums row_checksums(const comm::Communicator& communicator, const Block& block) {
  const auto place = static_cast<std::uint64_t>(block.first) * layout::words_per_row;
  std::array<std::int64_t, 2> sums = {
      static_cast<std::int64_t>(checksum(std::as_bytes(std::span(block.position)), place)),
      static_cast<std::int64_t>(checksum(std::as_bytes(std::span(block.velocity)), place))};
  communicator.sum(std::span<std::int64_t>(sums));
  return {static_cast<std::uint64_t>(sums[0]), static_cast<std::uint64_t>(sums[1])};
}

// More than the file will need: rows, texts, sums, and HDF5's own structure.
std::int64_t space_needed(const CheckpointHeader& header) {
  constexpr std::int64_t fixed = std::int64_t{64} * 1024, per_object = 1024;
  constexpr std::int64_t row_bytes = sizeof(system::FixedPosition) + sizeof(system::Velocity);
  std::int64_t bytes = fixed + header.residue_count * row_bytes +
                       static_cast<std::int64_t>(header.resolved_input.size());
  for (const auto& [name, values] : header.accumulators) {
    bytes += per_object + static_cast<std::int64_t>(name.size() + values.size() * 8);
  }
  for (const auto& [name, text] : header.provenance) {
    bytes += per_object + static_cast<std::int64_t>(name.size() + text.size());
  }
  return bytes;
}

// What a reader without nfold needs to know of a dataset.
void describe(hid_t dataset, const char* unit, const std::string& text, const std::string& what) {
  if (*unit != '\0') write_text_attribute(dataset, "unit", unit, what);
  write_text_attribute(dataset, "description", text, what);
}

void write_header(hid_t file, const CheckpointHeader& header, const std::string& what) {
  write_text_attribute(file, "format", layout::format_name, what);
  write_attribute(file, "format_version", layout::format_version, what);
  write_attribute(file, "residue_count", header.residue_count, what);
  write_attribute(file, "step", header.step, what);
  write_attribute(file, "seed", header.seed, what);
  write_attribute(file, "topology_hash", header.topology_hash, what);
  write_attribute(file, "header_checksum", layout::header_checksum(header), what);
  const auto input = write_text(file, "input", header.resolved_input, what);
  const auto& text = header.resolved_input;
  write_attribute(input, "checksum", checksum(std::as_bytes(std::span(text.data(), text.size()))),
                  what);
  describe(input, "", "the input with every default, as YAML; what is layout stands in provenance",
           what);
}

Hdf5Id lay_out_rows(hid_t group, const char* name, hid_t type, std::int64_t rows, std::uint64_t sum,
                    const std::string& what) {
  const hsize_t extent[] = {static_cast<hsize_t>(rows), 3};
  auto dataset = make_dataset(group, name, type, extent, nullptr, what);
  write_attribute(dataset, "checksum", sum, what);
  return dataset;
}

void lay_out_state(hid_t group, const CheckpointHeader& header, const RowChecksums& sums,
                   const std::string& what) {
  const auto rows = header.residue_count;
  const auto position =
      lay_out_rows(group, "position", H5T_NATIVE_INT64, rows, sums.position, what);
  describe(position, "count",
           "(residues, 3) unwrapped position; times nm_per_count of its axis it is in nm", what);
  const system::Box box{header.box_nm};
  const std::array<double, 3> scale{box.nm_per_count(0), box.nm_per_count(1), box.nm_per_count(2)};
  const hsize_t three[] = {3};
  write_raw_attribute(position, "nm_per_count", H5T_NATIVE_DOUBLE, three, scale.data(), what);
  describe(lay_out_rows(group, "velocity", H5T_NATIVE_DOUBLE, rows, sums.velocity, what), "nm ps-1",
           "(residues, 3) velocity at the step of the positions", what);
}

// Everything but the rows, by one rank: the same bytes for any rank count.
void lay_out(PosixFile& file, const CheckpointHeader& header, const RowChecksums& sums) {
  const std::string what = file.path().string();
  DirectStorage storage(file, PosixFile::Mode::create);
  {
    const auto hdf5 = create_hdf5(storage, what, layout::seal_bytes);
    write_header(hdf5, header, what);
    const std::span<const double> box(header.box_nm);
    const auto lengths = write_dataset(hdf5, "box_nm", box, what);
    write_attribute(lengths, "checksum", checksum(std::as_bytes(box)), what);
    describe(lengths, "nm", "(3) lengths of the periodic box; 0: open along that axis", what);
    lay_out_state(make_group(hdf5, "state", what), header, sums, what);
    const auto accumulators = make_group(hdf5, "accumulators", what);
    for (const auto& [name, values] : header.accumulators) {
      const auto dataset =
          write_dataset(accumulators, name, std::span<const std::int64_t>(values), what);
      write_attribute(dataset, "checksum", checksum(std::as_bytes(std::span(values))), what);
      describe(dataset, "", "exact sums of this name, as words that nfold alone reads", what);
    }
    const auto provenance = make_group(hdf5, "provenance", what);
    for (const auto& [name, text] : header.provenance) write_text(provenance, name, text, what);
  }
  storage.check();
  file.truncate(storage.size());  // gives back what space_needed() overrated
  file.reserve(storage.size());
}

// This rank's rows, through parallel HDF5 (on one rank plainly). Collective; each step that may
// fail is agreed upon, because HDF5's collective calls may fail on some ranks only.
class RowWriter {
 public:
  RowWriter(const comm::Communicator& communicator, const fs::path& path)
      : communicator_(communicator), what_(path.string()) {
    const comm::Waiting waiting("an opening of a file on all ranks");
    all_or_none(communicator_, [&] { plain_.emplace(path, PosixFile::Mode::update); });
    all_or_none(communicator_, [&] {
      if (communicator_.size() == 1) {
        storage_ = std::make_unique<DirectStorage>(*plain_, PosixFile::Mode::update);
        file_ = open_hdf5(*storage_, what_, Hdf5Access::update);
        return;
      }
      silence_hdf5();
      const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), what_, "make file access settings");
      check_hdf5(H5Pset_fapl_mpio(access, comm::mpi_comm(communicator_), MPI_INFO_NULL), what_,
                 "choose parallel access");
      file_ = {H5Fopen(what_.c_str(), H5F_ACC_RDWR, access), what_, "open the file on all ranks"};
    });
  }

  void write(const char* name, hid_t type, std::int64_t first, std::size_t count,
             const void* values) {
    const comm::Waiting waiting("a collective write");
    Hdf5Id dataset, in_file, in_memory, transfer;
    all_or_none(communicator_, [&] {
      const hsize_t start[] = {static_cast<hsize_t>(first), 0};
      const hsize_t extent[] = {count, 3};
      dataset = open_dataset(file_, name, what_);
      in_file = {H5Dget_space(dataset), what_, "inspect a dataset"};
      in_memory = {H5Screate_simple(2, extent, nullptr), what_, "make a dataspace"};
      transfer = {H5Pcreate(H5P_DATASET_XFER), what_, "make transfer settings"};
      if (count == 0) {
        check_hdf5(H5Sselect_none(in_file), what_, "select no rows");
        check_hdf5(H5Sselect_none(in_memory), what_, "select no rows");
      } else {
        check_hdf5(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, nullptr, extent, nullptr),
                   what_, "select rows");
      }
      if (communicator_.size() > 1) {
        check_hdf5(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE), what_, "write collectively");
      }
    });
    all_or_none(communicator_, [&] {
      check_hdf5(H5Dwrite(dataset, type, in_memory, in_file, transfer, values), what_,
                 "write rows");
    });
  }

  /// On several ranks the flush is an MPI_File_sync: every rank's part comes to the disk.
  void close() {
    const comm::Waiting waiting("a collective write to the disk");
    all_or_none(communicator_, [&] {
      const herr_t flushed = H5Fflush(file_, H5F_SCOPE_LOCAL);
      const auto reason = flushed < 0 ? hdf5_reason() : std::string();
      if (!file_.close() || flushed < 0) {
        throw FileError(fmt::format("{}: HDF5 cannot bring rows to the disk: {}", what_, reason));
      }
      if (storage_) storage_->check();
    });
  }

 private:
  const comm::Communicator& communicator_;
  std::string what_;
  std::optional<PosixFile> plain_;
  std::unique_ptr<DirectStorage> storage_;  // one rank
  Hdf5Id file_;
};

void seal(const comm::Communicator& communicator, const fs::path& path) {
  std::array<std::int64_t, 1> sum = {0};
  std::int64_t bytes = 0;
  all_or_none(communicator, [&] {
    const PosixFile file(path, PosixFile::Mode::read);
    bytes = file.size();
    sum[0] = static_cast<std::int64_t>(
        layout::contents_checksum(file, bytes, communicator.rank(), communicator.size()));
  });
  communicator.sum(std::span<std::int64_t>(sum));
  all_or_none(communicator, [&] {
    if (!communicator.is_root()) return;
    PosixFile file(path, PosixFile::Mode::update);
    layout::write_seal(file, layout::make_seal(bytes, static_cast<std::uint64_t>(sum[0])));
    file.sync();
  });
}

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

}  // namespace

void write_checkpoint(const comm::Communicator& communicator, const fs::path& path,
                      const CheckpointHeader& header, const system::State& mine) {
  const auto block = redistribute(communicator, header, mine);
  const auto sums = row_checksums(communicator, block);
  auto temporary = path;
  temporary += ".tmp";
  try {
    all_or_none(communicator, [&] {
      if (!communicator.is_root()) return;
      PosixFile file(temporary, PosixFile::Mode::create);
      file.reserve(space_needed(header));
      lay_out(file, header, sums);
    });
    RowWriter rows(communicator, temporary);
    rows.write("state/position", H5T_NATIVE_INT64, block.first, block.position.size(),
               block.position.data());
    rows.write("state/velocity", H5T_NATIVE_DOUBLE, block.first, block.velocity.size(),
               block.velocity.data());
    rows.close();
    seal(communicator, temporary);
    all_or_none(communicator, [&] {
      if (communicator.is_root()) rotate(temporary, path);
    });
  } catch (const FileError&) {
    if (communicator.is_root()) {
      std::error_code ignored;
      fs::remove(temporary, ignored);
    }
    throw;
  }
}

}  // namespace nfold::io
