// Host memory within ulimits and control groups, from made-up files of /proc and /sys.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/memory_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

namespace nfold::device {
namespace {
namespace fs = std::filesystem;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20U;

/// Root folder of a host with 8 GiB, of which 4 are free, and of a process of 100 MiB.
class MemoryLimits : public testing::Test {
 protected:
  MemoryLimits()
      : root_(fs::temp_directory_path() / ("nfold_memory_limits_" + std::to_string(getpid()))) {
    write("proc/meminfo", "MemTotal: 8388608 kB\nMemFree: 1 kB\nMemAvailable: 4194304 kB\n");
    write("proc/self/status", "Name:\tnfold\nVmSize:\t  102400 kB\nVmData:\t  51200 kB\n");
  }
  ~MemoryLimits() override { fs::remove_all(root_); }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  [[nodiscard]] MemorySize memory(const ProcessLimits& limits = {}) const {
    return host_memory_within(limits, root_);
  }
  fs::path root_;
};

TEST_F(MemoryLimits, UnlimitedMemoryIsHostMemory) {
  EXPECT_EQ(memory().free_bytes, 4096 * mebibyte);
  EXPECT_EQ(memory().total_bytes, 8192 * mebibyte);
  EXPECT_EQ(describe_memory_size(memory()), "4 GiB of 8 GiB");
}

TEST_F(MemoryLimits, UlimitsSubtractUsedMemory) {
  ProcessLimits limits;
  limits.address_space_bytes = 1024 * mebibyte;
  EXPECT_EQ(memory(limits).free_bytes, 924 * mebibyte);
  EXPECT_EQ(describe_memory_size(memory(limits)), "924 MiB of 1 GiB allowed by 'ulimit -v'");
  limits.data_bytes = 60 * mebibyte;
  EXPECT_EQ(describe_memory_size(memory(limits)), "10 MiB of 60 MiB allowed by 'ulimit -d'");
  limits = {};
  limits.address_space_bytes = 100'000 * mebibyte;  // more than the host has
  EXPECT_EQ(memory(limits).total_bytes, 8192 * mebibyte);
}

TEST_F(MemoryLimits, ParentControlGroupsLimit) {
  write("proc/self/cgroup", "0::/job/step\n");
  write("sys/fs/cgroup/job/step/memory.max", "max\n");
  write("sys/fs/cgroup/job/step/memory.current", "1048576\n");
  EXPECT_EQ(memory().free_bytes, 4096 * mebibyte);
  write("sys/fs/cgroup/job/memory.max", std::to_string(512 * mebibyte));
  write("sys/fs/cgroup/job/memory.current", std::to_string(500 * mebibyte));
  EXPECT_EQ(memory().free_bytes, 12 * mebibyte);
  // Page caches count as free.
  write("sys/fs/cgroup/job/memory.stat",
        "anon 1\ninactive_file " + std::to_string(300 * mebibyte) + "\n");
  EXPECT_EQ(memory().free_bytes, 312 * mebibyte);
  EXPECT_THAT(memory().limit, testing::HasSubstr("control group"));
}

TEST_F(MemoryLimits, ReadsVersion1GroupsInContainer) {
  write("proc/self/cgroup", "5:devices:/\n4:cpu,memory:/hidden/name\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(256 * mebibyte));
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(56 * mebibyte));
  EXPECT_EQ(memory().free_bytes, 200 * mebibyte);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");  // none
  EXPECT_EQ(memory().free_bytes, 4096 * mebibyte);
}

TEST(ResidentBytesPeak, NeverDecreases) {
  const auto before = resident_bytes_peak();
  EXPECT_GT(before, mebibyte);
  { const std::vector<char> touched(static_cast<std::size_t>(256 * mebibyte), 'x'); }
  const auto after = resident_bytes_peak();
  EXPECT_GT(after, 256 * mebibyte);
  EXPECT_GE(after, before);
}

}  // namespace
}  // namespace nfold::device
