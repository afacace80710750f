// Evaluation of a force-field file: facts, the short form, charges, and the options of an input.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/force_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "core/nearest.hpp"
#include "input/bead_table.hpp"
#include "input/chain_reader.hpp"
#include "input/force_field_numbers.hpp"
#include "input/pair_term_reader.hpp"
#include "input/radial_functions.hpp"

namespace nfold::input {

using document::InputNode;
using document::NodeKind;
using document::shown;
using pair_forms::CutoffForm;
using pair_forms::FunctionKind;
using pair_forms::PairFunction;

namespace {

constexpr double codata_coulomb_kj_mol_nm = 138.935457644382;
constexpr double codata_gas_constant = 8.31446261815324e-3;  // kJ/mol/K
constexpr double ions_per_nm3 = 0.602214076;                 // at 1 mol/l, N_A 1e-24
constexpr double longest_cutoff_nm = 50;

constexpr std::string_view table_bead_names[] = {"calpha", "centre-of-mass-in-domains",
                                                 "centre-of-mass"};
constexpr std::string_view short_forms[] = {"ashbaugh-hatch", "wang-frenkel", "kim-hummer"};
constexpr std::string_view contact_name = "contact", charges_name = "charges";
constexpr std::string_view debye_hueckel = "debye-hueckel", protein = "protein";

/// A Debye-Hueckel term as a file describes it.
struct ChargeDraft {
  const InputNode* node = nullptr;
  std::string name, path;
  double coulomb_kj_mol_nm = codata_coulomb_kj_mol_nm;
  double gas_constant_kj_mol_kelvin = codata_gas_constant;
  double dielectric_constant = 0;             ///< > 0: fixed
  std::vector<double> dielectric_polynomial;  ///< of temperature
  const InputNode* dielectric = nullptr;      ///< an expression
  double inverse_debye_length_per_nm = 0;     ///< 0: from the ionic strength
  Cutoff cutoff;
};

void complete(double& value, double from_file) {
  if (value == 0) value = from_file;
}

class ForceFieldBuilder {
 public:
  ForceFieldBuilder(const ForceFieldFile& file, const Conditions& conditions,
                    const CondensateSettings& settings)
      : file_(file),
        settings_(settings),
        numbers_(file, conditions),
        top_(numbers_, file.root(), ""),
        is_short_(document::find_entry(file.root(), "form") != nullptr),
        beads_(numbers_, file, is_short_),
        terms_(numbers_, beads_, file) {
    field_.conditions = conditions;
    field_.options = settings;
  }

  ForceField run() {
    for (const std::string_view key : {"extends", "beads", "functions", "groups", "pairs"}) {
      (void)top_.find(key);
    }
    read_facts();
    field_.bead = static_cast<TableBead>(top_.choice("bead", table_bead_names, 0));
    if (is_short_) read_short_form();
    read_terms();
    apply_pair_options();
    field_.has_folded_types =
        std::ranges::any_of(drafts_, [](const auto& one) { return one.depends_on_state(); });
    for (const auto& draft : drafts_) {
      if (draft.kind) field_.pair_terms.push_back(terms_.evaluate(draft, field_.has_folded_types));
    }
    evaluate_charges();
    make_types();
    read_site_factor();
    read_chains();
    check_pairs();
    top_.finish();
    beads_.complain_unused();
    numbers_.reader().throw_if_any();
    const auto& used = numbers_.dependence();
    field_.uses_temperature = used.temperature;
    field_.uses_ionic_strength = used.ionic_strength;
    field_.uses_ph = used.ph || histidine_pka_ > 0;
    return std::move(field_);
  }

 private:
  void read_facts() {
    const auto* const about = top_.find("about");
    if (about == nullptr) return;
    SectionKeys section(numbers_, *about, "about");
    auto& facts = field_.facts;
    facts.name = section.text("name");
    facts.article = section.text("article");
    facts.fitted_for = section.text("fitted_for");
    facts.temperature = section.text("temperature");
    facts.salt = section.text("salt");
    facts.cannot = section.text("cannot");
    facts.mixtures = section.text("mixtures");
    facts.friction_per_ps =
        section.number("friction_per_ps", above(0, 1000), facts.friction_per_ps);
    section.finish();
  }

  // The short form: flat keys of one contact term and one Debye-Hueckel term.

