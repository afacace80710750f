// PSF, PDB and mmCIF of the beads.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/structure_files.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/atomic_file.hpp"

namespace nfold::io {

namespace {

std::int64_t power(std::int64_t base, int exponent) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

std::string base_36(std::int64_t value, const char* digits) {
  std::string text;
  for (; value > 0; value /= 36) text.insert(text.begin(), digits[value % 36]);
  return text;
}

// Returns `otherwise` for an empty field, because readers that split at blanks need a text in each.
std::string text_or(const std::string& text, const char* otherwise) {
  return text.empty() || text == " " ? otherwise : text;
}

/// Identification of chains in files of fixed columns.
struct ChainMark {
  char letter = ' ';    // the chain's name if that is a unique letter, else the next free one
  std::string segment;  // unique even if letters repeat
};

/// Returns the mark of each chain.
std::vector<ChainMark> chain_marks(const std::vector<std::string>& names) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::set<std::string> distinct;
  bool names_are_segments = true;  // names can be segments: short and unique
  for (const auto& name : names)
    names_are_segments &= name.size() <= 4 && distinct.insert(name).second;
  std::set<char> taken;
  const auto is_own = [&](const std::string& name) {
    return name.size() == 1 && letters.find(name[0]) != std::string_view::npos;
  };
  for (const auto& name : names) {
    if (is_own(name)) taken.insert(name[0]);
  }
  std::vector<ChainMark> marks;
  std::size_t next = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    ChainMark mark;
    if (names.size() == 1 || is_own(names[k])) {
      mark.letter = names[k].empty() ? ' ' : names[k][0];
    } else {
      while (taken.size() < letters.size() && taken.contains(letters[next % letters.size()]))
        ++next;
      mark.letter = letters[next++ % letters.size()];
      taken.insert(mark.letter);
    }
    mark.segment = names_are_segments ? names[k] : hybrid_36(static_cast<std::int64_t>(k) + 1, 4);
    mark.segment.erase(0, mark.segment.find_first_not_of(' '));
    marks.push_back(std::move(mark));
  }
  return marks;
}

/// Returns the chain name in mmCIF: A, B, ... Z, AA, AB, ...
std::string asym_id(std::size_t chain) {
  std::string text;
  for (std::size_t left = chain + 1; left > 0; left = (left - 1) / 26) {
    text.insert(text.begin(), static_cast<char>('A' + (left - 1) % 26));
  }
  return text;
}

/// Quotes a text as a value of a CIF file.
std::string cif_value(const std::string& text) {
  if (text.empty()) return "?";
  const bool is_plain = text.find_first_of(" \t'\"#$_;[]") == std::string::npos;
  return is_plain ? text : fmt::format("'{}'", text);
}

void add_bonds_psf(const TrajectoryDescription& description, std::string& text) {
  fmt::format_to(std::back_inserter(text), "{:10} !NBOND: bonds\n", description.bonds.size());
  constexpr std::size_t per_line = 4;
  for (std::size_t i = 0; i < description.bonds.size(); ++i) {
    const auto [a, b] = description.bonds[i];
    fmt::format_to(std::back_inserter(text), "{:10}{:10}", a + 1, b + 1);
    if (i % per_line == per_line - 1 || i + 1 == description.bonds.size()) text += '\n';
  }
  text += '\n';
}

}  // namespace

std::vector<std::size_t> chain_indices(const TrajectoryDescription& description) {
  const auto& names = description.chain_names;
  std::vector<std::size_t> chains;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_new = i > 0 && names[i] != names[i - 1];
    chains.push_back(i == 0 ? 0 : chains.back() + (is_new ? 1 : 0));
  }
  return chains;
}

void write_in_parts(const std::filesystem::path& path,
                    const std::function<void(const Append& append)>& write) {
  storage::write_atomically(path, [&write](const std::filesystem::path& temporary) {
    storage::PosixFile file(temporary, storage::PosixFile::Mode::create);
    std::int64_t end = 0;
    write([&file, &end](const std::string& text) {
      file.write_at(end, std::as_bytes(std::span(text)));
      end += static_cast<std::int64_t>(text.size());
    });
    file.sync();
  });
}

