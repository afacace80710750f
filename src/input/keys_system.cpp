// Keys of `system` and of its species.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;

namespace {

constexpr auto system_at = &Settings::system;
constexpr std::array<std::size_t, 3> box_sizes{0, 1, 3};
constexpr std::array<std::size_t, 2> range_sizes{0, 2};
constexpr std::array<Name, 2> gap_names{"pieces", "bridge"};
constexpr const char* gaps_help =
    "Missing residues within a chain: pieces leaves the parts beside them apart, bridge joins them "
    "by a bond as long as the gap in the structure.";
constexpr const char* cyclic_help =
    "true closes the chain: a bond from its last residue to its first, and no charges of ends. A "
    "chain whose ends are bonded in the structure is closed by itself.";

constexpr const char* confidence_help =
    "Confidence of a predicted structure: files with PAE, pLDDT or both, as AlphaFold 2 and 3, "
    "AlphaFold DB, ColabFold and Boltz write them (JSON, NPZ, ModelCIF, plain or gzipped), "
    "relative "
    "to the input file's folder. Without pLDDT in them, that of the structure is taken (ModelCIF, "
    "or B-factors if the file is recognised as a predicted model). b-factors: the B-factors are "
    "pLDDT; none: take no confidence.";

constexpr const char* mutations_help =
    "Residues to replace, CHAIN:OLD NUMBER NEW without blanks: \"A:R65K\", or \"A:S26=SEP\" for a "
    "name "
    "that the force field has; the chain may be left out if there is only one. Numbers as in the "
    "structure file, or from 1 in a sequence; coordinates of the residue stay.";

const std::array molecule_keys{
    SpeciesKey{"name", text<&SpeciesSettings::name>(), "", refuse,
               "What the species is called in chain names, reports and results.", true},
    SpeciesKey{
        "sequence", text_without_blanks<&SpeciesSettings::sequence>(), "", refuse,
        "One-letter codes of the 20 residues, and names of other beads of the force field in "
        "brackets (GG[SEP]PT); blanks and line ends may stand between them. Give one of "
        "sequence, fasta, structure and molecule."},
    SpeciesKey{"fasta", text<&SpeciesSettings::fasta>(), "", refuse,
               "FASTA file; a relative path starts at the input file's folder."},
    SpeciesKey{"record", text<&SpeciesSettings::record>(), "", refuse,
               "Which record of the FASTA file, by the first word of its header; may be left out "
               "if there is only one."},
    SpeciesKey{"structure", text<&SpeciesSettings::structure>(), "", refuse,
               "Structure file, PDB or mmCIF, plain or gzipped; a relative path starts at the "
               "input file's folder."},
    SpeciesKey{
        "molecule", text<&SpeciesSettings::molecule>(), "", refuse,
        "File of a molecule's beads and all of its terms, row by row: sections [beads], "
        "[bonds], [springs], [angles], [contacts], [local_pairs] and [exclusions] "
        "(input/FILES.md). Mass, charge and pair potential of a bead are those of its name in "
        "the force field. A relative path starts at the input file's folder."},
    SpeciesKey{
        "kind", text<&SpeciesSettings::kind>(), "", refuse,
        "Chain kind of the force field: of the letters of a sequence or FASTA record, or of the "
        "nucleotides of a structure.",
        false, "protein for sequences, rna or dna for nucleotides"},
    SpeciesKey{"mutations", text_list<&SpeciesSettings::mutations>(), "", refuse, mutations_help},
    SpeciesKey{
        "chains", text_list<&SpeciesSettings::chains>(), "", refuse,
        "Chains and residue ranges of the structure, as system.chains; an empty list takes all."},
    SpeciesKey{"model", integer<&SpeciesSettings::model>(1, 1'000'000), "", refuse,
               "Which model of an NMR structure, counted from 1."},
    SpeciesKey{"gaps", choice<&SpeciesSettings::gaps>(gap_names), "", refuse, gaps_help},
    SpeciesKey{"cyclic", flag<&SpeciesSettings::cyclic>(), "", refuse, cyclic_help},
    SpeciesKey{"copies", integer<&SpeciesSettings::copies>(0, 10'000'000), "", refuse,
               "How many molecules of this species.", false, "by the concentration, else 1"},
    SpeciesKey{"concentration_mg_per_ml", real<&SpeciesSettings::concentration_mg_per_ml>(0, 5000),
               "mg/ml", refuse,
               "Copies by mass concentration, of the real masses of residues, rounded to the "
               "nearest; needs a box with three edges. 0: not given."},
    SpeciesKey{"concentration_millimolar",
               real<&SpeciesSettings::concentration_millimolar>(0, 1000), "mmol/l", refuse,
               "Copies by molar concentration, rounded to the nearest; needs a box with three "
               "edges. 0: not given."},
    SpeciesKey{"domains", text_list<&SpeciesSettings::domains>(), "", refuse,
               "Folded domains, each a text: \"10-50\" or \"10-50,60-72\", with a chain's name "
               "before it (\"B:10-50\") where there are several; numbers as in the structure file, "
               "or from 1 in a sequence; a text may name several chains (\"A:1-99,B:1-99\"). auto "
               "alone finds them in each chain of the structure: lobes of at least 20 residues "
               "whose C-alpha atoms have two or more contacts below 0.8 nm, five or more residues "
               "apart, and the loops between them. Lobes are two if the contacts between them are "
               "less than 15 % of those within the one that has fewer. In a predicted structure "
               "residues with pLDDT below force_field.confidence.least_plddt are free, and with a "
               "PAE domains are groups of at least 20 other residues within which its mean is at "
               "most force_field.confidence.largest_pae_angstrom."},
    SpeciesKey{
        "domains_between_chains", flag<&SpeciesSettings::domains_between_chains>(), "", refuse,
        "true lets domains that auto finds and contacts of confidence-go join chains of the "
        "species, as for an oligomer that stays together: by the PAE between chains, without "
        "one by 10 contacts below 0.8 nm. Listed domains may always name several chains."},
    SpeciesKey{"areas", text<&SpeciesSettings::areas>(), "", refuse,
               "File of the solvent-accessible area of each residue [nm^2], a number a line in the "
               "order of the residues, for force fields with site_factor (cocomo2). It counts for "
               "residues of domains. A relative path starts at the input file's folder.",
               false, "of the structure's atoms"},
    SpeciesKey{"confidence", text_list<&SpeciesSettings::confidence>(), "", refuse, confidence_help,
               false, "of the structure file"},
    SpeciesKey{"charged_ends", choice<&SpeciesSettings::charged_ends>(end_names, end_synonyms), "",
               refuse,
               "Ends of this species' chains that are charged, as force_field.charged_ends; a "
               "piece of a protein is charged only where the protein ends.",
               false, "force_field.charged_ends"},
    SpeciesKey{"start_x_nm", real_list<&SpeciesSettings::start_x_nm>(0, 2000, range_sizes), "nm",
               refuse,
               "From where to where along x a random start places this species, within the box; "
               "with start_y_nm and start_z_nm a block. An empty list: anywhere."},
    SpeciesKey{"start_y_nm", real_list<&SpeciesSettings::start_y_nm>(0, 2000, range_sizes), "nm",
               refuse, "The same along y."},
    SpeciesKey{"start_z_nm", real_list<&SpeciesSettings::start_z_nm>(0, 2000, range_sizes), "nm",
               refuse, "The same along z."},
};

}  // namespace

