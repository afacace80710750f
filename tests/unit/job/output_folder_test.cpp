// Claims on an output folder: every result of claim_folder.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/job/output_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <utility>
#include <vector>

#include "core/input_error.hpp"
#include "input/input.hpp"
#include "input/models.hpp"
#include "input/named_files.hpp"
#include "session/job/changed_input.hpp"
#include "session/job/folder_lock.hpp"
#include "session/job/run_files.hpp"

namespace {

namespace fs = std::filesystem;
namespace job = nfold::job;
namespace status = nfold::status;
using job::FolderContents;
using job::Overwrite;
using job::ResumeMode;

class OutputFolder : public testing::Test {
 protected:
  OutputFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    paths_ = {fs::temp_directory_path() /
                  (std::string("nfold_") + test->name() + std::to_string(getpid())),
              "ubq"};
    fs::remove_all(paths_.folder);
    job::make_output_folder(paths_.folder);
    settings_.system.structure = "ubq.pdb";
    settings_.dynamics.steps = 100;
  }
  ~OutputFolder() override { fs::remove_all(paths_.folder); }

  void put(const std::string& file, const std::string& text = "x") const {
    std::ofstream(paths_.folder / file) << text;
  }
  /// Writes a file with the first bytes that nfold writes.
  void put_own(const std::string& file) const {
    const std::array<std::pair<std::string, std::string>, 8> contents{
        {{".ckpt.h5", "NFOLDCK1"},
         {".ckpt.prev.h5", "NFOLDCK1"},
         {".status", "state: running\n"},
         {".h5md", "\x89HDF creator nfold"},
         {".energies.csv", "step,time_ps,bond_kj_mol\n"},
         {".csv", "step,time_ps,potential_kj_mol\n"},
         {".dcd", "CORD REMARKS written by nfold"},
         {".log", "2026-11-29 info: nfold 0.1.0"}}};
    for (const auto& [ending, text] : contents) {
      if (file.ends_with(ending)) return put(file, text);
    }
    put(file);
  }
  [[nodiscard]] bool exists(const std::string& file) const {
    return fs::exists(paths_.folder / file);
  }
  [[nodiscard]] FolderContents claim(ResumeMode mode = ResumeMode::automatic,
                                     Overwrite overwrite = Overwrite::no,
                                     const std::vector<fs::path>& inputs = {}) const {
    return job::claim_folder(paths_, settings_, mode, overwrite, inputs);
  }
  // Message of the refusal. Empty if the claim succeeds.
  [[nodiscard]] std::string refusal(ResumeMode mode = ResumeMode::automatic,
                                    Overwrite overwrite = Overwrite::no,
                                    const std::vector<fs::path>& inputs = {}) const {
    try {
      static_cast<void>(claim(mode, overwrite, inputs));
    } catch (const nfold::core::InputError& error) {
      return error.what();
    }
    return "";
  }

  status::OutputPaths paths_;
  nfold::input::Settings settings_;
};

TEST_F(OutputFolder, FolderWithForeignFilesIsFresh) {
  put("notes.txt");
  put("ubq.png");
  EXPECT_EQ(claim(), FolderContents::fresh);
  EXPECT_TRUE(fs::exists(paths_.folder / "notes.txt"));
}

TEST_F(OutputFolder, FindsItsCheckpoint) {
  put_own("ubq.ckpt.h5");
  EXPECT_EQ(claim(), FolderContents::checkpoint);
  fs::rename(paths_.folder / "ubq.ckpt.h5", paths_.folder / "ubq.ckpt.prev.h5");
  EXPECT_EQ(claim(), FolderContents::checkpoint);
}

TEST_F(OutputFolder, RefusesEarlierRunWithResumeNever) {
  put_own("ubq.ckpt.h5");
  EXPECT_NE(refusal(ResumeMode::never).find("--overwrite"), std::string::npos);
  EXPECT_TRUE(fs::exists(paths_.folder / "ubq.ckpt.h5"));
}

