// Formats of confidence files, and their values for the residues of a structure.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/confidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "model/structure/confidence_json.hpp"
#include "model/structure/gunzip.hpp"
#include "model/structure/npz.hpp"
#include "model/structure/raw_residue.hpp"
#include "model/structure/structure.hpp"

namespace nfold::structure {
namespace {

constexpr const char* expected =
    "expected JSON, NPZ or ModelCIF with PAE or pLDDT, plain or gzipped";
constexpr double full_plddt = 100;
constexpr double largest_pae_angstrom = 1000;

[[noreturn]] void fail_confidence(const std::string& name, const std::string& what) {
  throw StructureError(fmt::format("{}: {}", name, what));
}

void set_pae(NumpyArray array, const std::string& name, ConfidenceTable& table) {
  auto& shape = array.shape;
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() != 2 || shape[0] != shape[1] || shape[0] == 0) {
    fail_confidence(name, fmt::format("the PAE has the shape ({}), expected a square matrix",
                                      fmt::join(shape, ", ")));
  }
  table.side = shape[0];
  table.pae_angstrom = std::move(array.values);
}

void set_plddt(NumpyArray array, const std::string& name, ConfidenceTable& table) {
  auto& shape = array.shape;
  while (shape.size() > 1 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() != 1 || shape[0] == 0) {
    fail_confidence(name, fmt::format("pLDDT has the shape ({}), expected a number for each token",
                                      fmt::join(shape, ", ")));
  }
  table.plddt = std::move(array.values);
}

ConfidenceTable parse_numpy(std::string_view bytes, const std::string& name) {
  ConfidenceTable table;
  if (is_npy(bytes)) {
    table.format = "NumPy array";
    NumpyArray array = parse_npy(bytes, name);
    if (array.shape.size() < 2) {
      set_plddt(std::move(array), name, table);
    } else {
      set_pae(std::move(array), name, table);
    }
    return table;
  }
  table.format = "Boltz";
  for (NumpyArray& array : parse_npz(bytes, name, {"pae", "plddt"})) {
    const bool is_pae = array.name == "pae";
    const auto& present = is_pae ? table.pae_angstrom : table.plddt;
    if (!present.empty()) fail_confidence(name, array.name + " comes a second time");
    if (is_pae) {
      set_pae(std::move(array), name, table);
    } else {
      set_plddt(std::move(array), name, table);
    }
  }
  return table;
}

[[noreturn]] void refuse_other_formats(std::string_view text, const std::string& name) {
  const std::pair<std::string_view, std::string_view> strangers[] = {
      {"\x1f\x8b", "gzip inside gzip (packed twice)"},
      {"BZh", "bzip2 data; unpack it with bunzip2"},
      {"\x28\xb5\x2f\xfd", "zstd data; unpack it with unzstd"},
      {"\x80", "a Python pickle, which can run code; save the PAE as JSON or NPZ"},
      {"<", "XML or a web page; download the file itself"},
      {"ATOM", "PDB coordinates; name them by the key structure"},
      {"MODEL", "PDB coordinates; name them by the key structure"},
      {"HEADER", "PDB coordinates; name them by the key structure"}};
  for (const auto& [start, what] : strangers) {
    if (text.starts_with(start))
      fail_confidence(name, fmt::format("this is {}; {}", what, expected));
  }
  fail_confidence(name, fmt::format("the file begins {}; {}",
                                    in_quotes(text.substr(0, text.find('\n'))), expected));
}

ConfidenceTable parse_by_content(std::string_view bytes, const std::string& name, int model) {
  if (is_zip(bytes) || is_npy(bytes)) return parse_numpy(bytes, name);
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    fail_confidence(name, fmt::format("the file is empty; {}", expected));
  }
  if (bytes[begin] == '{' || bytes[begin] == '[') return parse_confidence_json(bytes, name);
  std::size_t head = begin;
  while (head < bytes.size() && bytes[head] == '#') {
    head = bytes.find_first_not_of(" \t\r\n", std::min(bytes.find('\n', head), bytes.size()));
    if (head == std::string_view::npos) head = bytes.size();
  }
  const std::string_view text = bytes.substr(head);
  if (!text.starts_with("data_")) refuse_other_formats(text, name);
  ConfidenceTable table = read_mmcif_metrics(bytes, name, model);
  if (table.is_empty()) {
    fail_confidence(
        name,
        "mmCIF without pLDDT in _ma_qa_metric_local (mode local, type pLDDT) and PAE in "
        "_ma_qa_metric_local_pairwise; give the predictor's file with the PAE");
  }
  return table;
}

