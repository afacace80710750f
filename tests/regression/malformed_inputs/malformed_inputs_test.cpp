// Malformed input files: each is refused with its position, the value found and the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "input/input.hpp"

namespace nfold::input {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

struct Malformed {
  std::string name;
  std::string text;
  int line, column;     // 0 if the message has no position
  std::string problem;  // part of the message
  std::string remedy;
};

// Four valid lines. A case appends text from line 5 on, inside `dynamics`.
const std::string good = "system:\n  structure: a.pdb\ndynamics:\n  steps: 10\n";

std::string with(const std::string& text) { return good + text; }

std::vector<Malformed> not_text() {
  return {
      {"empty", "", 0, 0, "'system.structure' is missing", "nfold help system.structure"},
      {"blank", "\n  \n# nothing\n", 0, 0, "'system.structure' is missing", "give"},
      {"nul_bytes", "system:\n  str\0ucture: a.pdb\n"s, 2, 6, "byte 0x00 is not text", "YAML"},
      {"gzip", "\x1f\x8b\x08 abc", 1, 1, "byte 0x1f is not text", "right file"},
      {"elf",
       "\x7f"
       "ELF\x02\x01\x01",
       1, 1, "byte 0x7f is not text", "right file"},
      {"latin1", "system: {structure: caf\xe9.pdb}\n", 1, 24, "byte 0xe9 is not UTF-8", "UTF-8"},
      {"cut_utf8", with("# \xe2\x82"), 5, 3, "is not UTF-8", "UTF-8"},
      {"surrogate", with("# \xed\xa0\x80"), 5, 3, "is not UTF-8", "UTF-8"},
      {"utf16", "\xff\xfes\0y\0s\0"s, 1, 1, "UTF-16", "UTF-8"},
      {"escape", with("# \x1b[31m"), 5, 3, "byte 0x1b is not text", "YAML"},
      {"huge", std::string(2'000'000, '#'), 0, 0, "2000000 bytes", "right file"},
      {"tab_indents", "system:\n\tstructure: a.pdb\n", 2, 1, "a tab indents", "spaces"},
      {"tab_after_spaces", "system:\n  \tstructure: a.pdb\n", 2, 3, "a tab indents", "spaces"},
      {"tab_after_lone_return", "system:\r\tstructure: a.pdb\n", 2, 1, "a tab indents", "spaces"},
  };
}

std::string species(const std::string& keys) {
  return "system:\n  species:\n    - name: A\n" + keys + "dynamics:\n  steps: 10\n" +
         "force_field:\n  model: calvados2\n";
}

std::vector<Malformed> wrong_species() {
  const std::string sequence = "      sequence: MKV\n", boxed = "  box_nm: [10, 10, 10]\n";
  return {
      {"no_list", "system:\n  species: A\ndynamics: {steps: 1}\n", 2, 12, "system.species = A",
       "a list of species"},
      {"entry_is_text", "system:\n  species: [A]\ndynamics: {steps: 1}\n", 2, 13,
       "system.species[0] is A", "- name: A"},
      {"unknown_species_key", species("      sequnce: MKV\n"), 4, 7,
       "unknown key 'sequnce' in 'system.species[0]'", "did you mean 'sequence'?"},
      {"no_name", "system:\n  species:\n    - sequence: MKV\ndynamics: {steps: 1}\n", 3, 7,
       "key 'name' is missing in system.species[0]", "a text"},
      {"no_source", species(""), 3, 7, "0 of sequence, fasta, structure and molecule", "give one"},
      {"two_sources", species(sequence + "      fasta: a.fasta\n"), 3, 7,
       "2 of sequence, fasta, structure and molecule", "give one"},
      {"record_without_fasta", species(sequence + "      record: r\n"), 5, 15,
       "record without fasta", "FASTA"},
      {"chains_without_structure", species(sequence + "      chains: [A]\n"), 5, 15,
       "chains or model without structure", "structure file"},
      {"two_amounts", species(sequence + "      copies: 2\n      concentration_millimolar: 1\n"), 3,
       7, "more than one of copies and the concentrations", "keep one"},
      {"concentration_without_box", species(sequence + "      concentration_mg_per_ml: 5\n"), 3, 7,
       "no box with three edges", "system.box_nm"},
      {"negative_copies", species(sequence + "      copies: -2\n"), 5, 15,
       "system.species[0].copies = -2", "a whole number from 0"},
      {"name_twice", species(sequence + "    - name: A\n" + sequence), 5, 13,
       "name = A for the second time", "its own name"},
      {"odd_name", species(sequence + "    - name: A B\n" + sequence), 5, 13, "name = 'A B'",
       "letters"},
      {"auto_of_a_sequence", species(sequence + "      domains: auto\n"), 5, 16,
       "domains = auto without a structure", "give one"},
      {"areas_without_domains", species(sequence + "      areas: a.txt\n"), 5, 14,
       "areas without domains", "give domains, or leave areas out"},
      {"sequence_for_go",
       "system:\n  species:\n    - name: A\n      sequence: MKV\ndynamics: {steps: 1}\n", 3, 7,
       "a sequence alone for the go model", "calvados2"},
      {"structure_too", species(sequence + "  structure: a.pdb\n"), 5, 14,
       "system.structure beside system.species", "keep one"},
      {"box_of_two", species(sequence + "  box_nm: [10, 10]\n"), 5, 11, "system.box_nm = a list",
       "found 2 numbers"},
      {"box_of_text", species(sequence + "  box_nm: [10, wide, 10]\n"), 5, 11,
       "system.box_nm = a list", "found wide among them"},
      {"two_boxes", species(sequence + boxed + "  concentration_mg_per_ml: 5\n"), 6, 28,
       "system.concentration_mg_per_ml beside system.box_nm", "keep one"},
      {"slab_without_box", species(sequence) + "start:\n  from: slab\n", 10, 9,
       "the box has no end", "system.box_nm"},
      {"native_sequence", species(sequence) + "start:\n  from: native\n", 10, 9,
       "species A has no structure", "start.from = unfolded"},
      {"native_conformation_of_a_sequence", species(sequence) + "start:\n  conformation: native\n",
       10, 17, "start.conformation = native, but species A has no structure",
       "start.conformation = unfolded"},
      {"cutoff_for_mpipi",
       "system: {species: [{name: A, sequence: M}]}\ndynamics: {steps: 1}\n"
       "force_field: {model: mpipi, short_range_cutoff_nm: 2}\n",
       3, 52, "for mpipi", "leave it out"},
  };
}

std::string many_keys() {
  std::string text;
  for (int i = 0; i < 90'000; ++i) text += std::to_string(i) + ": 1\n";
  return text;
}

std::vector<Malformed> not_yaml() {
  return {
      {"open_bracket", with("  seed: [1\n"), 6, 1, "not valid YAML", "brackets"},
      {"open_quote", "system: {structure: \"a.pdb\n", 2, 1, "not valid YAML", "quotes"},
      {"bad_indent", "system:\n  structure: a.pdb\n model: 1\n", 3, 2, "not valid YAML",
       "indentation"},
      {"two_colons", "system: structure: a.pdb\n", 1, 18, "not valid YAML", "colons"},
      {"bare_percent", "%\n", 0, 0, "'system.structure' is missing", "give a text"},
      {"unknown_escape", "system: {structure: \"\\q\"}\n", 1, 24, "not valid YAML", "quotes"},
      {"a_text", "hello\n", 1, 1, "a text without a key", "section"},
      {"a_list", "- system\n- dynamics\n", 1, 1, "a list", "section"},
      {"pdb_file", "ATOM      1  N   MET A   1      27.340  24.430   2.614\n", 1, 1,
       "a text without a key", "section"},
      {"two_documents", with("---\nsystem: {model: 2}\n"), 5, 1, "second YAML document", "'---'"},
      {"anchor", "system: &s\n  structure: a.pdb\n", 1, 9, "anchor '&s'", "write the value out"},
      {"alias", with("  seed: *s\n"), 5, 9, "not valid YAML", "brackets"},
      {"alias_bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", 1, 4, "anchor '&a'", "write"},
      {"tag", with("  seed: !!int 3\n"), 5, 9, "tag", "remove it"},
      {"own_tag", with("  seed: !evil 3\n"), 5, 9, "tag '!evil'", "remove it"},
      {"deep_flow", std::string(100'000, '['), 1, 5, "levels of nesting",
       "no key stands that deep"},
      {"deep_block", "a:\n b:\n  c:\n   d:\n    e:\n     f:\n      g:\n       h:\n        i: 1\n",
       9, 9, "levels of nesting", "no key"},
      {"duplicate_key", with("  steps: 20\n"), 5, 3, "key 'steps' for the second time", "line 4"},
      {"duplicate_section", with("system: {model: 2}\n"), 5, 1, "key 'system' for the second",
       "line 1"},
      {"list_as_key", with("  ? [a, b]\n  : 1\n"), 5, 5, "not a plain name", "key: value"},
      {"many_keys", many_keys(), 1001, 1, "more than 1000 keys", "right file"},
      {"merge_key", with("  <<: {seed: 1}\n"), 5, 3, "unknown key '<<'", "nfold help"},
  };
}

std::vector<Malformed> wrong_keys() {
  return {
      {"unknown_section", "systen: {structure: a.pdb}\n", 1, 1, "unknown key 'systen'", "'system'"},
      {"unknown_key", with("  frcition_per_ps: 1\n"), 5, 3,
       "unknown key 'frcition_per_ps' in 'dynamics'", "'friction_per_ps'"},
      {"wrong_unit", with("  time_step_fs: 5\n"), 5, 3, "unknown key 'time_step_fs'", "unit is ps"},
      {"wrong_unit_2", with("force_field: {repulsion: {cutoff_angstrom: 8}}\n"), 5, 27,
       "'cutoff_angstrom'", "'cutoff_nm'? Its unit is nm"},
      {"no_unit", with("  temperature: 300\n"), 5, 3, "'temperature'", "'temperature_kelvin'"},
      {"wrong_section", with("output:\n  seed: 3\n"), 6, 3, "'seed' in 'output'", "dynamics.seed"},
      {"capitals", with("  Seed: 3\n"), 5, 3, "unknown key 'Seed'", "'seed'"},
      {"newline_in_key", with("  \"a\\nb\": 3\n"), 5, 3, "unknown key 'a?b'", "nfold help"},
      {"far_from_all", with("  barostat: berendsen\n"), 5, 3, "unknown key 'barostat'",
       "nfold help"},
      {"no_steps", "system: {structure: a.pdb}\n", 0, 0, "'dynamics.steps' is missing",
       "nfold help dynamics.steps"},
      {"section_is_a_number", "system: 5\n", 1, 1, "'system' is 5", "indented"},
      {"section_is_a_list", "system: [structure]\n", 1, 1, "'system' is a list", "indented"},
      {"key_is_a_section", with("  seed: {a: 1}\n"), 5, 9, "dynamics.seed = a section",
       "whole number"},
  };
}

std::vector<Malformed> wrong_values() {
  const std::string force = "force_field: ";
  return {
      {"negative_steps", "dynamics: {steps: -5}\n", 1, 19, "dynamics.steps = -5", "from 0 to 1e14"},
      {"half_a_step", "dynamics: {steps: 1.5}\n", 1, 19, "dynamics.steps = 1.5", "whole number"},
      {"too_many_steps", "dynamics: {steps: 1e16}\n", 1, 19, "steps = 1e16", "from 0 to 1e14"},
      {"overflowing_steps", "dynamics: {steps: 99999999999999999999}\n", 1, 19, "9999", "1e14"},
      {"separators", "dynamics: {steps: 1_000_000}\n", 1, 19, "1_000_000", "without separators"},
      {"steps_in_words", "dynamics: {steps: many}\n", 1, 19, "steps = many", "whole number"},
      {"no_value", with("  seed:\n"), 5, 3, "dynamics.seed = nothing", "whole number"},
      {"tilde", with("  seed: ~\n"), 5, 3, "dynamics.seed = nothing", "whole number"},
      {"nan", with("  temperature_kelvin: .nan\n"), 5, 23, "= .nan", "a number >= 0"},
      {"plain_nan", with("  temperature_kelvin: nan\n"), 5, 23, "= nan", "a number >= 0"},
      {"infinity", with("  friction_per_ps: .inf\n"), 5, 20, "= .inf", "<= 10000 [1/ps]"},
      {"overflow", with("  friction_per_ps: 1e999\n"), 5, 20, "= 1e999", "a number >= 0"},
      {"hexadecimal", with("  friction_per_ps: 0x10\n"), 5, 20, "= 0x10", "a number"},
      {"zero_step", with("  time_step_ps: 0\n"), 5, 17, "= 0", "a number > 0"},
      {"unit_in_value", with("  time_step_ps: 0.5 fs\n"), 5, 17, "0.5 fs", "the number alone"},
      {"decimal_comma", with("  time_step_ps: 0,0005\n"), 5, 17, "0,0005", "decimal point"},
      {"exploding_step", with("  time_step_ps: 0.02\n"), 5, 17, "= 0.02", "bonds explode"},
      {"negative_seed", with("  seed: -1\n"), 5, 9, "seed = -1", "2^64 - 1"},
      {"large_seed", with("  seed: 18446744073709551616\n"), 5, 9, "seed = 1844", "2^64 - 1"},
      {"replica", with("  replica: 4294967296\n"), 5, 12, "replica = 4294967296", "to 4294967295"},
      {"misspelt_choice", with("  integrator: langevin\n"), 5, 15, "= langevin", "langevin-baoab"},
      {"choice_is_a_list", with("  precision: [mixed]\n"), 5, 14, "= a list", "mixed, double"},
      {"number_is_a_list", with("  time_step_ps: [1, 2]\n"), 5, 17, "= a list", "a number > 0"},
      {"yes_for_true", with("output: {dcd: yes}\n"), 5, 15, "output.dcd = yes", "true or false"},
      {"empty_structure", "system: {structure: \"\"}\ndynamics: {steps: 1}\n", 1, 21,
       "system.structure is empty", "PDB or mmCIF"},
      {"newline_in_path", "system: {structure: \"a\\nb\"}\n", 1, 21, "structure = a?b", "a text"},
      {"structure_is_a_list", "system: {structure: [a.pdb]}\n", 1, 21, "= a list", "a text"},
      {"empty_chain", "system: {structure: a, chains: [A, '']}\n", 1, 32, "system.chains = a list",
       "an empty text"},
      {"zero_copies", "system: {structure: a, copies: 0}\n", 1, 32, "copies = 0", "from 1 to"},
      {"model_zero", "system: {structure: a, model: 0}\n", 1, 31, "model = 0", "from 1 to"},
      {"unknown_model", with(force + "{model: calvados4}\n"), 5, 22, "= calvados4", "calvados3"},
      {"zero_mass", with(force + "{mass_amu: 0}\n"), 5, 25, "mass_amu = 0", "a number > 0"},
      {"negative_cutoff", with(force + "{contacts: {cutoff_nm: -0.6}}\n"), 5, 37, "= -0.6", "> 0"},
      {"unknown_map", with(force + "{contacts: {map: shado}}\n"), 5, 31, "= shado", "'shadow'"},
      {"close_contacts", with(force + "{contacts: {min_sequence_separation: 1}}\n"), 5, 51, "= 1",
       "from 3 to 1000"},
      {"checkpoint_unnamed", with("start: {from: checkpoint}\n"), 5, 15, "no file is named",
       "start.checkpoint"},
      {"dcd_without_frames", with("output: {dcd: true, trajectory_every_steps: 0}\n"), 5, 15,
       "trajectory_every_steps = 0", "interval"},
      {"negative_interval", with("output: {energies_every_steps: -1}\n"), 5, 32, "= -1", "from 0"},
      {"unknown_partition", with("partition: {method: metis}\n"), 5, 21, "= metis",
       "residue-ranges"},
  };
}

std::vector<Malformed> all_cases() {
  std::vector<Malformed> all;
  for (const auto& part : {not_text(), not_yaml(), wrong_keys(), wrong_values(), wrong_species()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

class MalformedInput : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedInput, IsRefusedWithPlaceAndRemedy) {
  const Malformed& input = GetParam();
  try {
    (void)parse_input(input.text, "bad.yaml");
    FAIL() << "accepted";
  } catch (const core::InputError& error) {
    const auto& first = error.problems().front();
    EXPECT_EQ(first.position.file, "bad.yaml");
    EXPECT_EQ(first.position.line, input.line) << error.what();
    EXPECT_EQ(first.position.column, input.column) << error.what();
    EXPECT_THAT(first.problem, HasSubstr(input.problem));
    EXPECT_THAT(first.remedy, HasSubstr(input.remedy));
    for (const auto& problem : error.problems()) {
      EXPECT_FALSE(problem.remedy.empty()) << problem.message();
      EXPECT_EQ(problem.message().find_first_of("\n\r\t\x1b"), std::string::npos);
      EXPECT_LT(problem.message().size(), 400U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MalformedInput, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(DamagedInput, ThrowsInputErrorOnly) {
  const std::string resolved = write_input(parse_input(good, "good.yaml"));
  std::mt19937 random(5);
  const std::string bytes = ":-[]{}\"'&*!|>%@`#,?~ \t\n\r\\0159.eNn\x01\xff\xc3";
  int refused = 0;
  for (int repetition = 0; repetition < 3000; ++repetition) {
    std::string text = repetition % 2 == 0 ? good : resolved;
    const int edits = 1 + static_cast<int>(random() % 4);
    for (int edit = 0; edit < edits; ++edit) {
      const std::size_t at = random() % text.size();
      const char byte = bytes[random() % bytes.size()];
      if (random() % 2 == 0)
        text.insert(at, 1, byte);
      else
        text[at] = byte;
    }
    if (random() % 8 == 0) text.resize(random() % text.size());
    try {
      (void)parse_input(text, "damaged.yaml");
    } catch (const core::InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(WrongFile, ReportsAtMostFiftyProblems) {
  std::string text = good;
  for (int i = 0; i < 500; ++i) text += std::to_string(i) + ": 1\n";
  try {
    (void)parse_input(text, "bad.yaml");
    FAIL() << "accepted";
  } catch (const core::InputError& error) {
    EXPECT_EQ(error.problems().size(), 50U);
  }
}

}  // namespace
}  // namespace nfold::input
