// Readers of coordinate files by format, and the match of their beads with a topology.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/coordinate_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "core/parse_number.hpp"
#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "input/named_files.hpp"
#include "io/coordinate_text.hpp"
#include "io/dcd_reader.hpp"
#include "io/trajectory.hpp"
#include "model/structure/residue_kind.hpp"
#include "model/structure/structure.hpp"
#include "model/topology/monomer_beads.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/host_memory.hpp"

namespace nfold::setup {
namespace {

namespace fs = std::filesystem;
using system::BeadFrame;

class CsvSource : public FrameSource {
 public:
  explicit CsvSource(const fs::path& file)
      : frame_(io::parse_coordinate_csv(core::read_required_text(file), file.string())) {}
  [[nodiscard]] std::int64_t frame_count() const override { return 1; }
  [[nodiscard]] BeadFrame frame(std::int64_t /*index*/) const override { return frame_; }

 private:
  BeadFrame frame_;
};

class GroSource : public FrameSource {
 public:
  explicit GroSource(const fs::path& file) : gro_(core::read_required_text(file), file.string()) {}
  [[nodiscard]] std::int64_t frame_count() const override { return gro_.frame_count(); }
  [[nodiscard]] BeadFrame frame(std::int64_t index) const override { return gro_.frame(index); }

 private:
  io::GroFile gro_;
};

class DcdSource : public FrameSource {
 public:
  explicit DcdSource(const fs::path& file) : dcd_(file) {}
  [[nodiscard]] std::int64_t frame_count() const override { return dcd_.frame_count(); }
  [[nodiscard]] BeadFrame frame(std::int64_t index) const override { return dcd_.frame(index); }

 private:
  io::DcdReader dcd_;
};

class TrajectorySource : public FrameSource {
 public:
  explicit TrajectorySource(const fs::path& file) : trajectory_(file) {}
  [[nodiscard]] std::int64_t frame_count() const override { return trajectory_.frame_count(); }
  [[nodiscard]] std::int64_t step(std::int64_t index) const override {
    return trajectory_.steps()[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] BeadFrame frame(std::int64_t index) const override {
    const auto& description = trajectory_.description();
    BeadFrame frame;
    frame.box_nm = description.box_nm;
    for (const auto& x : trajectory_.positions_nm(index)) {
      frame.positions_nm.push_back({x[0], x[1], x[2]});
    }
    int chain = 0;
    for (std::size_t bead = 0; bead < description.residue_count(); ++bead) {
      frame.residue_names.push_back(description.residue_names[bead]);
      if (bead > 0 && description.chain_names[bead] != description.chain_names[bead - 1]) ++chain;
      frame.chains.push_back(chain);
    }
    return frame;
  }

 private:
  io::TrajectoryReader trajectory_;
};

/// Models of a PDB or mmCIF file: one bead a record, or all atoms.
class StructureSource : public FrameSource {
 public:
  StructureSource(const fs::path& file, const input::SystemSettings& system,
                  const topology::Topology& topology)
      : name_(file.string()),
        bytes_(structure::read_structure_bytes(file)),
        models_(structure::count_models(bytes_, name_)),
        system_(system),
        topology_(topology) {}
  [[nodiscard]] std::int64_t frame_count() const override { return models_; }
  [[nodiscard]] BeadFrame frame(std::int64_t index) const override {
    const int model = static_cast<int>(index) + 1;
    auto records = structure::parse_bead_records(bytes_, name_, model);
    const bool is_of_beads = records.positions_nm.size() == topology_.residues.size();
    return is_of_beads ? std::move(records) : beads_of_atoms(model);
  }

 private:
  /// Returns the beads of a model of all atoms. Its unit cell is that of a crystal.
  [[nodiscard]] BeadFrame beads_of_atoms(int model) const {
    structure::Selection selection{model, {}};
    const auto species = input::all_species(system_);
    if (species.size() == 1) selection.chains = species.front().chains;
    const auto all = structure::parse_structure(bytes_, name_, selection);
    BeadFrame frame;
    int chain = 0;
    for (const auto& one : all.chains) {
      for (const auto& residue : one.residues) {
        const std::size_t bead = frame.positions_nm.size();
        const bool is_known = bead < topology_.residues.size();
        frame.positions_nm.push_back(topology::bead_position_nm(
            is_known ? topology_.residues[bead] : topology::Residue(), residue));
        frame.residue_names.push_back(residue.name);
        frame.chains.push_back(chain);
      }
      ++chain;
    }
    return frame;
  }

