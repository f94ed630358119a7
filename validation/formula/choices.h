// Which positions a kernel may give where a formula's result is that of an element by its rank: argsort, and what is taken of
// it, such as argmax and the indices of top_k. Every element that errors may give the rank is right, at exact ties too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validation/formula/bounds.h"

namespace assay::validation::formula {

/// Within this an element may lie.
struct Interval {
  double lower = 0, upper = 0;
};

Interval interval_of(double value, double error);

/// For each rank of a row of values the positions that may have it, from the first to the last.
std::vector<reference::formula::detail::Candidates> candidates_in(const std::vector<Interval>& row);

/// The argsort that a node's elements are copies of; -1: none.
std::int32_t argsort_of(const Graph& graph, std::int32_t node);

/// Whether the elements of the node `sorted` are those whose positions the elements of `positions` are, as top_k returns both.
bool is_beside(const Graph& graph, const Doubles& values, std::int32_t positions, std::int32_t sorted);

class Choices {
 public:
  /// Those of the elements of `node`, of which argsort_of is one. `errors` are the bounds on all nodes.
  Choices(const Graph& graph, std::int32_t node, const Doubles& values, const Doubles& errors);

  /// What is wrong with the positions that a kernel gives; nothing where each may be right, and no row has one twice.
  struct Wrong {
    std::size_t element = 0;
    std::string why;
  };
  std::optional<Wrong> wrong_in(const std::vector<double>& got) const;

  /// The first of the values beside these positions, which wrong_in has passed, that is not the element there.
  std::optional<Wrong> wrong_beside(const std::vector<double>& got, const std::vector<double>& values,
                                    const Arithmetic& arithmetic, Dtype storage) const;

 private:
  std::string why(std::size_t element, double got) const;
  std::string why_not_nan(std::size_t row, double got) const;

  std::int64_t inner_ = 0;
  bool falls_ = false;               ///< whether what is sorted are the negatives of what the formula means
  std::vector<std::size_t> places_;  ///< of each element, in the argsort
  std::vector<Interval> intervals_;  ///< of what the argsort sorts
  std::vector<bool> is_judged_;      ///< of each row
  bool is_first_ = true;             ///< whether the first rank of a row is all that is asked for, as by argmax
  /// The first NaN of each row whose other elements are known: the one that argmax and argmin give; -1: none.
  std::vector<std::int64_t> first_nan_;
};

}  // namespace assay::validation::formula
