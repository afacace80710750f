// Making and removal of a folder in TMPDIR.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/temporary_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <string>

#include "core/failure.hpp"

namespace nfold::bench {

TemporaryFolder::TemporaryFolder() {
  auto name = (std::filesystem::temp_directory_path() / "nfold-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw core::Failure(
        fmt::format("{}: no folder can be made; set TMPDIR to one that can be written", name));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace nfold::bench
