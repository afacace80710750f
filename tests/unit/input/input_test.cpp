// Parser of input files: values, defaults, overrides, positions and remedies of errors.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace nfold::input {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string minimal = "system:\n  structure: 1ubq.pdb\ndynamics:\n  steps: 10\n";

/// Printed problems of an input. Empty if it is accepted.
std::string input_error(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    (void)parse_input(text, "in.yaml", overrides);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseInput, MinimalInputTakesDefaults) {
  const Settings settings = parse_input(minimal, "in.yaml");
  EXPECT_EQ(settings.system.structure, "1ubq.pdb");
  EXPECT_EQ(settings.dynamics.steps, 10);
  Settings expected;
  expected.system.structure = "1ubq.pdb";
  expected.dynamics.steps = 10;
  EXPECT_TRUE(changed_keys(expected, settings).empty());
}

TEST(ParseInput, NotesRemovedKeys) {
  const Settings settings = parse_input(minimal + "partition: {balance: {even: 0.1, hot: 0.7}}\n",
                                        "in.yaml", {"partition.balance.smoothing=1"});
  EXPECT_EQ(settings.partition.balance.hot, 0.7);
  EXPECT_THAT(
      settings.notes,
      ElementsAre("in.yaml:5:23: partition.balance.even has no effect any more (leave it out)",
                  "--set partition.balance.smoothing=1: partition.balance.smoothing has no "
                  "effect any more (leave it out)"));
  EXPECT_TRUE(parse_input(minimal, "in.yaml").notes.empty());
}

TEST(ParseInput, ReadsEveryValueKind) {
  const Settings settings = parse_input(
      "system: {structure: 'a b.cif', chains: [A, \"B:10-50,60-72\"], copies: 8}\n"
      "force_field:\n"
      "  contact_potential: gaussian\n"
      "  contacts: {map: calpha, legacy_atan: false}\n"
      "dynamics:\n"
      "  steps: 1e6\n"
      "  seed: 18446744073709551615\n"
      "  precision: double\n"
      "  time_step_ps: +5e-4\n",
      "in.yaml");
  EXPECT_EQ(settings.system.structure, "a b.cif");
  EXPECT_THAT(settings.system.chains, ElementsAre("A", "B:10-50,60-72"));
  EXPECT_EQ(settings.system.copies, 8);
  EXPECT_EQ(settings.force_field.contact_potential, system::ContactPotential::gaussian);
  EXPECT_EQ(settings.force_field.contacts.map, system::ContactMap::calpha);
  EXPECT_FALSE(settings.force_field.contacts.legacy_atan);
  EXPECT_EQ(settings.dynamics.steps, 1'000'000);
  EXPECT_EQ(settings.dynamics.seed, 18446744073709551615ULL);
  EXPECT_EQ(settings.dynamics.precision, system::Precision::full);
  EXPECT_EQ(settings.dynamics.time_step_ps, 5e-4);
}

const std::string condensate =
    "system:\n"
    "  box_nm: 15\n"
    "  species:\n"
    "    - name: tail\n"
    "      sequence: |\n"
    "        MKV GGS\n"
    "        YRW\n"
    "      copies: 10\n"
    "    - {name: hub, structure: 1ubq.pdb, chains: A, domains: [\"1-70\", \"5-9,12-20\"],\n"
    "       concentration_millimolar: 0.5}\n"
    "dynamics: {steps: 10}\n";

Settings with_model(const std::string& model) {
  return parse_input(condensate + "force_field: {model: " + model + "}\n", "in.yaml");
}

TEST(ParseInput, ReadsSpeciesAndBoxes) {
  const auto settings = with_model("calvados3");
  EXPECT_THAT(settings.system.box_nm, ElementsAre(15, 15, 15));
  ASSERT_EQ(settings.system.species.size(), 2U);
  const auto &tail = settings.system.species[0], &hub = settings.system.species[1];
  EXPECT_EQ(tail.name, "tail");
  EXPECT_EQ(tail.sequence, "MKVGGSYRW");
  EXPECT_EQ(tail.copies, 10);
  EXPECT_EQ(hub.structure, "1ubq.pdb");
  EXPECT_THAT(hub.chains, ElementsAre("A"));
  EXPECT_THAT(hub.domains, ElementsAre("1-70", "5-9,12-20"));
  EXPECT_EQ(hub.copies, 0);
  EXPECT_EQ(hub.concentration_millimolar, 0.5);
  EXPECT_EQ(settings.force_field.condensate.domains, FoldedDomains::elastic_network);
}

