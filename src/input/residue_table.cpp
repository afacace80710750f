// Reader of parameter tables from YAML, driven by a table of keys.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/residue_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "core/input_error.hpp"
#include "input/accepted.hpp"
#include "input/assign.hpp"
#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;
using document::InputNode;
using document::NodeKind;

namespace {

using Table = ResidueTable;
using TableKey = KeyOf<ResidueTable>;
using ResidueKey = KeyOf<ResidueParameters>;

/// Forms that a table may have, and their names in tables.
struct TableForms {
  std::vector<pair_forms::ShortRangeForm> forms;
  std::vector<Name> names;
  TableForms() {
    pair_forms::for_each_form([this](auto one, pair_forms::ShortRangeForm form) {
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

template <class Owner>
KeyOf<Owner> key(std::string_view name, ValueOf<Owner> value, bool required = false) {
  return {name, value, "", refuse, "", required};
}

ValueOf<Table> form_value() {
  return ChoiceValueOf<Table>{
      [](const Table& t) {
        const auto& forms = table_forms().forms;
        return static_cast<std::size_t>(std::find(forms.begin(), forms.end(), t.form) -
                                        forms.begin());
      },
      [](Table& t, std::size_t place) { t.form = table_forms().forms.at(place); },
      table_forms().names};
}

const std::array table_keys{
    key("form", form_value(), true),
    key("charged_ends", flag<&Table::charged_ends>()),
    key("first_residue_mass_amu", real<&Table::first_residue_mass_amu>(0, 1000)),
    key("last_residue_mass_amu", real<&Table::last_residue_mass_amu>(0, 1000)),
    key("histidine_pka", real<&Table::histidine_pka>(0, 14)),
    key("bead", choice<&Table::bead>(table_bead_names)),
    key("epsilon_kj_mol", real<&Table::epsilon_kj_mol>(0, 1000)),
    key("lambda_offset", real<&Table::lambda_offset>(-10, 10)),
    key("short_range_cutoff_nm", real<&Table::short_range_cutoff_nm>(0, 20)),
    key("short_range_shifted", flag<&Table::short_range_shifted>()),
    key("coulomb_kj_mol_nm", real_above<&Table::coulomb_kj_mol_nm>(0, 1000), true),
    key("gas_constant_kj_mol_kelvin", real_above<&Table::gas_constant_kj_mol_kelvin>(0, 1)),
    key("dielectric_constant", real<&Table::dielectric_constant>(0, 1000)),
    key("dielectric_of_temperature",
        real_list<&Table::dielectric_of_temperature>(-1e9, 1e9, coefficient_counts)),
    key("inverse_debye_length_per_nm", real<&Table::inverse_debye_length_per_nm>(0, 100)),
    key("electrostatic_cutoff_nm", real_above<&Table::electrostatic_cutoff_nm>(0, 50), true),
    key("electrostatic_shifted", flag<&Table::electrostatic_shifted>()),
    key("bond_k_kj_mol_nm2", real_above<&Table::bond_k_kj_mol_nm2>(0, 1e7), true),
    key("bond_length_nm", real_above<&Table::bond_length_nm>(0, 2), true),
    key("restraint_k_kj_mol_nm2", real_above<&Table::restraint_k_kj_mol_nm2>(0, 1e6), true),
    key("restraint_cutoff_nm", real_above<&Table::restraint_cutoff_nm>(0, 10), true),
};

const std::array residue_keys{
    key("mass_amu", real_above<&ResidueParameters::mass_amu>(0, 1e6), true),
    key("charge_e", real<&ResidueParameters::charge_e>(-10, 10), true),
    key("sigma_nm", real<&ResidueParameters::sigma_nm>(0, 5)),
    key("lambda", real<&ResidueParameters::lambda>(-10, 10)),
};

class TableReader {
 public:
  explicit TableReader(const std::string& file) : file_(file) {}

  ResidueTable read(std::string_view text) {
    const InputNode root = document::read_document(text, file_);
    // The form decides which other keys there are, wherever it stands in the file.
    for_each_entry(root, [&](const InputNode& name, const InputNode& item) {
      if (name.text == "form") read_key(table_keys, name, item, "", table_);
    });
    pair_forms::with_form(table_.form, [&](auto form) { read_constants(root, form.constants); });
    for_each_entry(root, [&](const InputNode& name, const InputNode& item) {
      if (name.text == "residues") {
        read_residues(item);
      } else if (name.text == "pairs") {
        read_pairs(item);
      } else if (name.text != "form" && !is_constant(name.text)) {
        read_key(table_keys, name, item, "", table_);
      }
    });
    require_keys(table_keys, root, "");
    if (problems_.empty()) check();
    if (!problems_.empty()) throw core::InputError(std::move(problems_));
    return std::move(table_);
  }

 private:
  void complain(const InputNode& at, std::string problem, std::string remedy) {
    problems_.push_back({{file_, at.line, at.column}, std::move(problem), std::move(remedy)});
  }

  template <class Visit>
  static void for_each_entry(const InputNode& map, const Visit& visit) {
    for (std::size_t i = 0; i < map.items.size(); ++i) visit(map.entry_names[i], map.items[i]);
  }

  /// Reads the constants of the form. All of them must be present.
  void read_constants(const InputNode& root, std::span<const pair_forms::TableConstant> constants) {
    table_.form_constants.assign(constants.size(), 0);
    std::vector<bool> given(constants.size(), false);
    for_each_entry(root, [&](const InputNode& name, const InputNode& item) {
      for (std::size_t k = 0; k < constants.size(); ++k) {
        const auto& [known, lowest, highest] = constants[k];
        if (name.text != known) continue;
        given[k] = true;
        const auto number =
            item.kind == NodeKind::scalar ? document::to_real(item.text) : std::nullopt;
        if (number && *number >= lowest && *number <= highest) {
          table_.form_constants[k] = *number;
        } else {
          complain(item.line > 0 ? item : name, fmt::format("{} = {}", known, shown(item)),
                   fmt::format("must be a number from {} to {}", lowest, highest));
        }
      }
    });
    for (std::size_t k = 0; k < constants.size(); ++k) {
      if (given[k]) continue;
      complain(root, fmt::format("key '{}' is missing", constants[k].name),
               "input/force_fields has tables with all keys");
    }
  }
  [[nodiscard]] bool is_constant(const std::string& name) const {
    return pair_forms::with_form(table_.form, [&](auto form) {
      return std::any_of(form.constants.begin(), form.constants.end(),
                         [&](const auto& known) { return known.name == name; });
    });
  }

  template <class Keys, class Owner>
  void read_key(const Keys& keys, const InputNode& name, const InputNode& node,
                const std::string& place, Owner& owner) {
    const auto found = std::find_if(keys.begin(), keys.end(),
                                    [&name](const auto& known) { return known.name == name.text; });
    if (found == keys.end()) {
      complain(name, fmt::format("unknown key '{}{}'", place, printable(name.text)),
               "input/force_fields has tables with all keys");
      return;
    }
    std::string hint;
    if (std::visit(Assign<Owner>{owner, node, hint}, found->value)) return;
    std::string remedy = "must be " + accepted_value<Owner>(found->value);
    if (!hint.empty()) remedy += "; " + hint;
    complain(node.line > 0 ? node : name, fmt::format("{}{} = {}", place, name.text, shown(node)),
             std::move(remedy));
  }

  template <class Keys>
  void require_keys(const Keys& keys, const InputNode& map, const std::string& place) {
    for (const auto& known : keys) {
      const bool given =
          std::any_of(map.entry_names.begin(), map.entry_names.end(),
                      [&known](const InputNode& name) { return name.text == known.name; });
      if (known.required && !given) {
        complain(map, fmt::format("key '{}{}' is missing", place, known.name),
                 "input/force_fields has tables with all keys");
      }
    }
  }

  void read_residues(const InputNode& map) {
    if (map.kind != NodeKind::map) {
      complain(map, "residues = " + shown(map), "must be a section with a line a residue");
      return;
    }
    for (std::size_t i = 0; i < map.items.size(); ++i) {
      const InputNode& node = map.items[i];
      ResidueParameters residue;
      residue.name = map.entry_names[i].text;
      const std::string place = "residues." + printable(residue.name) + ".";
      if (node.kind != NodeKind::map || has_control(residue.name)) {
        complain(map.entry_names[i], place + " is " + shown(node),
                 "write {mass_amu: ..., charge_e: ...}");
        continue;
      }
      for (std::size_t k = 0; k < node.items.size(); ++k) {
        read_key(residue_keys, node.entry_names[k], node.items[k], place, residue);
      }
      require_keys(residue_keys, node, place);
      table_.residues.push_back(std::move(residue));
    }
  }

  void read_pairs(const InputNode& list) {
    if (list.kind != NodeKind::list) {
      complain(list, "pairs = " + shown(list), "must be a list");
      return;
    }
    for (const InputNode& row : list.items) read_pair(row);
  }

  void read_pair(const InputNode& row) {
    PairParameters pair;
    const bool fits = pair_forms::with_form(table_.form, [&](auto form) {
      if (form.pair_row.numbers == 0) {
        complain(row, fmt::format("pairs in a table of the form {}", form.table_name),
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
      complain(row, fmt::format("a pair is not {}", form.pair_row.shown),
               std::string(form.pair_row.accepted));
      return false;
    });
    if (!fits) return;
    pair.first = row.items[0].text;
    pair.second = row.items[1].text;
    if (!has_residue(pair.first) || !has_residue(pair.second)) {
      complain(row,
               fmt::format("a pair of {} and {}", printable(pair.first), printable(pair.second)),
               "`residues`, above `pairs`, must have both");
      return;
    }
    const auto both = std::minmax(pair.first, pair.second);
    if (!known_pairs_.emplace(both.first, both.second).second) {
      complain(row, fmt::format("the pair {} {} for the second time", both.first, both.second),
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
    if (table_.residues.empty()) complain(file, "no residues", "give `residues`");
    if (table_.dielectric_constant == 0 && table_.dielectric_of_temperature.empty()) {
      complain(file, "neither dielectric_constant nor dielectric_of_temperature", "give one");
    }
    pair_forms::with_form(table_.form, [&](auto form) { check_numbers_of(form); });
  }
  template <class Form>
  void check_numbers_of(Form form) {
    const InputNode file;
    const std::size_t n = table_.residues.size();
    if (form.pair_row.numbers > 0 && known_pairs_.size() != n * (n + 1) / 2) {
      complain(file, fmt::format("{} pairs of {} residues", known_pairs_.size(), n),
               fmt::format("{} needs all {}", form.table_name, n * (n + 1) / 2));
    }
    if (form.needs.epsilon && table_.epsilon_kj_mol == 0) {
      complain(file, "no epsilon_kj_mol", fmt::format("{} needs it", form.table_name));
    }
    if (!form.has_own_cutoff && table_.short_range_cutoff_nm == 0) {
      complain(file, "no short_range_cutoff_nm", fmt::format("{} needs it", form.table_name));
    }
    if (!form.needs.type_sigma) return;
    for (const ResidueParameters& residue : table_.residues) {
      if (residue.sigma_nm > 0) continue;
      complain(file, fmt::format("residues.{} has no sigma_nm", residue.name),
               fmt::format("{} needs one", form.table_name));
    }
  }

  const std::string& file_;
  ResidueTable table_;
  std::set<std::pair<std::string, std::string>> known_pairs_;
  std::vector<core::InputProblem> problems_;
};

}  // namespace

ResidueTable parse_residue_table(std::string_view text, const std::string& file) {
  return TableReader(file).read(text);
}

}  // namespace nfold::input
