// Rules of `system` and `start`: species, boxes, concentrations, and allowed starts.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/parse_number.hpp"
#include "input/consistency.hpp"
#include "input/named_files.hpp"

namespace nfold::input {

using document::SectionReader;

namespace {

bool has_three_edges(const SystemSettings& system) {
  const auto& box = system.box_nm;
  return system.concentration_mg_per_ml > 0 ||
         (box.size() == 3 && std::all_of(box.begin(), box.end(), [](double x) { return x > 0; }));
}

bool has_word_beside_files(const std::vector<std::string>& confidence) {
  return confidence.size() > 1 && std::ranges::any_of(confidence, is_confidence_word);
}

bool is_species_name(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, is_name_character);
}

void complete_box(SystemSettings& system, SectionReader& reader) {
  auto& box = system.box_nm;
  if (box.size() == 1) box.assign(3, box[0]);
  if (std::all_of(box.begin(), box.end(), [](double x) { return x == 0; })) box.clear();
  if (system.concentration_mg_per_ml > 0 && !box.empty()) {
    reader.complain("system.concentration_mg_per_ml",
                    "system.concentration_mg_per_ml beside system.box_nm",
                    "one of them makes the box: keep one");
  }
}

class SpeciesRules {
 public:
  SpeciesRules(const Settings& settings, SectionReader& reader)
      : settings_(settings), reader_(reader) {}

  void check(SpeciesSettings& species, std::size_t index) {
    place_ = fmt::format("system.species[{}]", index);
    check_name(species);
    check_source(species);
    check_amount(species);
    check_domains(species);
    check_confidence(species);
    check_kind(species);
    check_ends(species);
  }

 private:
  void complain(std::string_view key, const std::string& problem, std::string remedy) {
    const std::string at = key.empty() ? place_ : fmt::format("{}.{}", place_, key);
    reader_.complain(at, fmt::format("{}: {}", place_, problem), std::move(remedy));
  }

  void check_name(const SpeciesSettings& species) {
    if (!is_species_name(species.name)) {
      complain("name", fmt::format("name = '{}'", species.name),
               "a name is of letters, digits and - _ . +");
    } else if (!names_.insert(species.name).second) {
      complain("name", fmt::format("name = {} for the second time", species.name),
               "each species has its own name");
    }
  }

  void check_source(const SpeciesSettings& species) {
    const std::array<bool, 4> given{!species.sequence.empty(), !species.fasta.empty(),
                                    !species.structure.empty(), !species.molecule.empty()};
    if (std::count(given.begin(), given.end(), true) != 1) {
      complain("",
               fmt::format("{} of sequence, fasta, structure and molecule are given",
                           std::count(given.begin(), given.end(), true)),
               "give one of the four");
      return;
    }
    if (!species.record.empty() && species.fasta.empty()) {
      complain("record", "record without fasta", "it names a record of a FASTA file");
    }
    if ((!species.chains.empty() || species.model != 1) && species.structure.empty()) {
      complain(species.chains.empty() ? "model" : "chains", "chains or model without structure",
               "they choose from a structure file");
    }
    if (species.gaps == input::Gaps::bridge && species.structure.empty()) {
      complain("gaps", "gaps without structure", "a sequence has none: leave it out");
    }
    if (!species.molecule.empty()) check_molecule(species);
    if (species.structure.empty() && settings_.force_field.model == ForceFieldModel::go) {
      complain("", "a sequence alone for the go model",
               "that model needs a structure; force_field.model = calvados2 takes sequences");
    }
  }

  void check_molecule(const SpeciesSettings& species) {
    const std::array<std::pair<std::string_view, bool>, 7> keys{
        {{"cyclic", species.cyclic},
         {"domains", !species.domains.empty()},
         {"charged_ends", species.charged_ends != ChargedEnds::by_model},
         {"kind", !species.kind.empty()},
         {"mutations", !species.mutations.empty()},
         {"areas", !species.areas.empty()},
         {"confidence", !species.confidence.empty()}}};
    for (const auto& [key, is_given] : keys) {
      if (!is_given) continue;
      complain(key, fmt::format("{} beside molecule", key),
               "the file of a molecule has all of its terms: leave it out");
    }
  }

