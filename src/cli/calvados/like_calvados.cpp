// DCD, PDB and log of a run in the formats that scripts for CALVADOS read.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/calvados/like_calvados.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "comm/communicator.hpp"
#include "core/csv.hpp"
#include "core/lines.hpp"
#include "core/parse_number.hpp"
#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/version.hpp"
#include "io/checkpoint.hpp"
#include "io/dcd.hpp"
#include "io/structure_files.hpp"
#include "io/trajectory.hpp"
#include "system/box.hpp"

namespace nfold::calvados {
namespace {

system::Box box_of(const Config& config) {
  return {{config.box_nm[0], config.box_nm[1], config.box_nm[2]}};
}

/// Calls visit(molecule, copy, index of its first bead) for each molecule of the system.
template <class Visit>
void for_each_molecule(const Translation& folder, const Visit& visit) {
  std::size_t first = 0;
  for (std::size_t c = 0; c < folder.molecules.size(); ++c) {
    for (std::uint64_t copy = 0; copy < folder.folder.components[c].copies; ++copy) {
      visit(folder.molecules[c], first);
      first += folder.molecules[c].letters.size();
    }
  }
}

/// True for the residues whose bonds a PDB file leaves out.
bool is_standard(const std::string& residue) {
  constexpr std::array<std::string_view, 30> names{
      "ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU", "GLY", "HIS", "ILE",
      "LEU", "LYS", "MET", "PHE", "PRO", "SER", "THR", "TRP", "TYR", "VAL",
      "A",   "G",   "C",   "U",   "I",   "DA",  "DG",  "DC",  "DT",  "DI"};
  return std::ranges::find(names, std::string_view(residue)) != names.end();
}

class PdbText {
 public:
  explicit PdbText(const Config& config) {
    text_ = fmt::format("REMARK   1 CREATED WITH nfold {}\n", core::version);
    text_ += fmt::format("CRYST1{:9.3f}{:9.3f}{:9.3f}{:7.2f}{:7.2f}{:7.2f} P 1           1 \n",
                         config.box_nm[0] * angstroms_per_nm, config.box_nm[1] * angstroms_per_nm,
                         config.box_nm[2] * angstroms_per_nm, 90.0, 90.0, 90.0);
    text_ += "MODEL        0\n";
  }

  void add(const ComponentMolecule& molecule, std::span<const Point> positions_nm) {
    constexpr std::size_t letters = 26;
    const char chain = static_cast<char>('A' + chains_ % letters);
    ++chains_;
    std::vector<std::int64_t> serials;
    for (std::size_t i = 0; i < molecule.labels.size(); ++i) {
      const auto& label = molecule.labels[i];
      serials.push_back(++serial_);
      text_ += fmt::format("ATOM  {:>5} {:<4} {:>3} {}{:>4}    {}  1.00  0.00           {}  \n",
                           io::hybrid_36(serial_, 5), " " + label.atom, label.residue, chain,
                           io::hybrid_36(label.number, 4), coordinates(positions_nm[i]),
                           element(label.atom));
    }
    const auto& last = molecule.labels.back();
    text_ += fmt::format("TER   {:>5}      {:>3} {}{:>4}\n", io::hybrid_36(++serial_, 5),
                         last.residue, chain, io::hybrid_36(last.number, 4));
    add_bonds(molecule, serials);
  }

  [[nodiscard]] std::string take() const { return text_ + "ENDMDL\n" + bonds_ + "END\n"; }

 private:
  static char element(const std::string& atom) {
    return atom == "CA" ? 'C' : atom.back();  // backbones end with P, bases with N
  }
  static std::string coordinates(const Point& x_nm) {
    std::string text;
    for (const double x : x_nm) {
      const auto field = fmt::format("{:8.3f}", x * angstroms_per_nm);
      constexpr std::size_t width = 8;
      if (field.size() > width) {
        core::refuse("checkpoint.pdb", fmt::format("a coordinate of {:g} nm", x),
                     "a PDB file holds up to 999 nm: run without --like calvados");
      }
      text += field;
    }
    return text;
  }
  void add_bonds(const ComponentMolecule& molecule, const std::vector<std::int64_t>& serials) {
    constexpr std::int64_t last_serial = 99'999;
    if (serials.back() > last_serial) return;
    std::vector<std::vector<std::int64_t>> partners(serials.size());
    for (const auto& bond : molecule.molecule.bonds) {
      const auto i = static_cast<std::size_t>(bond.i), j = static_cast<std::size_t>(bond.j);
      if (is_standard(molecule.labels[i].residue) && is_standard(molecule.labels[j].residue)) {
        continue;
      }
      partners[i].push_back(serials[j]);
      partners[j].push_back(serials[i]);
    }
    constexpr std::size_t per_line = 4;
    for (std::size_t i = 0; i < partners.size(); ++i) {
      auto& all = partners[i];
      std::ranges::sort(all);
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (k % per_line == 0) bonds_ += fmt::format("{}CONECT{:5}", k > 0 ? "\n" : "", serials[i]);
        bonds_ += fmt::format("{:5}", all[k]);
      }
      if (!all.empty()) bonds_ += "\n";
    }
  }

