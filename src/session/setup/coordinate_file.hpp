// File with coordinates of all beads of a system: a start, or the frames of nfold energy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "system/bead_frame.hpp"
#include "system/state.hpp"

namespace nfold::setup {

/// Frames of a coordinate file, as beads.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  [[nodiscard]] virtual std::int64_t frame_count() const = 0;
  [[nodiscard]] virtual system::BeadFrame frame(std::int64_t index) const = 0;
  /// Step of a frame; the frame's number where the format has none.
  [[nodiscard]] virtual std::int64_t step(std::int64_t index) const { return index; }
};

/// Coordinate file of a system: PDB, mmCIF, GRO, DCD, H5MD of a run, or CSV, by the ending of its
/// name. Rank 0 reads it; every rank gets the same states. The referred-to objects outlive this.
class CoordinateFile {
 public:
  /// Collective. Throws core::InputError, structure::StructureError, storage::FileError.
  CoordinateFile(const comm::Communicator& communicator, std::filesystem::path file,
                 const input::SystemSettings& system, const topology::Topology& topology);

  [[nodiscard]] std::int64_t frame_count() const { return frames_; }
  /// Returns the index of a frame: "last" or a number from 0. Throws core::InputError if the file
  /// has no such frame.
  [[nodiscard]] std::int64_t find_frame(const std::string& text) const;
  /// Collective. Returns all beads at rest, with the step of the frame. Positions are on the grid
  /// of double precision, in the box of the topology; chains are whole. Throws core::InputError for
  /// another number of beads, another residue or chain, or another box.
  [[nodiscard]] system::State state(std::int64_t frame);
  /// Messages about the latest frame: which box is used.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  const comm::Communicator& communicator_;
  std::filesystem::path file_;
  const topology::Topology& topology_;
  std::unique_ptr<const FrameSource> source_;  // rank 0 alone
  std::int64_t frames_ = 0;
  std::vector<std::string> notes_;
};

/// Returns the state of a frame's beads. file: names it in errors. Throws as
/// CoordinateFile::state().
[[nodiscard]] system::State match_beads(const system::BeadFrame& frame,
                                        const topology::Topology& topology,
                                        const std::string& file);
/// Returns a message about the box of a frame and that of the system. Throws core::InputError if
/// they differ.
[[nodiscard]] std::string compare_boxes(const system::BeadFrame& frame, const system::Box& box,
                                        const std::string& file);

}  // namespace nfold::setup
