// Readers of config.yaml and components.yaml by tables of keys.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/calvados/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <system_error>

#include "core/document/document.hpp"
#include "core/document/section_reader.hpp"
#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "input/named_files.hpp"

namespace nfold::calvados {

using namespace document::makers;
using document::InputNode;
using document::NodeKind;

namespace {

namespace fs = std::filesystem;

using ConfigKey = document::KeyOf<Config>;
using ComponentKey = document::KeyOf<Component>;

constexpr std::array<Name, 2> restraint_names{"harmonic", "go"};
constexpr std::array<Name, 6> type_names{"protein", "rna",     "crowder",
                                         "cyclic",  "seastar", "ptm_protein"};
constexpr std::array<std::size_t, 1> box_sizes{3};
constexpr double large = 1e6;
constexpr std::uint64_t most_steps = 1'000'000'000'000'000;

const std::array config_keys{
    ConfigKey{"sysname", text<&Config::name>()},
    document::required("box", real_list<&Config::box_nm>(1e-3, 2000, box_sizes)),
    document::required("temp", real_above<&Config::temperature_kelvin>(0, 1000)),
    document::required("ionic", real<&Config::ionic_strength_molar>(0, 100)),
    document::required("pH", real<&Config::ph>(-10, 30)),
    ConfigKey{"topol", text<&Config::topol>()},
    ConfigKey{"ref_bead", integer<&Config::reference_bead>(0, 1'000'000'000)},
    ConfigKey{"eps_lj", real<&Config::epsilon_kcal_mol>(0, 100)},
    ConfigKey{"cutoff_lj", real_above<&Config::short_range_cutoff_nm>(0, 20)},
    ConfigKey{"cutoff_yu", real_above<&Config::charge_cutoff_nm>(0, 50)},
    ConfigKey{"fixed_lambda", real<&Config::fixed_lambda>(-10, 10)},
    ConfigKey{"slab_width", real_above<&Config::slab_width_nm>(0, 2000)},
    ConfigKey{"slab_outer", real<&Config::slab_outer_nm>(0, 2000)},
    ConfigKey{"slab_eq", flag<&Config::slab_eq>()},
    ConfigKey{"k_eq", real<&Config::k_eq_kj_mol_nm>(0, large)},
    ConfigKey{"steps_eq", integer<&Config::equilibration_steps>(0, most_steps)},
    ConfigKey{"ext_force", flag<&Config::has_external_force>()},
    ConfigKey{"ext_force_expr", text<&Config::external_force>()},
    ConfigKey{"box_eq", flag<&Config::box_eq>()},
    ConfigKey{"bilayer_eq", flag<&Config::bilayer_eq>()},
    ConfigKey{"pressure_coupling", flag<&Config::pressure_coupling>()},
    ConfigKey{"custom_restraints", flag<&Config::has_custom_restraints>()},
    ConfigKey{"custom_restraint_type", choice<&Config::custom_restraint_type>(restraint_names)},
    ConfigKey{"fcustom_restraints", text<&Config::custom_restraints>()},
    ConfigKey{"steps", integer<&Config::steps>(0, most_steps)},
    ConfigKey{"runtime", real<&Config::runtime_hours>(0, 1e5)},
    ConfigKey{"wfreq", integer<&Config::frame_steps>(1, most_steps)},
    ConfigKey{"logfreq", integer<&Config::log_steps>(1, most_steps)},
    ConfigKey{"report_potential_energy", flag<&Config::logs_energy>()},
    ConfigKey{"friction_coeff", real<&Config::friction_per_ps>(0, 1e6)},
    ConfigKey{"random_number_seed", integer<&Config::seed>(0, most_steps)},
    ConfigKey{"restart", text<&Config::restart>()},
    ConfigKey{"frestart", text<&Config::restart_file>()},
};

const std::array component_keys{
    ComponentKey{"molecule_type", choice<&Component::type>(type_names)},
    ComponentKey{"nmol", integer<&Component::copies>(0, 10'000'000)},
    ComponentKey{"charge_termini", text<&Component::charged_ends>()},
    ComponentKey{"fresidues", text<&Component::residues>()},
    ComponentKey{"ffasta", text<&Component::fasta>()},
    ComponentKey{"pdb_folder", text<&Component::pdb_folder>()},
    ComponentKey{"fdomains", text<&Component::domains>()},
    ComponentKey{"kb", real_above<&Component::bond_k_kj_mol_nm2>(0, 1e7)},
    ComponentKey{"ext_restraint", flag<&Component::has_external_restraint>()},
    ComponentKey{"restraint", flag<&Component::is_restrained>()},
    ComponentKey{"restraint_type", choice<&Component::restraint_type>(restraint_names)},
    ComponentKey{"use_com", flag<&Component::use_centre_of_mass>()},
    ComponentKey{"cutoff_restr", real<&Component::restraint_cutoff_nm>(0, 100)},
    ComponentKey{"k_harmonic", real<&Component::restraint_k_kj_mol_nm2>(0, 1e7)},
    ComponentKey{"k_go", real<&Component::go_k_kj_mol>(0, large)},
    ComponentKey{"periodic", flag<&Component::is_periodic>()},
    ComponentKey{"bfac_shift", real<&Component::plddt_shift>(-large, large)},
    ComponentKey{"bfac_width", real<&Component::plddt_width>(-large, large)},
    ComponentKey{"pae_shift", real<&Component::pae_shift_nm>(-large, large)},
    ComponentKey{"pae_width", real<&Component::pae_width_per_nm>(-large, large)},
    ComponentKey{"rna_kb1", real_above<&Component::rna_backbone_k>(0, 1e7)},
    ComponentKey{"rna_kb2", real_above<&Component::rna_base_k>(0, 1e7)},
    ComponentKey{"rna_ka", real<&Component::rna_angle_k>(0, large)},
    ComponentKey{"rna_pa", real<&Component::rna_angle_rad>(0, 3.1416)},
    ComponentKey{"rna_nb_sigma", real_above<&Component::stacking_sigma_nm>(0, 10)},
    ComponentKey{"rna_nb_scale", real<&Component::stacking_scale>(-large, large)},
    ComponentKey{"rna_nb_cutoff", real_above<&Component::stacking_cutoff_nm>(0, 100)},
    ComponentKey{"n_ends", integer<&Component::ends>(0, 1'000'000)},
    ComponentKey{"ptm_name", text<&Component::ptm_name>()},
    ComponentKey{"ptm_locations", integer_list<&Component::ptm_locations>(0, 1'000'000'000)},
};

/// Keys that concern the package's own run or output, or follow from others or from the files.
constexpr std::array<std::string_view, 11> silent_keys{
    "platform", "threads", "gpu_id", "verbose",  "pressure", "boxscaling_xyz",
    "alpha",    "submit",  "name",   "friction", "colabfold"};

template <class Owner>
bool is_flag(const document::KeyOf<Owner>& key) {
  return std::holds_alternative<document::FlagRule>(key.field.rule);
}
template <class Owner>
bool is_text(const document::KeyOf<Owner>& key) {
  return std::holds_alternative<document::TextRule>(key.field.rule);
}

/// Returns the node of a flag with the spelling of YAML 1.1 replaced by true or false.
InputNode to_plain_flag(InputNode node) {
  constexpr std::array<std::string_view, 7> yes{"True", "TRUE", "yes", "Yes", "on", "On", "1"};
  constexpr std::array<std::string_view, 7> no{"False", "FALSE", "no", "No", "off", "Off", "0"};
  if (std::ranges::find(yes, node.text) != yes.end()) node.text = "true";
  if (std::ranges::find(no, node.text) != no.end()) node.text = "false";
  return node;
}

class FolderReader {
 public:
  explicit FolderReader(const fs::path& path)
      : reader_(path.string(), "see config.yaml and components.yaml of the CALVADOS package") {
    folder_.path = path;
  }

  Folder read() {
    const InputNode config = document_of(folder_.config_file());
    read_config(config);
    const InputNode components = document_of(folder_.components_file());
    read_components(components);
    reader_.throw_if_any();
    if (!ignored_.empty()) {
      folder_.notes.push_back(
          fmt::format("keys that CALVADOS does not read: {}", fmt::join(ignored_, ", ")));
    }
    return std::move(folder_);
  }

 private:
  InputNode document_of(const std::string& file) {
    reader_.set_source(file);
    const auto text = core::read_text(file);
    if (!text) {
      core::refuse(file, "cannot be read", "a CALVADOS folder has config.yaml and components.yaml");
    }
    if (text->size() > document::largest_input_bytes) {
      core::refuse(file, fmt::format("{} bytes", text->size()),
                   fmt::format("at most {}", document::largest_input_bytes));
    }
    return document::read_document(*text, file);
  }

  template <class Keys, class Owner>
  void read_keys(const Keys& keys, const InputNode& map, const std::string& path, Owner& owner) {
    for (std::size_t i = 0; i < map.items.size(); ++i) {
      const InputNode& name = map.entry_names[i];
      const auto key =
          std::ranges::find_if(keys, [&](const auto& k) { return k.name == name.text; });
      if (key == std::end(keys)) {
        if (std::ranges::find(silent_keys, name.text) == silent_keys.end()) {
          ignored_.insert(name.text);
        }
        continue;
      }
      InputNode value = map.items[i];
      if (value.kind == NodeKind::nothing) {  // null of Python
        if (name.text == "random_number_seed" || name.text == "ref_bead") continue;
        if (is_text(*key)) value.kind = NodeKind::scalar;
      }
      if (is_flag(*key)) value = to_plain_flag(std::move(value));
      reader_.read_key(*key, document::join_path(path, name.text), owner, value,
                       reader_.position(name, map.items[i]));
    }
  }

  void read_config(const InputNode& map) {
    Config& config = folder_.config;
    read_keys(config_keys, map, "", config);
    for (const auto& key : config_keys) {
      if (key.required && document::find_entry(map, key.name) == nullptr) {
        reader_.complain_missing(map, key.name, "", accepted_text(key));
      }
    }
    if (config.name.empty()) {
      config.name = fs::absolute(folder_.path / "").parent_path().filename().string();
    }
    constexpr std::array<std::pair<std::string_view, Placement>, 5> placements{
        {{"center", Placement::center},
         {"single", Placement::random},
         {"grid", Placement::grid},
         {"slab", Placement::slab},
         {"shift_ref_bead", Placement::shift_ref_bead}}};
    const auto found =
        std::ranges::find(placements, config.topol, [](const auto& one) { return one.first; });
    config.placement = found == placements.end() ? Placement::random : found->second;
    if (found == placements.end() && config.topol != "random") {
      folder_.notes.push_back(fmt::format(
          "{}: topol = {} is none of the package's placements, so it places at random, as here",
          folder_.config_file(), config.topol));
    }
    refuse_flag(config.box_eq, "box_eq", "a barostat; nfold has none: give the final box");
    refuse_flag(config.bilayer_eq, "bilayer_eq", "a barostat of membranes; nfold has none");
    if (!config.restart.empty() && config.restart != "checkpoint" && config.restart != "pdb") {
      reader_.complain("restart", fmt::format("restart = {}", config.restart),
                       "must be checkpoint, pdb or null");
    }
    const double range = 2 * std::max(config.short_range_cutoff_nm, config.charge_cutoff_nm);
    for (const double edge : config.box_nm) {
      if (edge >= range) continue;
      reader_.complain("box", fmt::format("box has an edge of {:g} nm", edge),
                       fmt::format("each needs twice the longest cutoff, {:g} nm", range));
      break;
    }
  }
  void refuse_flag(bool is_set, std::string_view key, std::string remedy) {
    if (is_set) reader_.complain(key, fmt::format("{} = true", key), std::move(remedy));
  }

  void read_components(const InputNode& root) {
    const auto* system = reader_.require(root, "system", "", NodeKind::map);
    Component defaults;
    if (const auto* section = reader_.find_section(root, "defaults", "")) {
      refuse_lipid(*section, "defaults");
      read_keys(component_keys, *section, "defaults", defaults);
    }
    if (system == nullptr) return;
    std::set<std::string> names;
    for (std::size_t i = 0; i < system->items.size(); ++i) {
      read_component(system->entry_names[i], system->items[i], defaults, names);
    }
    if (folder_.in_file_order.empty()) {
      reader_.complain(root, "no component in `system`", "give at least one molecule");
    }
    for (const bool proteins : {true, false}) {
      for (const auto& component : folder_.in_file_order) {
        if ((component.type == MoleculeType::protein) == proteins) {
          folder_.components.push_back(component);
        }
      }
    }
    check_placement();
  }

  void refuse_lipid(const InputNode& map, const std::string& path) {
    const auto* type = document::find_entry(map, "molecule_type");
    if (type == nullptr || (type->text != "lipid" && type->text != "cooke_lipid")) return;
    reader_.complain(*type, fmt::format("{}.molecule_type = {}", path, type->text),
                     "nfold has no lipids; types are protein, rna, crowder, cyclic, seastar and "
                     "ptm_protein");
    reader_.throw_if_any();
  }

  void read_component(const InputNode& name, const InputNode& map, Component component,
                      std::set<std::string>& names) {
    const std::string path = "system." + name.text;
    component.name = name.text;
    component.where = fmt::format("{}: {}", folder_.components_file(), path);
    if (map.kind != NodeKind::map && map.kind != NodeKind::nothing) {
      reader_.complain(map, fmt::format("{} = {}", path, document::shown(map)),
                       "must be a section of keys, {} if there are none");
      return;
    }
    refuse_lipid(map, path);
    read_keys(component_keys, map, path, component);
    component.species = name.text;
    for (char& c : component.species) {
      if (!input::is_name_character(c)) c = '_';
    }
    while (component.species.empty() || !names.insert(component.species).second) {
      component.species += "_";
    }
    if (component.type == MoleculeType::crowder && component.is_restrained) {
      folder_.notes.push_back(fmt::format(
          "{}: restraint = true of a crowder, which the package cannot build: it is not restrained",
          component.where));
      component.is_restrained = false;
    }
    if (component.type == MoleculeType::rna && component.is_restrained &&
        component.restraint_type == RestraintType::go) {
      reader_.complain(name, fmt::format("{}.restraint_type = go for rna", path),
                       "RNA is restrained by harmonic alone");
    }
    note_old_version(component);
    if (component.copies > 0) folder_.in_file_order.push_back(std::move(component));
  }

  /// Notes a folder whose Go terms another version of the package computed.
  void note_old_version(const Component& component) {
    if (!component.is_restrained || component.restraint_type != RestraintType::go) return;
    constexpr double k = 10, shift = 0.4, width = 8;  // defaults up to 0.7
    if (component.go_k_kj_mol != k || component.pae_shift_nm != shift ||
        component.pae_width_per_nm != width) {
      return;
    }
    folder_.notes.push_back(fmt::format(
        "{}: k_go, pae_shift and pae_width are defaults of CALVADOS 0.7 and older, whose Go terms "
        "differ; these are those of 0.8",
        component.where));
  }

  void check_placement() {
    std::uint64_t molecules = 0;
    for (const auto& component : folder_.components) molecules += component.copies;
    const auto& topol = folder_.config.topol;
    if (molecules > 1 && (topol == "center" || topol == "single")) {
      reader_.complain("topol", fmt::format("topol = {} with {} molecules", topol, molecules),
                       "it is for one molecule: take grid, slab or random");
    }
    if (folder_.config.placement != Placement::slab) return;
    for (const auto& component : folder_.components) {
      const auto type = component.type;
      if (type == MoleculeType::protein || type == MoleculeType::rna ||
          type == MoleculeType::crowder) {
        continue;
      }
      reader_.complain("topol", fmt::format("topol = slab with {} of another type", component.name),
                       "a slab has places for protein, rna and crowder alone: take grid");
      return;
    }
  }

  document::SectionReader reader_;
  Folder folder_;
  std::set<std::string> ignored_;
};

}  // namespace

bool is_calvados_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) &&
         (fs::exists(path / "config.yaml", error) || fs::exists(path / "components.yaml", error));
}

Folder read_folder(const fs::path& path) { return FolderReader(path).read(); }

fs::path find_file(const Folder& folder, const std::string& named, const std::string& where,
                   std::vector<std::string>& notes) {
  const fs::path given(named), last = given.filename();
  const auto parent = fs::absolute(folder.path / "").parent_path().parent_path();
  const std::array places{given.is_absolute() ? given : folder.path / given,
                          given,
                          folder.path / last,
                          folder.path / "input" / last,
                          parent / last,
                          parent / "input" / last};
  constexpr std::size_t as_named = 2;
  std::error_code error;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (named.empty() || !fs::is_regular_file(places[i], error)) continue;
    if (i >= as_named)
      notes.push_back(fmt::format("{} = {}: found as {}", where, named, places[i].string()));
    return places[i];
  }
  core::refuse(where, fmt::format("no file '{}'", named),
               "looked for it below the folder, from the working directory, and by its name in the "
               "folder, its input and its parent");
}

}  // namespace nfold::calvados
