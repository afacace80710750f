// flock() on the output folder itself, which leaves no file behind, and on files.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/refusal.hpp"

namespace nfold::job {
namespace fs = std::filesystem;
namespace {

/// Returns false if another process holds the lock.
bool try_lock(int descriptor, int how) {
  return flock(descriptor, how | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void refuse_unopened(const fs::path& path) {
  core::refuse(path.string(), std::string("cannot be opened: ") + std::strerror(errno),
               "the output folder must be readable and writable; choose another by --output");
}

void refuse_held(const fs::path& path, const char* what) {
  core::refuse(path.string(), std::string("another nfold is writing into this ") + what,
               "wait for it to end or stop it, or choose another folder by --output",
               core::Outcome::folder_in_use);
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, Sharing sharing)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) refuse_unopened(folder);
  if (try_lock(descriptor_, sharing == Sharing::alone ? LOCK_EX : LOCK_SH)) return;
  close(descriptor_);
  refuse_held(folder, "folder");
}

FolderLock::~FolderLock() { close(descriptor_); }

FileLock::FileLock(const fs::path& file)
    : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) refuse_unopened(file);
  if (try_lock(descriptor_, LOCK_EX)) return;
  close(descriptor_);
  refuse_held(file, "file");
}

FileLock::~FileLock() { close(descriptor_); }

bool FileLock::is_held(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool is_free = try_lock(descriptor, LOCK_EX);
  close(descriptor);
  return !is_free;
}

}  // namespace nfold::job