TEST_F(OutputFolder, FilesOfAFailedStartAreNoRun) {
  put("ubq.incidents.jsonl", "{\"what\": \"crash\"}\n");
  EXPECT_EQ(claim(), FolderContents::fresh);
  put("ubq.status", "state: failed\n");
  put("ubq.status.tmp");
  put("ubq.file-1-1ubq.pdb");
  put("ubq.input.yaml.tmp");
  EXPECT_EQ(claim(), FolderContents::fresh);
  EXPECT_EQ(claim(ResumeMode::never), FolderContents::fresh);
  put_own("ubq.h5md");
  EXPECT_NE(refusal(), "");
}

TEST_F(OutputFolder, RefusesOutputOfAnotherInput) {
  put("villin.status", "state: running\n");
  EXPECT_NE(refusal().find("'villin'"), std::string::npos) << refusal();
  EXPECT_TRUE(fs::exists(paths_.folder / "villin.status"));
}

TEST_F(OutputFolder, OverwriteRemovesFilesOfNfoldOnly) {
  for (const char* file : {"villin.status", "villin.h5md", "ubq.ckpt.h5", "ubq.energies.csv",
                           "ubq.png", "villin.txt", "notes.txt"}) {
    put_own(file);
  }
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderContents::fresh);
  EXPECT_FALSE(fs::exists(paths_.folder / "villin.status"));
  EXPECT_FALSE(fs::exists(paths_.folder / "villin.h5md"));
  EXPECT_FALSE(fs::exists(paths_.folder / "ubq.ckpt.h5"));
  EXPECT_FALSE(fs::exists(paths_.folder / "ubq.energies.csv"));
  EXPECT_TRUE(fs::exists(paths_.folder / "ubq.png"));
  EXPECT_TRUE(fs::exists(paths_.folder / "villin.txt"));
  EXPECT_TRUE(fs::exists(paths_.folder / "notes.txt"));
}

TEST_F(OutputFolder, OverwriteRemovesReplicaFilesOnly) {
  const char* const ours[] = {"ubq.replica-0.h5md", "ubq.replica-0.h5md.journal",
                              "ubq.replica-0.csv", "ubq.replica-4096.csv"};
  const char* const theirs[] = {
      "ubq.replica-best.csv", "ubq.replica-.csv",     "ubq.replica-07.csv",
      "ubq.replica-7.png",    "ubq.replica-7.dcd",    "ubq2.replica-7.csv",
      "ubq.replica-7b.h5md",  "my-ubq.replica-7.csv", "ubq.replica-7"};
  put_own("ubq.status");
  for (const char* file : ours) put_own(file);
  for (const char* file : theirs) put(file);
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderContents::fresh);
  for (const char* file : ours) EXPECT_FALSE(fs::exists(paths_.folder / file)) << file;
  for (const char* file : theirs) EXPECT_TRUE(fs::exists(paths_.folder / file)) << file;
}

TEST_F(OutputFolder, OverwriteRemovesReportFilesOnly) {
  fs::create_directory(paths_.folder / "report");
  const char* const ours[] = {"report/report.html", "report/energies.png", "report/overview.png"};
  const char* const theirs[] = {"report/poster.png", "report/energies.svg", "energies.png"};
  for (const char* file : ours) put(file, "<title>a: nfold report</title>");
  for (const char* file : theirs) put(file);
  EXPECT_EQ(claim(), FolderContents::fresh);
  EXPECT_TRUE(fs::exists(paths_.folder / "report/report.html"));
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderContents::fresh);
  for (const char* file : ours) EXPECT_FALSE(fs::exists(paths_.folder / file)) << file;
  for (const char* file : theirs) EXPECT_TRUE(fs::exists(paths_.folder / file)) << file;
}

TEST_F(OutputFolder, OverwriteKeepsForeignReport) {
  fs::create_directory(paths_.folder / "report");
  put("report/report.html", "<p>of another program</p>");
  put("report/energies.png");
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderContents::fresh);
  EXPECT_TRUE(fs::exists(paths_.folder / "report/report.html"));
  EXPECT_TRUE(fs::exists(paths_.folder / "report/energies.png"));
}