  void read_short_form() {
    const InputNode& form = *top_.find("form");
    PairTermDraft contact;
    contact.name = contact_name;
    contact.path = fmt::format("pair_terms.{}", contact_name);
    contact.node = &form;
    const std::size_t kind = top_.choice("form", short_forms, std::size(short_forms));
    if (kind == 0) read_short_ashbaugh_hatch(contact);
    if (kind == 1) {
      contact.kind = FunctionKind::wang_frenkel;
      contact.rows = {"epsilon_kj_mol", "sigma_nm", "mu"};
      contact.cutoff_over_sigma = 3;
      (void)top_.number("short_range_cutoff_nm", from(0, 20));
      (void)top_.flag("short_range_shifted", false);
    }
    if (kind == 2) read_short_kim_hummer(contact);
    if (contact.kind) {
      contact.numbers.resize(contact.number_names().size());
      for (std::size_t k = 0; k < contact.rows.size(); ++k) {
        if (const auto number = contact.find_number(contact.rows[k])) {
          contact.numbers[*number] = {true, MixRule::row, 0, nullptr, k};
        }
      }
      drafts_.push_back(std::move(contact));
    }
    read_short_charges(form);
    read_short_chain();
  }

  void read_short_cutoff(PairTermDraft& contact) {
    contact.cutoff_nm = top_.number("short_range_cutoff_nm", from(0, 20));
    if (top_.flag("short_range_shifted", false)) contact.cutoff_form = CutoffForm::shifted;
    if (contact.cutoff_nm > 0 || settings_.short_range_cutoff_over_sigma > 0) return;
    top_.complain(*contact.node, "no short_range_cutoff_nm",
                  fmt::format("{} needs it", contact.node->text));
  }

  void read_short_ashbaugh_hatch(PairTermDraft& contact) {
    contact.kind = FunctionKind::ashbaugh_hatch;
    const double epsilon = top_.number("epsilon_kj_mol", from(0, 1000));
    if (epsilon == 0) {
      top_.complain(*contact.node, "no epsilon_kj_mol",
                    fmt::format("{} needs it", contact.node->text));
    }
    const double offset = top_.number("lambda_offset", from(-10, 10));
    contact.numbers = {{true, MixRule::constant, epsilon},
                       {true, MixRule::mean, 0},
                       {true, MixRule::mean, offset, nullptr, 0, true}};
    read_short_cutoff(contact);
  }

  void read_short_kim_hummer(PairTermDraft& contact) {
    contact.kind = FunctionKind::ashbaugh_hatch;
    contact.rows = {"contact energy"};
    ContactEnergyRule rule;
    rule.unit_kj_mol = top_.required_number("contact_energy_unit_kj_mol", from(0, 1000));
    rule.scale = top_.required_number("contact_energy_scale", from(0, 100));
    rule.offset = top_.required_number("contact_energy_offset", from(-1000, 1000));
    rule.least_kj_mol = top_.required_number("least_epsilon_kj_mol", from(0, 1000));
    contact.contact_energy = rule;
    contact.numbers = {{true}, {true, MixRule::mean}, {true}};
    read_short_cutoff(contact);
  }

  void read_short_charges(const InputNode& form) {
    ChargeDraft& charges = charges_;
    charges.node = &form;
    charges.name = charges_name;
    charges.path = fmt::format("pair_terms.{}", charges_name);
    charges.coulomb_kj_mol_nm = top_.required_number("coulomb_kj_mol_nm", above(0, 1000));
    charges.gas_constant_kj_mol_kelvin =
        top_.number("gas_constant_kj_mol_kelvin", above(0, 1), codata_gas_constant);
    charges.dielectric_constant = top_.number("dielectric_constant", from(0, 1000));
    const auto coefficients = top_.entries("dielectric_of_temperature", NodeKind::list);
    for (const auto* const node : coefficients) {
      const auto value = numbers_.number(*node, "dielectric_of_temperature", from(-1e9, 1e9));
      charges.dielectric_polynomial.push_back(value.value_or(0));
    }
    if (const std::size_t n = coefficients.size(); n != 0 && n != std::size(akerlof_oshry)) {
      top_.complain(
          *document::find_entry(top_.node(), "dielectric_of_temperature"),
          fmt::format("dielectric_of_temperature: found {} numbers", n),
          fmt::format("must be {}: a/T + b + c T + d T^2 + e T^3", std::size(akerlof_oshry)));
      charges.dielectric_polynomial.clear();
    } else if (charges.dielectric_constant == 0 && n == 0) {
      top_.complain(form, "neither dielectric_constant nor dielectric_of_temperature", "give one");
    }
    charges.inverse_debye_length_per_nm = top_.number("inverse_debye_length_per_nm", from(0, 100));
    charges.cutoff.cutoff_nm =
        top_.required_number("electrostatic_cutoff_nm", above(0, longest_cutoff_nm));
    if (top_.flag("electrostatic_shifted", false)) charges.cutoff.form = CutoffForm::shifted;
    histidine_pka_ = top_.number("histidine_pka", from(0, 14));
  }