std::string hybrid_36(std::int64_t value, int width) {
  const auto decimal = power(10, width);
  if (value < decimal && value > -power(10, width - 1)) return fmt::format("{:{}}", value, width);
  // Hybrid-36 continues from A000, then from a000.
  const auto range = 26 * power(36, width - 1), offset = 10 * power(36, width - 1);
  value -= decimal;
  if (value >= 0 && value < range) {
    return base_36(value + offset, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  }
  value -= range;
  if (value >= 0 && value < range) {
    return base_36(value + offset, "0123456789abcdefghijklmnopqrstuvwxyz");
  }
  return std::string(static_cast<std::size_t>(width), '*');
}

void write_psf(const std::filesystem::path& path, const TrajectoryDescription& description) {
  std::string text = "PSF EXT XPLOR NAMD\n\n         1 !NTITLE\n REMARKS written by nfold\n\n";
  fmt::format_to(std::back_inserter(text), "{:10} !NATOM\n", description.residue_count());
  for (std::size_t i = 0; i < description.residue_count(); ++i) {
    fmt::format_to(std::back_inserter(text),
                   "{:10} {:<8} {:<8} {:<8} {:<8} {:<6} {:14.6f}{:14.6f}{:8}\n", i + 1,
                   text_or(description.chain_names[i], "SYSTEM"), description.residue_numbers[i],
                   text_or(description.residue_names[i], "UNK"), "CA", "CA",
                   description.charges_e[i], description.masses_amu[i], 0);
  }
  text += '\n';
  add_bonds_psf(description, text);
  for (const char* section : {"!NTHETA: angles", "!NPHI: dihedrals", "!NIMPHI: impropers",
                              "!NDON: donors", "!NACC: acceptors", "!NNB"}) {
    fmt::format_to(std::back_inserter(text), "{:10} {}\n\n\n", 0, section);
  }
  storage::write_file_atomically(path, text);
}

namespace {

FrameReader reader_of(std::span<const std::array<float, 3>> positions_nm) {
  return [positions_nm](std::int64_t /*frame*/) {
    return std::vector(positions_nm.begin(), positions_nm.end());
  };
}

/// Parts of a PDB of one CA per residue.
class Pdb {
 public:
  Pdb(const TrajectoryDescription& description, const std::string& name)
      : description_(description), name_(name), chains_(chain_indices(description)) {
    std::vector<std::string> chain_names;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if (chains_[i] == chain_names.size()) chain_names.push_back(description.chain_names[i]);
    }
    marks_ = chain_marks(chain_names);
  }

  [[nodiscard]] std::string head() const {
    std::string text = "REMARK   1 WRITTEN BY NFOLD: ONE BEAD A RESIDUE\n";
    const auto& box = description_.box_nm;
    if (box[0] > 0 && box[1] > 0 && box[2] > 0) {
      fmt::format_to(std::back_inserter(text),
                     "CRYST1{:9.3f}{:9.3f}{:9.3f}  90.00  90.00  90.00 P 1           1\n",
                     box[0] * 10, box[1] * 10, box[2] * 10);
    }
    return text;
  }

  [[nodiscard]] std::string residues(std::span<const std::array<float, 3>> positions_nm) const {
    std::string text;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      const auto x = coordinates(i, positions_nm[i]);
      const auto& mark = marks_[chains_[i]];
      fmt::format_to(std::back_inserter(text),
                     "ATOM  {:>5}  CA  {:>3.3} {}{:>4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00      "
                     "{:<4.4} C\n",
                     hybrid_36(static_cast<std::int64_t>(i) + 1, 5), description_.residue_names[i],
                     mark.letter, hybrid_36(description_.residue_numbers[i], 4), x[0], x[1], x[2],
                     mark.segment);
      if (i + 1 == chains_.size() || chains_[i + 1] != chains_[i]) text += "TER\n";
    }
    return text;
  }

  [[nodiscard]] std::string tail() const {
    std::string text;
    // Readers parse the numbers of CONECT as decimal. Some of the bonds would be worse than none.
    constexpr std::size_t largest_serial = 99'999;
    if (description_.residue_count() <= largest_serial) {
      for (const auto& [a, b] : description_.bonds) {
        fmt::format_to(std::back_inserter(text), "CONECT{:5}{:5}\n", a + 1, b + 1);
      }
    }
    return text + "END\n";
  }

 private:
  /// Returns the coordinates [Angstrom] of a residue. Throws FileError if they do not fit.
  [[nodiscard]] std::array<double, 3> coordinates(std::size_t residue,
                                                  const std::array<float, 3>& position_nm) const {
    std::array<double, 3> x{};
    for (std::size_t d = 0; d < 3; ++d) {
      x[d] = static_cast<double>(position_nm[d]) * 10;
      if (x[d] > -1000 && x[d] < 10000) continue;
      throw storage::FileError(fmt::format(
          "{}: {} Angstrom, of residue {} {}, does not fit the columns of a PDB file (use mmCIF, "
          "or "
          "the DCD with its PSF)",
          name_, x[d], description_.residue_names[residue], description_.residue_numbers[residue]));
    }
    return x;
  }

  const TrajectoryDescription& description_;
  std::string name_;
  std::vector<std::size_t> chains_;
  std::vector<ChainMark> marks_;
};

