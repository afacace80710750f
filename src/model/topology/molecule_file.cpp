// Molecules and restraints given term by term: sections of rows, to terms and back.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/molecule_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>

#include "core/input_error.hpp"
#include "core/lines.hpp"
#include "core/parse_number.hpp"
#include "model/topology/local_pairs.hpp"
#include "model/topology/pieces.hpp"
#include "model/topology/potentials.hpp"
#include "model/topology/topology_residues.hpp"

namespace nfold::topology {
namespace {

/// Fields of a line between blanks.
using Fields = std::vector<std::string_view>;

/// Reader of sections of rows, which knows the current line.
class RowReader {
 public:
  /// Reads one field as a bead. Returns none if it is no bead.
  using BeadOf = std::function<std::optional<int>(std::string_view)>;
  using ReadRow = std::function<void(const Fields&)>;
  struct Section {
    std::string_view name;
    ReadRow read;
  };

  RowReader(std::string file, BeadOf bead_of)
      : file_(std::move(file)), bead_of_(std::move(bead_of)) {}

  void read(std::string_view text, const std::vector<Section>& sections) {
    const Section* current = nullptr;
    for (core::Lines lines(text); lines.next();) {
      line_ = lines.number();
      const Fields fields = core::split_fields(lines.line().substr(0, lines.line().find('#')));
      if (fields.empty()) continue;
      if (fields[0].starts_with('[')) {
        current = find(fields, sections);
      } else if (current == nullptr) {
        fail("a row before the first section", "begin with " + names(sections));
      } else {
        current->read(fields);
      }
    }
  }

  /// Returns a term of beads and numbers in the order of its members.
  template <class Term>
  [[nodiscard]] Term term(const Fields& fields) const {
    using Parts = decltype(Term{}.parts());
    constexpr std::size_t ends = std::tuple_size_v<decltype(Parts{}.residues)>;
    constexpr std::size_t count = std::tuple_size_v<decltype(Parts{}.numbers)>;
    require_fields(fields, ends + count);
    return [&]<std::size_t... e, std::size_t... n>(std::index_sequence<e...>,
                                                   std::index_sequence<n...>) {
      return Term{bead(fields[e])..., number(fields[ends + n])...};
    }(std::make_index_sequence<ends>(), std::make_index_sequence<count>());
  }
  [[nodiscard]] int bead(std::string_view field) const {
    const auto found = bead_of_(field);
    if (!found) fail(fmt::format("'{}' is no bead", field), "give its number, from 1");
    return *found;
  }
  [[nodiscard]] double number(std::string_view field) const {
    const auto value = core::parse_number<double>(field);
    if (!value || !std::isfinite(*value) || std::abs(*value) > largest_number) {
      fail(fmt::format("'{}' is no finite number up to {:g}", field, largest_number),
           "correct the row");
    }
    return *value;
  }
  void require_fields(const Fields& fields, std::size_t count) const {
    if (fields.size() == count) return;
    fail(fmt::format("{} fields in a row of {}", fields.size(), count), "correct the row");
  }
  /// Throws for a number that must be positive.
  void require_positive(double number, std::string_view what) const {
    if (number > 0) return;
    fail(fmt::format("{} = {:g}", what, number), "it must be > 0");
  }
  /// Throws if both ends of a pair are the same bead.
  void require_distinct(int i, int j) const {
    if (i == j) fail(fmt::format("bead {} twice in one row", i + 1), "name different beads");
  }
  [[noreturn]] void fail(std::string problem, std::string remedy) const {
    throw core::InputError({file_, line_, 0}, std::move(problem), std::move(remedy));
  }

 private:
  static constexpr double largest_number = 1e9;

  [[nodiscard]] const Section* find(const Fields& fields,
                                    const std::vector<Section>& sections) const {
    const auto found = std::ranges::find_if(sections, [&](const Section& section) {
      return fields.size() == 1 && fields[0] == fmt::format("[{}]", section.name);
    });
    if (found == sections.end()) {
      fail(fmt::format("section '{}'", fmt::join(fields, " ")), "there are " + names(sections));
    }
    return &*found;
  }
  [[nodiscard]] static std::string names(const std::vector<Section>& sections) {
    std::string all;
    for (const Section& section : sections) all += fmt::format(" [{}]", section.name);
    return all.substr(1);
  }

