// Quality metrics of an mmCIF file (ModelCIF): pLDDT of residues and PAE of pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/structure/confidence.hpp"

namespace nfold::structure {

/// Collector of the loops _ma_qa_metric, _ma_qa_metric_local and _ma_qa_metric_local_pairwise and
/// of the categories that say how a structure was obtained. The values passed in must outlive their
/// row.
class QualityMetrics {
 public:
  explicit QualityMetrics(std::string name) : name_(std::move(name)) {}

  void begin_loop(long line);
  void tag(std::string_view tag);
  /// Adds a value, with its quotes as in the file.
  void value(std::string_view value, long line);
  /// Ends the loop. Throws StructureError if its last row is incomplete.
  void end_loop(long line);
  void pair_tag(std::string_view tag, long line);
  void pair_value(std::string_view value);

  /// Returns the metrics of a model, counted from 1 in the order of the file's metrics. Throws
  /// StructureError for a PAE without some pairs.
  [[nodiscard]] PredictionRecord finish(int model);

 private:
  enum Category { none, metric, local, pairwise, experiment, software };
  enum Field {
    id,
    mode,
    type,
    metric_id,
    model_id,
    chain_1,
    number_1,
    chain_2,
    number_2,
    metric_value,
    text,
    field_count
  };
  struct Item {
    Category category;
    std::string_view tag;
    Field field;
  };
  /// Scores of one metric and model.
  struct Scores {
    std::vector<std::pair<int, double>> local;  ///< token, value
    struct Pair {
      int i, j;
      double value;
    };
    std::vector<Pair> pairs;
  };

  static const Item* find_item(std::string_view tag);
  void end_row(long line);
  void end_pairs(long line);
  [[nodiscard]] int token(Field chain, Field number, long line);
  [[nodiscard]] double number_of(Field field, long line) const;
  /// Scores of a metric for the model; null: none.
  [[nodiscard]] const Scores* scores_of(const std::string& metric_name, int model) const;
  void set_pae(const Scores& scores, ConfidenceTable& table) const;

  std::string name_;
  Category category_ = none;  ///< category of the loop, or of the items outside loops
  bool in_loop_ = false, has_pair_ = false;
  std::vector<int> columns_;  ///< field of each column of the loop; -1: not used
  std::size_t column_ = 0;
  int pair_field_ = -1;
  std::array<std::string_view, field_count> row_{};
  std::string plddt_id_, pae_id_;
  PredictionRecord record_;
  std::map<std::string, std::vector<std::string>> models_;  ///< model ids by metric, in file order
  std::map<std::pair<std::string, std::string>, Scores> scores_;  ///< by metric and model
  Scores* current_ = nullptr;
  std::pair<std::string, std::string> current_key_;
  std::vector<ConfidenceTable::Token> tokens_;
  std::unordered_map<std::string, int> chain_index_;
  std::unordered_map<std::int64_t, int> token_index_;
};

}  // namespace nfold::structure