  void check_amount(SpeciesSettings& species) {
    const std::array<bool, 3> given{species.copies > 0, species.concentration_mg_per_ml > 0,
                                    species.concentration_millimolar > 0};
    const auto count = std::count(given.begin(), given.end(), true);
    if (count > 1) {
      complain("", "more than one of copies and the concentrations", "keep one");
    }
    if (count == 0) species.copies = 1;
    if (species.copies == 0 && settings_.system.concentration_mg_per_ml > 0) {
      complain("", "a concentration beside system.concentration_mg_per_ml",
               "that one makes the box from the copies: give copies");
    } else if (species.copies == 0 && !has_three_edges(settings_.system)) {
      complain("", "a concentration, but no box with three edges", "give system.box_nm, or copies");
    }
  }

  void check_domains(const SpeciesSettings& species) {
    if (species.domains.empty() && species.molecule.empty() && !species.areas.empty()) {
      complain("areas", "areas without domains",
               "the areas of residues outside of domains have no effect: give domains, or leave "
               "areas out");
    }
    if (species.domains.empty()) return;
    const bool automatic = std::count(species.domains.begin(), species.domains.end(), "auto") > 0;
    if (automatic && species.domains.size() > 1) {
      complain("domains", "auto beside other domains", "give auto alone, or the domains");
    }
    if (automatic && species.structure.empty()) {
      complain("domains", "domains = auto without a structure",
               "they are found in a structure: give one, or leave domains out");
    }
    if (settings_.force_field.condensate.domains == FoldedDomains::confidence_go) {
      complain("domains", "domains beside force_field.domains = confidence-go",
               "its contacts are weighted through the whole structure: leave the domains out");
    }
    if (settings_.force_field.model == ForceFieldModel::go) {
      complain("domains", "domains for the go model",
               "that model holds the whole structure: leave them out");
    }
  }

  void check_confidence(const SpeciesSettings& species) {
    if (species.structure.empty() && !species.confidence.empty()) {
      complain("confidence", "confidence without a structure",
               "it is that of a predicted structure: give one, or leave it out");
    }
    if (species.structure.empty() && species.domains_between_chains) {
      complain("domains_between_chains", "domains_between_chains without a structure",
               "leave it out");
    }
    if (has_word_beside_files(species.confidence)) {
      complain("confidence", "none or b-factors beside other values", "give it alone");
    }
  }

  void check_kind(const SpeciesSettings& species) {
    if (settings_.force_field.model != ForceFieldModel::go) return;
    if (!species.kind.empty()) {
      complain("kind", "kind for the go model", "that model has proteins alone: leave it out");
    }
    if (!species.mutations.empty()) {
      complain("mutations", "mutations for the go model",
               "its terms do not depend on the kind of a residue: leave them out");
    }
  }

  void check_ends(const SpeciesSettings& species) {
    if (species.charged_ends != ChargedEnds::by_model &&
        settings_.force_field.model == ForceFieldModel::go) {
      complain("charged_ends", "charged_ends for the go model",
               "that model has no charges: leave them out");
    }
  }

  const Settings& settings_;
  SectionReader& reader_;
  std::string place_;
  std::set<std::string> names_;
};

StartFrom default_start(const Settings& settings) {
  if (!settings.start.checkpoint.empty()) return StartFrom::checkpoint;
  if (!settings.start.coordinates.empty()) return StartFrom::coordinates;
  const auto& system = settings.system;
  if (!system.box_nm.empty() || system.concentration_mg_per_ml > 0) return StartFrom::random;
  const auto species = all_species(system);
  const bool structures = std::none_of(
      species.begin(), species.end(), [](const SpeciesSettings& s) { return s.structure.empty(); });
  return structures ? StartFrom::native : StartFrom::unfolded;
}

/// Checks that the box of a slab has edges along the two axes beside the slab's normal.
void check_slab_box(const Settings& settings, SectionReader& reader) {
  if (settings.start.from != StartFrom::slab || has_three_edges(settings.system)) return;
  const auto& box = settings.system.box_nm;
  const auto across = static_cast<std::size_t>(settings.start.slab_axis);
  if (box.size() == 3 && box[(across + 1) % 3] > 0 && box[(across + 2) % 3] > 0) return;
  reader.complain("start.from", "a slab, but the box has no end beside its axis",
                  "give system.box_nm with edges along the two other axes, or "
                  "system.concentration_mg_per_ml");
}

/// Checks the start ranges of species: within the box, and only with a random start.
void check_start_ranges(const Settings& settings, SectionReader& reader) {
  const auto& box = settings.system.box_nm;
  for (std::size_t index = 0; index < settings.system.species.size(); ++index) {
    const auto& species = settings.system.species[index];
    const std::array all{&species.start_x_nm, &species.start_y_nm, &species.start_z_nm};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (all[axis]->size() != 2) continue;
      const double from = all[axis]->front(), to = all[axis]->back();
      const char letter = "xyz"[axis];
      const auto key = fmt::format("system.species[{}].start_{}_nm", index, letter);
      const auto complain = [&](const std::string& problem, const char* remedy) {
        reader.complain(key, fmt::format("{} = [{:g}, {:g}]{}", key, from, to, problem), remedy);
      };
      if (from >= to) {
        complain("", "the first number is where the species begins, the second where it ends");
      } else if (settings.start.from != StartFrom::random) {
        complain(", but start.from is not random", "leave it out, or let start.from be random");
      } else if (settings.system.concentration_mg_per_ml > 0) {
        complain(" in a box made by system.concentration_mg_per_ml",
                 "give system.box_nm, so that there is something to count from");
      } else if (box.size() != 3 || box[axis] == 0) {
        complain(fmt::format(", but the box is open along {}", letter),
                 "give system.box_nm an edge there");
      } else if (to > box[axis]) {
        complain(fmt::format(" ends beyond the box of {:g} nm", box[axis]),
                 "the box begins at 0: give places in it");
      }
    }
  }
}

