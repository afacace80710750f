// PDB files by the rules of MDAnalysis: residues, segments, masses, bead positions.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/calvados/pdb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <utility>

#include "core/input_error.hpp"
#include "core/lines.hpp"
#include "model/structure/pdb_columns.hpp"

namespace nfold::calvados {
namespace {

using core::trim;
using structure::columns;

using Mass = std::pair<std::string_view, double>;

/// Masses of MDAnalysis [amu].
constexpr std::array<Mass, 16> masses{{{"H", 1.008},
                                       {"C", 12.011},
                                       {"N", 14.007},
                                       {"O", 15.999},
                                       {"S", 32.06},
                                       {"P", 30.974},
                                       {"F", 18.998},
                                       {"NA", 22.98977},
                                       {"MG", 24.305},
                                       {"CL", 35.45},
                                       {"K", 39.102},
                                       {"CA", 40.08},
                                       {"FE", 55.847},
                                       {"ZN", 65.37},
                                       {"SE", 78.96},
                                       {"BR", 79.904}}};
constexpr std::array<std::pair<std::string_view, char>, 27> letters{
    {{"ALA", 'A'}, {"ARG", 'R'}, {"ASN", 'N'}, {"ASP", 'D'}, {"CYS", 'C'}, {"GLN", 'Q'},
     {"GLU", 'E'}, {"GLY", 'G'}, {"HIS", 'H'}, {"ILE", 'I'}, {"LEU", 'L'}, {"LYS", 'K'},
     {"MET", 'M'}, {"PHE", 'F'}, {"PRO", 'P'}, {"SER", 'S'}, {"THR", 'T'}, {"TRP", 'W'},
     {"TYR", 'Y'}, {"VAL", 'V'}, {"HSD", 'H'}, {"HSE", 'H'}, {"HID", 'H'}, {"HIE", 'H'},
     {"ASH", 'D'}, {"GLH", 'E'}, {"LYN", 'K'}}};
constexpr std::array<std::string_view, 19> backbone_names{
    "1H2'", "1H5'", "2H5'", "2HO'", "C1'", "C2'", "C3'", "C4'", "C5'", "H1'",
    "H3'",  "H4'",  "O2'",  "O3'",  "O5'", "O4'", "OP1", "OP2", "P"};

std::string to_upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

/// Returns the mass of an element; 0 if it is unknown.
double mass_of(std::string_view element) {
  const auto upper = to_upper(element);
  const auto found = std::ranges::find(masses, std::string_view(upper), &Mass::first);
  return found == masses.end() ? 0 : found->second;
}

/// Returns the element of an atom by its name in a file without elements.
std::string element_of(std::string_view atom_name) {
  const auto letter = std::ranges::find_if(
      atom_name, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
  return letter == atom_name.end() ? std::string() : to_upper(std::string_view(&*letter, 1));
}

class PdbReader {
 public:
  explicit PdbReader(const std::string& file) : file_(file) {}

  PdbStructure read(std::string_view text) {
    for_each_line(text, [this](std::string_view line) {
      if (line.starts_with("CRYST1")) read_cell(line);
      if (structure::is_atom(line)) read_atom(line);
    });
    if (structure_.residues.empty()) fail("no atom", "give ATOM records");
    set_segments();
    set_masses();
    centre();
    return std::move(structure_);
  }

  std::vector<Point> coordinates(std::string_view text) {
    std::vector<Point> all;
    for_each_line(text, [&](std::string_view line) {
      if (!structure::is_atom(line)) return;
      const auto x = position_angstrom(line);
      all.push_back({x[0] / angstroms_per_nm, x[1] / angstroms_per_nm, x[2] / angstroms_per_nm});
    });
    return all;
  }

 private:
  struct Key {
    std::string number, name, segment, chain;
    bool operator==(const Key&) const = default;
  };

  /// Visits the lines of the first model.
  template <class Visit>
  void for_each_line(std::string_view text, const Visit& visit) {
    for (core::Lines lines(text); lines.next();) {
      line_ = lines.number();
      if (lines.line().starts_with("END")) break;  // also ENDMDL
      visit(lines.line());
    }
  }

  [[noreturn]] void fail(std::string problem, std::string remedy) const {
    throw core::InputError({file_, line_, 0}, std::move(problem), std::move(remedy));
  }

  [[nodiscard]] double number(std::string_view line, std::size_t first, std::size_t last,
                              std::string_view what) const {
    double value = 0;
    const auto field = trim(columns(line, first, last));
    if (!structure::parse_number(field, value) || std::abs(value) > 1e6) {
      fail(fmt::format("{} {} in columns {} to {}", what, structure::in_quotes(field), first, last),
           "correct the line");
    }
    return value;
  }

  [[nodiscard]] Point position_angstrom(std::string_view line) const {
    return {number(line, 31, 38, "x"), number(line, 39, 46, "y"), number(line, 47, 54, "z")};
  }

  void read_cell(std::string_view line) {
    constexpr double right_angle = 90, nm_per_angstrom = 0.1;
    Point edges{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      edges[axis] = nm_per_angstrom * number(line, 7 + 9 * axis, 15 + 9 * axis, "an edge");
      const double angle = number(line, 34 + 7 * axis, 40 + 7 * axis, "an angle");
      is_oblique_ = is_oblique_ || angle != right_angle;
    }
    if (!is_oblique_) structure_.cell_nm = edges;
  }

  void read_atom(std::string_view line) {
    PdbAtom atom;
    atom.name = std::string(trim(columns(line, 13, 16)));
    const Point x = position_angstrom(line);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      atom.position_angstrom[axis] = static_cast<float>(x[axis]);
    }
    const auto b_factor = trim(columns(line, 61, 66));
    atom.b_factor = b_factor.empty() ? 1 : static_cast<float>(number(line, 61, 66, "B factor"));
    const Key key{std::string(columns(line, 23, 27)), std::string(trim(columns(line, 18, 21))),
                  std::string(trim(columns(line, 73, 76))), std::string(columns(line, 22, 22))};
    if (keys_.empty() || !(key == keys_.back())) {
      int residue_number = 0;
      if (!structure::parse_integer(trim(columns(line, 23, 26)), residue_number)) {
        fail(fmt::format("residue number {} in columns 23 to 26",
                         structure::in_quotes(columns(line, 23, 26))),
             "correct the line");
      }
      keys_.push_back(key);
      structure_.residues.push_back({key.name, residue_number, 0, line_, {}});
    }
    structure_.residues.back().atoms.push_back(std::move(atom));
    elements_.emplace_back(trim(columns(line, 77, 78)));
  }

  void set_segments() {
    const bool by_name =
        std::ranges::any_of(keys_, [](const Key& k) { return !k.segment.empty(); });
    int segment = 0;
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      const bool is_new =
          by_name ? keys_[i].segment != keys_[i - 1].segment : keys_[i].chain != keys_[i - 1].chain;
      if (is_new) ++segment;
      structure_.residues[i].segment = segment;
    }
  }

