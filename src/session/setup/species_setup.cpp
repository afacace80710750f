// Reading and building of an input's species by model.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/species_setup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "core/document/document.hpp"
#include "core/refusal.hpp"
#include "input/force_field.hpp"
#include "input/input.hpp"
#include "model/structure/fasta.hpp"
#include "model/structure/joining.hpp"
#include "model/structure/mutation.hpp"
#include "model/structure/surface_areas.hpp"
#include "model/topology/amounts.hpp"
#include "model/topology/assembly.hpp"
#include "model/topology/folded_domains.hpp"
#include "model/topology/modified_residues.hpp"
#include "model/topology/molecule_file.hpp"
#include "model/topology/pieces.hpp"
#include "model/topology/potentials.hpp"
#include "model/topology/residue_model.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/host_memory.hpp"
#include "session/setup/collective_variables.hpp"
#include "session/setup/system_remarks.hpp"

namespace nfold::setup {
namespace {

class SystemBuilder {
 public:
  SystemBuilder(const comm::Communicator& communicator, const input::Settings& settings,
                const std::filesystem::path& input_file,
                std::int64_t most_residues = std::numeric_limits<std::int64_t>::max())
      : communicator_(communicator),
        settings_(settings),
        input_file_(input_file),
        most_residues_(most_residues) {}
  /// Residues of all copies, after run().
  [[nodiscard]] std::int64_t residues() const { return residues_; }

  SystemSetup run() {
    const bool is_go = settings_.force_field.model == input::ForceFieldModel::go;
    if (!is_go) read_model();
    for (const auto& species : input::all_species(settings_.system)) add_species(species, is_go);
    set_copies();
    double mass_amu = 0;
    for (const auto& part : parts_) {
      mass_amu += topology::total_mass(part.molecule) * part.copies;
      residues_ += std::int64_t{part.molecule.residue_count()} * part.copies;
    }
    if (residues_ > most_residues_) leave_out_copies();
    SystemSetup system;
    system.topology = topology::assemble(parts_, settings_.system.copy_spacing_nm);
    const bool is_whole = residues_ <= most_residues_;
    if (const auto& file = settings_.system.restraints; !file.empty() && is_whole) {
      topology::add_restraints(bytes_of(path(file)), path(file).string(), system.topology);
    }
    set_box(system.topology, mass_amu);
    check_box(system.topology);
    check_time_step(system.topology);
    drop_idle_electrostatics(system.topology);
    if (!settings_.force_field.condensate.table.empty()) note_unused_rows();
    const auto biases = add_biases(settings_, system.topology);
    append(structure_notes_, system.topology.notes);
    system.notes = settings_.notes;
    append(system.notes, notes_);
    append(system.notes, structure_notes_);
    system.structure_notes = std::move(structure_notes_);
    if (!is_go) append(system.notes, topology::describe_potentials(model_));
    if (!is_go || !system.topology.box.is_open() || parts_.size() > 1) {
      append(system.notes, topology::describe_amounts(system.topology));
    }
    append(system.notes, remarks_on_system(settings_, system.topology, is_go ? nullptr : &model_));
    append(system.notes, biases);
    system.confidence = std::move(confidence_);
    if (!is_go) system.model = std::move(model_);
    return system;
  }

 private:
  static void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
    std::copy_if(from.begin(), from.end(), std::back_inserter(to),
                 [](const std::string& line) { return !line.empty(); });
  }

  [[nodiscard]] std::filesystem::path path(const std::string& file) const {
    return input::path_from_input(input_file_, file);
  }

  [[nodiscard]] std::string bytes_of(
      const std::filesystem::path& file,
      std::uintmax_t largest_bytes = structure::largest_file_bytes) const {
    return job::text_from_root(communicator_, [&] {
      return job::with_host_memory("reading " + file.string(), [&] {
        return structure::read_structure_bytes(file, largest_bytes);
      });
    });
  }

  void read_model() {
    const auto& field = settings_.force_field;
    if (field.condensate.table.empty()) {
      model_.file = input::builtin_force_field(input::model_name(field.model));
    } else {
      const auto file = path(field.condensate.table);
      const auto read = [this](const std::string& other) {
        return bytes_of(other, document::largest_input_bytes);
      };
      model_.file = input::read_force_field(read(file.string()), file.string(), read);
      notes_.push_back("force field: table " + file.string());
    }
    const auto conditions = input::run_conditions(settings_);
    model_.options = field.condensate;
    model_.options.ionic_strength_molar = conditions.ionic_strength_molar;
    model_.temperature_kelvin = conditions.temperature_kelvin;
    model_.evaluate();
    model_.go = go_model(settings_);
    model_.go.copies = 1;
    const auto& confidence = settings_.force_field.confidence;
    auto& weights = model_.confidence_go;
    weights.cutoff_nm = confidence.contact_cutoff_nm;
    weights.epsilon_kj_mol = confidence.contact_epsilon_kj_mol;
    weights.plddt_centre = confidence.plddt_centre;
    weights.plddt_slope = confidence.plddt_slope;
    weights.pae_centre_nm = confidence.pae_centre_nm;
    weights.pae_slope_per_nm = confidence.pae_slope_per_nm;
  }