  std::string text_, bonds_;
  std::int64_t serial_ = 0;
  std::size_t chains_ = 0;
};

void write_dcd(const Translation& folder, const status::OutputPaths& paths) {
  const Config& config = folder.folder.config;
  const io::TrajectoryReader trajectory(paths.trajectory());
  const auto every = static_cast<std::int64_t>(config.frame_steps);
  constexpr double time_step_ps = 0.01;
  io::DcdWriter dcd(paths.with(".dcd"), folder.start_nm.size(), {every, every, time_step_ps},
                    box_of(config).length_nm);
  std::vector<Point> positions(folder.start_nm.size());
  std::vector<std::array<float, 3>> frame(positions.size());
  for (std::int64_t k = 0; k < trajectory.frame_count(); ++k) {
    const auto step = trajectory.steps()[static_cast<std::size_t>(k)];
    if (step <= static_cast<std::int64_t>(folder.equilibration_steps)) continue;
    const auto read = trajectory.positions_nm(k);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      positions[i] = {read[i][0], read[i][1], read[i][2]};
    }
    wrap_molecules(folder, positions);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        frame[i][axis] = static_cast<float>(positions[i][axis]);
      }
    }
    dcd.append_frame(frame);
  }
  dcd.sync();
}

}  // namespace

std::string pdb_text(const Translation& folder, const std::vector<Point>& positions_nm) {
  PdbText pdb(folder.folder.config);
  for_each_molecule(folder, [&](const ComponentMolecule& molecule, std::size_t first) {
    pdb.add(molecule, std::span(positions_nm).subspan(first, molecule.letters.size()));
  });
  return pdb.take();
}

void wrap_molecules(const Translation& folder, std::vector<Point>& positions_nm) {
  const auto& box = folder.folder.config.box_nm;
  for_each_molecule(folder, [&](const ComponentMolecule& molecule, std::size_t first) {
    const auto beads = std::span(positions_nm).subspan(first, molecule.letters.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double sum = 0;
      for (const Point& x : beads) sum += x[axis];
      const double shift =
          box[axis] * std::floor(sum / static_cast<double>(beads.size()) / box[axis]);
      for (Point& x : beads) x[axis] -= shift;
    }
  });
}

std::string log_text(const Translation& folder, const std::string& energies_csv,
                     double seconds_per_step) {
  constexpr double time_step_ps = 0.01, ps_per_ns = 1000, seconds_per_day = 86400;
  const Config& config = folder.folder.config;
  std::string text = "#\"Step\"\t";
  if (config.logs_energy) text += "\"Potential Energy (kJ/mole)\"\t";
  text += "\"Speed (ns/day)\"\t\"Elapsed Time (s)\"\n";
  const double speed = time_step_ps / ps_per_ns / seconds_per_step * seconds_per_day;
  std::vector<std::string> names;
  for (core::Lines lines(energies_csv); lines.next();) {
    const auto fields = core::split_csv_row(lines.line());
    const bool is_comment = lines.line().starts_with('#');
    if (names.empty()) {
      names = fields;
      continue;
    }
    if (is_comment || fields.size() != names.size()) continue;
    const auto field = [&](std::string_view name) {
      const auto found = std::ranges::find(names, name);
      return found == names.end() ? std::string()
                                  : fields[static_cast<std::size_t>(found - names.begin())];
    };
    const auto of_run = core::parse_number<std::int64_t>(field("step"));
    const auto step = of_run.value_or(0) - static_cast<std::int64_t>(folder.equilibration_steps);
    if (step <= 0) continue;
    text += fmt::format("{}\t", step);
    if (config.logs_energy) text += field("potential_kj_mol") + "\t";
    text += fmt::format("{:.3g}\t{:.6g}\n", speed, static_cast<double>(step) * seconds_per_step);
  }
  return text;
}

void write_like_calvados(const Translation& folder, const status::OutputPaths& paths,
                         double seconds) {
  const Config& config = folder.folder.config;
  storage::write_file_atomically(paths.folder / "top.pdb", pdb_text(folder, folder.start_nm));
  const auto checkpoint = io::read_checkpoint(comm::Communicator(), paths.checkpoint());
  std::vector<Point> end;
  end.reserve(checkpoint.state.position.size());
  const auto box = box_of(config);
  for (const auto& position : checkpoint.state.position) {
    end.push_back(system::position_nm(box, position));
  }
  wrap_molecules(folder, end);
  storage::write_file_atomically(paths.folder / "checkpoint.pdb", pdb_text(folder, end));
  const double steps = static_cast<double>(std::max<std::int64_t>(checkpoint.header.step, 1));
  storage::write_file_atomically(
      paths.log(), log_text(folder, core::read_required_text(paths.energies()), seconds / steps));
  write_dcd(folder, paths);
}

}  // namespace nfold::calvados