  void read_short_chain() {
    ChainKind kind;
    kind.name = protein;
    kind.roles = {"bead"};
    ChainTerm bond{{0, 0}, {0, 1}};
    bond.k = top_.required_number("bond_k_kj_mol_nm2", above(0, 1e7));
    bond.length_nm = top_.required_number("bond_length_nm", above(0, 2));
    kind.bonds.push_back(bond);
    kind.has_charged_ends = top_.flag("charged_ends", false);
    kind.first_mass_amu = top_.number("first_residue_mass_amu", from(0, 1000));
    kind.last_mass_amu = top_.number("last_residue_mass_amu", from(0, 1000));
    field_.chains.push_back(std::move(kind));
    network_.k_kj_mol_nm2 = top_.required_number("restraint_k_kj_mol_nm2", above(0, 1e6));
    network_.cutoff_nm = top_.required_number("restraint_cutoff_nm", above(0, 10));
  }

  // Pair terms.

  void read_terms() {
    const auto* const all = top_.find("pair_terms");
    if (all != nullptr && all->kind != NodeKind::map) {
      top_.complain(*all, fmt::format("pair_terms is {}", shown(*all)),
                    "it is a section: NAME: {form: ...}");
    }
    if (all != nullptr && all->kind == NodeKind::map) {
      for (std::size_t i = 0; i < all->items.size(); ++i) {
        read_term(all->entry_names[i], all->items[i]);
      }
    }
    if (drafts_.empty() && charges_.node == nullptr) {
      top_.complain(InputNode(), "no pair term", "give `pair_terms`, or `form` of the short form");
    }
  }

  void read_term(const InputNode& name, const InputNode& node) {
    const std::string path = "pair_terms." + document::printable(name.text);
    if (name.text.empty() || document::has_control(name.text)) {
      top_.complain(name, fmt::format("a pair term '{}'", document::printable(name.text)),
                    "give it a name");
      return;
    }
    const auto* const form = document::find_entry(node, "form");
    if (name.text == charges_.name || (form != nullptr && form->text == debye_hueckel)) {
      read_charges(name.text, path, node);
      return;
    }
    const auto old = std::ranges::find(drafts_, name.text, &PairTermDraft::name);
    if (old != drafts_.end()) {
      terms_.read(*old, node);
      return;
    }
    PairTermDraft draft;
    draft.name = name.text;
    draft.path = path;
    terms_.read(draft, node);
    drafts_.push_back(std::move(draft));
  }

  void read_charges(const std::string& name, const std::string& path, const InputNode& node) {
    SectionKeys section(numbers_, node, path);
    if (node.kind != NodeKind::map) return;
    if (charges_.node != nullptr && charges_.name != name) {
      section.complain(node, "a second term of the form debye-hueckel", "keep one");
      return;
    }
    charges_.node = &node;
    charges_.name = name;
    charges_.path = path;
    const std::string_view forms[] = {debye_hueckel};
    (void)section.choice("form", forms, 0);
    charges_.coulomb_kj_mol_nm =
        section.number("coulomb_kj_mol_nm", above(0, 1000), charges_.coulomb_kj_mol_nm);
    charges_.gas_constant_kj_mol_kelvin = section.number("gas_constant_kj_mol_kelvin", above(0, 1),
                                                         charges_.gas_constant_kj_mol_kelvin);
    charges_.inverse_debye_length_per_nm = section.number(
        "inverse_debye_length_per_nm", from(0, 100), charges_.inverse_debye_length_per_nm);
    const bool has_one =
        charges_.dielectric_constant > 0 || !charges_.dielectric_polynomial.empty();
    const auto* const dielectric =
        has_one ? section.find("dielectric")
                : section.require("dielectric", "a number, or an expression such as akerlof_oshry");
    if (dielectric != nullptr) {
      charges_.dielectric_constant = 0;
      charges_.dielectric_polynomial.clear();
      charges_.dielectric = dielectric;
    }
    read_cutoff(numbers_, section, charges_.cutoff, false);
    section.finish();
  }

