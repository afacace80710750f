// Input, force field, molecules, restraints and start of a CALVADOS folder as files of nfold.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/calvados/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/calvados/external_force.hpp"
#include "cli/calvados/pdb.hpp"
#include "cli/calvados/placement.hpp"
#include "cli/calvados/tables.hpp"
#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "input/input.hpp"
#include "session/setup/prepared_input.hpp"

namespace nfold::calvados {
namespace {

namespace fs = std::filesystem;

constexpr const char* force_field_file = "force_field.yaml";
constexpr const char* start_file = "start.csv";
constexpr const char* restraints_file = "restraints.txt";
constexpr double time_step_ps = 0.01;  // step of the package, whatever the folder says

std::string molecule_file(const Component& component) { return component.species + ".molecule"; }

/// Returns the force field: bead types, one contact term and one term of charges.
std::string force_field_text(const Config& config, const std::vector<BeadType>& types) {
  std::string text =
      fmt::format("# Force field of the CALVADOS folder {}\n\nbeads:\n", config.name);
  std::vector<std::string> crowders, others;
  for (const auto& [name, row, is_crowder] : types) {
    (is_crowder ? crowders : others).push_back(name);
    // The letter H has the charge of histidine, whatever its row says.
    const std::string charge =
        row.letter == 'H' ? "1/(1 + 10^(ph - 6))" : fmt::format("{}", row.charge_e);
    text += fmt::format("  {}: {{mass_amu: {}, charge_e: {}, sigma_nm: {}, lambda: {}}}\n", name,
                        row.mass_amu, charge, row.sigma_nm, row.lambda);
  }
  const bool has_both = !crowders.empty() && !others.empty();
  if (has_both) {
    text += fmt::format("groups:\n  crowders: [{}]\n  others: [{}]\n", fmt::join(crowders, ", "),
                        fmt::join(others, ", "));
  }
  text += fmt::format(
      "pair_terms:\n"
      "  contact: {{form: ashbaugh-hatch, epsilon_kj_mol: {}, mix: {{sigma_nm: mean, lambda: "
      "mean}}, "
      "cutoff_nm: {}, cutoff_form: shifted}}\n"
      "  # Constants of the CALVADOS package\n"
      "  charges: {{form: debye-hueckel, dielectric: akerlof_oshry, coulomb_kj_mol_nm: "
      "138.93544881019906, gas_constant_kj_mol_kelvin: 8.3145e-3, cutoff_nm: {}, cutoff_form: "
      "shifted}}\n",
      config.epsilon_kj_mol(), config.short_range_cutoff_nm, config.charge_cutoff_nm);
  // The chain kind that every file needs; molecules have their own bonds.
  text += "chains: {protein: {bonds: [{length_nm: 0.38, k_kj_mol_nm2: 8033}]}}\n";
  if (has_both) {
    text += fmt::format("pairs:\n  contact: [[crowders, others, {{lambda: {}}}]]\n",
                        config.fixed_lambda);
  }
  return text;
}

std::string start_text(const std::vector<Point>& positions_nm) {
  std::string text = "x_nm,y_nm,z_nm\n";
  for (const Point& x : positions_nm)
    text += fmt::format("{:.6f},{:.6f},{:.6f}\n", x[0], x[1], x[2]);
  return text;
}

class Translator {
 public:
  explicit Translator(const fs::path& path) { made_.folder = read_folder(path); }

  Translation run(const std::vector<std::string>& overrides) {
    made_.notes = folder().notes;
    for (const auto& component : folder().components) {
      made_.molecules.push_back(build_component(folder(), component, types_, made_.notes));
    }
    note_stacking_cutoffs();
    made_.start_nm = start();
    make_files(overrides);
    remove_repeated_notes();
    return std::move(made_);
  }

 private:
  [[nodiscard]] const Folder& folder() const { return made_.folder; }
  [[nodiscard]] const Config& config() const { return made_.folder.config; }
  void note(std::string line) { made_.notes.push_back(std::move(line)); }