TEST(ParseInput, ModelSetsUnsetKeys) {
  const auto calvados = with_model("calvados2"), mpipi = with_model("mpipi");
  EXPECT_EQ(calvados.dynamics.time_step_ps, 0.01);
  EXPECT_EQ(calvados.dynamics.temperature_kelvin, 300);
  EXPECT_EQ(calvados.dynamics.friction_per_ps, 0.01);
  EXPECT_EQ(mpipi.dynamics.friction_per_ps, 0.1);
  EXPECT_EQ(calvados.start.from, StartFrom::random);
  EXPECT_EQ(calvados.start.minimise_steps, 1000);
  const auto go_domains = parse_input(
      condensate + "force_field: {model: hps-kr, domains: go}\nstart: {from: unfolded}\n", "in");
  EXPECT_EQ(go_domains.force_field.epsilon_kj_mol, 4.184);
  EXPECT_EQ(go_domains.start.minimise_steps, 0);
}

TEST(ParseInput, ShortFormIsOneSpecies) {
  const auto settings = parse_input("system: {structure: a.pdb, chains: [B], copies: 3}\n", "in",
                                    {"dynamics.steps=1"});
  const auto species = all_species(settings.system);
  ASSERT_EQ(species.size(), 1U);
  EXPECT_EQ(species[0].structure, "a.pdb");
  EXPECT_THAT(species[0].chains, ElementsAre("B"));
  EXPECT_EQ(species[0].copies, 3);
}

TEST(ParseInput, MutationsOfTheOnlySpeciesStandBesideItsOwn) {
  const auto settings = parse_input(
      "system: {mutations: [R4K], species: [{name: a, sequence: GGGR, mutations: [G1A]}]}\n"
      "force_field: {model: calvados2}\ndynamics: {steps: 1}\n",
      "in.yaml");
  EXPECT_THAT(all_species(settings.system).front().mutations, ElementsAre("G1A", "R4K"));
  EXPECT_THAT(settings.system.species.front().mutations, ElementsAre("G1A"));
  EXPECT_THAT(
      input_error("system: {mutations: [R4K], species: [{name: a, sequence: GGG}, {name: b, "
                  "sequence: GGG}]}\nforce_field: {model: calvados2}\ndynamics: {steps: 1}\n"),
      HasSubstr("system.mutations beside several species"));
  EXPECT_THAT(input_error("system: {structure: a.pdb, mutations: [A:R4K]}\ndynamics: {steps: 1}\n"),
              HasSubstr("system.mutations for the go model"));
  EXPECT_THAT(
      input_error(
          "system: {species: [{name: a, structure: a.pdb, kind: rna}]}\ndynamics: {steps: 1}\n"),
      HasSubstr("kind for the go model"));
}

TEST(Overrides, AddSpecies) {
  const auto settings = parse_input("", "in",
                                    {"system.species=[{name: a, sequence: GGG, copies: 2}]",
                                     "dynamics.steps=1", "force_field.model=mpipi"});
  ASSERT_EQ(settings.system.species.size(), 1U);
  EXPECT_EQ(settings.system.species[0].sequence, "GGG");
  EXPECT_EQ(settings.start.from, StartFrom::unfolded);
  EXPECT_EQ(
      input_error("", {"system.species=[{name: a, sequence: GGG, copies: x}]", "dynamics.steps=1",
                       "force_field.model=mpipi"}),
      "--set system.species=[{name: a, sequence: GGG, copies: x}]: system.species[0].copies = "
      "x (must be a whole number from 0 to 1e7)");
}