  std::string name_, bytes_;
  int models_;
  const input::SystemSettings& system_;
  const topology::Topology& topology_;
};

std::unique_ptr<const FrameSource> open_source(const fs::path& file,
                                               const input::SystemSettings& system,
                                               const topology::Topology& topology) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    core::refuse(file.string(), "there is no such file", "check the path");
  }
  const auto ending = core::to_lower(file.extension().string());
  if (ending == ".csv") return std::make_unique<CsvSource>(file);
  if (ending == ".gro") return std::make_unique<GroSource>(file);
  if (ending == ".dcd") return std::make_unique<DcdSource>(file);
  if (ending == ".h5md") return std::make_unique<TrajectorySource>(file);
  if (input::is_structure_name(file)) {
    return std::make_unique<StructureSource>(file, system, topology);
  }
  core::refuse(file.string(), fmt::format("the ending '{}' is of no coordinate file", ending),
               "expected .pdb, .ent, .cif or .mmcif (also .gz), .gro, .dcd, .h5md or .csv");
}

/// Calls read(), whose failures concern a file of the user.
template <class Read>
auto as_input(const Read& read) {
  try {
    return read();
  } catch (const storage::FileError& failure) {
    throw storage::FileError(failure.what(), core::Outcome::wrong_input);
  }
}

/// Returns the amino acid that a name stands for; the name itself for others.
std::string parent_name(std::string_view name) {
  auto kind = structure::residue_kind(std::string(name));
  return kind.parent.empty() ? std::string(name) : std::move(kind.parent);
}

/// True if a name of a file is an amino acid other than the bead's. Names of no amino acid, as
/// programs of beads write them, say nothing.
bool is_other_residue(const std::string& of_file, std::string_view ours) {
  if (of_file == ours) return false;
  const auto parent = structure::residue_kind(of_file).parent;
  return !parent.empty() && parent != "UNK" && parent != parent_name(ours);
}

void check_beads(const BeadFrame& frame, const topology::Topology& topology,
                 const std::string& file) {
  const auto count = frame.positions_nm.size();
  if (count != topology.residues.size()) {
    core::refuse(file,
                 fmt::format("{}, the system has {}", core::pluralise(count, "bead"),
                             topology.residue_count()),
                 "give each bead of the system once, in its order: species by species, copy by "
                 "copy, chain by chain");
  }
  const auto refuse = [&](std::size_t bead, const std::string& problem) {
    core::refuse(file,
                 fmt::format("bead {} is {} in the system, in the file {}", bead + 1,
                             topology::residue_label(topology, static_cast<int>(bead)), problem),
                 "give the beads in the order of the system, or take the file's residues as input");
  };
  for (std::size_t bead = 0; bead < count; ++bead) {
    const topology::Residue residue = topology.residues[bead];
    if (!frame.residue_names.empty() && is_other_residue(frame.residue_names[bead], residue.name)) {
      refuse(bead, frame.residue_names[bead]);
    }
    if (frame.chains.empty() || bead == 0 || frame.chains[bead] == frame.chains[bead - 1]) continue;
    const topology::Chain& chain = topology.chains[static_cast<std::size_t>(residue.chain)];
    if (chain.first != static_cast<int>(bead)) {
      refuse(bead, "a chain begins with it");
    }
  }
}

/// Shifts each bead by whole turns of the box to the image nearest to the bead before it in its
/// chain.
void make_whole(const topology::Topology& topology, std::vector<system::FixedPosition>& position) {
  constexpr std::int64_t turn = std::int64_t{1} << system::Box::turn_bits;
  for (const topology::Chain& chain : topology.chains) {
    for (int bead = chain.first + 1; bead < chain.first + chain.count; ++bead) {
      auto& here = position[static_cast<std::size_t>(bead)];
      const auto& before = position[static_cast<std::size_t>(bead) - 1];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!topology.box.is_periodic(axis)) continue;
        const double turns =
            static_cast<double>(here[axis] - before[axis]) / system::Box::counts_per_turn;
        here[axis] -= turn * std::llrint(turns);
      }
    }
  }
}

std::string describe_edges(const std::array<double, 3>& edges_nm) {
  return fmt::format("{:.7g} x {:.7g} x {:.7g} nm", edges_nm[0], edges_nm[1], edges_nm[2]);
}

}  // namespace