  /// The package shares one cutoff among all stacked and scaled pairs, and stops if they differ.
  void note_stacking_cutoffs() {
    std::set<double> cutoffs;
    for (const auto& molecule : made_.molecules) {
      for (const auto& pair : molecule.molecule.local_pairs) cutoffs.insert(pair.cutoff_nm);
    }
    if (cutoffs.size() < 2) return;
    note(
        fmt::format("{}: several rna_nb_cutoff or cutoff_lj beside go, which the package refuses: "
                    "each pair has its own",
                    folder().components_file()));
  }

  [[nodiscard]] std::size_t bead_count() const {
    std::size_t beads = 0;
    for (std::size_t c = 0; c < made_.molecules.size(); ++c) {
      beads += made_.molecules[c].letters.size() * folder().components[c].copies;
    }
    return beads;
  }

  std::vector<Point> start() {
    const fs::path restart = folder().path / config().restart_file;
    std::error_code error;
    const bool exists = !config().restart.empty() && fs::is_regular_file(restart, error);
    if (!exists) {
      if (config().restart == "pdb") {
        note(fmt::format("{}: frestart = {} does not exist: a new start, as in the package",
                         folder().config_file(), config().restart_file));
      }
      return place_molecules(folder(), made_.molecules);
    }
    if (config().restart == "pdb") return positions_of(restart);
    is_continued_ = true;
    const fs::path end = folder().path / "checkpoint.pdb";
    if (!fs::is_regular_file(end, error)) {
      core::refuse(
          folder().config_file(),
          fmt::format("restart = checkpoint, and {} is a checkpoint of OpenMM", restart.string()),
          "nfold cannot read it: give restart: pdb and frestart, or restart: null");
    }
    note(
        fmt::format("{}: restart = checkpoint: {} is of OpenMM; the start is {} with new "
                    "velocities",
                    folder().config_file(), config().restart_file, end.string()));
    return positions_of(end);
  }
  [[nodiscard]] std::vector<Point> positions_of(const fs::path& file) const {
    auto positions = pdb_coordinates(core::read_required_text(file), file.string());
    if (positions.size() != bead_count()) {
      core::refuse(file.string(), fmt::format("{} atoms", positions.size()),
                   fmt::format("the folder's components have {} beads", bead_count()));
    }
    return positions;
  }

  void make_files(const std::vector<std::string>& overrides) {
    const auto remark = fmt::format("From the CALVADOS folder {}", config().name);
    std::vector<TextFile> files;
    files.push_back({force_field_file, force_field_text(config(), types_.all())});
    for (std::size_t c = 0; c < made_.molecules.size(); ++c) {
      const auto& component = folder().components[c];
      files.push_back({molecule_file(component),
                       topology::write_molecule(made_.molecules[c].molecule,
                                                {remark + ", component " + component.name})});
    }
    const std::string restraints = restraints_text();
    if (!restraints.empty()) files.push_back({restraints_file, restraints});
    files.push_back({start_file, start_text(made_.start_nm)});

    const std::string name = config().name + ".yaml";
    auto given = values(!restraints.empty());
    given.insert(given.end(), overrides.begin(), overrides.end());
    const auto settings = input::parse_input("", name, given);
    std::vector<std::string> remarks{remark};
    remarks.insert(remarks.end(), made_.notes.begin(), made_.notes.end());
    made_.files.push_back({name, setup::commented_input(settings, remarks)});
    made_.files.insert(made_.files.end(), files.begin(), files.end());
  }

  /// Returns the settings as KEY=VALUE, the format of --set.
  std::vector<std::string> values(bool has_restraints) {
    std::vector<std::string> species;
    for (const auto& component : folder().components) {
      species.push_back(fmt::format("{{name: {}, molecule: {}, copies: {}}}",
                                    core::quote_yaml(component.species),
                                    core::quote_yaml(molecule_file(component)), component.copies));
    }
    std::vector<std::string> values{
        fmt::format("system.species=[{}]", fmt::join(species, ", ")),
        fmt::format("system.box_nm=[{}]", fmt::join(config().box_nm, ", ")),
        "force_field.model=calvados2",
        fmt::format("force_field.table={}", force_field_file),
        fmt::format("force_field.ionic_strength_molar={}", config().ionic_strength_molar),
        fmt::format("force_field.ph={}", config().ph),
        "start.from=coordinates",
        fmt::format("start.coordinates={}", start_file),
        "start.minimise_steps=5000",
        fmt::format("dynamics.steps={}", steps()),
        fmt::format("dynamics.time_step_ps={}", time_step_ps),
        fmt::format("dynamics.temperature_kelvin={}", config().temperature_kelvin),
        fmt::format("dynamics.friction_per_ps={}", config().friction_per_ps),
        fmt::format("dynamics.seed={}", config().seed),
        fmt::format("output.trajectory_every_steps={}", config().frame_steps),
        fmt::format("output.energies_every_steps={}", config().log_steps)};
    if (has_restraints) values.push_back(fmt::format("system.restraints={}", restraints_file));
    return values;
  }

