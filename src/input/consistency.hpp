// Rules that involve several keys, applied when each key is valid.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/document/section_reader.hpp"
#include "input/settings.hpp"

namespace nfold::input {

/// Sets defaults that depend on other keys and reports all contradictions to the reader.
void complete_and_check(Settings& settings, document::SectionReader& reader);

// Its parts, by section.
/// Checks `system`: species with one source and one amount each, box and concentrations that agree.
void complete_and_check_system(Settings& settings, document::SectionReader& reader);
/// Checks `start`: a start that the box and the species allow.
void complete_and_check_start(Settings& settings, document::SectionReader& reader);
/// Completes `ensemble` and checks it with the sections that it restricts.
void complete_and_check_ensemble(Settings& settings, document::SectionReader& reader);

}  // namespace nfold::input
