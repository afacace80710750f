// Small structure files written by tests: fixed-column PDB and mmCIF with chosen faults.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace nfold::test {

/// One atom; position in angstrom, the unit of both formats.
struct AtomText {
  std::string record = "ATOM";
  std::string name = "CA";
  char alternate = ' ';
  std::string residue = "ALA";
  std::string chain = "A";
  int number = 1;
  char insertion_code = ' ';
  std::array<double, 3> position{};
  double occupancy = 1;
  std::string element = "C";
  double b_factor = 10;
};

/// `value` in `width` columns: decimal as long as it fits, then hybrid-36 in capitals.
/// (cci.lbl.gov/hybrid_36: A000 follows 9999 and A0000 follows 99999)
inline std::string hybrid36(int value, int width) {
  const int decimals = width == 4 ? 10000 : 100000;
  if (value < decimals) return fmt::format("{:{}}", value, width);
  int rest = value - decimals + 10 * static_cast<int>(std::pow(36, width - 1));
  std::string text;
  for (int i = 0; i < width; ++i, rest /= 36) {
    text.insert(text.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 36]);
  }
  return text;
}

inline std::string pdb_line(const AtomText& a, int serial) {
  const std::string name =
      a.name.size() < 4 && a.element.size() < 2 ? fmt::format(" {}", a.name) : a.name;
  return fmt::format(
      "{:<6}{} {:<4}{}{:>3}{:>2}{}{}   {:8.3f}{:8.3f}{:8.3f}{:6.2f}{:6.2f}          {:>2}\n",
      a.record, hybrid36(serial, 5), name, a.alternate, a.residue, a.chain, hybrid36(a.number, 4),
      a.insertion_code, a.position[0], a.position[1], a.position[2], a.occupancy, a.b_factor,
      a.element);
}

inline std::string cif_head() {
  return "data_TEST\n#\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n"
         "_atom_site.label_atom_id\n_atom_site.label_alt_id\n_atom_site.label_comp_id\n"
         "_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.pdbx_PDB_ins_code\n"
         "_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.occupancy\n"
         "_atom_site.auth_seq_id\n_atom_site.auth_asym_id\n_atom_site.pdbx_PDB_model_num\n";
}

inline std::string cif_line(const AtomText& a, int serial) {
  const auto or_null = [](char c) { return c == ' ' ? '.' : c; };
  return fmt::format("{} {} {} {} {} {} {} {} {} {:.3f} {:.3f} {:.3f} {:.2f} {} {} 1\n", a.record,
                     serial, a.element, a.name, or_null(a.alternate), a.residue, a.chain, a.number,
                     or_null(a.insertion_code), a.position[0], a.position[1], a.position[2],
                     a.occupancy, a.number, a.chain);
}

/// Alpha carbon i of a helix, in angstrom; consecutive ones are 3.8 apart.
inline std::array<double, 3> helix_calpha(int i) {
  constexpr double radius = 2.3, rise = 1.5, turn = 1.7453292519943295;
  return {radius * std::cos(turn * i), radius * std::sin(turn * i), rise * i};
}

/// N, CA and C of `count` residues of one chain. N and C lie on the lines between alpha carbons, so
/// that neighbours are bonded.
inline std::vector<AtomText> helix(int count, const std::string& chain = "A", int first = 1,
                                   std::array<double, 3> origin = {}) {
  std::vector<AtomText> atoms;
  for (int i = 0; i < count; ++i) {
    const auto here = helix_calpha(i), before = helix_calpha(i - 1), after = helix_calpha(i + 1);
    for (const std::string& name : {std::string("N"), std::string("CA"), std::string("C")}) {
      AtomText atom;
      atom.name = name;
      atom.element = std::string(1, name[0]);
      atom.chain = chain;
      atom.number = first + i;
      for (std::size_t k = 0; k < 3; ++k) {
        const double step = name == "N"    ? 0.38 * (before[k] - here[k])
                            : name == "CA" ? 0.0
                                           : 0.40 * (after[k] - here[k]);
        atom.position[k] = origin[k] + here[k] + step;
      }
      atoms.push_back(atom);
    }
  }
  return atoms;
}

inline std::string pdb_text(const std::vector<AtomText>& atoms) {
  std::string text;
  int serial = 0;
  for (const AtomText& atom : atoms) text += pdb_line(atom, ++serial);
  return text;
}

inline std::string cif_text(const std::vector<AtomText>& atoms) {
  std::string text = cif_head();
  int serial = 0;
  for (const AtomText& atom : atoms) text += cif_line(atom, ++serial);
  return text + "#\n";
}

inline std::string gzip(const std::string& text) {
  constexpr int gzip_format = 16 + MAX_WBITS;
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, gzip_format, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib");
  }
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace nfold::test
