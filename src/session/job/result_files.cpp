// Checks of result files before the work, and writing after it.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/result_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/refusal.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/posix_file.hpp"

namespace nfold::job {
namespace fs = std::filesystem;
namespace {

bool is_same(const fs::path& a, const fs::path& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  return fs::equivalent(a, b, error) ||
         fs::absolute(a).lexically_normal() == fs::absolute(b).lexically_normal();
}

void require_writable(const ResultFile& result, Overwrite overwrite) {
  const auto& [option, file] = result;
  std::error_code error;
  if (fs::is_directory(file, error)) {
    core::refuse(file.string(), "is a folder", option + " takes the name of a file");
  }
  const auto folder = storage::parent_folder(file);
  if (!fs::is_directory(folder, error)) {
    core::refuse(file.string(), "its folder does not exist", "make the folder first");
  }
  if (is_special(file)) return;
  if (fs::exists(fs::symlink_status(file, error)) && overwrite == Overwrite::no) {
    core::refuse(file.string(), "the file exists already",
                 "choose another name with " + option + ", or replace it with --overwrite");
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    core::refuse(file.string(), "its folder cannot be written to",
                 "choose another name with " + option);
  }
}

void write_in_place(const fs::path& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) throw storage::make_file_error(file, "open", errno);
  int failure = 0;
  while (!text.empty() && failure == 0) {
    const auto count = ::write(descriptor, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      failure = errno;
    }
  }
  ::close(descriptor);
  if (failure != 0) throw storage::make_file_error(file, "write", failure);
}

}  // namespace

bool is_special(const fs::path& file) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (!fs::exists(status)) return false;
  if (!fs::is_regular_file(status)) return !fs::is_directory(status);
  // /dev/stdout is a regular file if the output is redirected into one.
  const auto path = fs::absolute(file).lexically_normal().string();
  return path.starts_with("/dev/") || path.starts_with("/proc/");
}

void require_writable(std::span<const ResultFile> results, Overwrite overwrite,
                      std::span<const fs::path> inputs) {
  for (const auto& result : results) {
    if (result.file.empty()) continue;
    for (const auto& input : inputs) {
      if (!is_same(result.file, input) || is_special(result.file)) continue;
      core::refuse(result.file.string(), result.option + " would replace what the command reads",
                   "choose another name");
    }
    for (const auto& other : results) {
      if (&other == &result || !is_same(result.file, other.file) || is_special(result.file))
        continue;
      core::refuse(result.file.string(),
                   "both " + result.option + " and " + other.option + " would write it",
                   "choose two names");
    }
    require_writable(result, overwrite);
  }
}

void write_result(const fs::path& file, std::string_view text) {
  if (is_special(file)) return write_in_place(file, text);
  std::error_code error;
  // A link is kept and its target replaced.
  const bool is_link = fs::is_symlink(fs::symlink_status(file, error)) && fs::exists(file, error);
  storage::write_file_atomically(is_link ? fs::canonical(file) : file, text);
}

}  // namespace nfold::job
