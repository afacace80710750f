// nfold prepare: writes an input file for sequences and structures, and a summary of its choices.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/prepare/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "cli/prepare/box.hpp"
#include "cli/prepare/predicted.hpp"
#include "cli/prepare/species.hpp"
#include "cli/prepare/summary.hpp"
#include "comm/communicator.hpp"
#include "core/document/scalars.hpp"
#include "core/refusal.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"
#include "model/topology/amounts.hpp"
#include "session/ensemble/chain_protocol.hpp"
#include "session/job/failure.hpp"
#include "session/job/result_files.hpp"
#include "session/setup/prepared_input.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::prepare {
namespace {

constexpr int default_steps = 1'000'000;
constexpr int condensate_frame_steps = 10'000;  // frames are large and the dynamics slow
constexpr int condensate_sum_steps = 1'000;

std::filesystem::path output_path(const PrepareOptions& options) {
  std::filesystem::path output = options.output;
  if (output.empty()) output = first_name(options) + ".yaml";
  job::require_writable(std::array{job::ResultFile{"-o", output}},
                        options.overwrite ? job::Overwrite::yes : job::Overwrite::no,
                        files_of(options));
  return output;
}

/// Requested settings as KEY=VALUE, the format of --set.
class Draft {
 public:
  Draft(const PrepareOptions& options, std::filesystem::path output)
      : options_(options), output_(std::move(output)), species_(read_species(options, output_)) {
    const bool any_sequence = std::any_of(species_.begin(), species_.end(),
                                          [](const auto& one) { return one.structure.empty(); });
    const auto predicted = inspect_predictions();
    const bool has_disorder = std::ranges::any_of(
        predicted, [](const PredictedStructure& one) { return one.has_disorder(); });
    model_ = !options.model.empty() ? options.model
             : any_sequence         ? "calvados2"
             : has_disorder         ? "calvados3"
                                    : "go";
    if (options.model.empty() && !any_sequence && has_disorder) {
      reasons_.emplace_back(
          "model chosen: calvados3, for a folded protein with disordered parts (--model go for "
          "another)");
    }
    const bool has_weights =
        std::ranges::find(options.overrides, "force_field.domains=confidence-go") !=
        options.overrides.end();
    for (std::size_t k = 0; k < species_.size() && !is_go(); ++k) {
      auto& one = species_[k];
      const bool finds_domains =
          (model_ == "calvados3" || predicted[k].is_predicted) && !has_weights;
      if (!one.structure.empty() && one.domains.empty() && finds_domains) one.domains = {"auto"};
    }
  }

  [[nodiscard]] const std::filesystem::path& output() const { return output_; }
  [[nodiscard]] bool is_go() const { return model_ == "go"; }
  /// Choices that predicted structures led to, a line each.
  [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }
  [[nodiscard]] const std::vector<input::SpeciesSettings>& species() const { return species_; }

  /// Returns settings of one molecule of each species, without a box.
  [[nodiscard]] input::Settings one_of_each() const {
    auto alone = species_;
    for (auto& one : alone) {
      one.copies = 1;
      one.concentration_mg_per_ml = one.concentration_millimolar = 0;
    }
    auto values = common_values(alone);
    append(values, options_.overrides);
    append(values, {"system.box_nm=[]", "system.concentration_mg_per_ml=0", "start.checkpoint=\"\"",
                    "start.coordinates=\"\"", "start.from=unfolded", "start.conformation=auto"});
    return input::parse_input("", output_.string(), values);
  }
  /// residues: of all molecules.
  [[nodiscard]] input::Settings settings(const BoxChoice& choice, double concentration,
                                         std::int64_t residues) const {
    auto values = common_values(species_);
    if (!choice.box_nm.empty()) {
      values.push_back(fmt::format("system.box_nm=[{}]", fmt::join(choice.box_nm, ",")));
    }
    if (concentration > 0) {
      values.push_back(fmt::format("system.concentration_mg_per_ml={}", concentration));
    }
    if (!choice.start.empty()) values.push_back("start.from=" + choice.start);
    if (choice.start == "slab" && choice.slab_axis != 'z') {
      values.push_back(fmt::format("start.slab_axis={}", choice.slab_axis));
      values.push_back(fmt::format("observables.profile_axis={}", choice.slab_axis));
    }
    const bool has_box = !choice.box_nm.empty() || concentration > 0;
    if (!is_go()) append(values, condensate_values(has_box));
    append(values, options_.overrides);
    const auto settings = input::parse_input("", output_.string(), values);
    const bool is_in_box =
        has_box || !settings.system.box_nm.empty() || settings.system.concentration_mg_per_ml > 0;
    if (is_in_box || !measures_chain()) return settings;
    values.resize(values.size() - options_.overrides.size());  // those of --set stay last
    append(values, ensemble::chain_protocol(residues));
    values.emplace_back("ensemble.trajectory_replicas=[0]");
    append(values, options_.overrides);
    return input::parse_input("", output_.string(), values);
  }

