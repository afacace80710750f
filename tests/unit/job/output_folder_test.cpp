// Who may write into an output folder: every answer of claim_folder.
// SPDX-License-Identifier: BSD-3-Clause
#include "job/output_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "document/input_error.hpp"
#include "input_files/input.hpp"
#include "job/folder_lock.hpp"

namespace {

namespace fs = std::filesystem;
namespace job = nfold::job;
using job::FolderOffer;
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
  [[nodiscard]] FolderOffer claim(ResumeMode mode = ResumeMode::automatic,
                                  Overwrite overwrite = Overwrite::no) const {
    return job::claim_folder(paths_, settings_, mode, overwrite);
  }
  // The refusal's text; empty if the folder was given.
  [[nodiscard]] std::string refusal(ResumeMode mode = ResumeMode::automatic) const {
    try {
      static_cast<void>(claim(mode));
    } catch (const nfold::document::InputError& error) {
      return error.what();
    }
    return "";
  }

  job::OutputPaths paths_;
  nfold::config::Settings settings_;
};

TEST_F(OutputFolder, EmptyOrWithFilesOfOthersIsFresh) {
  put("notes.txt");
  put("ubq.png");
  EXPECT_EQ(claim(), FolderOffer::fresh);
  EXPECT_TRUE(fs::exists(paths_.folder / "notes.txt"));
}

TEST_F(OutputFolder, OffersItsCheckpoint) {
  put("ubq.ckpt.h5");
  EXPECT_EQ(claim(), FolderOffer::checkpoint);
  fs::rename(paths_.folder / "ubq.ckpt.h5", paths_.folder / "ubq.ckpt.prev.h5");
  EXPECT_EQ(claim(), FolderOffer::checkpoint);
}

TEST_F(OutputFolder, RefusesAnEarlierRunWhenNothingMayBeResumed) {
  put("ubq.ckpt.h5");
  EXPECT_NE(refusal(ResumeMode::never).find("--overwrite"), std::string::npos);
  EXPECT_TRUE(fs::exists(paths_.folder / "ubq.ckpt.h5"));
}

TEST_F(OutputFolder, RefusesAnotherInputsOutput) {
  put("villin.status", "state: running\n");
  EXPECT_NE(refusal().find("'villin'"), std::string::npos) << refusal();
  EXPECT_TRUE(fs::exists(paths_.folder / "villin.status"));
}

TEST_F(OutputFolder, OverwriteRemovesWhatNfoldWroteAndNothingElse) {
  for (const char* file : {"villin.status", "villin.h5md", "ubq.ckpt.h5", "ubq.energies.csv",
                           "ubq.png", "villin.txt", "notes.txt"}) {
    put(file);
  }
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderOffer::fresh);
  EXPECT_FALSE(fs::exists(paths_.folder / "villin.status"));
  EXPECT_FALSE(fs::exists(paths_.folder / "villin.h5md"));
  EXPECT_FALSE(fs::exists(paths_.folder / "ubq.ckpt.h5"));
  EXPECT_FALSE(fs::exists(paths_.folder / "ubq.energies.csv"));
  EXPECT_TRUE(fs::exists(paths_.folder / "ubq.png"));
  EXPECT_TRUE(fs::exists(paths_.folder / "villin.txt"));
  EXPECT_TRUE(fs::exists(paths_.folder / "notes.txt"));
}

TEST_F(OutputFolder, OverwriteRemovesFilesOfAnyReplicaButNoneOfAPerson) {
  const char* const ours[] = {"ubq.replica-0.h5md", "ubq.replica-0.h5md.journal",
                              "ubq.replica-0.csv", "ubq.replica-4096.csv"};
  const char* const theirs[] = {
      "ubq.replica-best.csv", "ubq.replica-.csv",     "ubq.replica-07.csv",
      "ubq.replica-7.png",    "ubq.replica-7.dcd",    "ubq2.replica-7.csv",
      "ubq.replica-7b.h5md",  "my-ubq.replica-7.csv", "ubq.replica-7"};
  for (const char* file : ours) put(file);
  for (const char* file : theirs) put(file);
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderOffer::fresh);
  for (const char* file : ours) EXPECT_FALSE(fs::exists(paths_.folder / file)) << file;
  for (const char* file : theirs) EXPECT_TRUE(fs::exists(paths_.folder / file)) << file;
}

TEST_F(OutputFolder, OverwriteRemovesAFormerReportButNoneOfAPerson) {
  fs::create_directory(paths_.folder / "report");
  const char* const ours[] = {"report/report.html", "report/energies.png", "report/overview.png"};
  const char* const theirs[] = {"report/poster.png", "report/energies.svg", "energies.png"};
  for (const char* file : ours) put(file, "<title>a: nfold report</title>");
  for (const char* file : theirs) put(file);
  EXPECT_EQ(claim(), FolderOffer::fresh);
  EXPECT_TRUE(fs::exists(paths_.folder / "report/report.html"));
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderOffer::fresh);
  for (const char* file : ours) EXPECT_FALSE(fs::exists(paths_.folder / file)) << file;
  for (const char* file : theirs) EXPECT_TRUE(fs::exists(paths_.folder / file)) << file;
}

TEST_F(OutputFolder, OverwriteLeavesAnothersReport) {
  fs::create_directory(paths_.folder / "report");
  put("report/report.html", "<p>of another program</p>");
  put("report/energies.png");
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderOffer::fresh);
  EXPECT_TRUE(fs::exists(paths_.folder / "report/report.html"));
  EXPECT_TRUE(fs::exists(paths_.folder / "report/energies.png"));
}

