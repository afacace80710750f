// Small predicted structures and confidence files of all families, written by tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "structure_text.hpp"

namespace nfold::test {

/// pLDDT of residue i of a made-up model, 41 to 95.5.
inline double made_plddt(int i) { return 41 + (i * 37 % 110) * 0.5; }
/// PAE of row i, column j [angstrom], not symmetric.
inline double made_pae(int i, int j) { return i == j ? 0.2 : 0.5 + (i * 7 + j * 13) % 59 * 0.5; }

/// A helix with pLDDT as B-factors, equal for a residue's atoms.
inline std::vector<AtomText> predicted_helix(int count, const std::string& chain = "A",
                                             int first_of_file = 0) {
  auto atoms = helix(count, chain, 1, {2.0 * first_of_file, 0, 0});
  for (AtomText& atom : atoms) atom.b_factor = made_plddt(first_of_file + atom.number - 1);
  return atoms;
}

/// [[...],[...]] of value(i, j).
template <class Value>
std::string rows_json(int rows, int columns, const Value& value) {
  std::string text = "[";
  for (int i = 0; i < rows; ++i) {
    text += i == 0 ? "[" : ",[";
    for (int j = 0; j < columns; ++j) text += fmt::format("{}{}", j == 0 ? "" : ",", value(i, j));
    text += "]";
  }
  return text + "]";
}
template <class Value>
std::string list_json(int count, const Value& value) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", value(i));
  return text + "]";
}

/// AlphaFold DB and AlphaFold 2.3.
inline std::string afdb_json(int side) {
  return R"([{"predicted_aligned_error":)" + rows_json(side, side, made_pae) +
         R"(,"max_predicted_aligned_error":31.75}])";
}
/// AlphaFold DB until 2022, and notebooks.
inline std::string old_afdb_json(int side) {
  const int count = side * side;
  return R"([{"residue1":)" + list_json(count, [&](int k) { return k / side + 1; }) +
         R"(,"residue2":)" + list_json(count, [&](int k) { return k % side + 1; }) +
         R"(,"distance":)" + list_json(count, [&](int k) { return made_pae(k / side, k % side); }) +
         R"(,"max_predicted_aligned_error":31.75}])";
}
/// *_scores_rank_*.json of ColabFold.
inline std::string colabfold_scores_json(int side) {
  return R"({"plddt": )" + list_json(side, made_plddt) + R"(, "max_pae": 29.5, "pae": )" +
         rows_json(side, side, made_pae) + R"(, "ptm": 0.71, "iptm": 0.5})";
}
/// *_predicted_aligned_error_v1.json of ColabFold.
inline std::string colabfold_pae_json(int side) {
  return R"({"predicted_aligned_error": )" + rows_json(side, side, made_pae) +
         R"(, "max_predicted_aligned_error": 29.5})";
}
/// full_data_n.json or *_confidences.json of AlphaFold 3 for tokens (chain, number) and atoms.
inline std::string alphafold3_json(const std::vector<std::pair<std::string, int>>& tokens,
                                   const std::vector<double>& atom_plddts) {
  const int count = static_cast<int>(tokens.size());
  const auto at = [](int k) { return static_cast<std::size_t>(k); };
  return R"({"atom_chain_ids":[],"atom_plddts":)" +
         list_json(static_cast<int>(atom_plddts.size()),
                   [&](int k) { return atom_plddts[at(k)]; }) +
         R"(,"contact_probs":)" + rows_json(count, count, [](int, int) { return 0.5; }) +
         R"(,"pae":)" + rows_json(count, count, made_pae) + R"(,"token_chain_ids":)" +
         list_json(count, [&](int k) { return "\"" + tokens[at(k)].first + "\""; }) +
         R"(,"token_res_ids":)" + list_json(count, [&](int k) { return tokens[at(k)].second; }) +
         "}";
}

/// An NPY file. descr: "<f4", "<f8", "<i4" or ">f4"; values in the order of the file.
inline std::string npy(const std::string& descr, const std::string& shape,
                       const std::vector<double>& values, bool column_major = false) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                   column_major ? "True" : "False", shape);
  header.resize((header.size() + 10 + 63) / 64 * 64 - 10, ' ');
  std::string file = "\x93NUMPY";
  file +=
      {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file += header;
  for (const double value : values) {
    std::array<char, 8> bytes{};
    std::size_t width = 4;
    if (descr == "<f8") {
      width = 8;
      std::memcpy(bytes.data(), &value, width);
    } else if (descr == "<i4") {
      const int whole = static_cast<int>(value);
      std::memcpy(bytes.data(), &whole, width);
    } else {
      const auto single = static_cast<float>(value);
      std::memcpy(bytes.data(), &single, width);
      if (descr[0] == '>') std::reverse(bytes.begin(), bytes.begin() + 4);
    }
    file.append(bytes.data(), width);
  }
  return file;
}