  void set_masses() {
    const bool has_elements =
        std::ranges::any_of(elements_, [](const auto& e) { return mass_of(e) > 0; });
    std::size_t n = 0;
    for (auto& residue : structure_.residues) {
      for (auto& atom : residue.atoms) {
        atom.mass_amu = mass_of(has_elements ? elements_[n] : element_of(atom.name));
        ++n;
      }
    }
  }

  /// Shifts the centre of mass to 0, in double, and rounds the positions.
  void centre() {
    Point sum{};
    double mass = 0;
    for (const auto& residue : structure_.residues) {
      for (const auto& atom : residue.atoms) {
        mass += atom.mass_amu;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          sum[axis] += atom.mass_amu * static_cast<double>(atom.position_angstrom[axis]);
        }
      }
    }
    if (!(mass > 0)) fail("no atom has an element of known mass", "give columns 77 to 78");
    for (auto& residue : structure_.residues) {
      for (auto& atom : residue.atoms) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          auto& x = atom.position_angstrom[axis];
          x = static_cast<float>(static_cast<double>(x) - sum[axis] / mass);
        }
      }
    }
  }

  const std::string& file_;
  int line_ = 0;
  bool is_oblique_ = false;
  PdbStructure structure_;
  std::vector<Key> keys_;              // (residues)
  std::vector<std::string> elements_;  // (atoms)
};

[[noreturn]] void fail_at(const std::string& file, const PdbResidue& residue,
                          const std::string& problem, const std::string& remedy) {
  throw core::InputError({file, residue.line, 0},
                         fmt::format("residue {} {} {}", residue.name, residue.number, problem),
                         remedy);
}

/// Returns the centre of mass of the atoms that `selects` [nm].
Point centre_of_mass(const PdbResidue& residue, const std::string& file, const std::string& what,
                     const std::function<bool(const PdbAtom&)>& selects) {
  Point sum{};
  double mass = 0;
  for (const auto& atom : residue.atoms) {
    if (!selects(atom)) continue;
    mass += atom.mass_amu;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum[axis] += static_cast<double>(atom.position_angstrom[axis]) * atom.mass_amu;
    }
  }
  if (!(mass > 0)) {
    fail_at(file, residue, "has no atom of known mass in its " + what,
            "give atoms and elements, or use_com: false");
  }
  for (double& x : sum) x = x / mass / angstroms_per_nm;
  return sum;
}