TEST_F(OutputFolder, OverwriteRemovesEmptyReportFolder) {
  fs::create_directory(paths_.folder / "report");
  put("report/report.html", "<title>a: nfold report</title>");
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderContents::fresh);
  EXPECT_FALSE(fs::exists(paths_.folder / "report"));
}

TEST_F(OutputFolder, KnowsAllReportFiles) {
  const auto read_tool_file = [](const char* name) {
    std::ifstream stream(fs::path(NFOLD_TOOLS "/nfold_report") / name);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  const std::string names = read_tool_file("page_files.py");
  const auto begin = names.find("FIGURES = ("), end = names.find("def ", begin);
  ASSERT_NE(begin, std::string::npos);
  const std::string figures = names.substr(begin, end - begin);
  const std::regex quoted("\"(\\w+)\"");
  int found = 0;
  for (std::sregex_iterator one(figures.begin(), figures.end(), quoted), last; one != last; ++one) {
    const std::string name = (*one)[1];
    const auto& known = status::report_pictures;
    EXPECT_NE(std::find(known.begin(), known.end(), name), known.end()) << name;
    ++found;
  }
  EXPECT_GE(found, 18);
  EXPECT_NE(read_tool_file("page.py").find(": nfold report</title>"), std::string::npos);
}

TEST_F(OutputFolder, RefusesCyclicLink) {
  fs::create_symlink("loop", paths_.folder / "loop");
  try {
    job::make_output_folder(paths_.folder / "loop");
    FAIL() << "no exception";
  } catch (const nfold::core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("must not lead back to itself"), std::string::npos);
  }
}

TEST_F(OutputFolder, RefusesStrayReplicaFiles) {
  put("ubq.replica-3.h5md");
  EXPECT_NE(refusal().find("not known to be of a run"), std::string::npos) << refusal();
}

// Emulates user files beside the input, with --output . and --overwrite.
TEST_F(OutputFolder, OverwriteKeepsFilesWithoutARun) {
  for (const char* file : {"b.dcd", "b.log", "b.input.yaml", "b.status"}) put(file, "of a person");
  put("c.input.yaml", nfold::input::write_input(settings_));
  put_own("c.dcd");
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderContents::fresh);
  for (const char* file : {"b.dcd", "b.log", "b.input.yaml", "b.status", "c.input.yaml", "c.dcd"}) {
    EXPECT_TRUE(exists(file)) << file;
  }
}

TEST_F(OutputFolder, OverwriteRefusesUserFilesOfOutputNames) {
  for (const std::string suffix : status::output_suffixes) {
    if (suffix == ".input.yaml.tmp") continue;
    put("ubq" + suffix, "of a person");
    EXPECT_NE(refusal(ResumeMode::automatic, Overwrite::yes).find("move it away"),
              std::string::npos)
        << suffix;
    EXPECT_TRUE(exists("ubq" + suffix)) << suffix;
    fs::remove(paths_.folder / ("ubq" + suffix));
  }
}

TEST_F(OutputFolder, OverwriteRefusesUserFilesAmongOutput) {
  put_own("ubq.status");
  put_own("ubq.h5md");
  put("ubq.dcd", "CORD of another program");
  EXPECT_NE(refusal(ResumeMode::automatic, Overwrite::yes).find("ubq.dcd"), std::string::npos);
  EXPECT_TRUE(exists("ubq.h5md"));
}

TEST_F(OutputFolder, OverwriteKeepsInputs) {
  put_own("first.ckpt.h5");
  put_own("first.h5md");
  const std::vector<fs::path> inputs{paths_.folder / "first.ckpt.h5"};
  EXPECT_NE(refusal(ResumeMode::automatic, Overwrite::yes, inputs).find("is an input"),
            std::string::npos);
  EXPECT_TRUE(exists("first.ckpt.h5"));
  EXPECT_TRUE(exists("first.h5md"));
}