  structure::Structure read_species(const input::SpeciesSettings& species) {
    if (!species.structure.empty()) {
      const auto file = path(species.structure);
      auto parsed = job::with_host_memory("reading " + file.string(), [&] {
        return structure::parse_structure(
            bytes_of(file), file.string(),
            {species.model, species.chains, has_nucleotides(species)});
      });
      add_confidence(species, parsed);
      name_nucleotides(species, parsed);
      return with_notes(species, std::move(parsed));
    }
    if (!species.fasta.empty()) {
      const auto file = path(species.fasta);
      const auto records = job::with_host_memory("reading " + file.string(), [&] {
        return structure::parse_fasta(bytes_of(file), file.string(),
                                      kind_of(species) == "protein" ? structure::Alphabet::protein
                                                                    : structure::Alphabet::any);
      });
      const auto& record = structure::find_record(records, species.record, file.string());
      return with_notes(species, structure::make_sequence_structure(species.name, record.sequence,
                                                                    kind_of(species)));
    }
    return with_notes(species, structure::make_sequence_structure(
                                   "species " + species.name, species.sequence, kind_of(species)));
  }

  static std::string kind_of(const input::SpeciesSettings& species) {
    return species.kind.empty() ? "protein" : species.kind;
  }

  /// True if nucleotides of the structure are part of the system: the species names their kind, or
  /// the force field has one.
  [[nodiscard]] bool has_nucleotides(const input::SpeciesSettings& species) const {
    return !species.kind.empty() ||
           std::ranges::any_of(model_.force_field.chains, [](const input::ChainKind& kind) {
             return kind.name == "rna" || kind.name == "dna";
           });
  }

  /// Gives the nucleotides of a structure the chain kind of the species.
  void name_nucleotides(const input::SpeciesSettings& species,
                        structure::Structure& molecule) const {
    if (species.kind.empty()) return;
    bool found = false;
    for (structure::Chain& chain : molecule.chains) {
      if (chain.kind == "protein") continue;
      chain.kind = species.kind;
      found = true;
    }
    if (found) return;
    core::refuse(input_file_.string(),
                 fmt::format("species {} has kind = {}, but its structure has no nucleotides",
                             species.name, species.kind),
                 "leave kind out, or choose other chains");
  }

  /// Sets the confidence of a structure from the files of the species, else its own.
  void add_confidence(const input::SpeciesSettings& species, structure::Structure& molecule) {
    const auto has_word = [&](const char* word) {
      return species.confidence.size() == 1 && species.confidence.front() == word;
    };
    if (has_word(input::no_confidence)) return;
    structure::ConfidenceSources sources;
    sources.has_b_factors = has_word(input::b_factor_confidence);
    for (const std::string& text : species.confidence) {
      if (input::is_confidence_word(text)) continue;
      const auto file = path(text);
      sources.files.push_back({file.string(), bytes_of(file)});
    }
    job::with_host_memory("reading the confidence of " + molecule.name,
                          [&] { structure::set_confidence(molecule, sources); });
  }

  [[nodiscard]] topology::DomainSearch domain_search(const input::SpeciesSettings& species) const {
    const auto& confidence = settings_.force_field.confidence;
    topology::DomainSearch search;
    search.least_plddt = confidence.least_plddt;
    search.largest_pae_angstrom = confidence.largest_pae_angstrom;
    search.between_chains = species.domains_between_chains;
    return search;
  }

  structure::Structure with_notes(const input::SpeciesSettings& species,
                                  structure::Structure molecule) {
    structure::mutate(molecule, species.mutations);
    for (const auto& note : molecule.notes) {
      structure_notes_.push_back(species.name.empty() ? note : species.name + ": " + note);
    }
    return molecule;
  }