 private:
  /// True for a single sequence: its size and shape are measured, unless --set has other plans.
  [[nodiscard]] bool measures_chain() const {
    const bool has_plans = std::ranges::any_of(options_.overrides, [](const std::string& value) {
      return std::ranges::any_of(
          std::array{"ensemble.", "observables.", "dynamics.integrator=", "output."},
          [&](const char* section) { return value.starts_with(section); });
    });
    return !has_plans && species_.size() == 1 && species_[0].structure.empty() &&
           species_[0].molecule.empty() && species_[0].copies == 1;
  }
  static void append(std::vector<std::string>& values, const std::vector<std::string>& more) {
    values.insert(values.end(), more.begin(), more.end());
  }

  /// Sets the key confidence of species with a predicted structure. Returns the findings (species).
  std::vector<PredictedStructure> inspect_predictions() {
    std::vector<PredictedStructure> all(species_.size());
    const auto files = files_of(options_);
    for (std::size_t k = 0; k < species_.size(); ++k) {
      if (species_[k].structure.empty()) continue;
      all[k] = inspect_prediction(files[k], {species_[k].model, species_[k].chains});
      for (const auto& file : all[k].files) {
        species_[k].confidence.push_back(path_for_input(output_, file));
      }
      append(reasons_, all[k].reasons);
    }
    return all;
  }

  [[nodiscard]] std::vector<std::string> common_values(
      const std::vector<input::SpeciesSettings>& species) const {
    input::Settings given;
    std::vector<std::string> keys{"dynamics.steps"};
    given.dynamics.steps = default_steps;
    if (is_go() && species.size() == 1 && !species[0].structure.empty() && species[0].copies > 0) {
      // Short form, the most familiar one.
      given.system.structure = species[0].structure;
      given.system.chains = species[0].chains;
      given.system.model = species[0].model;
      given.system.copies = species[0].copies;
      given.system.confidence = species[0].confidence;
      append(keys, {"system.structure", "system.chains", "system.model", "system.copies",
                    "system.confidence"});
    } else {
      given.system.species = species;
      keys.emplace_back("system.species");
    }
    std::vector<std::string> values{"force_field.model=" + model_};
    for (const auto& name : keys) {
      values.push_back(
          fmt::format("{}={}", name, input::value_text(*input::find_key(name), given)));
    }
    if (!options_.contacts.empty())
      values.push_back("force_field.contacts.map=" + options_.contacts);
    if (!options_.contact_potential.empty()) {
      values.push_back("force_field.contact_potential=" + options_.contact_potential);
    }
    return values;
  }
  [[nodiscard]] std::vector<std::string> condensate_values(bool has_box) const {
    std::vector<std::string> values{
        fmt::format("output.trajectory_every_steps={}", condensate_frame_steps)};
    if (!has_box) return values;
    values.push_back(fmt::format("observables.every_steps={}", condensate_sum_steps));
    const bool any_domain = std::any_of(species_.begin(), species_.end(),
                                        [](const auto& one) { return !one.domains.empty(); });
    // Disordered parts in the conformation of a structure file are too bulky to pack.
    if (any_domain) values.emplace_back("start.conformation=unfolded");
    return values;
  }

