// Kokkos Tools library that writes each profiling region and kernel to a file, one per line.
// SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

std::FILE* file() {
  static std::FILE* const opened = std::fopen(std::getenv("TOLD_REGIONS_FILE"), "w");
  return opened;
}

}  // namespace

extern "C" {

void kokkosp_push_profile_region(const char* name) { std::fprintf(file(), "push %s\n", name); }
void kokkosp_pop_profile_region() { std::fprintf(file(), "pop\n"); }
void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t* kernel) {
  *kernel = 0;
  std::fprintf(file(), "kernel %s\n", name);
}
void kokkosp_finalize_library() { std::fclose(file()); }
}