TEST(ParseInput, ReadsStartRangesOfSpecies) {
  const auto text = [](const std::string& places, const std::string& rest) {
    return "system:\n  box_nm: [15, 15, 40]\n  species:\n    - {name: a, sequence: GGG}\n" +
           ("    - {name: b, sequence: GGG, " + places + "}\n") +
           "force_field: {model: mpipi}\ndynamics: {steps: 10}\n" + rest;
  };
  const auto settings = parse_input(text("start_z_nm: [15, 25], start_x_nm: [0, 15]", ""), "in");
  EXPECT_THAT(settings.system.species[1].start_z_nm, ElementsAre(15, 25));
  EXPECT_THAT(settings.system.species[1].start_x_nm, ElementsAre(0, 15));
  EXPECT_THAT(settings.system.species[0].start_z_nm, ElementsAre());
  const std::string key = "system.species[1].start_z_nm = ";
  EXPECT_THAT(input_error(text("start_z_nm: [15, 25]", "start: {from: slab}\n")),
              AllOf(HasSubstr("in.yaml:5:"), HasSubstr(key + "[15, 25], but start.from is not")));
  EXPECT_THAT(input_error(text("start_z_nm: [25, 15]", "")),
              HasSubstr(key + "[25, 15] (the first number is where the species begins"));
  EXPECT_THAT(input_error(text("start_z_nm: [25, 41]", "")),
              HasSubstr(key + "[25, 41] ends beyond the box of 40 nm"));
  EXPECT_THAT(input_error(text("start_z_nm: 25", "")), HasSubstr("start_z_nm"));
  EXPECT_THAT(
      input_error("system: {concentration_mg_per_ml: 100, species: [{name: b, sequence: GGG, "
                  "start_z_nm: [1, 2]}]}\nforce_field: {model: mpipi}\n"
                  "dynamics: {steps: 10}\n"),
      HasSubstr("in a box made by system.concentration_mg_per_ml"));
}

TEST(ParseInput, BiasIsSectionOrList) {
  const std::string one = "residues: [A:1, A:76], k_kj_mol_nm2: 10";
  const std::string other = "residues: [A], variable: radius-of-gyration, form: linear";
  const auto single = parse_input(minimal + "bias: {" + one + "}\n", "in.yaml");
  const auto list_of_one = parse_input(minimal + "bias: [{" + one + "}]\n", "in.yaml");
  EXPECT_TRUE(changed_keys(single, list_of_one).empty());
  const auto two = parse_input(minimal + "bias:\n  - {" + one + "}\n  - {" + other + "}\n",
                               "in.yaml", {"bias.centre_nm=3"});
  const auto all = all_biases(two);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].k_kj_mol_nm2, 10);
  EXPECT_EQ(all[0].centre_nm, 3);
  EXPECT_EQ(all[1].variable, bias::VariableKind::radius_of_gyration);
  EXPECT_EQ(all_biases(parse_input(write_input(two), "resolved")), all);
  EXPECT_TRUE(all_biases(parse_input(minimal + "bias: []\n", "in.yaml")).empty());
}

TEST(ParseInput, ErrorsNameTheBiasOfAList) {
  const auto list_error = [](const std::string& entries) {
    return input_error(minimal + "bias:\n" + entries);
  };
  const std::string good = "  - residues: [A:1, A:76]\n";
  EXPECT_THAT(
      list_error(good + "  - residue: [A]\n"),
      HasSubstr("in.yaml:7:5: unknown key 'residue' in 'bias.more[0]' (did you mean 'residues'?)"));
  EXPECT_THAT(list_error(good + "  - centre_nm: 3\n"),
              HasSubstr("in.yaml:7:5: key 'residues' is missing in bias.more[0]"));
  EXPECT_THAT(list_error(good + good + "    pull_kj_mol_nm: 3\n"),
              HasSubstr("in.yaml:8:21: bias.more[0].pull_kj_mol_nm of a harmonic bias"));
  EXPECT_THAT(list_error(good + "  - A\n"), HasSubstr("in.yaml:7:5: bias.more[0] is A"));
  EXPECT_THAT(list_error("  - A\n" + good), HasSubstr("in.yaml:6:5: bias[0] is A"));
  EXPECT_THAT(list_error("  - residues: []\n" + good), HasSubstr("has no residues"));
}

TEST(ParseInput, ChargedEndsAcceptNamesAndFlags) {
  const auto ends = [](const std::string& value) {
    const auto settings =
        parse_input("system: {species: [{name: a, sequence: GGG, charged_ends: " + value +
                        "}]}\nforce_field: {model: calvados2, charged_ends: " + value +
                        "}\ndynamics: {steps: 10}\n",
                    "in");
    EXPECT_EQ(settings.system.species[0].charged_ends,
              settings.force_field.condensate.charged_ends);
    return settings.force_field.condensate.charged_ends;
  };
  EXPECT_EQ(ends("none"), ChargedEnds::none);
  EXPECT_EQ(ends("first"), ChargedEnds::first);
  EXPECT_EQ(ends("last"), ChargedEnds::last);
  EXPECT_EQ(ends("both"), ChargedEnds::both);
  EXPECT_EQ(ends("false"), ChargedEnds::none);
  EXPECT_EQ(ends("true"), ChargedEnds::both);
  EXPECT_THAT(input_error("system: {species: [{name: a, sequence: GGG, charged_ends: frist}]}\n"
                          "force_field: {model: mpipi}\ndynamics: {steps: 10}\n"),
              HasSubstr("did you mean 'first'?"));
  EXPECT_THAT(input_error("system: {species: [{name: a, structure: a.pdb, charged_ends: none}]}\n"
                          "dynamics: {steps: 10}\n"),
              HasSubstr("charged_ends for the go model"));
}

