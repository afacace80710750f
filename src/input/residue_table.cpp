// Reader of parameter tables from YAML, driven by a table of keys.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/residue_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "core/document/scalars.hpp"
#include "core/document/section_reader.hpp"
#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;
using document::InputNode;
using document::NodeKind;
using document::printable;
using document::required;
using document::shown;

namespace {

using Table = ResidueTable;
using TableKey = document::KeyOf<ResidueTable>;
using ResidueKey = document::KeyOf<ResidueParameters>;

/// Forms that a table may have, their names in tables, and their numbers of residues.
struct TableForms {
  std::vector<pair_forms::ShortRangeForm> forms;
  std::vector<Name> names;
  std::vector<std::string_view> residue_numbers;  ///< a table may have those of other forms too
  TableForms() {
    pair_forms::for_each_form([this](auto one, pair_forms::ShortRangeForm form) {
      for (const auto& number : one.residue_numbers) residue_numbers.push_back(number.name);
      if (one.table_name.empty()) return;
      forms.push_back(form);
      names.push_back(one.table_name);
    });
  }
};
const TableForms& table_forms() {
  static const TableForms known;
  return known;
}
constexpr std::array<Name, 3> table_bead_names{"calpha", "centre-of-mass-in-domains",
                                               "centre-of-mass"};
constexpr std::array<std::size_t, 2> coefficient_counts{0, 5};

/// Field of the table's form; its values are indices of table_forms().
document::FieldOf<Table> form_field() {
  return {document::ChoiceRule{table_forms().names},
          [](const Table& t) {
            const auto& forms = table_forms().forms;
            const auto place = std::ranges::find(forms, t.form) - forms.begin();
            return document::Value(static_cast<std::uint64_t>(place));
          },
          [](Table& t, const document::Value& value) {
            t.form = table_forms().forms.at(std::get<std::uint64_t>(value));
          }};
}

const TableKey form_key = required("form", form_field());

const std::array table_keys{
    TableKey{"charged_ends", flag<&Table::charged_ends>()},
    TableKey{"first_residue_mass_amu", real<&Table::first_residue_mass_amu>(0, 1000)},
    TableKey{"last_residue_mass_amu", real<&Table::last_residue_mass_amu>(0, 1000)},
    TableKey{"histidine_pka", real<&Table::histidine_pka>(0, 14)},
    TableKey{"bead", choice<&Table::bead>(table_bead_names)},
    TableKey{"epsilon_kj_mol", real<&Table::epsilon_kj_mol>(0, 1000)},
    TableKey{"lambda_offset", real<&Table::lambda_offset>(-10, 10)},
    TableKey{"short_range_cutoff_nm", real<&Table::short_range_cutoff_nm>(0, 20)},
    TableKey{"short_range_shifted", flag<&Table::short_range_shifted>()},
    required("coulomb_kj_mol_nm", real_above<&Table::coulomb_kj_mol_nm>(0, 1000)),
    TableKey{"gas_constant_kj_mol_kelvin", real_above<&Table::gas_constant_kj_mol_kelvin>(0, 1)},
    TableKey{"dielectric_constant", real<&Table::dielectric_constant>(0, 1000)},
    TableKey{"dielectric_of_temperature",
             real_list<&Table::dielectric_of_temperature>(-1e9, 1e9, coefficient_counts)},
    TableKey{"inverse_debye_length_per_nm", real<&Table::inverse_debye_length_per_nm>(0, 100)},
    required("electrostatic_cutoff_nm", real_above<&Table::electrostatic_cutoff_nm>(0, 50)),
    TableKey{"electrostatic_shifted", flag<&Table::electrostatic_shifted>()},
    required("bond_k_kj_mol_nm2", real_above<&Table::bond_k_kj_mol_nm2>(0, 1e7)),
    required("bond_length_nm", real_above<&Table::bond_length_nm>(0, 2)),
    required("restraint_k_kj_mol_nm2", real_above<&Table::restraint_k_kj_mol_nm2>(0, 1e6)),
    required("restraint_cutoff_nm", real_above<&Table::restraint_cutoff_nm>(0, 10)),
};

const std::array residue_keys{
    required("mass_amu", real_above<&ResidueParameters::mass_amu>(0, 1e6)),
    required("charge_e", real<&ResidueParameters::charge_e>(-10, 10)),
    ResidueKey{"sigma_nm", real<&ResidueParameters::sigma_nm>(0, 5)},
};

class TableReader {
 public:
  explicit TableReader(const std::string& file)
      : reader_(file, "input/force_fields has tables with all keys") {}

  ResidueTable read(std::string_view text) {
    const InputNode root = document::read_document(text, reader_.file());
    // The form decides which other keys there are, wherever it stands in the file.
    if (const auto* form = document::find_entry(root, "form")) {
      reader_.read_key(form_key, "form", table_, *form, reader_.position(*form));
    } else {
      reader_.complain_missing(root, "form", "", accepted_text(form_key));
    }
    std::vector<std::string_view> others{"form", "residues", "pairs"};
    pair_forms::with_form(table_.form, [&](auto form) {
      table_.form_constants = read_numbers(root, "", form.constants);
      for (const auto& constant : form.constants) others.push_back(constant.name);
    });
    reader_.read_section(table_keys, root, "", table_, others);
    if (const auto* residues = reader_.find_section(root, "residues", "")) read_residues(*residues);
    if (const auto* pairs = document::find_entry(root, "pairs")) read_pairs(*pairs);
    reader_.throw_if_any();
    check();
    reader_.throw_if_any();
    return std::move(table_);
  }