  /// Replaces the file's end of the contact term by the options of the input.
  void apply_pair_options() {
    auto& options = field_.options;
    const auto is_contact = [](const PairTermDraft& one) {
      return one.kind && *one.kind != FunctionKind::yukawa;
    };
    const auto contact = std::ranges::find_if(drafts_, is_contact);
    const bool has_one = std::ranges::count_if(drafts_, is_contact) == 1;
    const bool is_given = options.short_range_cutoff_nm > 0 ||
                          options.short_range_cutoff_over_sigma > 0 ||
                          options.short_range_shifted != ModelFlag::by_model;
    if (!has_one) {
      if (is_given) refuse_option("force_field.short_range_*", "several contact terms, or none");
      return;
    }
    auto& one = *contact;
    // The ends of Wang-Frenkel pairs are part of their definition.
    const bool has_own_cutoff = one.kind == FunctionKind::wang_frenkel;
    const bool has_cutoff =
        options.short_range_cutoff_nm > 0 || options.short_range_cutoff_over_sigma > 0;
    if (has_own_cutoff && has_cutoff) {
      refuse_option("force_field.short_range_cutoff_nm",
                    "Wang-Frenkel pairs, which end at three times their sigma");
      return;
    }
    if (has_cutoff) {
      one.cutoff_nm = options.short_range_cutoff_nm;
      one.cutoff_over_sigma = options.short_range_cutoff_over_sigma;
      if (one.cutoff_over_sigma > 0 && !one.find_number("sigma_nm")) {
        refuse_option("force_field.short_range_cutoff_over_sigma", "no sigma_nm");
        one.cutoff_over_sigma = 0;
      }
    } else if (!has_own_cutoff) {
      options.short_range_cutoff_nm = one.cutoff_nm;
      options.short_range_cutoff_over_sigma = one.cutoff_over_sigma;
    }
    apply_shift(options.short_range_shifted, one.cutoff_form, one.switch_nm);
    if (has_own_cutoff) one.cutoff_form = CutoffForm::truncated;
  }

  static void apply_shift(ModelFlag& option, CutoffForm& form, double& switch_nm) {
    if (option == ModelFlag::by_model) {
      if (form == CutoffForm::truncated) option = ModelFlag::no;
      if (form == CutoffForm::shifted) option = ModelFlag::yes;
      return;
    }
    form = option == ModelFlag::yes ? CutoffForm::shifted : CutoffForm::truncated;
    switch_nm = 0;
  }

  void refuse_option(std::string_view key, std::string_view reason) {
    top_.complain(InputNode(), fmt::format("{} is given, but this force field has {}", key, reason),
                  "leave it out");
  }

  // Charges.

  void evaluate_charges() {
    auto& options = field_.options;
    auto& charges = field_.charges;
    if (charges_.node == nullptr) {
      if (options.dielectric_constant > 0 || options.inverse_debye_length_per_nm > 0 ||
          options.electrostatic_cutoff_nm > 0 ||
          options.electrostatic_shifted != ModelFlag::by_model) {
        refuse_option("force_field.electrostatic_* or another key of charges",
                      "no Debye-Hueckel term");
      }
      return;
    }
    charges.acts = true;
    charges.coulomb_kj_mol_nm = charges_.coulomb_kj_mol_nm;
    complete(options.electrostatic_cutoff_nm, charges_.cutoff.cutoff_nm);
    charges.cutoff_nm = charges_.cutoff.cutoff_nm = options.electrostatic_cutoff_nm;
    apply_shift(options.electrostatic_shifted, charges_.cutoff.form, charges_.cutoff.switch_nm);
    charges.shifted = charges_.cutoff.form == CutoffForm::shifted;

    const Dependence before = numbers_.dependence();
    const Expression* of_distance = nullptr;
    if (charges_.dielectric != nullptr && options.dielectric_constant == 0) {
      const std::string path = charges_.path + ".dielectric";
      const auto* const expression = numbers_.expression(*charges_.dielectric, path);
      if (expression == nullptr) return;
      if (expression->has_name("r")) {
        of_distance = expression;
      } else {
        charges.dielectric_constant =
            numbers_.number(*charges_.dielectric, path, above(0, 1000)).value_or(1);
        if (expression->names().empty()) options.dielectric_constant = charges.dielectric_constant;
      }
    } else {
      complete(options.dielectric_constant, charges_.dielectric_constant);
      charges.dielectric_constant = options.dielectric_constant;
      if (charges.dielectric_constant == 0 && !charges_.dielectric_polynomial.empty()) {
        charges.dielectric_constant = dielectric_polynomial(charges_.dielectric_polynomial,
                                                            field_.conditions.temperature_kelvin);
      }
    }
    complete(options.inverse_debye_length_per_nm, charges_.inverse_debye_length_per_nm);
    charges.is_screened_by_salt = options.inverse_debye_length_per_nm == 0;
    if (of_distance != nullptr) {
      set_dielectric_function(*of_distance);
      return;
    }
    charges.inverse_debye_length_per_nm = charges.is_screened_by_salt
                                              ? std::sqrt(salt_per_nm2(charges.dielectric_constant))
                                              : options.inverse_debye_length_per_nm;
    numbers_.set_dependence(before);
    if (charges_.cutoff.form == CutoffForm::truncated || charges.shifted) return;
    PairFunction unit;
    unit.kind = FunctionKind::yukawa;
    constexpr double longest_debye_nm = 1e6;
    const double kappa = charges.inverse_debye_length_per_nm;
    unit.numbers = {charges.coulomb_kj_mol_nm / charges.dielectric_constant,
                    kappa > 1 / longest_debye_nm ? 1 / kappa : longest_debye_nm};
    set_unit(unit);
  }