void check_values(const ConfidenceTable& table, const std::string& name) {
  for (std::size_t k = 0; k < table.pae_angstrom.size(); ++k) {
    const double error = table.pae_angstrom[k];
    if (error >= 0 && error <= largest_pae_angstrom) continue;
    fail_confidence(
        name, fmt::format("the PAE of row {}, column {} is {}, expected an error of 0 "
                          "to {:g} angstrom",
                          k / table.side + 1, k % table.side + 1, error, largest_pae_angstrom));
  }
  for (std::size_t k = 0; k < table.plddt.size(); ++k) {
    if (table.plddt[k] >= 0 && table.plddt[k] <= full_plddt) continue;
    fail_confidence(name, fmt::format("pLDDT {} is {}, expected 0 to 100", k + 1, table.plddt[k]));
  }
}

/// Converts pLDDT of 0 to 1. Returns true if it did.
bool scale_plddt(ConfidenceTable& table) {
  const bool is_fraction =
      std::all_of(table.plddt.begin(), table.plddt.end(), [](double p) { return p <= 1; });
  if (table.plddt.empty() || !is_fraction) return false;
  for (double& p : table.plddt) p *= full_plddt;
  return true;
}

/// A table with the name of its source.
struct NamedTable {
  ConfidenceTable values;
  std::string name;
  bool is_own = false;  ///< from the structure's file, which may leave out ligands
};

/// Residues of the structure and of its file, for the assignment of a table's values.
class Assignment {
 public:
  explicit Assignment(const Structure& structure) : structure_(structure), file_(structure.file) {
    for (const Chain& chain : structure.chains) {
      for (const Residue& residue : chain.residues) kept_.push_back(residue.file_residue);
    }
  }

  /// Returns pLDDT of the kept residues, means over their tokens or atoms.
  std::vector<double> plddt(const NamedTable& source) const {
    const ConfidenceTable& table = source.values;
    const std::vector<int> group = table.is_plddt_by_atom
                                       ? groups_of_atoms(table.plddt.size(), source.name)
                                       : groups_of_tokens(source, table.plddt.size(), "pLDDT");
    std::vector<double> sum(file_.residues.size(), 0), count(file_.residues.size(), 0);
    for (std::size_t k = 0; k < group.size(); ++k) {
      if (group[k] < 0) continue;
      const auto g = static_cast<std::size_t>(group[k]);
      sum[g] += table.plddt[k];
      ++count[g];
    }
    std::vector<double> mean;
    mean.reserve(kept_.size());
    for (const int residue : kept_) {
      mean.push_back(sum[static_cast<std::size_t>(residue)] /
                     count[static_cast<std::size_t>(residue)]);
    }
    return mean;
  }