std::string mmcif_head(const TrajectoryDescription& description) {
  std::string text = "data_nfold\n#\n";
  const auto& box = description.box_nm;
  if (box[0] > 0 && box[1] > 0 && box[2] > 0) {
    constexpr const char* axes = "abc";
    for (std::size_t d = 0; d < 3; ++d) {
      fmt::format_to(std::back_inserter(text), "_cell.length_{} {:.3f}\n", axes[d], box[d] * 10);
    }
    text += "_cell.angle_alpha 90\n_cell.angle_beta 90\n_cell.angle_gamma 90\n#\n";
  }
  text += "loop_\n";
  for (const char* name :
       {"group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id",
        "label_asym_id", "label_entity_id", "label_seq_id", "Cartn_x", "Cartn_y", "Cartn_z",
        "occupancy", "B_iso_or_equiv", "auth_seq_id", "auth_asym_id", "pdbx_PDB_model_num"}) {
    fmt::format_to(std::back_inserter(text), "_atom_site.{}\n", name);
  }
  return text;
}

/// Returns the rows of a model, counted from 1.
std::string mmcif_model(const TrajectoryDescription& description,
                        const std::vector<std::size_t>& chains,
                        std::span<const std::array<float, 3>> positions_nm, std::int64_t model) {
  std::string text;
  std::size_t first = 0;  // first residue of the chain
  for (std::size_t i = 0; i < description.residue_count(); ++i) {
    if (chains[i] != chains[first]) first = i;
    const auto& x = positions_nm[i];
    const auto id = asym_id(chains[i]);
    fmt::format_to(std::back_inserter(text),
                   "ATOM {} C CA . {} {} 1 {} {:.3f} {:.3f} {:.3f} 1 0 {} {} {}\n", i + 1,
                   cif_value(description.residue_names[i]), id, i - first + 1,
                   static_cast<double>(x[0]) * 10, static_cast<double>(x[1]) * 10,
                   static_cast<double>(x[2]) * 10, description.residue_numbers[i], id, model);
  }
  return text;
}

}  // namespace

void write_pdb(const std::filesystem::path& path, const TrajectoryDescription& description,
               std::int64_t frames, const FrameReader& read) {
  const Pdb pdb(description, path.string());
  write_in_parts(path, [&](const Append& append) {
    append(pdb.head());
    for (std::int64_t frame = 0; frame < frames; ++frame) {
      const auto residues = pdb.residues(read(frame));
      append(frames == 1 ? residues
                         : fmt::format("MODEL     {:>4}\n{}ENDMDL\n", frame + 1, residues));
    }
    append(pdb.tail());
  });
}

void write_pdb(const std::filesystem::path& path, const TrajectoryDescription& description,
               std::span<const std::array<float, 3>> positions_nm) {
  write_pdb(path, description, 1, reader_of(positions_nm));
}

void write_mmcif(const std::filesystem::path& path, const TrajectoryDescription& description,
                 std::int64_t frames, const FrameReader& read) {
  const auto chains = chain_indices(description);
  write_in_parts(path, [&](const Append& append) {
    append(mmcif_head(description));
    for (std::int64_t frame = 0; frame < frames; ++frame) {
      append(mmcif_model(description, chains, read(frame), frame + 1));
    }
    append("#\n");
  });
}

void write_mmcif(const std::filesystem::path& path, const TrajectoryDescription& description,
                 std::span<const std::array<float, 3>> positions_nm) {
  write_mmcif(path, description, 1, reader_of(positions_nm));
}

}  // namespace nfold::io
