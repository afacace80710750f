// Trajectory NAME.h5md (H5MD 1.1): description, writer and reader.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/storage/file_error.hpp"
#include "io/column.hpp"

namespace nfold::io {

/// One number per frame, such as {"temperature", "K"}.
struct ObservableDescription {
  std::string name;
  std::string unit;  ///< H5MD's spelling, "kJ mol-1"; empty: a pure number
};

/// Contents of a trajectory. All columns are indexed by global residue id and have equal length,
/// except `bonds`, the native state and `observables`.
struct TrajectoryDescription {
  Column<std::string> residue_names;  ///< "MET"
  Column<int> residue_numbers;        ///< number in the structure file
  Column<std::string> chain_names;    ///< per residue
  Column<double> masses_amu;
  Column<double> charges_e;
  Column<std::array<int, 2>> bonds;  ///< global ids, from 0
  std::array<double, 3> box_nm{};    ///< box lengths; 0: open along that axis
  /// Reference of Q and RMSD for analysis without nfold; may be empty. Contacts are global ids,
  /// from 0; a contact's native distance is that of its two native positions.
  Column<std::array<double, 3>> native_positions_nm;
  Column<std::array<int, 2>> native_contacts;
  std::vector<ObservableDescription> observables;
  bool velocities = false;
  std::string creator_version;  ///< nfold's version
  std::string author = "unknown";
  std::string subject;  ///< subject of the frames, for people; empty: the only system of a run

  [[nodiscard]] std::size_t residue_count() const { return residue_names.size(); }
  [[nodiscard]] bool has_box() const { return box_nm != std::array<double, 3>{}; }
};

/// One frame: unwrapped positions [nm], time [ps], observables in their units. `velocities_nm_ps`
/// is read only if the description has velocities.
struct TrajectoryFrame {
  std::int64_t step = 0;
  double time_ps = 0;
  std::span<const std::array<double, 3>> positions_nm;
  std::span<const std::array<double, 3>> velocities_nm_ps = {};
  std::span<const double> observables = {};
};

/// Writer on one rank. Others may read the file at any time: it changes only in commits after whole
/// frames, which are complete or absent after kill -9 (JournaledStorage). Positions are float32,
/// for analysis; resume uses the checkpoint. Every failure throws FileError. If the disk is full
/// the file stays at the last commit, and flush() may be tried again.
class TrajectoryWriter {
 public:
  /// Default limit of buffered frames [bytes]. Larger frames are written in parts, smaller ones
  /// several at a time.
  static constexpr std::size_t usual_bytes_in_memory = std::size_t{16} << 20U;

  /// Creates the file, replacing an existing one.
  [[nodiscard]] static TrajectoryWriter create(const std::filesystem::path& path,
                                               const TrajectoryDescription& description,
                                               std::size_t bytes_in_memory = usual_bytes_in_memory);
  /// Opens the file to append. Repairs the file if a kill tore it and drops all frames after
  /// `last_step`. Throws FileError if the file contains another system or other observables, or if
  /// fewer than `expected_frames` frames remain (-1: not checked).
  [[nodiscard]] static TrajectoryWriter append(const std::filesystem::path& path,
                                               const TrajectoryDescription& description,
                                               std::int64_t last_step,
                                               std::int64_t expected_frames = -1,
                                               std::size_t bytes_in_memory = usual_bytes_in_memory);
  ~TrajectoryWriter();  ///< frames not flushed are lost; call close()
  TrajectoryWriter(TrajectoryWriter&&) noexcept;
  TrajectoryWriter& operator=(TrajectoryWriter&&) noexcept;

  /// Buffers the frame; writes if a second has passed since the last commit or the buffer is full.
  /// Throws std::invalid_argument if a size does not fit the description or `step` does not
  /// increase.
  void append_frame(const TrajectoryFrame& frame);
  // Interface for a frame without velocities that need not be in memory completely: begin_frame(),
  // add_positions() of all residues by ascending id, end_frame().
  void begin_frame(std::int64_t step, double time_ps);
  void add_positions(std::span<const std::array<double, 3>> nm);
  void end_frame(std::span<const double> observables);
  /// Writes all frames to the file, so that they survive a kill.
  void flush();
  /// Syncs all frames to disk, so that they survive a power failure. Must be called before each
  /// checkpoint.
  void sync();
  /// Flushes and closes the file.
  void close();
  /// Number of frames, including those of the file that append() opened.
  [[nodiscard]] std::int64_t frame_count() const;

 private:
  struct State;
  explicit TrajectoryWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Reader of files of TrajectoryWriter, also during the run.
class TrajectoryReader {
 public:
  explicit TrajectoryReader(const std::filesystem::path& path);
  ~TrajectoryReader();
  TrajectoryReader(TrajectoryReader&&) noexcept;
  TrajectoryReader& operator=(TrajectoryReader&&) noexcept;

  [[nodiscard]] const TrajectoryDescription& description() const;
  [[nodiscard]] std::int64_t frame_count() const;
  [[nodiscard]] const std::vector<std::int64_t>& steps() const;
  [[nodiscard]] const std::vector<double>& times_ps() const;
  /// Reads the positions of a frame, (residues) [nm].
  [[nodiscard]] std::vector<std::array<float, 3>> positions_nm(std::int64_t frame) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::io