  void add_species(const input::SpeciesSettings& species, bool is_go) {
    if (!species.molecule.empty()) {
      const auto file = path(species.molecule);
      const auto molecule = topology::parse_molecule(bytes_of(file), file.string());
      parts_.push_back({topology::build_molecule(molecule, species.name, file.string(), model_),
                        species.name, 1});
      return;
    }
    auto molecule = read_species(species);
    if (species.cyclic) structure::close_chain(molecule);
    if (species.gaps == input::Gaps::bridge) {
      append(structure_notes_, {structure::bridge_gaps(molecule)});
    }
    if (is_go) {
      append(structure_notes_, topology::describe_modified_residues(molecule, nullptr));
      auto model = go_model(settings_);
      model.copies = 1;
      parts_.push_back({topology::build_go_model(molecule, model), species.name, 1});
      append(structure_notes_, topology::describe_pieces(parts_.back().molecule));
      record_confidence(species, molecule, {});
      return;
    }
    if (!species.name.empty()) molecule.name = "species " + species.name;
    add_areas(species, molecule);
    const auto domains =
        topology::folded_domains(molecule, species.domains, domain_search(species));
    const bool found = std::any_of(domains.begin(), domains.end(), [](int d) { return d >= 0; });
    if (!species.domains.empty() && !found) {
      notes_.push_back(species.name + ": no folded domain was found");
    }
    auto model = model_;
    model.confidence_go.between_chains = species.domains_between_chains;
    require_confidence(species, molecule);
    if (species.charged_ends != input::ChargedEnds::by_model) {
      model.options.charged_ends = species.charged_ends;
      notes_.push_back(
          fmt::format("{}: {}", species.name, topology::describe_ends(species.charged_ends)));
    }
    parts_.push_back({topology::build_residue_model(molecule, domains, model), species.name, 1});
    append(structure_notes_, topology::describe_pieces(parts_.back().molecule));
    record_confidence(species, molecule, domains);
  }

  /// Sets the surface areas that the species gives.
  void add_areas(const input::SpeciesSettings& species, structure::Structure& molecule) const {
    if (species.areas.empty()) return;
    if (!model_.force_field.site_factor) {
      core::refuse(
          input_file_.string(),
          fmt::format("species {} has areas, but the force field has no site_factor", species.name),
          "leave areas out, or take cocomo2");
    }
    const auto file = path(species.areas);
    molecule.areas_nm2 =
        structure::parse_areas(bytes_of(file), file.string(), molecule.residue_count());
  }

  void record_confidence(const input::SpeciesSettings& species,
                         const structure::Structure& molecule, const std::vector<int>& domains) {
    if (!molecule.confidence.has_plddt()) return;
    confidence_.push_back(make_confidence_record(
        species.name.empty() ? molecule.name : species.name, molecule, domains));
  }

  /// Checks that weighted contacts have what they are weighted by.
  void require_confidence(const input::SpeciesSettings& species,
                          const structure::Structure& molecule) const {
    if (settings_.force_field.condensate.domains != input::FoldedDomains::confidence_go) return;
    const bool may_lack =
        species.structure.empty() ||
        (species.confidence.size() == 1 && species.confidence.front() == input::no_confidence);
    if (may_lack || molecule.confidence.has_pae()) return;
    core::refuse(
        input_file_.string(),
        fmt::format("force_field.domains = confidence-go, but no PAE of {}", molecule.name),
        "name the predictor's file by system.species[].confidence, or give confidence: "
        "none for a species without contacts");
  }

  [[nodiscard]] system::Box given_box() const {
    system::Box box;
    const auto& edges = settings_.system.box_nm;
    for (std::size_t axis = 0; axis < edges.size(); ++axis) box.length_nm.at(axis) = edges[axis];
    return box;
  }

  void set_copies() {
    const auto all = input::all_species(settings_.system);
    const auto box = given_box();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& species = all[i];
      double copies = species.copies;
      if (species.concentration_mg_per_ml > 0) {
        copies = topology::copies_at_mg_per_ml(species.concentration_mg_per_ml,
                                               topology::total_mass(parts_[i].molecule), box);
      } else if (species.concentration_millimolar > 0) {
        copies = topology::copies_at_millimolar(species.concentration_millimolar, box);
      }
      if (copies < 1 || copies > std::numeric_limits<int>::max()) {
        core::refuse(
            input_file_.string(),
            fmt::format("system.species[{}]: its concentration makes {:.0f} molecules in this "
                        "box",
                        i, copies),
            "expected at least one; give a larger box, another concentration, or copies");
      }
      parts_[i].copies = static_cast<int>(copies);
    }
  }

  /// Keeps at least one copy of each species.
  void leave_out_copies() {
    const double left = static_cast<double>(most_residues_) / static_cast<double>(residues_);
    for (auto& part : parts_) {
      part.copies = std::max(1, static_cast<int>(std::lround(part.copies * left)));
    }
  }

  void set_box(topology::Topology& topology, double mass_amu) const {
    const double concentration = settings_.system.concentration_mg_per_ml;
    topology.box =
        concentration > 0 ? topology::cube_at_mg_per_ml(concentration, mass_amu) : given_box();
  }