  /// Returns the PAE of the kept residues, means over their tokens.
  std::vector<double> pae(const NamedTable& source) const {
    const ConfidenceTable& table = source.values;
    const std::vector<int> group = groups_of_tokens(source, table.side, "the PAE");
    const std::size_t residues = file_.residues.size(), kept = kept_.size();
    // Index among the kept residues, by residue of the file; kept: not taken.
    std::vector<std::size_t> index(residues, kept);
    for (std::size_t k = 0; k < kept; ++k) index[static_cast<std::size_t>(kept_[k])] = k;
    std::vector<std::size_t> place(group.size());
    std::vector<double> tokens(kept, 0);
    for (std::size_t k = 0; k < group.size(); ++k) {
      place[k] = group[k] < 0 ? kept : index[static_cast<std::size_t>(group[k])];
      if (place[k] < kept) ++tokens[place[k]];
    }
    std::vector<double> mean(kept * kept, 0);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (place[i] == kept) continue;
      for (std::size_t j = 0; j < group.size(); ++j) {
        if (place[j] == kept) continue;
        mean[place[i] * kept + place[j]] += table.pae_angstrom[i * table.side + j];
      }
    }
    for (std::size_t i = 0; i < kept; ++i) {
      for (std::size_t j = 0; j < kept; ++j) mean[i * kept + j] /= tokens[i] * tokens[j];
    }
    return mean;
  }

 private:
  /// Returns the file's residue of each token; -1: none that is needed.
  [[nodiscard]] std::vector<int> groups_of_tokens(const NamedTable& source, std::size_t count,
                                                  const std::string& what) const {
    if (!source.values.tokens.empty()) return groups_by_label(source, what);
    if (count == file_.residues.size()) {
      return groups(count, source.name, what, [](const auto&) { return 1; });
    }
    return groups(count, source.name, what, [](const FileContents::Residue& residue) {
      return residue.is_standard ? 1 : residue.atoms;
    });
  }

  [[nodiscard]] std::vector<int> groups_of_atoms(std::size_t count, const std::string& name) const {
    return groups(count, name, "atom_plddts",
                  [](const FileContents::Residue& residue) { return residue.atoms; });
  }

  /// Returns the file's residue of each value, if its residues have so many as size_of() says.
  template <class SizeOf>
  [[nodiscard]] std::vector<int> groups(std::size_t count, const std::string& name,
                                        const std::string& what, const SizeOf& size_of) const {
    std::vector<int> group;
    group.reserve(count);
    for (std::size_t r = 0; r < file_.residues.size() && group.size() <= count; ++r) {
      group.insert(group.end(), static_cast<std::size_t>(size_of(file_.residues[r])),
                   static_cast<int>(r));
    }
    if (group.size() != count) refuse_size(what, count, name);
    return group;
  }

  /// Returns the file's residue of each token by chain and number, in mmCIF those of the labels.
  [[nodiscard]] std::vector<int> groups_by_label(const NamedTable& source,
                                                 const std::string& what) const {
    const auto key = [](int chain, int number) {
      return (static_cast<std::int64_t>(chain) << 32) ^
             static_cast<std::int64_t>(static_cast<std::uint32_t>(number));
    };
    std::unordered_map<std::string, int> chains;
    for (std::size_t c = 0; c < file_.chain_names.size(); ++c) {
      chains.emplace(file_.chain_names[c], static_cast<int>(c));
    }
    std::unordered_map<std::int64_t, int> by_label, by_author;
    for (std::size_t r = 0; r < file_.residues.size(); ++r) {
      const FileContents::Residue& residue = file_.residues[r];
      by_label.emplace(key(residue.label_chain, residue.label_number), static_cast<int>(r));
      by_author.emplace(key(residue.chain, residue.number), static_cast<int>(r));
    }
    std::vector<int> group;
    std::vector<char> is_met(file_.residues.size(), 0);
    const auto residue_of = [&](const ConfidenceTable::Token& token) {
      const auto chain = chains.find(token.chain);
      if (chain == chains.end()) return -1;
      const std::int64_t label = key(chain->second, token.number);
      const auto found = by_label.find(label);
      if (found != by_label.end()) return found->second;
      const auto author = by_author.find(label);
      return author == by_author.end() ? -1 : author->second;
    };
    for (const ConfidenceTable::Token& token : source.values.tokens) {
      group.push_back(residue_of(token));
      if (group.back() < 0 && !source.is_own) refuse_token(token, source.name);
      if (group.back() >= 0) is_met[static_cast<std::size_t>(group.back())] = 1;
    }
    const auto met = static_cast<std::size_t>(std::count(is_met.begin(), is_met.end(), 1));
    const bool has_all = source.is_own
                             ? std::all_of(kept_.begin(), kept_.end(),
                                           [&](int residue) {
                                             return is_met[static_cast<std::size_t>(residue)] != 0;
                                           })
                             : met == file_.residues.size();
    if (!has_all) refuse_size(what, met, source.name);
    return group;
  }

  [[noreturn]] void refuse_token(const ConfidenceTable::Token& token,
                                 const std::string& name) const {
    fail_confidence(name, fmt::format("residue {} of chain {}, which {} does not have; give the "
                                      "files of one prediction",
                                      token.number, token.chain, structure_.name));
  }

  [[noreturn]] void refuse_size(const std::string& what, std::size_t count,
                                const std::string& name) const {
    const auto tokens = [&] {
      std::size_t sum = 0;
      for (const auto& residue : file_.residues) {
        sum += static_cast<std::size_t>(residue.is_standard ? 1 : residue.atoms);
      }
      return sum;
    }();
    const bool has_ligands = tokens != file_.residues.size();
    fail_confidence(
        name,
        fmt::format("{} is of {} residues or tokens, the file of {} has {} residues{}; give the "
                    "files of one prediction, whole (the key chains selects from both)",
                    what, count, structure_.name, file_.residues.size(),
                    has_ligands ? fmt::format(" ({} tokens with the atoms of ligands and modified "
                                              "residues)",
                                              tokens)
                                : std::string()));
  }

  const Structure& structure_;
  const FileContents& file_;
  std::vector<int> kept_;  ///< (residues) index in the file
};

/// pLDDT from B-factors; empty, with a note, if they cannot be pLDDT.
std::vector<double> plddt_of_b_factors(const Structure& structure, bool is_asked) {
  std::vector<double> plddt;
  for (const Chain& chain : structure.chains) {
    for (const Residue& residue : chain.residues) {
      if (!(residue.b_factor >= 0 && residue.b_factor <= full_plddt)) {
        fail_confidence(
            structure.name,
            fmt::format("the B-factor of {} is {:g}, but pLDDT is from 0 to 100; give a "
                        "file with pLDDT by the key confidence, or confidence: none",
                        describe_residue(residue, chain.name), residue.b_factor));
      }
      plddt.push_back(residue.b_factor);
    }
  }
  const auto [least, most] = std::minmax_element(plddt.begin(), plddt.end());
  if (*least == *most && plddt.size() > 1) {
    if (!is_asked) return {};
    fail_confidence(structure.name,
                    fmt::format("all B-factors are {:g}, so they are no pLDDT; give "
                                "a file with pLDDT by the key confidence",
                                *least));
  }
  return plddt;
}