  /// The package runs ten batches of whole steps.
  std::uint64_t steps() {
    constexpr std::uint64_t batches = 10;
    const std::uint64_t steps = config().steps / batches * batches;
    if (config().runtime_hours > 0) {
      note(
          fmt::format("{}: runtime = {:g} h in place of steps: give run --time-limit {:g}h; steps "
                      "are the most that are run",
                      folder().config_file(), config().runtime_hours, config().runtime_hours));
    } else if (steps != config().steps) {
      note(fmt::format("{}: steps = {}: {}, since the package runs ten batches of whole steps",
                       folder().config_file(), config().steps, steps));
    }
    if (steps == 0) {
      core::refuse(folder().config_file(), fmt::format("steps = {}", config().steps),
                   "at least 10");
    }
    if (config().slab_eq && !is_continued_) {
      made_.equilibration_steps = config().equilibration_steps;
    }
    return steps + made_.equilibration_steps;
  }

  std::string restraints_text() { return fields_text() + custom_restraints_text(); }

  /// Returns the external fields of ext_force and slab_eq.
  std::string fields_text() {
    std::vector<std::string> rows;
    std::vector<std::string> species;
    for (const auto& component : folder().components) {
      if (component.has_external_restraint) species.push_back(component.species);
    }
    const auto add = [&](const bias::ExternalField& field, std::uint64_t until) {
      if (species.empty()) return;
      std::string axes;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (field.axes.at(axis)) axes += "xyz"[axis];
      }
      rows.push_back(fmt::format("{} {} {} {} {} {} {} {}\n", fmt::join(species, ","), axes,
                                 fmt::join(field.origin_nm, " "), field.inner_nm, field.centre_nm,
                                 field.k_kj_mol_nm2, field.slope_kj_mol_nm, until));
    };
    if (config().has_external_force) {
      const auto field = to_external_field(config().external_force);
      if (!field) {
        core::refuse(
            folder().config_file(), fmt::format("ext_force_expr = {}", config().external_force),
            "nfold has products of numbers, step(d - w) and d, d^2 or (d - c)^2, d being a "
            "periodicdistance from a plane, a line or a point");
      }
      add(*field, 0);
    }
    if (config().slab_eq && !is_continued_ && config().equilibration_steps > 0) {
      bias::ExternalField field;
      field.axes = {false, false, true};
      field.origin_nm = {0, 0, config().box_nm[2] / 2};
      field.slope_kj_mol_nm = config().k_eq_kj_mol_nm;
      add(field, config().equilibration_steps);
      note(
          fmt::format("{}: slab_eq: its {} steps are the first of the run, which is not minimised "
                      "again after them",
                      folder().config_file(), config().equilibration_steps));
    }
    if (rows.empty()) return {};
    return fmt::format(
        "# External fields of the CALVADOS folder {}\n[fields]  # species axes x y z "
        "inner centre k slope until_step\n{}\n",
        config().name, fmt::join(rows, ""));
  }

  std::string custom_restraints_text() {
    if (!config().has_custom_restraints) return {};
    const auto file = find_file(folder(), config().custom_restraints,
                                folder().config_file() + ": fcustom_restraints", made_.notes);
    const auto restraints = parse_custom_restraints(core::read_required_text(file), file.string());
    if (restraints.empty()) return {};
    if (folder().components.size() > 2) {
      note(
          fmt::format("{}: from the third component on the package acts on wrong beads (it counts "
                      "only those of the component before); here on those that are named",
                      file.string()));
    }
    const bool is_harmonic = config().custom_restraint_type == RestraintType::harmonic;
    std::string text = fmt::format("# Custom restraints of the CALVADOS folder {}\n[{}]\n",
                                   config().name, is_harmonic ? "springs" : "contacts");
    for (const auto& one : restraints) {
      text += fmt::format("{} {} {} {}\n", bead_name(one.beads[0], file, one.line),
                          bead_name(one.beads[1], file, one.line), one.distance_nm, one.k);
    }
    note_bonded(restraints, file);
    return text;
  }

