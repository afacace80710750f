// flock on the output folder itself: no file is left behind.
// SPDX-License-Identifier: BSD-3-Clause

#include "job/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "job/refusal.hpp"

namespace nfold::job {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    refuse(folder.string(), std::string("cannot be opened: ") + std::strerror(errno),
           "the output folder must be readable and writable; choose another by --output");
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(descriptor_);
  refuse(folder.string(), "another nfold is writing into this folder",
         "wait for it to end or stop it, or choose another folder by --output");
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace nfold::job
