// Pair terms of a force-field file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/bead_table.hpp"
#include "input/cutoff_reader.hpp"
#include "input/radial_functions.hpp"

namespace nfold::input {

/// States of the residues of a pair.
enum class PairState { disordered_disordered, folded_disordered, folded_folded };
inline constexpr std::size_t pair_states = 3;

/// Rule that makes a number of a pair.
enum class MixRule { constant, mean, geometric, sum, expression, row };
struct NumberRule {
  bool is_given = false;
  MixRule rule = MixRule::constant;
  double value = 0;  ///< constant, or offset that a mean subtracts
  const document::InputNode* node = nullptr;
  std::size_t row_index = 0;
  bool is_zero_if_missing = false;  ///< a bead without the number has 0
};

/// Kim and Hummer's rule for epsilon and lambda of a contact energy e in units of `unit_kj_mol`:
/// epsilon = max(least, |scale (e - offset)|), lambda = 1 for e below the offset, else -1.
struct ContactEnergyRule {
  double unit_kj_mol = 0, scale = 0, offset = 0, least_kj_mol = 0;
};

/// A pair term as a file describes it.
struct PairTermDraft {
  std::string name, path;
  const document::InputNode* node = nullptr;
  std::optional<pair_forms::FunctionKind> kind;
  std::vector<NumberRule> numbers;  ///< order of number_names()
  std::optional<ContactEnergyRule> contact_energy;
  std::vector<std::string> rows;  ///< names of the numbers in a row
  std::optional<Closeness> first, second;
  bool has_others = true;  ///< false: pairs without a row do not feel the term
  struct Addend {
    std::optional<Closeness> first, second;
    std::size_t number = 0;
    const document::InputNode* node = nullptr;
    std::string path;
  };
  std::vector<Addend> addends;
  double factors[pair_states] = {1, 1, 1};
  bool has_site_factor = false;
  Cutoff cutoff;
  std::shared_ptr<const TabulatedFunction> table;
  const Expression* energy = nullptr;
  std::vector<std::string> expression_numbers;  ///< names of the expression that pairs have

  [[nodiscard]] std::vector<std::string_view> number_names() const;
  [[nodiscard]] std::optional<std::size_t> find_number(std::string_view number) const;
  [[nodiscard]] bool depends_on_state() const;
};

class PairTermReader {
 public:
  PairTermReader(Numbers& numbers, BeadTable& beads, const ForceFieldFile& file)
      : numbers_(numbers), beads_(beads), file_(file) {}

  /// Reads the keys of a term over those of `draft`.
  void read(PairTermDraft& draft, const document::InputNode& node);
  /// Returns the term with the numbers of all pairs of types, folded copies included.
  PairTerm evaluate(const PairTermDraft& draft, bool has_folded_types);

 private:
  /// A row of `pairs`: values of some numbers between two beads or groups.
  struct Row {
    const document::InputNode* node = nullptr;
    const Closeness *first = nullptr, *second = nullptr;
    bool is_override = false;
    std::vector<double> values;  ///< full row: order of `rows`
    std::vector<std::pair<std::size_t, const document::InputNode*>>
        numbers;  ///< override: number and value
    bool acts = false, is_replaced_by_file = false;
  };
  /// Row that gives a number of a pair, and how closely it means the pair.
  struct Chosen {
    std::size_t row = 0;
    int source = 0, closeness = 0;
    const document::InputNode* value = nullptr;  ///< value of an override
    bool is_set = false;
    [[nodiscard]] bool yields_to(const Chosen& other) const {
      if (!is_set) return true;
      if (source != other.source) return other.source < source;
      return other.closeness <= closeness;
    }
  };
  void set_kind(PairTermDraft& draft, SectionKeys& section);
  void read_numbers(PairTermDraft& draft, SectionKeys& section);
  void read_mix(PairTermDraft& draft, const document::InputNode& mix);
  void read_addends(PairTermDraft& draft, SectionKeys& section);
  void read_factors(PairTermDraft& draft, SectionKeys& section);
  void read_between(const document::InputNode& node, const std::string& path,
                    std::optional<Closeness>& first, std::optional<Closeness>& second);
  std::vector<Row> read_rows(const PairTermDraft& draft);
  std::optional<Row> read_row(const PairTermDraft& draft, const document::InputNode& node);
  std::vector<Chosen> choose(const PairTermDraft& draft, std::vector<Row>& rows);
  std::optional<double> pair_number(const PairTermDraft& draft, std::size_t number, std::size_t a,
                                    std::size_t b, const Row* row, const Chosen& override_row);
  std::optional<std::vector<double>> pair_numbers(const PairTermDraft& draft, std::size_t a,
                                                  std::size_t b, const Row* row,
                                                  const Chosen* overrides);
  void place(const PairTermDraft& draft, const pair_forms::PairFunction& function, std::size_t a,
             std::size_t b, std::size_t types, PairTerm& term) const;
  void complain_idle(const PairTermDraft& draft, const std::vector<Row>& rows);
  std::optional<double> mixed(const PairTermDraft& draft, std::size_t number, std::size_t a,
                              std::size_t b, const Row* row);
  std::optional<pair_forms::PairFunction> function(const PairTermDraft& draft,
                                                   const std::vector<double>& values, std::size_t a,
                                                   std::size_t b);
  std::optional<MeanNumbers> means(const PairTermDraft& draft, bool has_overrides);

  Numbers& numbers_;
  BeadTable& beads_;
  const ForceFieldFile& file_;
  std::map<std::vector<double>, std::shared_ptr<const pair_forms::RadialFunction>> made_;
};

}  // namespace nfold::input