  const PrepareOptions& options_;
  std::filesystem::path output_;
  std::vector<input::SpeciesSettings> species_;
  std::string model_;
  std::vector<std::string> reasons_;
};

/// Returns the total concentration: the value of --concentration without a name; 0: none.
double total_concentration(const PrepareOptions& options) {
  double found = 0;
  for (const auto& value : options.concentrations) {
    if (value.find('=') != std::string::npos) continue;
    const auto number = document::to_real(value);
    if (!number || !(*number > 0)) {
      core::refuse("--concentration", fmt::format("'{}'", value),
                   "it takes mg/ml, or NAME=mg/ml for one species");
    }
    found = *number;
  }
  return found;
}

bool overrides_the_box(const std::vector<std::string>& overrides) {
  return std::any_of(overrides.begin(), overrides.end(), [](const std::string& value) {
    return value.starts_with("system.box_nm=") ||
           value.starts_with("system.concentration_mg_per_ml=");
  });
}

BoxRequest make_box_request(const PrepareOptions& options, const Draft& draft,
                            const std::vector<MoleculeFacts>& facts) {
  BoxRequest question;
  question.box_nm = options.box_nm;
  question.concentration_mg_per_ml = total_concentration(options);
  question.start = options.start;
  question.is_condensate_model = !draft.is_go();
  bool all_counted = true;
  for (std::size_t i = 0; i < draft.species().size(); ++i) {
    const long copies = draft.species()[i].copies;
    all_counted = all_counted && copies > 0;
    question.molecules += copies;
    question.residues += copies * facts[i].residues;
    question.longest_chain = std::max(question.longest_chain, facts[i].longest_chain);
  }
  if (!all_counted) question.molecules = 0;
  return question;
}

/// Returns the lines that head the file and are printed first. `name` is that of the structure for
/// a go model, else empty.
std::vector<std::string> summary_lines(const std::string& name, const input::Settings& settings,
                                       const setup::SystemSetup& system,
                                       const std::vector<MoleculeFacts>& facts,
                                       const std::vector<std::string>& reasons,
                                       const std::vector<std::string>& start_notes) {
  const bool is_go = !name.empty();
  std::vector<std::string> lines;
  const auto add = [&lines](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  if (is_go) add(go_lines(name, system.topology));
  if (!is_go || !system.topology.box.is_open()) {
    add(topology::describe_amounts(system.topology));
    add({total_line(system.topology)});
  }
  if (!is_go) add(domain_lines(facts, settings.system));
  add(reasons);
  add(start_notes);
  if (!is_go) add({dynamics_line(settings)});
  if (settings.ensemble.rg_error > 0) {
    add({fmt::format(
        "{} replicas measure size and shape of the chain, until the error of its radius "
        "of gyration is {:.2g} %",
        settings.ensemble.replicas(), 100 * settings.ensemble.rg_error)});
  }
  return lines;
}

}  // namespace

void prepare(const PrepareOptions& options, std::ostream& out) {
  const Draft draft(options, output_path(options));
  const comm::Communicator alone;
  const auto facts =
      molecule_facts(setup::build_system(alone, draft.one_of_each(), draft.output()).topology);
  BoxChoice choice;
  if (overrides_the_box(options.overrides)) {
    choice.start = options.start;
  } else {
    choice = choose_box(make_box_request(options, draft, facts));
  }
  const auto settings =
      draft.settings(choice, total_concentration(options), facts.front().residues);
  const setup::SystemSetup system = setup::build_system(alone, settings, draft.output());
  const setup::FirstState first =
      setup::first_state(alone, settings, draft.output(), system.topology);

  auto reasons = draft.reasons();
  reasons.insert(reasons.end(), choice.reasons.begin(), choice.reasons.end());
  const auto summary = summary_lines(draft.is_go() ? first_name(options) : "", settings, system,
                                     facts, reasons, first.notes);
  std::vector<std::string> remarks = summary;
  remarks.emplace_back("Keys left out have their defaults; `nfold help` explains all of them.");
  const std::string text = setup::commented_input(settings, remarks);
  (void)input::parse_input(text, draft.output().string());
  job::write_result(draft.output(), text);
  for (const std::string& line : summary) out << line << "\n";
  for (const std::string& note : system.notes) {
    const bool is_in_summary = std::find(summary.begin(), summary.end(), note) != summary.end();
    if (!is_in_summary) out << "  " << note << "\n";
  }
  out << "wrote " << draft.output().string() << "; next: nfold check " << draft.output().string()
      << "\n";
}

}  // namespace nfold::prepare
