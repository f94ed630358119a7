// Which term of a formula explains a result of a kernel in the algebra: each term of each sum is left out or counted
// twice, each condition is turned round and each operand forgotten, until the result is the kernel's. A change is carried
// from the sum to the result alone, so that a hypothesis costs little more than the operations between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/formula/evaluate.h"
#include "reference/formula/followed.h"

namespace assay::validation::formula {

class TermSearch {
 public:
  using Graph = reference::formula::Graph;
  using Node = reference::formula::Node;
  using Followed = reference::Followed;
  using Values = reference::formula::Values<Followed>;

  /// Searches for why element `element` of node `result` is `got`. Graph and values must outlive the search.
  TermSearch(const Graph& graph, const Values& values, std::int32_t result, std::int64_t element, const Followed& got);

  /// "lacks the term 65536 of the sum in line 4", or nothing where no single change explains what the kernel got here
  /// and in the search `other`, whose values are others.
  std::string explanation(TermSearch& other);

 private:
  struct Place {
    std::int32_t node = 0;
    std::int64_t element = 0;
    auto operator<=>(const Place&) const = default;
  };
  /// What becomes of the value at a place: a term added once more (+1) or taken away (-1), another operand or branch.
  struct Change {
    enum class Kind : std::uint8_t { term, operand, branch };
    Kind kind = Kind::term;
    std::int64_t index = 0;  ///< of the term or operand
    int sign = 0;
  };
  using Changes = std::map<Place, Change>;

  const Node& node_at(const Place& place) const { return graph_.nodes[static_cast<std::size_t>(place.node)]; }
  std::int64_t count_of(const Place& sum) const;
  std::vector<Place> arguments_of(const Place& place) const;
  const Followed& base(const Place& place) const;
  Followed at(const Place& place) const;
  Followed term(const Place& sum, std::int64_t index) const;
  Followed with(const Place& place, const std::vector<Place>& changed) const;
  Followed recomputed(const Place& place) const;
  Followed applied(const Place& place, Followed value, const Change& change) const;
  Followed result_of(const Changes& changes);
  bool has(const Changes& changes) const;
  bool explains_here(const Changes& changes);
  bool explains(const Changes& changes);
  std::string tried_terms(const Place& sum);
  std::string tried_operands(const Place& place);
  std::string tried_index_of_all();
  std::string where(const Place& place) const;

  const Graph& graph_;
  const Values& values_;
  Place result_;
  Followed got_;
  TermSearch* other_ = nullptr;
  std::vector<std::pair<Place, Place>>
      edges_;                                  ///< from arguments to what is computed of them, on the way to the result
  std::map<Place, std::vector<Place>> terms_;  ///< arguments of sums
  std::vector<Place> sums_, others_;
  std::map<Place, Followed> now_;  ///< what differs from `values_`
  std::int64_t work_ = 0;
};

}  // namespace assay::validation::formula
