// Loading of libnccl.so.2 and lookup of its functions.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/nccl_library.hpp"

#include <dlfcn.h>

namespace nfold::comm {
namespace {

constexpr const char* nccl_file_name = "libnccl.so.2";
// Oldest version whose graph capture and error texts were checked.
constexpr int oldest_version = NCCL_VERSION(2, 19, 0);

template <class Function>
void look_up(void* file, const char* name, Function& function, std::string& failure) {
  function = reinterpret_cast<Function>(dlsym(file, name));
  if (function == nullptr && failure.empty()) {
    failure =
        std::string(nccl_file_name) + " has no function " + name + ": it is no NCCL 2.19 or newer";
  }
}

void load_functions(void* file, NcclLibrary& nccl) {
  look_up(file, "ncclGetVersion", nccl.get_version, nccl.failure);
  look_up(file, "ncclGetUniqueId", nccl.get_unique_id, nccl.failure);
  look_up(file, "ncclCommInitRank", nccl.comm_init_rank, nccl.failure);
  look_up(file, "ncclCommDestroy", nccl.comm_destroy, nccl.failure);
  look_up(file, "ncclCommAbort", nccl.comm_abort, nccl.failure);
  look_up(file, "ncclCommGetAsyncError", nccl.comm_get_async_error, nccl.failure);
  look_up(file, "ncclGetErrorString", nccl.get_error_string, nccl.failure);
  look_up(file, "ncclGetLastError", nccl.get_last_error, nccl.failure);
  look_up(file, "ncclGroupStart", nccl.group_start, nccl.failure);
  look_up(file, "ncclGroupEnd", nccl.group_end, nccl.failure);
  look_up(file, "ncclSend", nccl.send, nccl.failure);
  look_up(file, "ncclRecv", nccl.receive, nccl.failure);
}

NcclLibrary open_library() {
  NcclLibrary nccl;
  void* const file = dlopen(nccl_file_name, RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) {
    const char* const reason = dlerror();
    nccl.failure = std::string("no ") + nccl_file_name + " could be opened (" +
                   (reason == nullptr ? "no reason given" : reason) +
                   "); install NCCL 2.19 or newer, or add its folder to LD_LIBRARY_PATH";
    return nccl;
  }
  load_functions(file, nccl);
  if (!nccl.failure.empty()) return nccl;
  const auto code = nccl.get_version(&nccl.version);
  if (code != ncclSuccess) {
    nccl.failure = std::string("ncclGetVersion failed: ") + nccl.get_error_string(code);
  } else if (nccl.version < oldest_version) {
    nccl.failure = std::string(nccl_file_name) + " is version " + nccl_version_text(nccl.version) +
                   ", too old; 2.19 or newer is needed";
  }
  return nccl;
}

}  // namespace

std::string nccl_version_text(int version) {
  if (version < 10000) version = version / 1000 * 10000 + version % 1000;  // 2.8 and older: 2708
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

const NcclLibrary& nccl_library() {
  static const NcclLibrary library = open_library();
  return library;
}

}  // namespace nfold::comm
