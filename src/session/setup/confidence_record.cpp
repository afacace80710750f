// Blocks of a PAE, and their text.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/confidence_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace nfold::setup {
namespace {

/// Returns the mean of each block of a (count, count) matrix.
std::vector<double> block_means(const std::vector<double>& matrix, std::size_t count,
                                std::size_t width) {
  const std::size_t blocks = (count + width - 1) / width;
  std::vector<double> means(blocks * blocks, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      means[i / width * blocks + j / width] += matrix[i * count + j];
    }
  }
  const auto size = [&](std::size_t block) {
    return static_cast<double>(std::min(width, count - block * width));
  };
  for (std::size_t a = 0; a < blocks; ++a) {
    for (std::size_t b = 0; b < blocks; ++b) means[a * blocks + b] /= size(a) * size(b);
  }
  return means;
}

template <class Values>
std::string list(const Values& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

/// Returns texts in quotes, bytes that are not UTF-8 replaced.
std::string json_text(const nlohmann::json& texts) {
  return texts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Returns numbers with two decimals.
std::string rounded_list(const double* values, std::size_t count) {
  std::string text = "[";
  for (std::size_t k = 0; k < count; ++k) {
    fmt::format_to(std::back_inserter(text), "{}{:.2f}", k == 0 ? "" : ",", values[k]);
  }
  return text + "]";
}

}  // namespace

ConfidenceRecord make_confidence_record(const std::string& species,
                                        const structure::Structure& molecule,
                                        const std::vector<int>& domain_of) {
  const auto& confidence = molecule.confidence;
  ConfidenceRecord record;
  record.species = species;
  for (const structure::Chain& chain : molecule.chains) {
    record.chains.push_back(chain.name);
    record.chain_sizes.push_back(static_cast<int>(chain.residues.size()));
    for (const structure::Residue& residue : chain.residues) {
      record.numbers.push_back(residue.number);
    }
  }
  record.domains.assign(record.numbers.size(), 0);
  for (std::size_t i = 0; i < domain_of.size(); ++i) record.domains[i] = domain_of[i] + 1;
  record.plddt = confidence.plddt;
  if (!confidence.has_pae()) return record;
  const auto count = static_cast<int>(confidence.plddt.size());
  record.block_residues = (count + largest_edge - 1) / largest_edge;
  record.pae_angstrom = block_means(confidence.pae_angstrom, confidence.plddt.size(),
                                    static_cast<std::size_t>(record.block_residues));
  return record;
}

std::string to_json(const std::vector<ConfidenceRecord>& records) {
  std::string text = "{\"species\": [";
  for (const ConfidenceRecord& record : records) {
    text += fmt::format(
        "{}\n {{\"name\": {}, \"block_residues\": {}, \"chains\": {}, \"chain_sizes\": {},\n"
        "  \"numbers\": {},\n  \"domains\": {},\n  \"plddt\": {},\n  \"pae_angstrom\": [",
        &record == records.data() ? "" : ",", json_text(record.species), record.block_residues,
        json_text(record.chains), list(record.chain_sizes), list(record.numbers),
        list(record.domains), rounded_list(record.plddt.data(), record.plddt.size()));
    const auto width = static_cast<std::size_t>(record.block_residues);
    const std::size_t blocks =
        record.pae_angstrom.empty() ? 0 : (record.plddt.size() + width - 1) / width;
    for (std::size_t row = 0; row < blocks; ++row) {
      text += (row == 0 ? "\n   " : ",\n   ") +
              rounded_list(record.pae_angstrom.data() + row * blocks, blocks);
    }
    text += "]}";
  }
  return text + "\n]}\n";
}

}  // namespace nfold::setup