/// The table that has pLDDT or PAE; refuses a second one.
template <class Has>
NamedTable* only_table(std::vector<NamedTable>& tables, const char* what, const Has& has) {
  NamedTable* only = nullptr;
  for (NamedTable& table : tables) {
    if (!has(table.values)) continue;
    if (only != nullptr) {
      fail_confidence(
          table.name,
          fmt::format("{} comes a second time, after {}; name one file with it", what, only->name));
    }
    only = &table;
  }
  return only;
}

std::string describe_confidence(const Confidence& confidence, const std::string& plddt_from,
                                const std::string& pae_from) {
  const auto& plddt = confidence.plddt;
  double sum = 0;
  for (const double p : plddt) sum += p;
  std::string line = fmt::format(
      "confidence: pLDDT from {}, mean {:.1f}, {} of {} residues below {:g}", plddt_from,
      sum / static_cast<double>(plddt.size()),
      std::count_if(plddt.begin(), plddt.end(), [](double p) { return p < confident_plddt; }),
      plddt.size(), confident_plddt);
  if (!confidence.has_pae()) return line + "; no PAE";
  double errors = 0;
  for (const double e : confidence.pae_angstrom) errors += e;
  return line + fmt::format("; PAE from {}, mean {:.1f} angstrom", pae_from,
                            errors / static_cast<double>(confidence.pae_angstrom.size()));
}

}  // namespace

ConfidenceTable parse_confidence(std::string_view bytes, const std::string& name, int model) {
  std::string unpacked;
  if (is_gzip(bytes)) {
    unpacked = gunzip(bytes, name);
    bytes = unpacked;
  }
  auto table = parse_by_content(bytes, name, model);
  check_values(table, name);
  return table;
}

void set_confidence(Structure& structure, const ConfidenceSources& sources) {
  std::vector<NamedTable> files;
  for (const NamedBytes& file : sources.files) {
    files.push_back({parse_confidence(file.bytes, file.name), file.name});
  }
  const auto& record = structure.file.prediction;
  NamedTable metrics{record.metrics, structure.name + ", quality metrics", true};
  const auto has_plddt = [](const ConfidenceTable& table) { return !table.plddt.empty(); };
  const auto has_pae = [](const ConfidenceTable& table) { return !table.pae_angstrom.empty(); };
  NamedTable* plddt = only_table(files, "pLDDT", has_plddt);
  NamedTable* pae = only_table(files, "PAE", has_pae);
  if (plddt == nullptr && has_plddt(metrics.values) && !sources.has_b_factors) plddt = &metrics;
  if (pae == nullptr && has_pae(metrics.values)) pae = &metrics;
  for (NamedTable* table : {plddt, pae}) {
    if (table == nullptr) continue;
    if (table->is_own) check_values(table->values, table->name);
    if (!scale_plddt(table->values)) continue;
    structure.notes.push_back(table->name + ": pLDDT is given as fractions of 1");
  }

  const Assignment assignment(structure);
  Confidence confidence;
  std::string plddt_from = "B-factors";
  if (plddt != nullptr && !sources.has_b_factors) {
    confidence.plddt = assignment.plddt(*plddt);
    plddt_from = fmt::format("{} ({})", plddt->name, plddt->values.format);
  } else if (sources.has_b_factors || pae != nullptr || structure.file.is_predicted()) {
    confidence.plddt = plddt_of_b_factors(structure, sources.has_b_factors || pae != nullptr);
    if (confidence.plddt.empty()) return;
    if (std::all_of(confidence.plddt.begin(), confidence.plddt.end(),
                    [](double p) { return p <= 1; })) {
      for (double& p : confidence.plddt) p *= full_plddt;
      structure.notes.push_back("B-factors are pLDDT as fractions of 1");
    }
  } else {
    return;
  }
  std::string pae_from;
  if (pae != nullptr) {
    confidence.pae_angstrom = assignment.pae(*pae);
    pae_from = fmt::format("{} ({})", pae->name, pae->values.format);
  }
  if (structure.file.is_predicted()) {
    structure.notes.push_back("predicted model: " + record.predictor);
  }
  structure.notes.push_back(describe_confidence(confidence, plddt_from, pae_from));
  structure.confidence = std::move(confidence);
}

}  // namespace nfold::structure