  /// Returns kappa^2 = 8 pi l_B N_A I with the Bjerrum length l_B = ke/(eps_r R T).
  [[nodiscard]] double salt_per_nm2(double dielectric) const {
    const double bjerrum_nm =
        charges_.coulomb_kj_mol_nm /
        (dielectric * charges_.gas_constant_kj_mol_kelvin * field_.conditions.temperature_kelvin);
    return 8 * std::numbers::pi * bjerrum_nm * field_.conditions.ionic_strength_molar *
           ions_per_nm3;
  }

  void set_unit(PairFunction unit) {
    unit.cutoff_nm = charges_.cutoff.cutoff_nm;
    unit.cutoff_form = charges_.cutoff.form;
    unit.switch_nm = charges_.cutoff.switch_nm;
    field_.charges.unit = std::move(unit);
  }

  void set_dielectric_function(const Expression& dielectric) {
    const auto& node = *charges_.dielectric;
    const std::string path = charges_.path + ".dielectric";
    std::vector<double> values;
    for (const auto& name : dielectric.names()) {
      const auto value = name == "r" ? 0 : numbers_.named(name, node, path, nullptr);
      if (!value) return;
      values.push_back(*value);
    }
    DielectricFunction::Screening screening;
    if (field_.charges.is_screened_by_salt) {
      screening.salt_per_nm2 = salt_per_nm2(1);
      numbers_.set_dependence({true, true, numbers_.dependence().ph});
    } else {
      screening.kappa_per_nm = field_.options.inverse_debye_length_per_nm;
    }
    PairFunction unit;
    unit.kind = FunctionKind::expression;
    const auto custom = std::make_shared<DielectricFunction>(dielectric, std::move(values),
                                                             charges_.coulomb_kj_mol_nm, screening);
    constexpr double from_nm = 0.1;
    constexpr int points = 200;
    for (int i = 0; i <= points; ++i) {
      const double r = from_nm + (charges_.cutoff.cutoff_nm - from_nm) * i / points;
      if (!(r > 0) || (std::isfinite(custom->energy(r)) && custom->dielectric(r) > 0)) continue;
      top_.complain(node, fmt::format("{} is {} at r = {:.4g} nm", path, custom->dielectric(r), r),
                    fmt::format("it must be positive from {} nm to the cutoff", from_nm));
      return;
    }
    unit.custom = custom;
    set_unit(std::move(unit));
  }

  // Types, chains and the rest.