  [[nodiscard]] std::size_t find_component(const RestrainedBead& bead, const fs::path& file,
                                           int line) const {
    const auto& all = folder().components;
    const auto found = std::ranges::find(all, bead.component, &Component::name);
    const auto where = fmt::format("{}:{}", file.string(), line);
    if (found == all.end()) {
      core::refuse(where, fmt::format("no component '{}'", bead.component),
                   "name one of components.yaml");
    }
    const auto c = static_cast<std::size_t>(found - all.begin());
    if (static_cast<std::uint64_t>(bead.copy) > found->copies) {
      core::refuse(where, fmt::format("copy {} of {}", bead.copy, bead.component),
                   fmt::format("there are {}", found->copies));
    }
    const auto beads = made_.molecules[c].letters.size();
    if (static_cast<std::size_t>(bead.bead) > beads) {
      core::refuse(where, fmt::format("bead {} of {}", bead.bead, bead.component),
                   fmt::format("it has {}", beads));
    }
    return c;
  }
  [[nodiscard]] std::string bead_name(const RestrainedBead& bead, const fs::path& file,
                                      int line) const {
    const auto& component = folder().components[find_component(bead, file, line)];
    const auto copy = component.copies > 1 ? fmt::format(".{}", bead.copy) : std::string();
    return fmt::format("{}{}:{}", component.species, copy, bead.bead);
  }

  /// Notes restraints of pairs that have another term, and pairs that are restrained twice.
  void note_bonded(const std::vector<CustomRestraint>& restraints, const fs::path& file) {
    std::set<std::array<std::pair<std::string, std::pair<int, int>>, 2>> known;
    for (const auto& one : restraints) {
      const auto c = find_component(one.beads[0], file, one.line);
      const bool is_inside = one.beads[0].component == one.beads[1].component &&
                             one.beads[0].copy == one.beads[1].copy;
      std::array ends{
          std::pair(one.beads[0].component, std::pair(one.beads[0].copy, one.beads[0].bead)),
          std::pair(one.beads[1].component, std::pair(one.beads[1].copy, one.beads[1].bead))};
      std::ranges::sort(ends);
      if (ends[0] == ends[1]) {
        core::refuse(fmt::format("{}:{}", file.string(), one.line), "the same bead twice",
                     "name two beads");
      }
      const bool is_repeated = !known.insert(ends).second;
      const bool is_bonded =
          is_inside && has_term(made_.molecules[c].molecule, ends[0].second.second - 1,
                                ends[1].second.second - 1);
      if (!is_repeated && !is_bonded) continue;
      note(fmt::format("{}:{}: this pair has another term, which OpenMM refuses: both act",
                       file.string(), one.line));
    }
  }
  static bool has_term(const topology::Molecule& molecule, int i, int j) {
    const auto is_pair = [&](const auto& term) {
      return std::minmax(term.i, term.j) == std::minmax(i, j);
    };
    return std::ranges::any_of(molecule.bonds, is_pair) ||
           std::ranges::any_of(molecule.springs, is_pair) ||
           std::ranges::any_of(molecule.contacts, is_pair) ||
           std::ranges::any_of(molecule.local_pairs, is_pair);
  }

  void remove_repeated_notes() {
    std::set<std::string> known;
    std::erase_if(made_.notes, [&](const auto& line) { return !known.insert(line).second; });
  }

  Translation made_;
  BeadTypes types_;
  bool is_continued_ = false;  // restart = checkpoint: slab_eq is off
};

}  // namespace

Translation translate(const fs::path& folder, const std::vector<std::string>& overrides) {
  return Translator(folder).run(overrides);
}

fs::path default_input(const Folder& folder) {
  return folder.path / "nfold" / (folder.config.name + ".yaml");
}

}  // namespace nfold::calvados