TEST_F(OutputFolder, OverwriteRemovesTheFolderOfAReportThatIsEmptyThen) {
  fs::create_directory(paths_.folder / "report");
  put("report/report.html", "<title>a: nfold report</title>");
  EXPECT_EQ(claim(ResumeMode::automatic, Overwrite::yes), FolderOffer::fresh);
  EXPECT_FALSE(fs::exists(paths_.folder / "report"));
}

TEST_F(OutputFolder, KnowsAllPicturesAndThePageOfTheTools) {
  const auto text_of = [](const char* name) {
    std::ifstream stream(fs::path(NFOLD_TOOLS "/nfold_report") / name);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  const std::string names = text_of("page_files.py");
  const auto begin = names.find("FIGURES = ("), end = names.find("def ", begin);
  ASSERT_NE(begin, std::string::npos);
  const std::string figures = names.substr(begin, end - begin);
  const std::regex quoted("\"(\\w+)\"");
  int found = 0;
  for (std::sregex_iterator one(figures.begin(), figures.end(), quoted), last; one != last; ++one) {
    const std::string name = (*one)[1];
    const auto& known = job::report_pictures;
    EXPECT_NE(std::find(known.begin(), known.end(), name), known.end()) << name;
    ++found;
  }
  EXPECT_GE(found, 18);
  EXPECT_NE(text_of("page.py").find(": nfold report</title>"), std::string::npos);
}

TEST_F(OutputFolder, ALinkThatLeadsToItselfIsRefused) {
  fs::create_symlink("loop", paths_.folder / "loop");
  try {
    job::make_output_folder(paths_.folder / "loop");
    FAIL() << "no exception";
  } catch (const nfold::document::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("must not lead back to itself"), std::string::npos);
  }
}

TEST_F(OutputFolder, StrayFilesOfReplicasAreRefused) {
  put("ubq.replica-3.h5md");
  EXPECT_NE(refusal().find("without its input"), std::string::npos) << refusal();
}

TEST_F(OutputFolder, WithoutACheckpointTheSameInputStartsAnew) {
  put("ubq.input.yaml", nfold::input_files::write_input(settings_));
  put("ubq.h5md");
  EXPECT_EQ(job::folder_offer(paths_, settings_, ResumeMode::automatic), FolderOffer::begun);
  EXPECT_TRUE(fs::exists(paths_.folder / "ubq.h5md"));
  EXPECT_EQ(claim(), FolderOffer::begun);
  EXPECT_FALSE(fs::exists(paths_.folder / "ubq.h5md"));
}

TEST_F(OutputFolder, WithoutACheckpointAnotherInputIsRefusedByItsKey) {
  auto other = settings_;
  other.dynamics.seed = 7;
  put("ubq.input.yaml", nfold::input_files::write_input(other));
  EXPECT_NE(refusal().find("dynamics.seed was 7, is now 1"), std::string::npos) << refusal();
  EXPECT_TRUE(fs::exists(paths_.input()));
}

TEST_F(OutputFolder, StrayFilesWithoutInputAreRefused) {
  put("ubq.h5md");
  EXPECT_NE(refusal().find("without its input"), std::string::npos) << refusal();
}

TEST_F(OutputFolder, AnInputOfWhichHalfIsWrittenIsNoRun) {
  put("ubq.input.yaml.tmp", "system:");
  EXPECT_EQ(claim(), FolderOffer::fresh);
  put("ubq.h5md");
  EXPECT_NE(refusal().find("without its input"), std::string::npos) << refusal();
}

// A folder by a file's name cannot be removed: there the removal stops, as by a kill.
TEST_F(OutputFolder, RemovalThatStopsKeepsTheInputAndNoCheckpoint) {
  for (const std::string suffix : job::output_suffixes) {
    if (suffix.starts_with(".input") || suffix.starts_with(".ckpt")) continue;
    fs::remove_all(paths_.folder);
    fs::create_directories(paths_.folder / ("ubq" + suffix) / "in the way");
    for (const char* file : {"ubq.ckpt.h5", "ubq.ckpt.prev.h5", "ubq.replica-3.csv"}) put(file);
    put("ubq.input.yaml", nfold::input_files::write_input(settings_));
    EXPECT_THROW(static_cast<void>(claim(ResumeMode::automatic, Overwrite::yes)),
                 nfold::document::InputError)
        << suffix;
    EXPECT_FALSE(fs::exists(paths_.folder / "ubq.ckpt.h5")) << suffix;
    EXPECT_FALSE(fs::exists(paths_.folder / "ubq.ckpt.prev.h5")) << suffix;
    fs::remove_all(paths_.folder / ("ubq" + suffix));
    EXPECT_EQ(claim(), FolderOffer::begun) << suffix;
    EXPECT_FALSE(fs::exists(paths_.folder / "ubq.replica-3.csv")) << suffix;
    EXPECT_FALSE(fs::exists(paths_.input())) << suffix;
  }
}

TEST_F(OutputFolder, CannotBeAFile) {
  put("file");
  EXPECT_THROW(job::make_output_folder(paths_.folder / "file"), nfold::document::InputError);
  EXPECT_THROW(job::make_output_folder(paths_.folder / "file" / "below"),
               nfold::document::InputError);
}

TEST_F(OutputFolder, IsFinishedOnlyWhenItsStatusSaysSo) {
  EXPECT_FALSE(job::is_finished(paths_));
  put("ubq.status", "state: running\nreason: state: done\n");
  EXPECT_FALSE(job::is_finished(paths_));
  put("ubq.status", "state: done\nstep: 5\n");
  EXPECT_TRUE(job::is_finished(paths_));
}

TEST_F(OutputFolder, TakesOneWriterAtATime) {
  {
    const job::FolderLock first(paths_.folder);
    EXPECT_THROW(job::FolderLock{paths_.folder}, nfold::document::InputError);
  }
  EXPECT_NO_THROW(job::FolderLock{paths_.folder});
}

}  // namespace