inline std::string little(std::uint64_t value, int width) {
  std::string bytes;
  for (int k = 0; k < width; ++k) bytes += static_cast<char>(value >> (8 * k) & 0xff);
  return bytes;
}

/// A zip archive of files, deflated or stored.
inline std::string zip(const std::vector<std::pair<std::string, std::string>>& files,
                       bool deflated = true) {
  std::string archive, directory;
  for (const auto& [name, bytes] : files) {
    std::string packed = bytes;
    if (deflated) {
      z_stream stream{};
      if (deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::runtime_error("zlib");
      }
      packed.resize(deflateBound(&stream, bytes.size()) + 64);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(bytes.size());
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
      packed.resize(stream.total_out);
      deflateEnd(&stream);
    }
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const std::string common = little(deflated ? 8 : 0, 2) + little(0, 4) + little(crc, 4) +
                               little(packed.size(), 4) + little(bytes.size(), 4) +
                               little(name.size(), 2) + little(0, 2);
    directory += "PK\1\2" + little(20, 2) + little(20, 2) + little(0, 2) + common +
                 std::string(10, '\0') + little(archive.size(), 4) + name;
    archive += "PK\3\4" + little(20, 2) + little(0, 2) + common + name + packed;
  }
  const std::size_t at = archive.size();
  return archive + directory + "PK\5\6" + little(0, 4) + little(files.size(), 2) +
         little(files.size(), 2) + little(directory.size(), 4) + little(at, 4) + little(0, 2);
}

/// PAE of all pairs, row by row.
inline std::vector<double> pae_values(int side) {
  std::vector<double> values;
  for (int k = 0; k < side * side; ++k) values.push_back(made_pae(k / side, k % side));
  return values;
}
/// pae_*.npz of Boltz.
inline std::string boltz_pae_npz(int side) {
  return zip({{"pae.npy", npy("<f4", fmt::format("({0}, {0})", side), pae_values(side))}});
}
/// plddt_*.npz of Boltz, fractions.
inline std::string boltz_plddt_npz(int side) {
  std::vector<double> values;
  for (int i = 0; i < side; ++i) values.push_back(made_plddt(i) / 100);
  return zip({{"plddt.npy", npy("<f4", fmt::format("({},)", side), values)}});
}

/// The head of a ModelCIF's metrics: 1 global pLDDT, 2 local pLDDT, 3 PAE, 4 contact probability.
inline std::string metrics_head() {
  return "loop_\n_ma_qa_metric.id\n_ma_qa_metric.mode\n_ma_qa_metric.name\n_ma_qa_metric.type\n"
         "1 global pLDDT pLDDT\n2 local pLDDT pLDDT\n3 local-pairwise PAE PAE\n"
         "4 local-pairwise 'contact probability' 'contact probability'\n#\n";
}
inline std::string local_metrics(int count, const std::string& chain = "A") {
  std::string text =
      "loop_\n_ma_qa_metric_local.label_asym_id\n_ma_qa_metric_local.label_comp_id\n"
      "_ma_qa_metric_local.label_seq_id\n_ma_qa_metric_local.metric_id\n"
      "_ma_qa_metric_local.metric_value\n_ma_qa_metric_local.model_id\n"
      "_ma_qa_metric_local.ordinal_id\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("{} ALA {} 2 {:.2f} 1 {}\n", chain, i + 1, made_plddt(i), i + 1);
  }
  return text + "#\n";
}
/// Pairs (i, j), all or those with i <= j, beside another score.
inline std::string pairwise_metrics(int count, bool one_order = false) {
  std::string text =
      "loop_\n_ma_qa_metric_local_pairwise.ordinal_id\n_ma_qa_metric_local_pairwise.model_id\n"
      "_ma_qa_metric_local_pairwise.label_asym_id_1\n_ma_qa_metric_local_pairwise.label_seq_id_1\n"
      "_ma_qa_metric_local_pairwise.label_asym_id_2\n_ma_qa_metric_local_pairwise.label_seq_id_2\n"
      "_ma_qa_metric_local_pairwise.metric_id\n_ma_qa_metric_local_pairwise.metric_value\n";
  int ordinal = 0;
  for (int i = 0; i < count; ++i) {
    for (int j = one_order ? i : 0; j < count; ++j) {
      text += fmt::format("{} 1 A {} A {} 3 {}\n", ++ordinal, i + 1, j + 1, made_pae(i, j));
      text += fmt::format("{} 1 A {} A {} 4 0.5\n", ++ordinal, i + 1, j + 1);
    }
  }
  return text + "#\n";
}

}  // namespace nfold::test