  void make_types() {
    field_.beads = beads_.types();
    for (auto& bead : field_.beads) {
      if (bead.name != "HIS" || histidine_pka_ == 0) continue;
      bead.charge_e = histidine_charge(field_.conditions.ph, histidine_pka_);
    }
    constexpr std::size_t most_types = 256;
    const std::size_t n = field_.beads.size();
    if (!field_.has_folded_types) return;
    if (2 * n > most_types) {
      top_.complain(InputNode(), fmt::format("{} beads with factors by folded state", n),
                    fmt::format("at most {} are supported", most_types / 2));
    }
    field_.beads.reserve(2 * n);
    for (std::size_t k = 0; k < n; ++k) field_.beads.push_back(field_.beads[k]);
    for (auto& term : field_.pair_terms) {
      if (!term.means) continue;
      auto& [epsilon, sigma, lambda] = *term.means;
      for (std::size_t k = 0; k < n; ++k) {
        sigma.push_back(sigma[k]);
        lambda.push_back(lambda[k]);
      }
    }
  }

  void read_site_factor() {
    const auto* const node = top_.find("site_factor");
    const auto reads_it = std::ranges::find_if(field_.pair_terms, &PairTerm::has_site_factor);
    if (node == nullptr) {
      if (reads_it != field_.pair_terms.end()) {
        top_.complain(
            InputNode(),
            fmt::format("pair_terms.{}.with_site_factor without site_factor", reads_it->name),
            "give `site_factor`, an expression of area_nm2 and numbers of the beads");
      }
      return;
    }
    const auto* const expression = numbers_.expression(*node, "site_factor");
    if (expression == nullptr) return;
    if (reads_it == field_.pair_terms.end()) {
      top_.complain(*node, "no pair term has a site factor",
                    "give a term with_site_factor: true, or leave it out");
    }
    constexpr std::string_view area = "area_nm2";
    std::vector<std::vector<double>> values(beads_.size());  // empty: the bead lacks a number
    bool is_read_by_any = false;
    for (std::size_t bead = 0; bead < beads_.size(); ++bead) {
      const Scope scope = beads_.scope(bead);
      bool has_all = true;
      for (const auto& name : expression->names()) {
        if (name == area) {
          values[bead].push_back(0);
        } else if (const auto own = scope.find(name)) {
          values[bead].push_back(*own);
        } else if (numbers_.is_known(name)) {
          values[bead].push_back(numbers_.named(name, *node, "site_factor", nullptr).value_or(0));
        } else {
          has_all = false;
        }
      }
      if (!has_all) values[bead].clear();
      is_read_by_any |= has_all;
    }
    if (!expression->has_name(area) || (!is_read_by_any && beads_.size() > 0)) {
      top_.complain(*node, fmt::format("site_factor = {}", shown(*node)),
                    "must use area_nm2, and numbers that beads have");
      return;
    }
    field_.site_factor = [expression = *expression, values = std::move(values)](int type,
                                                                                double area_nm2) {
      auto own = values.at(static_cast<std::size_t>(type) % values.size());
      if (own.empty()) return 1.0;
      for (std::size_t k = 0; k < own.size(); ++k) {
        if (expression.names()[k] == area) own[k] = area_nm2;
      }
      return expression.value(own);
    };
  }

  void read_chains() {
    if (const auto* const network = top_.find("network")) {
      ChainReader::read_network(numbers_, network_, *network, "network");
    }
    complete(field_.options.restraint_k_kj_mol_nm2, network_.k_kj_mol_nm2);
    complete(field_.options.restraint_cutoff_nm, network_.cutoff_nm);
    network_.k_kj_mol_nm2 = field_.options.restraint_k_kj_mol_nm2;
    network_.cutoff_nm = field_.options.restraint_cutoff_nm;
    for (auto& kind : field_.chains) kind.network = network_;
    const auto* const all = numbers_.reader().find_section(file_.root(), "chains", "");
    (void)top_.find("chains");
    ChainReader reader(numbers_, beads_, field_.pair_terms);
    for (std::size_t i = 0; all != nullptr && i < all->items.size(); ++i) {
      const std::string& name = all->entry_names[i].text;
      if (name.empty() || document::has_control(name)) {
        top_.complain(all->entry_names[i], "a chain kind without a name", "give it one");
        continue;
      }
      const auto old = std::ranges::find(field_.chains, name, &ChainKind::name);
      if (old != field_.chains.end()) {
        reader.read(*old, all->items[i]);
        continue;
      }
      ChainKind kind;
      kind.name = name;
      kind.roles = {"bead"};
      kind.network = network_;
      reader.read(kind, all->items[i]);
      // The protein is the first.
      field_.chains.insert(name == protein ? field_.chains.begin() : field_.chains.end(), kind);
    }
    if (field_.chains.empty()) {
      top_.complain(InputNode(), "no chain kind", "give `chains`");
      return;
    }
    for (const auto& kind : field_.chains) {
      if (!kind.bonds.empty()) continue;
      top_.complain(all == nullptr ? InputNode() : *all,
                    fmt::format("chains.{} has no bonds", kind.name),
                    "give bonds: [{length_nm: ..., k_kj_mol_nm2: ...}]");
    }
    apply_chain_options();
  }

