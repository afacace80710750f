// Functions of libnccl.so.2, which is opened on first use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nccl.h>

#include <string>

namespace nfold::comm {

/// Names and signatures are those of nccl.h.
struct NcclLibrary {
  std::string failure;  ///< reason why no function may be called; empty: all may
  int version = 0;      ///< encoded like ncclGetVersion: 22809 is 2.28.9

  decltype(&::ncclGetVersion) get_version = nullptr;
  decltype(&::ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&::ncclCommInitRank) comm_init_rank = nullptr;
  decltype(&::ncclCommDestroy) comm_destroy = nullptr;
  decltype(&::ncclCommAbort) comm_abort = nullptr;
  decltype(&::ncclCommGetAsyncError) comm_get_async_error = nullptr;
  decltype(&::ncclGetErrorString) get_error_string = nullptr;
  decltype(&::ncclGetLastError) get_last_error = nullptr;
  decltype(&::ncclGroupStart) group_start = nullptr;
  decltype(&::ncclGroupEnd) group_end = nullptr;
  decltype(&::ncclSend) send = nullptr;
  decltype(&::ncclRecv) receive = nullptr;
};

/// Opens the library on the first call and keeps it until the process ends, since NCCL runs threads
/// of its own.
[[nodiscard]] const NcclLibrary& nccl_library();

/// "2.28.9"
[[nodiscard]] std::string nccl_version_text(int version);

}  // namespace nfold::comm