/// Returns the position of the atom with this name [nm], in single precision.
Point atom_position(const PdbResidue& residue, const std::string& file, std::string_view name) {
  const auto atom = std::ranges::find(residue.atoms, name, &PdbAtom::name);
  if (atom == residue.atoms.end()) {
    fail_at(file, residue, fmt::format("has no atom {}", name), "give it, or use_com: true");
  }
  Point position{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    position[axis] = static_cast<double>(atom->position_angstrom[axis] / 10.0F);
  }
  return position;
}

/// Returns the name of the base's atom that carries the bead.
std::string_view base_atom(const PdbResidue& residue, const std::string& file) {
  std::string_view name = residue.name;
  if (name.size() == 2 && name[0] == 'D') name.remove_prefix(1);
  if (name == "U" || name == "C" || name == "T") return "N1";
  if (name == "A" || name == "G") return "N9";
  fail_at(file, residue, "is no nucleotide", "A, C, G, U and T have a base atom N1 or N9");
}

}  // namespace

std::vector<int> PdbStructure::first_residues() const {
  std::vector<int> first;
  for (std::size_t i = 0; i < residues.size(); ++i) {
    if (i == 0 || residues[i].segment != residues[i - 1].segment) {
      first.push_back(static_cast<int>(i));
    }
  }
  return first;
}

std::vector<int> PdbStructure::last_residues() const {
  std::vector<int> last;
  for (std::size_t i = 0; i < residues.size(); ++i) {
    if (i + 1 == residues.size() || residues[i].segment != residues[i + 1].segment) {
      last.push_back(static_cast<int>(i));
    }
  }
  return last;
}

PdbStructure parse_pdb(std::string_view text, const std::string& file) {
  return PdbReader(file).read(text);
}

std::vector<Point> pdb_coordinates(std::string_view text, const std::string& file) {
  return PdbReader(file).coordinates(text);
}

std::optional<char> to_letter(std::string_view residue_name) {
  if (residue_name.size() == 1) return residue_name[0];
  const auto found =
      std::ranges::find(letters, residue_name, [](const auto& entry) { return entry.first; });
  if (found == letters.end()) return std::nullopt;
  return found->second;
}

std::vector<Point> protein_positions(const PdbStructure& structure, bool use_centre_of_mass,
                                     const std::string& file) {
  std::vector<Point> positions;
  for (const auto& residue : structure.residues) {
    if (use_centre_of_mass) {
      positions.push_back(
          centre_of_mass(residue, file, "atoms", [](const PdbAtom&) { return true; }));
      continue;
    }
    const auto count = std::ranges::count(residue.atoms, "CA", &PdbAtom::name);
    if (count > 1) {
      fail_at(file, residue, fmt::format("has {} atoms CA", count),
              "keep one alternate location: the package takes each for a bead");
    }
    positions.push_back(atom_position(residue, file, "CA"));
  }
  return positions;
}

std::vector<Point> rna_positions(const PdbStructure& structure, bool use_centre_of_mass,
                                 const std::string& file) {
  const auto is_backbone = [](const PdbAtom& atom) {
    return std::ranges::find(backbone_names, std::string_view(atom.name)) != backbone_names.end();
  };
  std::vector<Point> positions;
  for (const auto& residue : structure.residues) {
    if (use_centre_of_mass) {
      positions.push_back(centre_of_mass(residue, file, "backbone", is_backbone));
      positions.push_back(
          centre_of_mass(residue, file, "base", [&](const PdbAtom& a) { return !is_backbone(a); }));
    } else {
      positions.push_back(atom_position(residue, file, "P"));
      positions.push_back(atom_position(residue, file, base_atom(residue, file)));
    }
  }
  return positions;
}

double distance_nm(const Point& a, const Point& b, const std::optional<Point>& cell) {
  double squared = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto d = static_cast<double>(static_cast<float>(b[axis]) - static_cast<float>(a[axis]));
    if (cell && (*cell)[axis] > 0) {
      const auto edge = static_cast<float>((*cell)[axis]);
      const double turns = static_cast<double>(1.0F / edge) * d;
      d = static_cast<double>(edge) * (turns - std::round(turns));
    }
    squared += d * d;
  }
  return std::sqrt(squared);
}

}  // namespace nfold::calvados