  std::string file_;
  BeadOf bead_of_;
  int line_ = 0;
};

std::optional<int> to_bead(std::string_view field, std::size_t beads) {
  const auto number = core::parse_number<int>(field);
  if (!number || *number < 1 || static_cast<std::size_t>(*number) > beads) return std::nullopt;
  return *number - 1;
}

/// Reads a harmonic term of two beads.
Bond read_spring(const RowReader& reader, const Fields& fields) {
  const auto spring = reader.term<Bond>(fields);
  reader.require_distinct(spring.i, spring.j);
  if (spring.length_nm < 0) reader.fail("a negative length", "correct the row");
  if (spring.k_kj_mol_nm2 < 0) reader.fail("a negative k", "correct the row");
  return spring;
}
Contact1210 read_contact(const RowReader& reader, const Fields& fields) {
  const auto contact = reader.term<Contact1210>(fields);
  reader.require_distinct(contact.i, contact.j);
  reader.require_positive(contact.distance_nm, "the distance");
  return contact;
}

/// Returns the indices of species joined by commas, or of all.
std::vector<int> read_species(const RowReader& reader, std::string_view names,
                              const Topology& topology) {
  std::vector<int> found;
  const auto& all = topology.species;
  if (names == "all") {
    for (std::size_t k = 0; k < all.size(); ++k) found.push_back(static_cast<int>(k));
    return found;
  }
  for (const auto name : core::split_fields(names, ",")) {
    const auto species = std::ranges::find(all, name, &Species::name);
    if (species == all.end()) reader.fail(fmt::format("no species '{}'", name), "name one, or all");
    found.push_back(static_cast<int>(species - all.begin()));
  }
  return found;
}

bias::ExternalField read_field(const RowReader& reader, const Fields& fields,
                               const Topology& topology) {
  constexpr std::size_t count = 10, numbers = 2, until = 9;
  reader.require_fields(fields, count);
  if (topology.fields.size() == bias::most_external_fields) {
    reader.fail("one field more", fmt::format("at most {}", bias::most_external_fields));
  }
  bias::ExternalField field;
  field.species = read_species(reader, fields[0], topology);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    field.axes.at(axis) = fields[1].find("xyz"[axis]) != std::string_view::npos;
    field.origin_nm.at(axis) = reader.number(fields[numbers + axis]);
  }
  if (fields[1].empty() || fields[1].find_first_not_of("xyz") != std::string_view::npos) {
    reader.fail(fmt::format("axes '{}'", fields[1]), "of x, y and z");
  }
  field.inner_nm = reader.number(fields[numbers + 3]);
  field.centre_nm = reader.number(fields[numbers + 4]);
  field.k_kj_mol_nm2 = reader.number(fields[numbers + 5]);
  field.slope_kj_mol_nm = reader.number(fields[numbers + 6]);
  const auto step = core::parse_number<std::int64_t>(fields[until]);
  if (!step || *step < 0) reader.fail(fmt::format("step '{}'", fields[until]), "0 is never");
  if (*step > 0) field.until_step = *step;
  return field;
}

class MoleculeReader {
 public:
  explicit MoleculeReader(const std::string& file)
      : reader_(file, [this](std::string_view field) { return to_bead(field, m_.beads.size()); }) {}

  Molecule read(std::string_view text) {
    reader_.read(
        text,
        {{"beads", [this](const Fields& f) { read_bead(f); }},
         {"bonds", [this](const Fields& f) { read_bond(f); }},
         {"springs", [this](const Fields& f) { m_.springs.push_back(read_spring(reader_, f)); }},
         {"angles", [this](const Fields& f) { read_angle(f); }},
         {"contacts", [this](const Fields& f) { m_.contacts.push_back(read_contact(reader_, f)); }},
         {"local_pairs", [this](const Fields& f) { read_local_pair(f); }},
         {"exclusions", [this](const Fields& f) { read_exclusion(f); }}});
    if (m_.beads.empty()) reader_.fail("no beads", "give rows of [beads]");
    return std::move(m_);
  }