  /// Throws InputError if several images are within the range of a potential.
  void check_box(const topology::Topology& topology) const {
    const double range = topology::longest_range_nm(topology);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double edge = topology.box.length_nm[axis];
      if (!topology.box.is_periodic(axis) || edge >= 2 * range) continue;
      core::refuse(
          input_file_.string(),
          fmt::format("the box is {:.6g} nm long along {}, less than twice the longest cutoff, "
                      "{:.6g} nm",
                      edge, "xyz"[axis], range),
          fmt::format("give system.box_nm edges of {:.6g} nm or more, a lower concentration, "
                      "more copies, or a shorter cutoff",
                      2 * range));
    }
  }

  /// Throws InputError if the time step is too long for a bond, including bonds that only the
  /// builder knows: from a table of the user, from go domains.
  void check_time_step(const topology::Topology& topology) const {
    const double step_ps = settings_.dynamics.time_step_ps;
    for (const topology::Bond& bond : topology.bonds) {
      const double inverse_masses =
          1 / topology.residues[static_cast<std::size_t>(bond.i)].mass_amu +
          1 / topology.residues[static_cast<std::size_t>(bond.j)].mass_amu;
      const double limit_ps = std::sqrt(2 / (bond.k_kj_mol_nm2 * inverse_masses));
      if (step_ps < limit_ps) continue;
      core::refuse(input_file_.string(),
                   fmt::format("dynamics.time_step_ps = {}: a chain of bonds as that of {} and {} "
                               "explodes from {:.3g} ps on",
                               step_ps, residue_label(topology, bond.i),
                               residue_label(topology, bond.j), limit_ps),
                   "take a tenth of it or less");
    }
  }

  void note_unused_rows() {
    std::vector<int> used;
    for (const auto& part : parts_) {
      for (const topology::Residue& residue : part.molecule.residues) used.push_back(residue.type);
    }
    const std::string unused = topology::unused_beads(model_.force_field, used);
    if (!unused.empty())
      structure_notes_.push_back("rows of the table that no residue takes: " + unused);
  }

  /// Removes electrostatics without charges, to avoid its long cutoff.
  void drop_idle_electrostatics(topology::Topology& topology) {
    const bool charged =
        std::any_of(topology.residues.begin(), topology.residues.end(),
                    [](const topology::Residue& residue) { return residue.charge_e != 0; });
    if (!charged) topology.electrostatics = {};
  }

  const comm::Communicator& communicator_;
  const input::Settings& settings_;
  const std::filesystem::path& input_file_;
  std::int64_t most_residues_, residues_ = 0;
  topology::ResidueModel model_;
  std::vector<topology::Part> parts_;
  std::vector<std::string> notes_, structure_notes_;
  std::vector<ConfidenceRecord> confidence_;
};

}  // namespace

topology::GoModel go_model(const input::Settings& settings) {
  const auto& field = settings.force_field;
  topology::GoModel model;
  model.epsilon_kj_mol = field.epsilon_kj_mol;
  model.mass_amu = field.mass_amu;
  model.bond_k = field.bond_k_per_nm2;
  model.angle_k = field.angle_k_per_rad2;
  model.dihedral_k1 = field.dihedral_k1;
  model.dihedral_k3 = field.dihedral_k3;
  model.contact_potential = field.contact_potential;
  model.contact_epsilon = field.contact_epsilon;
  model.gaussian_sigma_nm = field.gaussian_sigma_nm;
  model.gaussian_a_nm12 = field.gaussian_a_nm12;
  model.repulsion_epsilon = field.repulsion.epsilon;
  model.repulsion_sigma_nm = field.repulsion.sigma_nm;
  model.repulsion_cutoff_nm = field.repulsion.cutoff_nm;
  const auto& contacts = field.contacts;
  model.contacts = {contacts.map,
                    contacts.cutoff_nm,
                    contacts.shadow_radius_nm,
                    contacts.bonded_radius_nm,
                    contacts.legacy_atan,
                    contacts.min_sequence_separation};
  model.least_plddt = field.confidence.least_plddt;
  model.copies = settings.system.copies;
  model.copy_spacing_nm = settings.system.copy_spacing_nm;
  return model;
}

SystemSetup build_system(const comm::Communicator& communicator, const input::Settings& settings,
                         const std::filesystem::path& input_file) {
  return job::with_host_memory("building the topology of " + input_file.string(), [&] {
    return SystemBuilder(communicator, settings, input_file).run();
  });
}

SystemPart build_part(const comm::Communicator& communicator, const input::Settings& settings,
                      const std::filesystem::path& input_file, std::int64_t most_residues) {
  return job::with_host_memory("building a part of the topology of " + input_file.string(), [&] {
    SystemBuilder builder(communicator, settings, input_file, most_residues);
    SystemPart part{builder.run(), 1, 0, {}};
    part.residues = builder.residues();
    part.times = static_cast<double>(part.residues) / part.system.topology.residue_count();
    part.box = part.system.topology.box;
    return part;
  });
}

}  // namespace nfold::setup