TEST(ParseInput, DefaultCutoffFollowsContactMap) {
  const auto cutoff = [](const std::string& contacts) {
    return parse_input(minimal + "force_field: {contacts: {" + contacts + "}}\n", "in.yaml")
        .force_field.contacts.cutoff_nm;
  };
  EXPECT_EQ(cutoff("map: shadow"), 0.6);
  EXPECT_EQ(cutoff("map: heavy-atom"), 0.45);
  EXPECT_EQ(cutoff("map: calpha"), 0.8);
  EXPECT_EQ(cutoff("map: calpha, cutoff_nm: 0.857"), 0.857);
}

TEST(ParseInput, CheckpointFileSetsStartFrom) {
  const auto start = parse_input(minimal + "start: {checkpoint: a.ckpt.h5}\n", "in.yaml").start;
  EXPECT_EQ(start.from, StartFrom::checkpoint);
  EXPECT_EQ(start.checkpoint, "a.ckpt.h5");
  // prepare writes a start.from into every input.
  const auto both =
      parse_input(minimal + "start: {from: native}\n", "in.yaml", {"start.checkpoint=a.ckpt.h5"});
  EXPECT_EQ(both.start.from, StartFrom::checkpoint);
  EXPECT_THAT(input_error(minimal + "start: {from: checkpoint}\n"), HasSubstr("no file is named"));
}

TEST(ParseInput, CoordinatesFileSetsStartFrom) {
  const auto start =
      parse_input(minimal + "start: {coordinates: a.dcd, frame: 5}\n", "in.yaml").start;
  EXPECT_EQ(start.from, StartFrom::coordinates);
  EXPECT_EQ(start.coordinates, "a.dcd");
  EXPECT_EQ(start.frame, "5");
  EXPECT_EQ(start.minimise_steps, 0);
  const auto both = parse_input(minimal + "start: {from: native}\n", "in.yaml",
                                {"start.coordinates=a.csv", "start.frame=last"});
  EXPECT_EQ(both.start.from, StartFrom::coordinates);
  for (const auto& [text, problem] : std::vector<std::array<std::string, 2>>{
           {"from: coordinates", "no file is named"},
           {"coordinates: a.csv, checkpoint: a.ckpt.h5", "beside start.checkpoint"},
           {"coordinates: a.csv, frame: -1", "start.frame = '-1'"},
           {"coordinates: a.csv, frame: first", "start.frame = 'first'"}}) {
    EXPECT_THAT(input_error(minimal + "start: {" + text + "}\n"), HasSubstr(problem));
  }
}

TEST(ParseInput, NativeConformationNeedsStructures) {
  const std::string species =
      "system: {species: [{name: p, sequence: MKV, copies: 1}], box_nm: [20, 20, 20]}\n"
      "force_field: {model: calvados2}\ndynamics: {steps: 1}\n";
  EXPECT_THAT(input_error(minimal + "force_field: {flexible_angles: true}\n"),
              HasSubstr("flexible angles in the go model"));
  EXPECT_THAT(input_error(species + "start: {conformation: native}\n"),
              AllOf(HasSubstr("in.yaml:4:23: start.conformation = native, but species p has no "),
                    HasSubstr("start.conformation = unfolded")));
  EXPECT_THAT(
      input_error(species + "start: {from: native}\n"),
      AllOf(HasSubstr("start.from = native, but species p"), HasSubstr("start.from = unfolded")));
}

TEST(ParseInput, RefusesOverrideOfASection) {
  try {
    (void)parse_input(minimal, "in.yaml", {"dynamics=3"});
    FAIL() << "accepted";
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'dynamics' is a section, not a key"),
                                    HasSubstr("nfold help dynamics")));
  }
}

TEST(ParseInput, AcceptsLineEndsMarksAndEmptySections) {
  EXPECT_EQ(input_error("\xEF\xBB\xBF" + minimal), "");
  EXPECT_EQ(input_error("system:\r\n  structure: a.pdb\r\ndynamics:\r\n  steps: 1\r\n"), "");
  EXPECT_EQ(input_error("%YAML 1.2\n---\n" + minimal + "...\n"), "");
  EXPECT_EQ(input_error(minimal + "output:\n# dcd: true\n"), "");
  EXPECT_EQ(input_error("system: {structure: \"\xC3\xA9t\xC3\xA9.pdb\"}\ndynamics: {steps: 1}\n"),
            "");
}