 private:
  void read_bead(const Fields& fields) {
    constexpr std::size_t plain = 3, with_domain = 4, with_position = 7;
    if (fields.size() != plain && fields.size() != with_domain) {
      reader_.require_fields(fields, with_position);
    }
    Molecule::Bead bead;
    bead.name = std::string(fields[0]);
    if (bead.name.size() > ResidueName::longest) {
      reader_.fail(fmt::format("the name '{}'", bead.name),
                   fmt::format("at most {} letters", ResidueName::longest));
    }
    bead.added_mass_amu = reader_.number(fields[1]);
    bead.added_charge_e = reader_.number(fields[2]);
    if (fields.size() > plain) {
      const auto domain = core::parse_number<int>(fields[3]);
      if (!domain || *domain < 0 || *domain > 1'000'000) {
        reader_.fail(fmt::format("domain '{}'", fields[3]), "a number from 1; 0 is none");
      }
      bead.domain = *domain - 1;
    }
    if (fields.size() == with_position) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        bead.position_nm[axis] = reader_.number(fields[with_domain + axis]);
      }
    }
    m_.beads.push_back(std::move(bead));
  }
  void read_bond(const Fields& fields) {
    const auto bond = read_spring(reader_, fields);
    reader_.require_positive(bond.k_kj_mol_nm2, "k");
    m_.bonds.push_back(bond);
  }
  void read_angle(const Fields& fields) {
    const auto angle = reader_.term<Angle>(fields);
    reader_.require_distinct(angle.i, angle.j);
    reader_.require_distinct(angle.j, angle.k);
    reader_.require_distinct(angle.i, angle.k);
    m_.angles.push_back(angle);
  }
  void read_local_pair(const Fields& fields) {
    const auto pair = reader_.term<Molecule::Local>(fields);
    reader_.require_distinct(pair.i, pair.j);
    reader_.require_positive(pair.sigma_nm, "sigma");
    reader_.require_positive(pair.cutoff_nm, "the cutoff");
    reader_.require_positive(pair.charge_cutoff_nm, "the cutoff of charges");
    m_.local_pairs.push_back(pair);
  }
  void read_exclusion(const Fields& fields) {
    reader_.require_fields(fields, 2);
    const int i = reader_.bead(fields[0]), j = reader_.bead(fields[1]);
    reader_.require_distinct(i, j);
    m_.exclusions.emplace_back(i, j);
  }

  Molecule m_;
  RowReader reader_;
};

template <class Term>
std::string term_row(const Term& term) {
  const auto [beads, numbers] = term.parts();
  std::string row;
  for (const int bead : beads) row += fmt::format(" {}", bead + 1);
  for (const double number : numbers) row += fmt::format(" {}", number);
  return row.substr(1);
}

template <class Term>
void add_section(std::string_view name, std::string_view columns, const std::vector<Term>& terms,
                 std::string& text) {
  if (terms.empty()) return;
  text += fmt::format("\n[{}]  # {}\n", name, columns);
  for (const Term& term : terms) text += term_row(term) + "\n";
}

class MoleculeBuilder {
 public:
  MoleculeBuilder(const Molecule& molecule, const std::string& file, const ResidueModel& model)
      : molecule_(molecule), file_(file), model_(model) {}

  Topology run(const std::string& name) {
    topology_.species.push_back({name, 1});
    topology_.short_range = make_short_range(model_);
    topology_.electrostatics = make_electrostatics(model_);
    add_beads();
    add_terms();
    sort_exclusions(topology_);
    count_pieces(topology_);
    return std::move(topology_);
  }

 private:
  void add_beads() {
    const int count = static_cast<int>(molecule_.beads.size());
    topology_.chains.push_back({"A", 0, count});
    std::vector<char> is_spanned(molecule_.beads.size(), 0);  // a bond crosses to the next bead
    for (const Bond& bond : molecule_.bonds) {
      const auto [first, last] = std::minmax(bond.i, bond.j);
      if (first == 0 && last == count - 1 && count > 2) {
        topology_.chains[0].is_closed = true;
        continue;
      }
      std::fill(is_spanned.begin() + first, is_spanned.begin() + last, char{1});
    }
    int segment = 0;
    for (std::size_t i = 0; i < molecule_.beads.size(); ++i) {
      topology_.residues.push_back(bead(i, segment));
      topology_.native_nm.push_back(molecule_.beads[i].position_nm);
      if (is_spanned[i] == 0) ++segment;
    }
  }

  [[nodiscard]] Residue bead(std::size_t i, int segment) const {
    const Molecule::Bead& given = molecule_.beads[i];
    const input::ForceField& field = model_.force_field;
    const int type = field.find_bead(given.name);
    if (type < 0) {
      throw core::InputError({file_, 0, 0}, fmt::format("bead {} is '{}'", i + 1, given.name),
                             "the force field has no bead of this name");
    }
    Residue bead;
    bead.name = given.name;
    bead.number = static_cast<int>(i) + 1;
    bead.segment = segment;
    bead.domain = given.domain;
    bead.type = given.domain >= 0 ? field.folded_type(type) : type;
    bead.mass_amu = field.beads[static_cast<std::size_t>(type)].mass_amu + given.added_mass_amu;
    bead.charge_e = field.beads[static_cast<std::size_t>(type)].charge_e + given.added_charge_e;
    return bead;
  }

