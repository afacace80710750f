// Files of input/ that the benchmark suite needs, compiled into the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace nfold::bench {

/// Returns input/structures/1ubq.pdb.gz, still compressed.
[[nodiscard]] std::string_view ubiquitin_file();
/// Returns input/benchmark/gbeta-300.pdb.gz, still compressed.
[[nodiscard]] std::string_view gbeta_file();
/// Returns input/benchmark/condensate.yaml.
[[nodiscard]] std::string_view benchmark_table();
/// Returns input/sequences.fasta.
[[nodiscard]] std::string_view published_sequences();

}  // namespace nfold::bench