TEST_F(OutputFolder, OverwriteKeepsResolvedInput) {
  put("ubq.input.yaml", nfold::input::write_input(settings_));
  const std::vector<fs::path> inputs{paths_.input()};
  EXPECT_NE(refusal(ResumeMode::automatic, Overwrite::no, inputs).find("is an input"),
            std::string::npos);
  put_own("ubq.status");
  put_own("ubq.log");
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes, inputs), FolderContents::fresh);
  EXPECT_TRUE(fs::exists(paths_.input()));
  EXPECT_FALSE(exists("ubq.log"));
}

TEST_F(OutputFolder, RemovesCheckpointsFirstAndInputLast) {
  for (const std::string suffix : status::output_suffixes) put("ubq" + suffix, "");
  for (const char* file : {"ubq.ckpt.h5", "ubq.status", "ubq.replica-3.csv"}) put_own(file);
  put("ubq.input.yaml", nfold::input::write_input(settings_));
  const auto files = job::files_of_run(paths_);
  EXPECT_TRUE(files.foreign.empty());
  ASSERT_EQ(files.own.size(), status::output_suffixes.size() + 1);
  EXPECT_EQ(std::set<fs::path>(files.own.begin(), files.own.begin() + 2),
            (std::set<fs::path>{paths_.checkpoint(), paths_.with(".ckpt.prev.h5")}));
  EXPECT_EQ(files.own.end()[-2], paths_.status());
  EXPECT_EQ(files.own.back(), paths_.input());
}

TEST_F(OutputFolder, SameInputWithoutCheckpointRestarts) {
  put("ubq.input.yaml", nfold::input::write_input(settings_));
  put_own("ubq.h5md");
  EXPECT_EQ(job::inspect_folder(paths_, settings_, ResumeMode::automatic, "ubq.yaml"),
            FolderContents::begun);
  EXPECT_TRUE(fs::exists(paths_.folder / "ubq.h5md"));
  EXPECT_EQ(claim(), FolderContents::begun);
  EXPECT_FALSE(fs::exists(paths_.folder / "ubq.h5md"));
}

TEST_F(OutputFolder, ChangedInputIsRefusedByKey) {
  auto other = settings_;
  other.dynamics.seed = 7;
  put("ubq.input.yaml", nfold::input::write_input(other));
  EXPECT_NE(refusal().find("dynamics.seed was 7, is now 1"), std::string::npos) << refusal();
  EXPECT_TRUE(fs::exists(paths_.input()));
}

TEST_F(OutputFolder, RefusesStrayFilesWithoutInput) {
  put("ubq.h5md");
  EXPECT_NE(refusal().find("not known to be of a run"), std::string::npos) << refusal();
}

TEST_F(OutputFolder, PartialInputIsNoRun) {
  put("ubq.input.yaml.tmp", "system:");
  EXPECT_EQ(claim(), FolderContents::fresh);
  put("ubq.h5md");
  EXPECT_NE(refusal().find("not known to be of a run"), std::string::npos) << refusal();
}

TEST_F(OutputFolder, AcceptsMovedStructureOfSameContent) {
  const auto& here = paths_.folder;
  fs::create_directories(here / "a");
  fs::create_directories(here / "b");
  for (const char* file : {"a/ubq.pdb", "b/again.pdb"}) put(file, "ATOM");
  put("b/other.pdb", "HETATM");
  const auto kept = job::to_stored_settings(settings_, here / "a/in.yaml", paths_, true);
  EXPECT_EQ(kept.system.structure, "ubq.file-1-ubq.pdb");
  EXPECT_TRUE(exists("ubq.file-1-ubq.pdb"));
  put("ubq.input.yaml", nfold::input::write_input(kept));
  fs::remove(here / "a/ubq.pdb");
  auto now = settings_;
  const auto before = [&] {
    return job::adopt_same_paths(settings_, now, here / "b/in.yaml", paths_.input());
  };
  now.system.structure = "again.pdb";
  EXPECT_EQ(before().system.structure, "again.pdb");
  now.system.structure = "other.pdb";
  EXPECT_EQ(before().system.structure, "ubq.pdb");
}