void check_coordinates(const StartSettings& start, bool has_file, SectionReader& reader) {
  if (!has_file && start.from == StartFrom::coordinates) {
    reader.complain("start.from", "start.from = coordinates, but no file is named",
                    "give start.coordinates");
  }
  if (!start.checkpoint.empty() && !start.coordinates.empty()) {
    reader.complain("start.coordinates", "start.coordinates beside start.checkpoint",
                    "one of them is the start: keep one");
  }
  if (start.frame != "last" && !core::parse_number<std::uint32_t>(start.frame)) {
    reader.complain("start.frame", fmt::format("start.frame = '{}'", start.frame),
                    "expected a whole number from 0, or last");
  }
}

}  // namespace

void complete_and_check_system(Settings& settings, SectionReader& reader) {
  auto& system = settings.system;
  complete_box(system, reader);
  if (system.species.empty() && system.structure.empty()) {
    reader.complain("system.structure", "system.structure is empty",
                    "name a PDB or mmCIF file, relative to the input file's folder, or give "
                    "system.species");
  }
  if (!system.species.empty() && !system.structure.empty()) {
    reader.complain("system.structure", "system.structure beside system.species",
                    "system.structure is short for one species: keep one of the two");
  }
  if (!system.mutations.empty() && system.species.size() > 1) {
    reader.complain("system.mutations", "system.mutations beside several species",
                    "each has a key of its own: system.species[].mutations");
  } else if (!system.mutations.empty() && settings.force_field.model == ForceFieldModel::go) {
    reader.complain("system.mutations", "system.mutations for the go model",
                    "its terms do not depend on the kind of a residue: leave them out");
  }
  if (system.structure.empty() && !system.confidence.empty()) {
    reader.complain("system.confidence", "system.confidence without system.structure",
                    "a species has a key of its own: system.species[].confidence");
  }
  if (has_word_beside_files(system.confidence)) {
    reader.complain("system.confidence", "none or b-factors beside other values", "give it alone");
  }
  SpeciesRules rules(settings, reader);
  for (std::size_t i = 0; i < system.species.size(); ++i) rules.check(system.species[i], i);
}

void complete_and_check_start(Settings& settings, SectionReader& reader) {
  auto& start = settings.start;
  const bool has_file = !start.checkpoint.empty() || !start.coordinates.empty();
  // A file alone is enough: prepare writes a start.from into every input.
  if (has_file || !reader.given().contains("start.from")) start.from = default_start(settings);
  if (!has_file && start.from == StartFrom::checkpoint) {
    reader.complain("start.from", "start.from = checkpoint, but no file is named",
                    "give start.checkpoint");
  }
  check_coordinates(start, has_file, reader);
  check_slab_box(settings, reader);
  check_start_ranges(settings, reader);
  const auto species = all_species(settings.system);
  const bool wants_native =
      start.from == StartFrom::native || start.conformation == Conformation::native;
  for (const auto& one : species) {
    if (!wants_native || !one.structure.empty() || settings.system.species.empty()) continue;
    const char* key = start.from == StartFrom::native ? "start.from" : "start.conformation";
    reader.complain(
        key, fmt::format("{} = native, but species {} has no structure", key, one.name),
        fmt::format("give its structure by system.species[].structure, or {} = unfolded", key));
  }
  const bool as_it_is =
      start.from == StartFrom::native || start.from == StartFrom::unfolded || start.is_from_file();
  if (!reader.given().contains("start.minimise_steps") && !as_it_is) start.minimise_steps = 1000;
}

}  // namespace nfold::input