TEST(ParseInput, ErrorsNamePositionAndRange) {
  EXPECT_EQ(
      input_error("system:\n  structure: a.pdb\ndynamics:\n  steps: 1\n  time_step_ps: -0.01\n"),
      "in.yaml:5:17: dynamics.time_step_ps = -0.01 (must be a number > 0 and <= 1 [ps])");
  EXPECT_EQ(input_error(minimal + "  frcition_per_ps: 1\n"),
            "in.yaml:5:3: unknown key 'frcition_per_ps' in 'dynamics' (did you mean "
            "'friction_per_ps'?)");
}

TEST(ParseInput, SuggestsKeysForWrongUnitsAndSections) {
  EXPECT_THAT(input_error(minimal + "  time_step_fs: 1\n"),
              HasSubstr("did you mean 'time_step_ps'? Its unit is ps"));
  EXPECT_THAT(input_error(minimal + "  time_step: 1\n"), HasSubstr("did you mean 'time_step_ps'?"));
  EXPECT_THAT(input_error(minimal + "temperature_kelvin: 300\n"),
              HasSubstr("did you mean 'dynamics.temperature_kelvin'?"));
  EXPECT_THAT(input_error(minimal + "  time_step_ps: 0.01 ps\n"), HasSubstr("the number alone"));
  EXPECT_THAT(input_error(minimal + "  time_step_ps: 0,01\n"), HasSubstr("decimal point"));
  EXPECT_THAT(input_error(minimal + "  integrator: langevin-baoba\n"),
              HasSubstr("did you mean 'langevin-baoab'?"));
}

TEST(ParseInput, ReportsProblemsInFileOrder) {
  const std::string text =
      "dynamics:\n  steps: -5\n  seed: x\n  temperature_kelvin: .nan\nsystme: {}\n";
  try {
    (void)parse_input(text, "in.yaml");
    FAIL() << "accepted";
  } catch (const core::InputError& error) {
    ASSERT_EQ(error.problems().size(), 5U);
    EXPECT_EQ(error.problems()[0].position.line, 2);
    EXPECT_EQ(error.problems()[1].position.line, 3);
    EXPECT_EQ(error.problems()[2].position.line, 4);
    EXPECT_EQ(error.problems()[3].position.line, 5);
    EXPECT_EQ(error.problems()[4].position.line, 0);
    EXPECT_THAT(error.problems()[3].remedy, HasSubstr("'system'"));
    EXPECT_THAT(error.problems()[4].problem, HasSubstr("'system.structure' is missing"));
  }
}

TEST(ParseInput, RefusesUnstableTimeStep) {
  EXPECT_THAT(input_error(minimal + "  time_step_ps: 0.01\n"),
              HasSubstr("in.yaml:5:17: dynamics.time_step_ps = 0.01 (bonds explode from 0.00707"));
  EXPECT_EQ(input_error(minimal + "  time_step_ps: 0.01\nforce_field: {mass_amu: 100}\n"), "");
}

TEST(Ensemble, TrajectoryReplicasMustExist) {
  const std::string ladder =
      minimal +
      "ensemble: {temperatures: 4, lowest_kelvin: 100, highest_kelvin: 120, ladders: 2}\n";
  const auto with = [&](const std::string& replicas, const std::string& more = "output.dcd=false") {
    return input_error(ladder, {"ensemble.trajectory_replicas=" + replicas, more});
  };
  EXPECT_EQ(with("[0, 3, 7]"), "");
  EXPECT_EQ(with("5"), "");
  EXPECT_THAT(with("[2, 8]"), HasSubstr("numbered from 0 to 7"));
  EXPECT_THAT(with("[5, 3]"), HasSubstr("has 5 before 3"));
  EXPECT_THAT(with("[3, 3]"), HasSubstr("none twice"));
  EXPECT_THAT(with("[1, -2]"), HasSubstr("found -2 among them"));
  EXPECT_THAT(with("[1.5]"), HasSubstr("a list of whole numbers"));
  EXPECT_THAT(with("[0]", "output.trajectory_every_steps=0"), HasSubstr("give an interval"));
  std::string many = "[0";
  for (int replica = 1; replica <= 256; ++replica) many += ", " + std::to_string(replica);
  EXPECT_THAT(with(many + "]", "ensemble.ladders=100"), HasSubstr("choose at most 256"));
  EXPECT_THAT(with("[]", "output.dcd=true"), HasSubstr("trajectory_replicas"));
}