TEST_F(OutputFolder, FilesOfAForceFieldAreKept) {
  const auto& here = paths_.folder;
  const auto put_table = [&](const std::string& folder) {
    fs::create_directories(here / folder / "sub");
    put(folder + "/own.yml",
        "extends: base.yml  # base.yml\n"
        "pair_terms: {a: {file: \"sub/pmf.csv\"}, b: {file: sub/pmf.csv}}\n");
    put(folder + "/base.yml", "extends: hps-kr\n");
    put(folder + "/sub/pmf.csv", "0.4,1\n");
  };
  put_table("a");
  put_table("b");
  settings_.system.structure = "";
  settings_.system.species.resize(1);
  settings_.system.species[0].name = "chain";
  settings_.system.species[0].sequence = "GGG";
  settings_.force_field.model = nfold::input::find_model("hps-kr");
  settings_.start.from = nfold::input::StartFrom::unfolded;
  settings_.force_field.condensate.table = "own.yml";
  const std::vector<fs::path> expected{here / "a/in.yaml", here / "a/own.yml", here / "a/base.yml",
                                       here / "a/sub/pmf.csv"};
  EXPECT_EQ(nfold::input::find_input_files(settings_, here / "a/in.yaml"), expected);

  const auto kept = job::to_stored_settings(settings_, here / "a/in.yaml", paths_, true);
  EXPECT_EQ(kept.force_field.condensate.table, "ubq.file-1-own.yml");
  put("ubq.input.yaml", nfold::input::write_input(kept));
  fs::remove_all(here / "a");
  const std::vector<fs::path> copies{paths_.input(), here / "ubq.file-1-own.yml",
                                     here / "ubq.file-2-base.yml", here / "ubq.file-3-pmf.csv"};
  EXPECT_EQ(nfold::input::find_input_files(kept, paths_.input()), copies);
  const auto again = job::to_stored_settings(kept, paths_.input(), paths_, true);
  EXPECT_EQ(again.force_field.condensate.table, "ubq.file-1-own.yml");

  const auto now = settings_;
  settings_.force_field.condensate.table = "ubq.file-1-own.yml";
  const auto before = [&] {
    return job::adopt_same_paths(settings_, now, here / "b/in.yaml", paths_.input());
  };
  EXPECT_EQ(before().force_field.condensate.table, "own.yml");
  put("b/sub/pmf.csv", "0.4,2\n");
  EXPECT_EQ(before().force_field.condensate.table, "ubq.file-1-own.yml");
}

TEST_F(OutputFolder, InputOfARunNamesItsFolder) {
  const auto input = paths_.input();
  EXPECT_EQ(status::output_paths(input, "").folder, "ubq.out") << "no run is there";
  EXPECT_EQ(status::output_paths(input, "").name, "ubq");
  put_own("ubq.status");
  EXPECT_EQ(status::output_paths(input, "").folder, paths_.folder);
  EXPECT_EQ(status::output_paths(input, "other").folder, "other");
  EXPECT_EQ(status::output_paths("ubq.yaml", "").name, "ubq");
}

TEST_F(OutputFolder, RefusesFilesAsFolders) {
  put("file");
  EXPECT_THROW(job::make_output_folder(paths_.folder / "file"), nfold::core::InputError);
  EXPECT_THROW(job::make_output_folder(paths_.folder / "file" / "below"), nfold::core::InputError);
}

TEST_F(OutputFolder, IsFinishedOnlyByItsStatus) {
  EXPECT_FALSE(job::is_finished(paths_));
  put("ubq.status", "state: running\nreason: state: done\n");
  EXPECT_FALSE(job::is_finished(paths_));
  put("ubq.status", "state: done\nstep: 5\n");
  EXPECT_TRUE(job::is_finished(paths_));
}

TEST_F(OutputFolder, LocksForOneWriter) {
  {
    const job::FolderLock first(paths_.folder);
    EXPECT_THROW(job::FolderLock{paths_.folder}, nfold::core::InputError);
  }
  EXPECT_NO_THROW(job::FolderLock{paths_.folder});
}

}  // namespace
