// Settings with which an ensemble measures the size and shape of one chain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nfold::ensemble {

/// Returns KEY=VALUE of the section ensemble and of dynamics.steps for a chain of so many residues:
/// 16 independent replicas, 32 of more than 200 and 64 of more than 400 residues, up to 8,000
/// samples in all, which end when the error of the radius of gyration is 1 %. Samples are taken
/// every 0.3 N^2 steps, rounded up to a multiple of 500, in which a chain of N residues forgets
/// most of its conformation (Tesei et al., Nature 626, 897 (2024)).
[[nodiscard]] std::vector<std::string> chain_protocol(std::int64_t residues);

}  // namespace nfold::ensemble
