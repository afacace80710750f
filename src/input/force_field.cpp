// Evaluation of a force-field file: facts, the short form, charges, and the options of an input.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/force_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "input/bead_table.hpp"
#include "input/chain_reader.hpp"
#include "input/force_field_numbers.hpp"
#include "input/pair_term_reader.hpp"
#include "input/short_form.hpp"

namespace nfold::input {

using document::InputNode;
using document::NodeKind;
using document::shown;
using pair_forms::CutoffForm;
using pair_forms::FunctionKind;

namespace {

constexpr std::string_view table_bead_names[] = {"calpha", "centre-of-mass-in-domains",
                                                 "centre-of-mass"};
constexpr std::string_view protein = "protein";

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
    if (is_short_) take_short_form();
    read_terms();
    apply_pair_options();
    field_.has_folded_types =
        std::ranges::any_of(drafts_, [](const auto& one) { return one.depends_on_state(); });
    for (const auto& draft : drafts_) {
      if (draft.kind) field_.pair_terms.push_back(terms_.evaluate(draft, field_.has_folded_types));
    }
    if (charges_.node != nullptr) {
      field_.charges = ChargeEvaluation(numbers_, charges_, field_.options).run();
    } else {
      refuse_charge_options();
    }
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

  void take_short_form() {
    const bool has_cutoff = settings_.short_range_cutoff_over_sigma > 0;
    auto read = read_short_form(numbers_, top_, has_cutoff);
    if (read.contact) drafts_.push_back(std::move(*read.contact));
    charges_ = std::move(read.charges);
    field_.chains.push_back(std::move(read.protein));
    network_ = read.network;
    histidine_pka_ = read.histidine_pka;
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
    if (name.text == charges_.name || (form != nullptr && form->text == debye_hueckel_form)) {
      read_charges(numbers_, charges_, name.text, path, node);
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
      one.cutoff.cutoff_nm = options.short_range_cutoff_nm;
      one.cutoff.over_sigma = options.short_range_cutoff_over_sigma;
      if (one.cutoff.over_sigma > 0 && !one.find_number("sigma_nm")) {
        refuse_option("force_field.short_range_cutoff_over_sigma", "no sigma_nm");
        one.cutoff.over_sigma = 0;
      }
    } else if (!has_own_cutoff) {
      options.short_range_cutoff_nm = one.cutoff.cutoff_nm;
      options.short_range_cutoff_over_sigma = one.cutoff.over_sigma;
    }
    apply_shift(options.short_range_shifted, one.cutoff);
    if (has_own_cutoff) one.cutoff.form = CutoffForm::truncated;
  }

  void refuse_charge_options() {
    const auto& options = field_.options;
    if (options.dielectric_constant > 0 || options.inverse_debye_length_per_nm > 0 ||
        options.electrostatic_cutoff_nm > 0 ||
        options.electrostatic_shifted != ModelFlag::by_model) {
      refuse_option("force_field.electrostatic_* or another key of charges",
                    "no Debye-Hueckel term");
    }
  }

  void refuse_option(std::string_view key, std::string_view reason) {
    top_.complain(InputNode(), fmt::format("{} is given, but this force field has {}", key, reason),
                  "leave it out");
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
    static constexpr std::string_view area = "area_nm2";
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
      top_.complain(
          name, fmt::format("pairs.{} are rows of no pair term", document::printable(name.text)),
          nearest_remedy(name.text, known));
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
  struct Evaluation {
    std::weak_ptr<const ForceFieldFile> file;
    CondensateSettings settings;
    ForceField result;
  };
  constexpr std::size_t most_known = 16;
  static std::mutex mutex;
  static std::deque<Evaluation> known;
  {
    const std::scoped_lock lock(mutex);
    for (const auto& one : known) {
      if (one.file.lock().get() == &file && one.result.conditions == conditions &&
          one.settings == settings) {
        return one.result;
      }
    }
  }
  auto result = ForceFieldBuilder(file, conditions, settings).run();
  const std::scoped_lock lock(mutex);
  if (known.size() == most_known) known.pop_front();
  known.push_back({file.weak_from_this(), settings, result});
  return result;
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