std::string compare_boxes(const BeadFrame& frame, const system::Box& box, const std::string& file) {
  constexpr double tolerance_nm = 1e-3;  // the last digits of a PDB, and of some GRO
  const auto& edges = frame.box_nm;
  if (std::any_of(edges.begin(), edges.end(), [](double edge) { return std::isnan(edge); })) {
    core::refuse(file, "the box is not rectangular", "expected a rectangular box");
  }
  bool has_box = false, is_used = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (edges[axis] == 0) continue;
    has_box = true;
    if (!box.is_periodic(axis)) continue;
    is_used = true;
    if (std::abs(edges[axis] - box.length_nm[axis]) > tolerance_nm) {
      core::refuse(file,
                   fmt::format("the box is {}, that of the input {} (0: open)",
                               describe_edges(edges), describe_edges(box.length_nm)),
                   "give system.box_nm as in the file, or coordinates of this box");
    }
  }
  if (!has_box) return {};
  if (!is_used) {
    return fmt::format("{}: its box of {} is not used, the input has none", file,
                       describe_edges(edges));
  }
  return fmt::format("{}: the box of the input, {}, is used; the file has the same", file,
                     describe_edges(box.length_nm));
}

system::State match_beads(const BeadFrame& frame, const topology::Topology& topology,
                          const std::string& file) {
  check_beads(frame, topology, file);
  system::State state;
  const auto count = frame.positions_nm.size();
  state.id.reserve(count);
  state.position.reserve(count);
  for (std::size_t bead = 0; bead < count; ++bead) {
    state.id.push_back(static_cast<int>(bead));
    auto& position = state.position.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double nm = frame.positions_nm[bead][axis];
      if (!(std::abs(nm) <= BeadFrame::largest_coordinate_nm)) {
        core::refuse(file,
                     fmt::format("{} of bead {} ({}) is {} nm", "xyz"[axis], bead + 1,
                                 topology::residue_label(topology, static_cast<int>(bead)), nm),
                     fmt::format("expected a finite number of at most {:g} nm",
                                 BeadFrame::largest_coordinate_nm));
      }
      position[axis] = topology.box.to_counts(axis, nm);
    }
  }
  make_whole(topology, state.position);
  state.velocity.resize(count, {0, 0, 0});
  return state;
}

CoordinateFile::CoordinateFile(const comm::Communicator& communicator, fs::path file,
                               const input::SystemSettings& system,
                               const topology::Topology& topology)
    : communicator_(communicator), file_(std::move(file)), topology_(topology) {
  job::on_root(communicator_, [&] {
    job::with_host_memory("reading " + file_.string(), [&] {
      as_input([&] { source_ = open_source(file_, system, topology_); });
      frames_ = source_->frame_count();
    });
  });
  frames_ = communicator_.max(frames_);
  if (frames_ == 0) core::refuse(file_.string(), "it has no frame", "give a file with frames");
}

std::int64_t CoordinateFile::find_frame(const std::string& text) const {
  if (text == "last") return frames_ - 1;
  const auto frame = core::parse_number<std::int64_t>(text);
  if (!frame || *frame < 0 || *frame >= frames_) {
    core::refuse(file_.string(),
                 fmt::format("no frame {} among {}", text, core::pluralise(frames_, "frame")),
                 fmt::format("give a number from 0 to {}, or last", frames_ - 1));
  }
  return *frame;
}

system::State CoordinateFile::state(std::int64_t frame) {
  system::State state;
  std::string note;
  job::on_root(communicator_, [&] {
    job::with_host_memory("reading " + file_.string(), [&] {
      const auto beads = as_input([&] { return source_->frame(frame); });
      const auto name =
          frames_ > 1 ? fmt::format("{}: frame {}", file_.string(), frame) : file_.string();
      state = match_beads(beads, topology_, name);
      state.step = source_->step(frame);
      note = compare_boxes(beads, topology_.box, file_.string());
    });
  });
  notes_.clear();
  note = communicator_.broadcast(note);
  if (!note.empty()) notes_.push_back(note);
  if (communicator_.size() == 1) return state;
  state.step = communicator_.max(state.step);
  state.id = communicator_.all_gather(std::span<const int>(state.id));
  state.position = communicator_.all_gather(std::span<const system::FixedPosition>(state.position));
  state.velocity.resize(state.id.size(), {0, 0, 0});
  return state;
}

}  // namespace nfold::setup
