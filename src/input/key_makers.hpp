// Values that several key tables share, and the parts of the table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "input/keys.hpp"

namespace nfold::input::makers {

using namespace document::makers;

inline constexpr std::uint64_t most_steps = 100'000'000'000'000;  // the noise counter holds 2^48
inline constexpr std::uint64_t any_seed = std::numeric_limits<std::uint64_t>::max();
inline constexpr auto refuse = document::OnResume::refuse;
inline constexpr auto allow = document::OnResume::allow;
inline constexpr std::array<Name, 3> axis_names{"x", "y", "z"};
inline constexpr std::array<Name, 5> end_names{"model", "none", "first", "last", "both"};
inline constexpr std::array<document::Synonym, 2> end_synonyms{
    {{"false", "none"}, {"true", "both"}}};

// Parts of the key table, one per file; keys.cpp joins them.
[[nodiscard]] std::vector<Key> system_keys();
[[nodiscard]] std::vector<Key> force_field_keys();
[[nodiscard]] std::vector<Key> condensate_keys();
[[nodiscard]] std::vector<Key> run_keys();
[[nodiscard]] std::vector<Key> device_keys();
[[nodiscard]] std::vector<Key> bias_keys();
[[nodiscard]] std::vector<Key> observable_keys();
[[nodiscard]] std::vector<Key> ensemble_keys();
[[nodiscard]] std::vector<Key> ensemble_analysis_keys();

}  // namespace nfold::input::makers
