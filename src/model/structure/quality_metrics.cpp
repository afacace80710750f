// Rows of ModelCIF's quality metrics, and the pLDDT and PAE among them.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/quality_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "model/structure/cif_values.hpp"
#include "model/structure/predicted_model.hpp"
#include "model/structure/raw_residue.hpp"

namespace nfold::structure {

const QualityMetrics::Item* QualityMetrics::find_item(std::string_view tag) {
  static constexpr std::array<Item, 20> items{
      {{metric, "_ma_qa_metric.id", id},
       {metric, "_ma_qa_metric.mode", mode},
       {metric, "_ma_qa_metric.type", type},
       {local, "_ma_qa_metric_local.metric_id", metric_id},
       {local, "_ma_qa_metric_local.model_id", model_id},
       {local, "_ma_qa_metric_local.label_asym_id", chain_1},
       {local, "_ma_qa_metric_local.label_seq_id", number_1},
       {local, "_ma_qa_metric_local.metric_value", metric_value},
       {pairwise, "_ma_qa_metric_local_pairwise.metric_id", metric_id},
       {pairwise, "_ma_qa_metric_local_pairwise.model_id", model_id},
       {pairwise, "_ma_qa_metric_local_pairwise.label_asym_id_1", chain_1},
       {pairwise, "_ma_qa_metric_local_pairwise.label_seq_id_1", number_1},
       {pairwise, "_ma_qa_metric_local_pairwise.label_asym_id_2", chain_2},
       {pairwise, "_ma_qa_metric_local_pairwise.label_seq_id_2", number_2},
       {pairwise, "_ma_qa_metric_local_pairwise.metric_value", metric_value},
       {experiment, "_exptl.method", text},
       {experiment, "_refine.ls_d_res_high", text},
       {experiment, "_em_3d_reconstruction.resolution", text},
       {software, "_software.name", text},
       {software, "_struct.title", text}}};
  const std::string name = core::to_lower(tag);
  const auto* const found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.tag == name; });
  return found == items.end() ? nullptr : found;
}

void QualityMetrics::begin_loop(long line) {
  end_pairs(line);
  in_loop_ = true;
  category_ = none;
  columns_.clear();
  column_ = 0;
}

void QualityMetrics::tag(std::string_view tag) {
  const Item* item = find_item(tag);
  if (item != nullptr) category_ = item->category;
  columns_.push_back(item == nullptr ? -1 : item->field);
}

void QualityMetrics::value(std::string_view value, long line) {
  if (category_ == none) return;
  if (columns_[column_] >= 0) row_[static_cast<std::size_t>(columns_[column_])] = unquoted(value);
  if (++column_ < columns_.size()) return;
  column_ = 0;
  end_row(line);
}

void QualityMetrics::end_loop(long line) {
  if (category_ == none || column_ == 0) return;
  fail_at(name_, line,
          fmt::format("the last row has {} values, expected {}; the file is cut off, copy or "
                      "download it again",
                      column_, columns_.size()));
}

void QualityMetrics::pair_tag(std::string_view tag, long line) {
  if (in_loop_) {
    in_loop_ = false;
    category_ = none;
    row_ = {};
  }
  const Item* item = find_item(tag);
  pair_field_ = item == nullptr ? -1 : item->field;
  if (item == nullptr) return;
  // An item that comes again, or of another category, begins a new row.
  if (item->category != category_ || !row_[static_cast<std::size_t>(pair_field_)].empty()) {
    end_pairs(line);
  }
  category_ = item->category;
}

void QualityMetrics::pair_value(std::string_view value) {
  if (pair_field_ < 0) return;
  row_[static_cast<std::size_t>(pair_field_)] = unquoted(value);
  has_pair_ = true;
}

void QualityMetrics::end_pairs(long line) {
  if (has_pair_) end_row(line);
  has_pair_ = false;
  category_ = none;
  row_ = {};
}

double QualityMetrics::number_of(Field field, long line) const {
  double number = 0;
  if (parse_number(row_[field], number)) return number;
  fail_at(name_, line,
          fmt::format("metric_value is {}, expected a number", in_quotes(row_[field])));
}

int QualityMetrics::token(Field chain, Field number, long line) {
  ConfidenceTable::Token token{std::string(row_[chain]), 0};
  if (!row_[number].empty() && !parse_integer(row_[number], token.number)) {
    fail_at(name_, line,
            fmt::format("label_seq_id is {}, expected an integer", in_quotes(row_[number])));
  }
  const int known_chain =
      chain_index_.emplace(token.chain, static_cast<int>(chain_index_.size())).first->second;
  const std::int64_t key = (static_cast<std::int64_t>(known_chain) << 32) ^
                           static_cast<std::int64_t>(static_cast<std::uint32_t>(token.number));
  const auto [entry, is_new] = token_index_.emplace(key, static_cast<int>(tokens_.size()));
  if (is_new) tokens_.push_back(std::move(token));
  return entry->second;
}