  void add_terms() {
    for (const Bond& bond : molecule_.bonds) topology_.bonds.push_back(bond);
    for (const Bond& spring : molecule_.springs) topology_.restraints.push_back(spring);
    for (const Angle& angle : molecule_.angles) topology_.angles.push_back(angle);
    for (const auto& contact : molecule_.contacts) topology_.contacts_12_10.push_back(contact);
    for (const auto& pair : molecule_.local_pairs) topology_.local_pairs.push_back(local(pair));
    const auto exclude = [this](const auto& pairs) {
      for (const auto& pair : pairs) topology_.exclusions.emplace_back(std::minmax(pair.i, pair.j));
    };
    exclude(molecule_.bonds);
    exclude(molecule_.springs);
    exclude(molecule_.contacts);
    exclude(molecule_.local_pairs);
    for (const auto& [i, j] : molecule_.exclusions) {
      topology_.exclusions.emplace_back(std::minmax(i, j));
    }
  }

  [[nodiscard]] LocalPair local(const Molecule::Local& given) const {
    const auto charge = [this](int i) {
      return topology_.residues[static_cast<std::size_t>(i)].charge_e;
    };
    pair_forms::PairFunction contact;
    contact.kind = pair_forms::FunctionKind::ashbaugh_hatch;
    contact.numbers = {given.epsilon_kj_mol, given.sigma_nm, given.lambda};
    auto pair = make_local_pair(given.i, given.j, contact, given.sigma_nm, 1, given.cutoff_nm);
    add_charges(topology_.electrostatics, given.charge_factor * charge(given.i) * charge(given.j),
                given.charge_cutoff_nm, pair);
    return pair;
  }

  const Molecule& molecule_;
  const std::string& file_;
  const ResidueModel& model_;
  Topology topology_;
};

}  // namespace

Molecule parse_molecule(std::string_view text, const std::string& file) {
  return MoleculeReader(file).read(text);
}

std::string write_molecule(const Molecule& molecule, const std::vector<std::string>& remarks) {
  std::string text;
  for (const auto& remark : remarks) text += fmt::format("# {}\n", remark);
  text += "# Beads count from 1. Units: nm, kJ/mol, e, amu, rad.\n\n";
  text += "[beads]  # name added_mass added_charge domain(0: none) x y z\n";
  for (const auto& bead : molecule.beads) {
    text += fmt::format("{} {} {}", bead.name, bead.added_mass_amu, bead.added_charge_e);
    const bool has_position = !std::isnan(bead.position_nm[0]);
    if (bead.domain >= 0 || has_position) text += fmt::format(" {}", bead.domain + 1);
    if (has_position) text += fmt::format(" {}", fmt::join(bead.position_nm, " "));
    text += "\n";
  }
  add_section("bonds", "i j length k", molecule.bonds, text);
  add_section("springs", "i j length k", molecule.springs, text);
  add_section("angles", "i j k theta0 k", molecule.angles, text);
  add_section("contacts", "i j distance epsilon (12-10)", molecule.contacts, text);
  add_section("local_pairs", "i j epsilon sigma lambda cutoff charge_factor charge_cutoff",
              molecule.local_pairs, text);
  if (!molecule.exclusions.empty()) text += "\n[exclusions]  # i j\n";
  for (const auto& [i, j] : molecule.exclusions) text += fmt::format("{} {}\n", i + 1, j + 1);
  return text;
}

Topology build_molecule(const Molecule& molecule, const std::string& name, const std::string& file,
                        const ResidueModel& model) {
  return MoleculeBuilder(molecule, file, model).run(name);
}

void add_restraints(std::string_view text, const std::string& file, Topology& topology) {
  const auto finder = residue_finder(file, topology);
  RowReader reader(file, [&finder](std::string_view field) -> std::optional<int> {
    const auto found = finder.find_whole(std::string(field));
    if (found.size() != 1) return std::nullopt;
    return found.front();
  });
  std::vector<std::pair<int, int>> pairs;
  reader.read(text, {{"springs",
                      [&](const Fields& fields) {
                        const Bond spring = read_spring(reader, fields);
                        topology.restraints.push_back(spring);
                        pairs.emplace_back(std::minmax(spring.i, spring.j));
                      }},
                     {"contacts",
                      [&](const Fields& fields) {
                        const Contact1210 contact = read_contact(reader, fields);
                        topology.contacts_12_10.push_back(contact);
                        pairs.emplace_back(std::minmax(contact.i, contact.j));
                      }},
                     {"fields", [&](const Fields& fields) {
                        topology.fields.push_back(read_field(reader, fields, topology));
                      }}});
  if (pairs.empty()) return;
  for (const auto& pair : pairs) topology.exclusions.push_back(pair);
  sort_exclusions(topology);
}

}  // namespace nfold::topology