 private:
  /// Returns numbers of the form in a section, in their order.
  std::vector<double> read_numbers(const InputNode& section, const std::string& path,
                                   std::span<const pair_forms::TableNumber> numbers) {
    std::vector<double> values(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const auto& [name, lowest, highest, is_required] = numbers[k];
      const document::Rule rule = document::RealRule{lowest, highest};
      const auto accepted = document::describe_accepted(rule);
      const auto* node = document::find_entry(section, name);
      if (node == nullptr) {
        if (is_required) reader_.complain_missing(section, name, path, accepted);
        continue;
      }
      const auto entry = static_cast<std::size_t>(node - section.items.data());
      const auto number = reader_.read_value(rule, accepted, document::join_path(path, name), *node,
                                             reader_.position(section.entry_names[entry], *node));
      if (number) values[k] = std::get<double>(*number);
    }
    return values;
  }

  void read_residues(const InputNode& map) {
    for (std::size_t i = 0; i < map.items.size(); ++i) {
      const InputNode& node = map.items[i];
      ResidueParameters residue;
      residue.name = map.entry_names[i].text;
      const std::string path = "residues." + printable(residue.name);
      if (node.kind != NodeKind::map || document::has_control(residue.name)) {
        reader_.complain(map.entry_names[i], path + " is " + shown(node),
                         "write {mass_amu: ..., charge_e: ...}");
        continue;
      }
      reader_.read_section(residue_keys, node, path, residue, table_forms().residue_numbers);
      residue.form_numbers = pair_forms::with_form(
          table_.form, [&](auto form) { return read_numbers(node, path, form.residue_numbers); });
      table_.residues.push_back(std::move(residue));
    }
  }

  void read_pairs(const InputNode& list) {
    if (list.kind != NodeKind::list) {
      reader_.complain(list, "pairs = " + shown(list), "must be a list");
      return;
    }
    for (const InputNode& row : list.items) read_pair(row);
  }

  void read_pair(const InputNode& row) {
    PairParameters pair;
    const bool fits = pair_forms::with_form(table_.form, [&](auto form) {
      if (form.pair_row.numbers == 0) {
        reader_.complain(row, fmt::format("pairs in a table of the form {}", form.table_name),
                         "leave them out: it mixes the numbers of both residues");
        return false;
      }
      bool is_row = row.kind == NodeKind::list && row.items.size() == 2 + form.pair_row.numbers;
      for (std::size_t k = 0; is_row && k < form.pair_row.numbers; ++k) {
        const InputNode& node = row.items[2 + k];
        const auto number =
            node.kind == NodeKind::scalar ? document::to_real(node.text) : std::nullopt;
        is_row = number.has_value();
        pair.numbers.push_back(number.value_or(0));
      }
      if (is_row && form.accepts_pair(pair.numbers)) return true;
      reader_.complain(row, fmt::format("a pair is not {}", form.pair_row.shown),
                       std::string(form.pair_row.accepted));
      return false;
    });
    if (!fits) return;
    pair.first = row.items[0].text;
    pair.second = row.items[1].text;
    if (!has_residue(pair.first) || !has_residue(pair.second)) {
      reader_.complain(
          row, fmt::format("a pair of {} and {}", printable(pair.first), printable(pair.second)),
          "`residues` must have both");
      return;
    }
    const auto both = std::minmax(pair.first, pair.second);
    if (!known_pairs_.emplace(both.first, both.second).second) {
      reader_.complain(row,
                       fmt::format("the pair {} {} for the second time", both.first, both.second),
                       "keep one");
    }
    table_.pairs.push_back(std::move(pair));
  }

  [[nodiscard]] bool has_residue(const std::string& name) const {
    return std::any_of(table_.residues.begin(), table_.residues.end(),
                       [&name](const ResidueParameters& r) { return r.name == name; });
  }

  void check() {
    const InputNode file;
    if (table_.residues.empty()) reader_.complain(file, "no residues", "give `residues`");
    if (table_.dielectric_constant == 0 && table_.dielectric_of_temperature.empty()) {
      reader_.complain(file, "neither dielectric_constant nor dielectric_of_temperature",
                       "give one");
    }
    pair_forms::with_form(table_.form, [&](auto form) { check_numbers_of(form); });
  }
  template <class Form>
  void check_numbers_of(Form form) {
    const InputNode file;
    const std::size_t n = table_.residues.size();
    if (form.pair_row.numbers > 0 && known_pairs_.size() != n * (n + 1) / 2) {
      reader_.complain(file, fmt::format("{} pairs of {} residues", known_pairs_.size(), n),
                       fmt::format("{} needs all {}", form.table_name, n * (n + 1) / 2));
    }
    if (form.needs.epsilon && table_.epsilon_kj_mol == 0) {
      reader_.complain(file, "no epsilon_kj_mol", fmt::format("{} needs it", form.table_name));
    }
    if (!form.has_own_cutoff && table_.short_range_cutoff_nm == 0) {
      reader_.complain(file, "no short_range_cutoff_nm",
                       fmt::format("{} needs it", form.table_name));
    }
    if (!form.needs.type_sigma) return;
    for (const ResidueParameters& residue : table_.residues) {
      if (residue.sigma_nm > 0) continue;
      reader_.complain(file, fmt::format("residues.{} has no sigma_nm", residue.name),
                       fmt::format("{} needs one", form.table_name));
    }
  }

  document::SectionReader reader_;
  ResidueTable table_;
  std::set<std::pair<std::string, std::string>> known_pairs_;
};

}  // namespace

ResidueTable parse_residue_table(std::string_view text, const std::string& file) {
  return TableReader(file).read(text);
}

}  // namespace nfold::input
