// Files of input/ that the benchmark suite needs wherever the program is carried.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace nfold::bench {

/// input/structures/1ubq.pdb.gz, still compressed.
[[nodiscard]] std::string_view ubiquitin_file();
/// input/benchmark/gbeta-300.pdb.gz, still compressed.
[[nodiscard]] std::string_view gbeta_file();
/// input/benchmark/condensate.yaml
[[nodiscard]] std::string_view benchmark_table();
/// input/sequences.fasta
[[nodiscard]] std::string_view published_sequences();

}  // namespace nfold::bench
