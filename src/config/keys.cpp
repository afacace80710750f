// The table of input keys, one row a key.
// SPDX-License-Identifier: BSD-3-Clause

#include "config/keys.hpp"

#include <array>
#include <limits>
#include <type_traits>
#include <utility>

namespace nfold::config {

namespace {

/// The field at the end of a path of members: field<&Settings::dynamics, &DynamicsSettings::seed>.
template <auto... Path>
auto& field(Settings& settings) {
  return (settings.*....*Path);
}
template <auto... Path>
const auto& field(const Settings& settings) {
  return (settings.*....*Path);
}
template <auto... Path>
using FieldType = std::remove_cvref_t<decltype(field<Path...>(std::declval<Settings&>()))>;

template <auto... Path>
Value real(double at_least, double at_most) {
  return RealValue{[](const Settings& s) { return field<Path...>(s); },
                   [](Settings& s, double value) { field<Path...>(s) = value; }, at_least, at_most};
}
template <auto... Path>
Value real_above(double bound, double at_most) {
  auto value = std::get<RealValue>(real<Path...>(bound, at_most));
  value.above = true;
  return value;
}
template <auto... Path>
Value integer(std::uint64_t at_least, std::uint64_t at_most) {
  using Type = FieldType<Path...>;
  return IntegerValue{
      [](const Settings& s) { return static_cast<std::uint64_t>(field<Path...>(s)); },
      [](Settings& s, std::uint64_t value) { field<Path...>(s) = static_cast<Type>(value); },
      at_least, at_most};
}
template <auto... Path>
Value text() {
  return TextValue{[](const Settings& s) -> const std::string& { return field<Path...>(s); },
                   [](Settings& s, const std::string& value) { field<Path...>(s) = value; }};
}
template <auto... Path>
Value text_list() {
  return TextListValue{
      [](const Settings& s) -> const std::vector<std::string>& { return field<Path...>(s); },
      [](Settings& s, const std::vector<std::string>& value) { field<Path...>(s) = value; }};
}
template <auto... Path>
Value flag() {
  return FlagValue{[](const Settings& s) { return field<Path...>(s); },
                   [](Settings& s, bool value) { field<Path...>(s) = value; }};
}
template <auto... Path>
Value choice(std::span<const std::string_view> names) {
  using Type = FieldType<Path...>;
  return ChoiceValue{
      [](const Settings& s) { return static_cast<std::size_t>(field<Path...>(s)); },
      [](Settings& s, std::size_t value) { field<Path...>(s) = static_cast<Type>(value); }, names};
}

using Names = std::string_view;
constexpr std::array model_names{Names("go")};
constexpr std::array map_names{Names("shadow"), Names("heavy-atom"), Names("calpha")};
constexpr std::array potential_names{Names("12-10"), Names("gaussian")};
constexpr std::array start_names{Names("native"), Names("unfolded"), Names("checkpoint")};
constexpr std::array integrator_names{Names("langevin-baoab"), Names("velocity-verlet")};
constexpr std::array precision_names{Names("mixed"), Names("double")};
constexpr std::array partition_names{Names("residue-ranges"), Names("random")};

constexpr std::uint64_t most_steps = 1'000'000'000'000'000;  // exact as a double, too
constexpr std::uint64_t any_seed = std::numeric_limits<std::uint64_t>::max();
constexpr auto refuse = OnResume::refuse;
constexpr auto allow = OnResume::allow;

constexpr auto system_at = &Settings::system;
constexpr auto force_at = &Settings::force_field;
constexpr auto contacts_at = &ForceFieldSettings::contacts;
constexpr auto repulsion_at = &ForceFieldSettings::repulsion;
constexpr auto start_at = &Settings::start;
constexpr auto dynamics_at = &Settings::dynamics;
constexpr auto list_at = &Settings::neighbour_list;
constexpr auto output_at = &Settings::output;
constexpr auto partition_at = &Settings::partition;

const std::array sections{
    Section{"system", "What is simulated."},
    Section{
        "force_field",
        "The model and its constants: those of SMOG 2's SBM_calpha unless given. Energies other "
        "than epsilon_kj_mol are in units of epsilon."},
    Section{"force_field.contacts", "Which residues are in contact in the native structure."},
    Section{"force_field.repulsion",
            "What keeps residues apart that are neither neighbours along the chain nor in native "
            "contact: epsilon (sigma/r)^12."},
    Section{"start", "The first coordinates."},
    Section{"dynamics", "How the system moves."},
    Section{"neighbour_list", "Speed only: no key of this section changes a bit of the result."},
    Section{"output", "What is written and when. An interval of 0 switches an output off."},
    Section{"partition", "Which rank computes which residue; changes no bit of the result."},
};

const std::array keys{
    Key{"system.structure", text<system_at, &SystemSettings::structure>(), "", refuse,
        "Structure file, PDB or mmCIF, plain or gzipped; a relative path starts at the input "
        "file's folder.",
        true},
    Key{"system.chains", text_list<system_at, &SystemSettings::chains>(), "", refuse,
        "Chains and residue ranges to take, by the numbers of the structure file: A, \"A:10-50\" "
        "or "
        "\"A:10-50,60-72\"; an empty list takes all."},
    Key{"system.model", integer<system_at, &SystemSettings::model>(1, 1'000'000), "", refuse,
        "Which model of an NMR structure, counted from 1."},
    Key{"system.copies", integer<system_at, &SystemSettings::copies>(1, 10'000'000), "", refuse,
        "Copies of the whole structure, on a cubic lattice."},
    Key{"system.copy_spacing_nm", real<system_at, &SystemSettings::copy_spacing_nm>(0, 1e5), "nm",
        refuse, "Distance between copies; 0 takes the structure's extent and 2 nm more."},

    Key{"force_field.model", choice<force_at, &ForceFieldSettings::model>(model_names), "", refuse,
        "go is the C-alpha structure-based model of Clementi, Nymeyer and Onuchic, J. Mol. Biol. "
        "298, 937 (2000)."},
    Key{"force_field.epsilon_kj_mol",
        real_above<force_at, &ForceFieldSettings::epsilon_kj_mol>(0, 1000), "kJ/mol", refuse,
        "Energy scale of the model. With 1 kJ/mol, kT = epsilon at 120.27 K."},
    Key{"force_field.mass_amu", real_above<force_at, &ForceFieldSettings::mass_amu>(0, 1e6), "amu",
        refuse,
        "Mass of every residue. 1 gives SMOG's reduced units, 100 that of a residue; a heavier "
        "mass "
        "allows a longer time step."},
    Key{"force_field.bond_k_per_nm2", real<force_at, &ForceFieldSettings::bond_k_per_nm2>(0, 1e7),
        "epsilon/nm^2", refuse, "Bonds: (k/2)(r - r0)^2."},
    Key{"force_field.angle_k_per_rad2",
        real<force_at, &ForceFieldSettings::angle_k_per_rad2>(0, 1e5), "epsilon/rad^2", refuse,
        "Angles: (k/2)(theta - theta0)^2."},
    Key{"force_field.dihedral_k1", real<force_at, &ForceFieldSettings::dihedral_k1>(0, 1000),
        "epsilon", refuse, "Dihedrals: k1 [1 - cos(phi - phi0)]."},
    Key{"force_field.dihedral_k3", real<force_at, &ForceFieldSettings::dihedral_k3>(0, 1000),
        "epsilon", refuse, "Dihedrals: k3 [1 - cos 3(phi - phi0)]."},
    Key{"force_field.contact_potential",
        choice<force_at, &ForceFieldSettings::contact_potential>(potential_names), "", refuse,
        "12-10 is epsilon [5 (d/r)^12 - 6 (d/r)^10]; gaussian is that of Lammert, Schug and "
        "Onuchic, Proteins 77, 881 (2009)."},
    Key{"force_field.contact_epsilon",
        real<force_at, &ForceFieldSettings::contact_epsilon>(0, 1000), "epsilon", refuse,
        "Depth of a native contact."},
    Key{"force_field.gaussian_sigma_nm",
        real_above<force_at, &ForceFieldSettings::gaussian_sigma_nm>(0, 10), "nm", refuse,
        "Width of a gaussian contact."},
    Key{"force_field.gaussian_a_nm12", real<force_at, &ForceFieldSettings::gaussian_a_nm12>(0, 1),
        "epsilon nm^12", refuse,
        "Excluded volume of a gaussian contact, the a of a/r^12; 0.4^12 by default."},

    Key{"force_field.contacts.map", choice<force_at, contacts_at, &ContactSettings::map>(map_names),
        "", refuse,
        "shadow (Noel, Whitford and Onuchic, J. Phys. Chem. B 116, 8692 (2012)), heavy-atom (any "
        "two heavy atoms closer than the cutoff) or calpha (C-alpha atoms closer than it)."},
    Key{"force_field.contacts.cutoff_nm",
        real_above<force_at, contacts_at, &ContactSettings::cutoff_nm>(0, 10), "nm", refuse,
        "Largest distance of a native contact, between the atoms that the map looks at.", false,
        "0.6 for shadow, 0.45 for heavy-atom, 0.8 for calpha"},
    Key{"force_field.contacts.shadow_radius_nm",
        real<force_at, contacts_at, &ContactSettings::shadow_radius_nm>(0, 1), "nm", refuse,
        "Radius of an atom that shadows a contact; 0 turns the shadow map into a plain cutoff."},
    Key{"force_field.contacts.bonded_radius_nm",
        real<force_at, contacts_at, &ContactSettings::bonded_radius_nm>(0, 1), "nm", refuse,
        "The same for an atom bonded to one of the two."},
    Key{"force_field.contacts.legacy_atan",
        flag<force_at, contacts_at, &ContactSettings::legacy_atan>(), "", refuse,
        "Shadow angles by atan(radius/distance), as SMOG 2's program does; false takes asin."},
    Key{"force_field.contacts.min_sequence_separation",
        integer<force_at, contacts_at, &ContactSettings::min_sequence_separation>(3, 1000),
        "residues", refuse, "Smallest |i - j| of a contact within a chain."},

    Key{"force_field.repulsion.epsilon",
        real<force_at, repulsion_at, &RepulsionSettings::epsilon>(0, 1000), "epsilon", refuse,
        "Repulsion at r = sigma."},
    Key{"force_field.repulsion.sigma_nm",
        real_above<force_at, repulsion_at, &RepulsionSettings::sigma_nm>(0, 10), "nm", refuse,
        "Size of a residue."},
    Key{"force_field.repulsion.cutoff_nm",
        real_above<force_at, repulsion_at, &RepulsionSettings::cutoff_nm>(0, 20), "nm", refuse,
        "Beyond it the repulsion is left out, without a shift; 1.1 is OpenSMOG's suggestion."},

    Key{"start.from", choice<start_at, &StartSettings::from>(start_names), "", refuse,
        "native: the structure; unfolded: a self-avoiding coil from the seed; checkpoint: the "
        "state "
        "in a file.",
        false, "checkpoint if start.checkpoint is given, else native"},
    Key{"start.checkpoint", text<start_at, &StartSettings::checkpoint>(), "", refuse,
        "Checkpoint to start from, relative to the input file's folder."},

    Key{"dynamics.integrator", choice<dynamics_at, &DynamicsSettings::integrator>(integrator_names),
        "", refuse,
        "langevin-baoab (Leimkuhler and Matthews, Appl. Math. Res. Express 2013, 34) keeps the "
        "temperature; velocity-verlet keeps the energy."},
    Key{"dynamics.precision", choice<dynamics_at, &DynamicsSettings::precision>(precision_names),
        "", refuse, "Arithmetic of the forces. Positions and sums are exact integers in both."},
    Key{"dynamics.steps", integer<dynamics_at, &DynamicsSettings::steps>(0, most_steps), "steps",
        allow, "Length of the run, from step 0; a resume may raise it.", true},
    Key{"dynamics.time_step_ps", real_above<dynamics_at, &DynamicsSettings::time_step_ps>(0, 1),
        "ps", refuse,
        "Time step. A bond is stable below sqrt(mass/k); a tenth of that is accurate: 0.0005 for "
        "mass 1, 0.005 to 0.01 for mass 100."},
    Key{"dynamics.temperature_kelvin",
        real<dynamics_at, &DynamicsSettings::temperature_kelvin>(0, 1e5), "K", refuse,
        "Temperature of the bath and of the first velocities. Many proteins fold near 100 to 120 "
        "times epsilon_kj_mol."},
    Key{"dynamics.friction_per_ps", real<dynamics_at, &DynamicsSettings::friction_per_ps>(0, 1e4),
        "1/ps", refuse, "Friction of the Langevin bath, in proportion to the mass."},
    Key{"dynamics.seed", integer<dynamics_at, &DynamicsSettings::seed>(0, any_seed), "", refuse,
        "Seed of all random numbers: first velocities, unfolded start, Langevin noise."},
    Key{"dynamics.replica", integer<dynamics_at, &DynamicsSettings::replica>(0, 65535), "", refuse,
        "Number of the replica: another one draws other numbers from the same seed."},

    Key{"neighbour_list.skin_nm", real<list_at, &NeighbourListSettings::skin_nm>(0, 10), "nm",
        allow, "Margin of the neighbour list; 0 leaves the choice to nfold."},
    Key{"neighbour_list.rebuild_every",
        integer<list_at, &NeighbourListSettings::rebuild_every>(0, 1'000'000'000), "steps", allow,
        "Rebuilds the list each so many steps, which serves tests; 0 rebuilds when needed."},

    Key{"output.trajectory_every_steps",
        integer<output_at, &OutputSettings::trajectory_every_steps>(0, most_steps), "steps", allow,
        "Interval of the frames in NAME.h5md."},
    Key{"output.energies_every_steps",
        integer<output_at, &OutputSettings::energies_every_steps>(0, most_steps), "steps", allow,
        "Interval of the rows in NAME.energies.csv."},
    Key{"output.checkpoint_every_steps",
        integer<output_at, &OutputSettings::checkpoint_every_steps>(0, most_steps), "steps", allow,
        "Interval of the checkpoints in steps; one is written at the end in any case."},
    Key{"output.checkpoint_every_minutes",
        real<output_at, &OutputSettings::checkpoint_every_minutes>(0, 1e6), "minutes", allow,
        "Interval of the checkpoints in minutes of wall clock; both intervals may be in use."},
    Key{"output.dcd", flag<output_at, &OutputSettings::dcd>(), "", allow,
        "Writes the frames to NAME.dcd with a NAME.psf as well, for VMD."},

    Key{"partition.method", choice<partition_at, &PartitionSettings::method>(partition_names), "",
        allow,
        "residue-ranges gives each rank consecutive residues of equal work; random serves tests."},
    Key{"partition.seed", integer<partition_at, &PartitionSettings::seed>(0, any_seed), "", allow,
        "Seed of the random partition."},
};

}  // namespace

std::span<const Key> all_keys() { return keys; }
std::span<const Section> all_sections() { return sections; }

const Key* find_key(std::string_view name) {
  for (const auto& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

const Section* find_section(std::string_view name) {
  for (const auto& section : sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

std::string_view section_of(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

std::string_view last_part(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace nfold::config