void QualityMetrics::end_row(long line) {
  switch (category_) {
    case metric: {
      const std::string is_for = core::to_lower(row_[mode]), what = core::to_lower(row_[type]);
      if (plddt_id_.empty() && is_for == "local" && what.rfind("plddt", 0) == 0) {
        plddt_id_ = row_[id];
      }
      if (pae_id_.empty() && is_for == "local-pairwise" && what == "pae") pae_id_ = row_[id];
      break;
    }
    case local:
    case pairwise: {
      if (current_ == nullptr || current_key_.first != row_[metric_id] ||
          current_key_.second != row_[model_id]) {
        current_key_ = {std::string(row_[metric_id]), std::string(row_[model_id])};
        const auto [entry, is_new] = scores_.try_emplace(current_key_);
        current_ = &entry->second;
        if (is_new) models_[current_key_.first].push_back(current_key_.second);
      }
      const double score = number_of(metric_value, line);
      const int first = token(chain_1, number_1, line);
      if (category_ == local) {
        current_->local.emplace_back(first, score);
      } else {
        current_->pairs.push_back({first, token(chain_2, number_2, line), score});
      }
      break;
    }
    case experiment:
      record_.is_experimental |= is_experiment(row_[text]);
      break;
    case software:
      if (record_.predictor.empty() && names_predictor(row_[text])) {
        record_.predictor = fmt::format("{} in its header", in_quotes(row_[text]));
      }
      break;
    case none:
      break;
  }
  row_ = {};
}

const QualityMetrics::Scores* QualityMetrics::scores_of(const std::string& metric_name,
                                                        int model) const {
  const auto models = models_.find(metric_name);
  if (metric_name.empty() || models == models_.end()) return nullptr;
  const auto& ids = models->second;
  const auto index = std::min(static_cast<std::size_t>(model) - 1, ids.size() - 1);
  return &scores_.at({metric_name, ids[index]});
}

void QualityMetrics::set_pae(const Scores& scores, ConfidenceTable& table) const {
  const std::size_t count = tokens_.size();
  // Either each pair in both orders, or each once: fewer rows cannot fill the matrix.
  if (scores.pairs.size() < count * (count - 1) / 2) {
    throw StructureError(fmt::format(
        "{}: _ma_qa_metric_local_pairwise has {} pairs of {} residues; expected all {}, or each "
        "pair in one order: copy or download the file again",
        name_, scores.pairs.size(), count, count * count));
  }
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  auto& pae = table.pae_angstrom;
  pae.assign(count * count, missing);
  table.side = count;
  for (const Scores::Pair& pair : scores.pairs) {
    pae[static_cast<std::size_t>(pair.i) * count + static_cast<std::size_t>(pair.j)] = pair.value;
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      double& here = pae[i * count + j];
      if (!std::isnan(here)) continue;
      here = i == j ? 0 : pae[j * count + i];
      if (!std::isnan(here)) continue;
      throw StructureError(fmt::format(
          "{}: no PAE of {} {} and {} {} in _ma_qa_metric_local_pairwise; expected all pairs: copy "
          "or download the file again",
          name_, tokens_[i].chain, tokens_[i].number, tokens_[j].chain, tokens_[j].number));
    }
  }
}

PredictionRecord QualityMetrics::finish(int model) {
  end_pairs(0);
  ConfidenceTable& table = record_.metrics;
  const Scores* const plddt = scores_of(plddt_id_, model);
  const Scores* const pae = scores_of(pae_id_, model);
  if (record_.is_experimental) record_.predictor.clear();
  if (!plddt_id_.empty()) record_.predictor = "ModelCIF with pLDDT";
  if (plddt == nullptr && pae == nullptr) return std::move(record_);
  table.format = "ModelCIF";
  table.tokens = tokens_;
  if (plddt != nullptr) {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    table.plddt.assign(tokens_.size(), missing);
    for (const auto& [token, value] : plddt->local) {
      table.plddt[static_cast<std::size_t>(token)] = value;
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!std::isnan(table.plddt[i])) continue;
      throw StructureError(
          fmt::format("{}: no pLDDT of {} {} in _ma_qa_metric_local; expected one of each residue",
                      name_, tokens_[i].chain, tokens_[i].number));
    }
  }
  if (pae != nullptr) set_pae(*pae, table);
  return std::move(record_);
}

}  // namespace nfold::structure