  void apply_chain_options() {
    auto& options = field_.options;
    ChainKind& kind = field_.chains.front();
    if (kind.name != protein) return;
    for (auto& bond : kind.bonds) {
      if (options.bond_k_kj_mol_nm2 > 0) bond.k = options.bond_k_kj_mol_nm2;
      if (options.bond_length_nm > 0) bond.length_nm = options.bond_length_nm;
    }
    if (kind.bonds.size() == 1) {
      complete(options.bond_k_kj_mol_nm2, kind.bonds[0].k);
      complete(options.bond_length_nm, kind.bonds[0].length_nm);
    }
    if (options.charged_ends == ChargedEnds::by_model) {
      options.charged_ends = kind.has_charged_ends ? ChargedEnds::both : ChargedEnds::none;
    }
    kind.has_charged_ends = options.charged_ends != ChargedEnds::none;
    kind.flexible_angles |= options.flexible_angles;
  }

  /// Reports rows of terms that are not there.
  void check_pairs() {
    const auto* const pairs = document::find_entry(file_.root(), "pairs");
    if (pairs == nullptr || pairs->kind == NodeKind::nothing) return;
    if (pairs->kind != NodeKind::map) {
      top_.complain(*pairs, fmt::format("pairs is {}", shown(*pairs)), "must be {TERM: [rows]}");
      return;
    }
    std::vector<std::string_view> known;
    for (const auto& draft : drafts_) known.push_back(draft.name);
    for (const InputNode& name : pairs->entry_names) {
      if (std::ranges::find(known, name.text) != known.end()) continue;
      const auto nearest = core::nearest_word(name.text, known);
      top_.complain(
          name, fmt::format("pairs.{} are rows of no pair term", document::printable(name.text)),
          nearest.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                          : fmt::format("did you mean '{}'?", nearest));
    }
  }

  const ForceFieldFile& file_;
  const CondensateSettings& settings_;
  Numbers numbers_;
  SectionKeys top_;
  bool is_short_;
  BeadTable beads_;
  PairTermReader terms_;
  std::vector<PairTermDraft> drafts_;
  ChargeDraft charges_;
  Network network_;
  double histidine_pka_ = 0;
  ForceField field_;
};

}  // namespace

int ForceField::find_bead(std::string_view name) const {
  const auto end = beads.begin() + bead_count();
  const auto found =
      std::find_if(beads.begin(), end, [&](const BeadType& one) { return one.name == name; });
  return found == end ? -1 : static_cast<int>(found - beads.begin());
}

const ChainKind& ForceField::chain_kind(std::string_view name) const {
  const auto found = std::ranges::find(chains, name, &ChainKind::name);
  return found == chains.end() ? chains.front() : *found;
}

const PairTerm* ForceField::contact() const {
  const PairTerm* only = nullptr;
  for (const PairTerm& term : pair_terms) {
    if (term.kind == FunctionKind::yukawa) continue;
    if (only != nullptr) return nullptr;
    only = &term;
  }
  return only;
}

ForceField evaluate(const ForceFieldFile& file, const Conditions& conditions,
                    const CondensateSettings& settings) {
  return ForceFieldBuilder(file, conditions, settings).run();
}

Conditions run_conditions(const Settings& settings) {
  const auto& condensate = settings.force_field.condensate;
  Conditions conditions{settings.dynamics.temperature_kelvin, condensate.ionic_strength_molar,
                        condensate.ph};
  if (const auto& ensemble = settings.ensemble; ensemble.is_enabled()) {
    conditions.temperature_kelvin = ensemble.lowest_kelvin;
    if (!ensemble.ionic_strengths_molar.empty()) {
      conditions.ionic_strength_molar = ensemble.ionic_strengths_molar.front();
    }
  }
  return conditions;
}

double histidine_charge(double ph, double pka) {
  // Rounded to 2^-40 e, because the last bits of pow() depend on the system and would change the
  // hash.
  constexpr double grid = 0x1p40;
  return std::nearbyint(grid / (1 + std::pow(10, ph - pka))) / grid;
}

}  // namespace nfold::input