std::vector<Key> makers::system_keys() {
  return {
      Key{"system.structure",
          text<system_at, &SystemSettings::structure>(),
          "",
          refuse,
          "Structure file, PDB or mmCIF, plain or gzipped; a relative path starts at the input "
          "file's folder. With chains, model and copies it is short for one species.",
          true,
          {},
          "system.species"},
      Key{"system.chains", text_list<system_at, &SystemSettings::chains>(), "", refuse,
          "Chains and residue ranges to take, by the numbers of the structure file: A, \"A:10-50\" "
          "or \"A:10-50,60-72A\"; an empty list takes all. A range goes from its first to its last "
          "residue in the file's order, whatever numbers are between; 72A is the residue with that "
          "insertion code, 72 alone the one without, and as an end of a range all of that number. "
          "This syntax holds for every key that names residues."},
      Key{"system.mutations", text_list<system_at, &SystemSettings::mutations>(), "", refuse,
          "Mutations of the only species, as system.species[].mutations, beside those given there: "
          "for "
          "--set, and for scans of sites in a batch."},
      Key{"system.model", integer<system_at, &SystemSettings::model>(1, 1'000'000), "", refuse,
          "Which model of an NMR structure, counted from 1."},
      Key{"system.confidence", text_list<system_at, &SystemSettings::confidence>(), "", refuse,
          confidence_help, false, "of the structure file"},
      Key{"system.gaps", choice<system_at, &SystemSettings::gaps>(gap_names), "", refuse,
          gaps_help},
      Key{"system.cyclic", flag<system_at, &SystemSettings::cyclic>(), "", refuse, cyclic_help},
      Key{"system.copies", integer<system_at, &SystemSettings::copies>(1, 10'000'000), "", refuse,
          "Copies of the whole structure, on a cubic lattice."},
      Key{"system.copy_spacing_nm", real<system_at, &SystemSettings::copy_spacing_nm>(0, 1e5), "nm",
          refuse, "Distance between copies; 0 takes the structure's extent and 2 nm more."},
      Key{"system.species",
          {document::SectionListRule{"species"}, nullptr, nullptr},
          "",
          refuse,
          "What the system consists of, an entry for each kind of molecule."},
      Key{"system.restraints", text<system_at, &SystemSettings::restraints>(), "", refuse,
          "File of restraints between any two beads, also of different molecules: sections "
          "[springs] and [contacts] as in a molecule's file, with beads written CHAIN:NUMBER "
          "(input/FILES.md). Restrained pairs have no other potential."},
      Key{"system.box_nm", real_list<system_at, &SystemSettings::box_nm>(0, 2000, box_sizes), "nm",
          refuse,
          "Edges of the periodic box along x, y and z, 0 for an open axis; one number makes a "
          "cube, an empty list no box."},
      Key{"system.concentration_mg_per_ml",
          real<system_at, &SystemSettings::concentration_mg_per_ml>(0, 5000), "mg/ml", refuse,
          "A cubic box in which everything has this mass concentration, of the real masses of "
          "residues, in place of box_nm. 0: not given."},
  };
}

std::span<const SpeciesKey> species_keys() { return molecule_keys; }

}  // namespace nfold::input
