// The trajectory NAME.h5md (H5MD 1.1): who is in it, writing it frame by frame, reading it back.
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

#include "io/column.hpp"
#include "storage/file_error.hpp"

namespace nfold::io {

/// One number per frame, such as {"temperature", "K"}.
struct ObservableDescription {
  std::string name;
  std::string unit;  ///< H5MD's spelling, "kJ mol-1"; empty: a pure number
};

/// Who is in a trajectory; all columns by global residue id, of equal length, but `bonds`, the
/// native state and `observables`.
struct TrajectoryDescription {
  Column<std::string> residue_names;  ///< "MET"
  Column<int> residue_numbers;        ///< the structure file's own
  Column<std::string> chain_names;    ///< per residue
  Column<double> masses_amu;
  Column<double> charges_e;
  Column<std::array<int, 2>> bonds;  ///< global ids, from 0
  std::array<double, 3> box_nm{};    ///< lengths; 0: open along that axis
  /// What Q and RMSD refer to, for whoever analyses the file without nfold; may be empty. Contacts
  /// are global ids, from 0; a contact's native distance is that of its two native positions.
  Column<std::array<double, 3>> native_positions_nm;
  Column<std::array<int, 2>> native_contacts;
  std::vector<ObservableDescription> observables;
  bool velocities = false;
  std::string creator_version;  ///< nfold's version
  std::string author = "unknown";
  std::string subject;  ///< what the frames follow, for people; empty: the one system of a run

  [[nodiscard]] std::size_t residue_count() const { return residue_names.size(); }
  [[nodiscard]] bool has_box() const { return box_nm != std::array<double, 3>{}; }
};

/// One frame, positions unwrapped, in nm, ps and the units of the observables. `velocities_nm_ps`
/// is looked at only if the description has velocities.
struct TrajectoryFrame {
  std::int64_t step = 0;
  double time_ps = 0;
  std::span<const std::array<double, 3>> positions_nm;
  std::span<const std::array<double, 3>> velocities_nm_ps = {};
  std::span<const double> observables = {};
};

/// Writes on one rank. Others may read the file at any time: it changes only in commits at frame
/// borders, which after kill -9 are there whole or not at all (JournaledStorage). Positions are
/// float32, for analysis; restarts use the checkpoint. Every failure is a FileError; after one for
/// lack of room the file is as at the last commit, and flush() may be tried again.
class TrajectoryWriter {
 public:
  /// Of frames: larger ones are in memory in part alone, more of smaller ones are written.
  static constexpr std::size_t usual_bytes_in_memory = std::size_t{16} << 20U;

  /// A new file; one that was there is replaced.
  [[nodiscard]] static TrajectoryWriter create(const std::filesystem::path& path,
                                               const TrajectoryDescription& description,
                                               std::size_t bytes_in_memory = usual_bytes_in_memory);
  /// Mends the file if a kill tore it, drops all frames after `last_step` and goes on behind them.
  /// FileError if the file holds another system or other observables, or if fewer than
  /// `expected_frames` frames are left (a gap; -1: not checked).
  [[nodiscard]] static TrajectoryWriter append(const std::filesystem::path& path,
                                               const TrajectoryDescription& description,
                                               std::int64_t last_step,
                                               std::int64_t expected_frames = -1,
                                               std::size_t bytes_in_memory = usual_bytes_in_memory);
  ~TrajectoryWriter();  ///< frames not flushed are lost; call close()
  TrajectoryWriter(TrajectoryWriter&&) noexcept;
  TrajectoryWriter& operator=(TrajectoryWriter&&) noexcept;

  /// Keeps the frame; writes when a second has passed or much has gathered since the last commit.
  /// std::invalid_argument if a size does not fit the description or `step` is not larger than
  /// the one before.
  void append_frame(const TrajectoryFrame& frame);
  // The same in pieces, for a frame without velocities that need not be in memory whole:
  // begin_frame(), add_positions() of all residues by ascending id, end_frame().
  void begin_frame(std::int64_t step, double time_ps);
  void add_positions(std::span<const std::array<double, 3>> nm);
  void end_frame(std::span<const double> observables);
  /// Everything so far is in the file: survives a kill.
  void flush();
  /// Everything so far is on the disk: survives a power failure. Call before each checkpoint.
  void sync();
  /// flush() and an end in order.
  void close();
  /// Frames given so far, with those of before.
  [[nodiscard]] std::int64_t frame_count() const;

 private:
  struct State;
  explicit TrajectoryWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Reads what TrajectoryWriter wrote, also while the run goes on.
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
  /// (residues) [nm]
  [[nodiscard]] std::vector<std::array<float, 3>> positions_nm(std::int64_t frame) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::io
