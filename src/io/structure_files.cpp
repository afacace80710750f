// PSF and PDB of the beads.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/structure_files.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include "io/atomic_file.hpp"

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

// Readers that split at blanks need something in each field.
std::string or_else(const std::string& text, const char* otherwise) {
  return text.empty() || text == " " ? otherwise : text;
}

char chain_letter(const std::string& name) { return name.empty() ? ' ' : name[0]; }

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

std::string hybrid_36(std::int64_t value, int width) {
  const auto decimal = power(10, width);
  if (value < decimal && value > -power(10, width - 1)) return fmt::format("{:{}}", value, width);
  // From A000 on, then from a000 on.
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
                   or_else(description.chain_names[i], "SYSTEM"), description.residue_numbers[i],
                   or_else(description.residue_names[i], "UNK"), "CA", "CA",
                   description.charges_e[i], description.masses_amu[i], 0);
  }
  text += '\n';
  add_bonds_psf(description, text);
  for (const char* section : {"!NTHETA: angles", "!NPHI: dihedrals", "!NIMPHI: impropers",
                              "!NDON: donors", "!NACC: acceptors", "!NNB"}) {
    fmt::format_to(std::back_inserter(text), "{:10} {}\n\n\n", 0, section);
  }
  write_file_atomically(path, text);
}

void write_pdb(const std::filesystem::path& path, const TrajectoryDescription& description,
               std::span<const std::array<float, 3>> positions_nm) {
  std::string text = "REMARK   1 WRITTEN BY NFOLD: ONE BEAD A RESIDUE\n";
  const auto& box = description.box_nm;
  if (box[0] > 0 && box[1] > 0 && box[2] > 0) {
    fmt::format_to(std::back_inserter(text),
                   "CRYST1{:9.3f}{:9.3f}{:9.3f}  90.00  90.00  90.00 P 1           1\n",
                   box[0] * 10, box[1] * 10, box[2] * 10);
  }
  for (std::size_t i = 0; i < description.residue_count(); ++i) {
    std::array<double, 3> x{};
    for (std::size_t d = 0; d < 3; ++d) {
      x[d] = static_cast<double>(positions_nm[i][d]) * 10;
      if (!(x[d] > -1000 && x[d] < 10000)) {
        throw FileError(fmt::format(
            "{}: {} Angstrom, of residue {} {}, does not fit the columns "
            "of a PDB file (use the DCD with its PSF)",
            path.string(), x[d], description.residue_names[i], description.residue_numbers[i]));
      }
    }
    const auto& chain = description.chain_names[i];
    fmt::format_to(std::back_inserter(text),
                   "ATOM  {:>5}  CA  {:>3.3} {}{:>4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00      "
                   "{:<4.4} C\n",
                   hybrid_36(static_cast<std::int64_t>(i) + 1, 5), description.residue_names[i],
                   chain_letter(chain), hybrid_36(description.residue_numbers[i], 4), x[0], x[1],
                   x[2], chain);
    if (i + 1 == description.residue_count() || description.chain_names[i + 1] != chain) {
      text += "TER\n";
    }
  }
  for (const auto& [a, b] : description.bonds) {
    fmt::format_to(std::back_inserter(text), "CONECT{}{}\n", hybrid_36(a + 1, 5),
                   hybrid_36(b + 1, 5));
  }
  text += "END\n";
  write_file_atomically(path, text);
}

}  // namespace nfold::io
