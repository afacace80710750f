// Checkpoint files: same bytes for any ownership of residues, and errors that reach all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <functional>

#include "checkpoint_fixture.hpp"
#include "core/storage/atomic_file.hpp"
#include "io/file_compare.hpp"

namespace nfold {
namespace {

using comm::Communicator;
using test::make_header;
using test::SharedFolder;
using test::whole_state;

// Spreads residues over ranks by `owner` and writes a checkpoint. Collective.
void write_spread(const Communicator& world, const std::filesystem::path& path, int residues,
                  std::int64_t step, const std::function<int(int)>& owner) {
  auto header = make_header(residues, step);
  header.provenance["ranks"] = std::to_string(world.size());
  const auto mine = test::select_rows(whole_state(residues, step),
                                      [&](int id) { return owner(id) == world.rank(); });
  test::write_checkpoint(world, path, header, mine);
}

void expect_state(const io::Checkpoint& found, int residues, std::int64_t step) {
  const auto expected = whole_state(residues, step);
  EXPECT_EQ(found.state.step, step);
  EXPECT_EQ(found.state.id, expected.id);
  EXPECT_EQ(found.state.position, expected.position);
  EXPECT_EQ(found.state.velocity, expected.velocity);
}

// Message of the FileError that the call throws on this rank; empty if none.
std::string error_message(const std::function<void()>& call) {
  try {
    call();
  } catch (const storage::FileError& error) {
    return error.what();
  }
  return {};
}

bool is_same_on_all_ranks(const Communicator& world, const std::string& text) {
  return !world.any(world.broadcast(text) != text);
}

TEST(Checkpoint, ReadsBackOnEveryRank) {
  const auto world = Communicator::world();
  const SharedFolder folder(world);
  write_spread(world, folder / "a.ckpt.h5", 23, 40, [&](int id) { return id * world.size() / 23; });
  const auto found = io::read_checkpoint(world, folder / "a.ckpt.h5");
  expect_state(found, 23, 40);
  const auto header = make_header(23, 40);
  EXPECT_EQ(found.header.seed, header.seed);
  EXPECT_EQ(found.header.topology_hash, header.topology_hash);
  EXPECT_EQ(found.header.box_nm, header.box_nm);
  EXPECT_EQ(found.header.resolved_input, header.resolved_input);
  EXPECT_EQ(found.header.accumulators, header.accumulators);
  EXPECT_EQ(found.header.provenance.at("ranks"), std::to_string(world.size()));
  EXPECT_EQ(found.warning, "");
}

TEST(Checkpoint, SharesCoverAllRows) {
  const auto world = Communicator::world();
  const SharedFolder folder(world);
  for (const int residues : {2, 23}) {
    write_spread(world, folder / "a.ckpt.h5", residues, 40, [](int) { return 0; });
    const auto share =
        io::read_checkpoint(world, folder / "a.ckpt.h5", io::CheckpointRows::share).state;
    const auto whole = whole_state(residues, 40);
    EXPECT_EQ(share.step, 40);
    EXPECT_EQ(world.all_gather(std::span<const int>(share.id)), whole.id);
    EXPECT_EQ(world.all_gather(std::span<const system::FixedPosition>(share.position)),
              whole.position);
    EXPECT_EQ(world.all_gather(std::span<const system::Velocity>(share.velocity)), whole.velocity);
    const auto most = (residues + world.size() - 1) / world.size();
    EXPECT_LE(share.id.size(), static_cast<std::size_t>(most));
  }
}

// One process writes the reference. Every file must equal it, except for provenance.
TEST(Checkpoint, HasSameBytesForAnyOwnership) {
  const auto world = Communicator::world();
  const SharedFolder folder(world);
  for (const int residues : {1, 2, 23}) {
    const auto reference = folder / ("reference" + std::to_string(residues));
    if (world.is_root()) {
      test::write_checkpoint(Communicator(), reference, make_header(residues, 5),
                             whole_state(residues, 5));
    }
    const std::vector<std::function<int(int)>> owners = {
        [&](int id) { return id * world.size() / residues; },  // ranges
        [&](int id) { return (id * 7 + 3) % world.size(); },   // scattered
        [&](int) { return world.size() - 1; },                 // all but one rank empty
        [&](int id) { return world.size() - 1 - id % world.size(); }};
    for (const auto& owner : owners) {
      write_spread(world, folder / "a.ckpt.h5", residues, 5, owner);
      std::vector<std::string> differences;
      if (world.is_root()) {
        differences = io::compare_files(reference, folder / "a.ckpt.h5");
      }
      EXPECT_THAT(differences, testing::IsEmpty());
      world.barrier();
    }
  }
}

TEST(Checkpoint, ComparisonNamesDifferences) {
  const auto world = Communicator::world();
  const SharedFolder folder(world);
  const auto all_on_root = [](int) { return 0; };
  write_spread(world, folder / "a", 23, 5, all_on_root);
  write_spread(world, folder / "b", 23, 6, all_on_root);
  if (!world.is_root()) return;
  const auto differences = io::compare_files(folder / "a", folder / "b");
  EXPECT_THAT(differences, testing::Contains(testing::HasSubstr("/@step: 5 and 6")));
  EXPECT_THAT(differences,
              testing::Contains(testing::HasSubstr(
                  "/state/position: first at residue id 0, component 1: 5 and 6; 23 of 23")));
}

TEST(Checkpoint, KeepsThePreviousFile) {
  const auto world = Communicator::world();
  const SharedFolder folder(world);
  const auto path = folder / "a.ckpt.h5";
  EXPECT_FALSE(io::checkpoint_exists(path));
  world.barrier();
  for (const int step : {1, 2, 3}) {
    write_spread(world, path, 23, step, [&](int id) { return id % world.size(); });
  }
  EXPECT_TRUE(io::checkpoint_exists(path));
  EXPECT_EQ(io::previous_checkpoint_path("x/a.ckpt.h5"), "x/a.ckpt.prev.h5");
  expect_state(io::read_checkpoint(world, path), 23, 3);
  expect_state(io::read_checkpoint(world, io::previous_checkpoint_path(path)), 23, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.ckpt.h5.tmp"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.ckpt.h5.link"));
}

// State after a kill between the two renames on a file system without hard links.
TEST(Checkpoint, PreviousFileAloneIsRead) {
  const auto world = Communicator::world();
  const SharedFolder folder(world);
  const auto path = folder / "a.ckpt.h5";
  write_spread(world, path, 23, 1, [](int) { return 0; });
  if (world.is_root()) std::filesystem::rename(path, io::previous_checkpoint_path(path));
  world.barrier();
  EXPECT_TRUE(io::checkpoint_exists(path));
  const auto found = io::read_checkpoint(world, path);
  expect_state(found, 23, 1);
  EXPECT_THAT(found.warning, testing::HasSubstr("a.ckpt.h5: cannot open"));
}

TEST(Checkpoint, MissingFileIsOneErrorOnAllRanks) {
  const auto world = Communicator::world();
  const SharedFolder folder(world);
  const auto text =
      error_message([&] { (void)io::read_checkpoint(world, folder / "none.ckpt.h5"); });
  EXPECT_THAT(text, testing::HasSubstr("none.ckpt.h5: cannot open"));
  EXPECT_TRUE(is_same_on_all_ranks(world, text));
}

TEST(Checkpoint, WrongRowsAreOneErrorOnAllRanks) {
  const auto world = Communicator::world();
  const SharedFolder folder(world);
  const auto header = make_header(23, 1);
  const auto write = [&](const std::function<bool(int)>& is_mine) {
    auto text = error_message([&] {
      test::write_checkpoint(world, folder / "a", header,
                             test::select_rows(whole_state(23, 1), is_mine));
    });
    EXPECT_TRUE(is_same_on_all_ranks(world, text));
    return text;
  };
  EXPECT_THAT(write([&](int id) { return world.is_root() && id != 17; }),
              testing::HasSubstr("residue id 17 came from no rank"));
  if (world.size() > 1) {
    EXPECT_THAT(write([&](int id) { return id == 17 || world.is_root(); }),
                testing::HasSubstr("residue id 17 came from two ranks"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

// A limit on file sizes stands in for a full disk: on all ranks, on rank 0 only, on the last only.
TEST(Checkpoint, FullDiskIsOneErrorAndKeepsOldFiles) {
  const auto world = Communicator::world();
  const SharedFolder folder(world);
  const auto path = folder / "a.ckpt.h5";
  storage::ignore_file_size_signal();
  constexpr int residues = 3000;
  const auto scattered = [&](int id) { return id % world.size(); };
  write_spread(world, path, residues, 1, scattered);
  write_spread(world, path, residues, 2, scattered);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  for (const int limited : {-1, 0, world.size() - 1}) {
    const rlimit tight{40000, before.rlim_max};
    if (limited < 0 || limited == world.rank()) setrlimit(RLIMIT_FSIZE, &tight);
    const auto text = error_message([&] { write_spread(world, path, residues, 3, scattered); });
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(is_same_on_all_ranks(world, text));
    if (limited <= 0) {  // rank 0 reserves the space, so it always hits the limit
      EXPECT_THAT(text, testing::AllOf(testing::HasSubstr("a.ckpt.h5.tmp: cannot reserve"),
                                       testing::HasSubstr("ulimit -f")));
    }
    if (text.empty()) {  // the limited rank wrote nothing: a new checkpoint exists
      expect_state(io::read_checkpoint(world, path), residues, 3);
      break;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "a.ckpt.h5.tmp"));
    expect_state(io::read_checkpoint(world, path), residues, 2);
    expect_state(io::read_checkpoint(world, io::previous_checkpoint_path(path)), residues, 1);
  }
}

}  // namespace
}  // namespace nfold