TEST(Ensemble, AnalysisOfChainNeedsOneStateAndNoBox) {
  const std::string chain =
      "system: {species: [{name: a, sequence: GGG, copies: 1}]}\n"
      "force_field: {model: calvados2}\n"
      "dynamics: {steps: 10}\n"
      "ensemble: {temperatures: 1, lowest_kelvin: 300, ladders: 4, rg_error: 0.1}\n";
  const auto with = [&](const std::vector<std::string>& values) {
    return input_error(chain, values);
  };
  const std::string on = "ensemble.analysis.chain=true";
  EXPECT_EQ(with({on}), "");
  EXPECT_THAT(with({}), HasSubstr("ensemble.rg_error = 0.1 without the analysis of a chain"));
  EXPECT_THAT(with({on, "system.box_nm=[20,20,20]"}), HasSubstr("analysis of a chain in a box"));
  EXPECT_THAT(with({on, "ensemble.temperatures_kelvin=[300,310]", "ensemble.temperatures=2",
                    "ensemble.highest_kelvin=310"}),
              HasSubstr("analysis of a chain in several states"));
}

TEST(Overrides, ReplaceAndAddKeys) {
  const auto settings = parse_input("dynamics: {steps: 5}\n", "in.yaml",
                                    {"dynamics.steps=7", "system.structure=b.pdb",
                                     "system.chains=[A, \"B:1-3,5-9\"]", "dynamics.steps=9"});
  EXPECT_EQ(settings.dynamics.steps, 9);
  EXPECT_EQ(settings.system.structure, "b.pdb");
  EXPECT_THAT(settings.system.chains, ElementsAre("A", "B:1-3,5-9"));
}

TEST(Overrides, ErrorsNameTheOption) {
  EXPECT_EQ(input_error(minimal, {"dynamics.steps=-1"}),
            "--set dynamics.steps=-1: dynamics.steps = -1 (must be a whole number from 0 to "
            "1e14 [steps])");
  EXPECT_THAT(input_error(minimal, {"steps=1"}), HasSubstr("did you mean 'dynamics.steps'?"));
  EXPECT_THAT(input_error(minimal, {"dynamics.stesp=1"}),
              HasSubstr("did you mean 'dynamics.steps'?"));
  EXPECT_THAT(input_error(minimal, {"dynamics.steps"}), HasSubstr("no '=' found"));
  EXPECT_THAT(input_error(minimal, {"dynamics.steps="}), HasSubstr("dynamics.steps = nothing"));
  EXPECT_THAT(input_error(minimal, {"dynamics={steps: 1}"}),
              HasSubstr("--set dynamics={steps: 1}: "));
  EXPECT_THAT(input_error(minimal, {"dynamics.steps=[1"}),
              HasSubstr("--set dynamics.steps=[1: not valid YAML"));
}

TEST(ReadInputText, RefusesUnreadableFiles) {
  EXPECT_THROW((void)read_input_text("does/not/exist.yaml"), core::InputError);
  EXPECT_THROW((void)read_input_text("."), core::InputError);
  const std::filesystem::path file = testing::TempDir() + "nfold_input_test.yaml";
  std::ofstream(file) << minimal;
  EXPECT_EQ(read_input_text(file), minimal);
  std::filesystem::remove(file);
}

TEST(PathFromInput, IsRelativeToInputFolder) {
  EXPECT_EQ(path_from_input("input/a.yaml", "1ubq.pdb"), "input/1ubq.pdb");
  EXPECT_EQ(path_from_input("a.yaml", "1ubq.pdb"), "1ubq.pdb");
  EXPECT_EQ(path_from_input("input/a.yaml", "/data/1ubq.pdb"), "/data/1ubq.pdb");
}

TEST(Examples, AreAllAccepted) {
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(NFOLD_SOURCE_DIR "/input")) {
    if (entry.path().extension() != ".yaml") continue;
    if (entry.path().stem() == "targets") continue;  // a list for nfold batch
    const auto text = read_input_text(entry.path());
    const auto settings = parse_input(text, entry.path().filename());
    EXPECT_GT(settings.dynamics.steps, 0) << entry.path();
    ++examples;
  }
  EXPECT_GE(examples, 4);
}

}  // namespace
}  // namespace nfold::input
