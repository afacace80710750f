// Host memory of /proc/meminfo, limited by ulimits and control groups.
// SPDX-License-Identifier: BSD-3-Clause

#include "device/memory_limits.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace nfold::device {
namespace {
namespace fs = std::filesystem;

constexpr std::int64_t no_limit = std::int64_t{1} << 62U;

std::int64_t soft_limit(int resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, no_limit));
}

/// Returns the number after a word, such as in "VmSize:  1234 kB"; -1 if the word is not found.
std::int64_t number_after(const fs::path& file, std::string_view word) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::int64_t number = 0;
    if (words >> first >> number && first == word) return number;
  }
  return -1;
}

/// Returns the file's only number; untold for "max" or a missing file.
std::int64_t number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::int64_t number = 0;
  return stream >> number ? number : no_limit;
}

void narrow(MemorySize& memory, std::int64_t limit_bytes, std::int64_t used_bytes,
            const char* limit) {
  const std::int64_t left = std::max<std::int64_t>(0, limit_bytes - used_bytes);
  if (limit_bytes >= no_limit || left >= memory.free_bytes) return;
  memory = {left, limit_bytes, limit};
}

/// File names of one version of control groups.
struct GroupFiles {
  const char *limit, *used, *reclaimable;
};
constexpr GroupFiles version_1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};
constexpr GroupFiles version_2{"memory.max", "memory.current", "inactive_file"};

/// Applies the limits of a control group and its parents. A container may see its own group as the
/// top.
void narrow_by_groups(MemorySize& memory, const fs::path& top, fs::path group,
                      const GroupFiles& files) {
  while (true) {
    const fs::path folder = top / group;
    const std::int64_t used = number_in(folder / files.used);
    if (used < no_limit) {
      const auto reclaimable = number_after(folder / "memory.stat", files.reclaimable);
      narrow(memory, number_in(folder / files.limit), used - std::max<std::int64_t>(0, reclaimable),
             "of the control group (container or job)");
    }
    if (group.empty()) return;
    group = group.parent_path();
  }
}

void narrow_by_control_groups(MemorySize& memory, const fs::path& root) {
  const fs::path top = root / "sys/fs/cgroup";
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    // "4:memory:/group" in version 1, "0::/group" in version 2.
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    if (controllers == ",,") narrow_by_groups(memory, top, group, version_2);
    if (controllers.find(",memory,") != std::string::npos) {
      narrow_by_groups(memory, top / "memory", group, version_1);
    }
  }
}

}  // namespace

ProcessLimits process_limits() { return {soft_limit(RLIMIT_AS), soft_limit(RLIMIT_DATA)}; }

MemorySize host_memory_within(const ProcessLimits& limits, const fs::path& root) {
  constexpr std::int64_t kibibyte = 1024;
  const auto bytes_of = [&](const char* file, std::string_view word) {
    const auto number = number_after(root / file, word);
    return number < 0 ? no_limit : number * kibibyte;
  };
  MemorySize memory{bytes_of("proc/meminfo", "MemAvailable:"),
                    bytes_of("proc/meminfo", "MemTotal:"), ""};
  narrow(memory, limits.address_space_bytes, bytes_of("proc/self/status", "VmSize:"),
         "by 'ulimit -v'");
  narrow(memory, limits.data_bytes, bytes_of("proc/self/status", "VmData:"), "by 'ulimit -d'");
  narrow_by_control_groups(memory, root);
  return memory;
}

std::int64_t resident_bytes_peak() {
  constexpr std::int64_t bytes_of_unit = 1024;
  return std::max<std::int64_t>(0, number_after("/proc/self/status", "VmHWM:")) * bytes_of_unit;
}

}  // namespace nfold::device
