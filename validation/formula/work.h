// How much work the truth of a formula is at large extents, estimated without tracing it there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "validation/formula/problem.h"

namespace assay::validation::formula {

/// The other extents where one or two are large.
inline constexpr std::int64_t others = 2;

/// These sizes by name; the other extents are 2, or 1 where their limit is.
Extents extents_at(const Specification& specification, const Extents& sizes);

/// The work of moving a case's inputs to a kernel, each element in the time of some fifty operations.
double work_of_moving(const Specification& specification, const Extents& sizes);

class Work {
 public:
  Work(const Specification& specification, const Trace& trace) : specification_(specification), trace_(trace) {}

  /// The elements of all nodes: up to 64 those of the graph, beyond by the parabola through those at 16, 32 and 64.
  double elements(const std::string& extent, std::int64_t size);

  /// The elements, and the work of tracing the nodes, of which a long recurrence has many.
  double with_nodes(const std::string& extent, std::int64_t size);

  double elements(const Extents& sizes) { return at(sizes).elements; }
  double with_nodes(const Extents& sizes) { return at(sizes).with_nodes; }

  /// With two extents from 64 on, as a product of powers of both.
  double with_nodes(const std::string& a, std::int64_t size_a, const std::string& b, std::int64_t size_b);

 private:
  struct Counts {
    double elements = 0, with_nodes = 0;
  };

  Counts at(const Extents& sizes);
  double estimate(const std::string& extent, std::int64_t size, double Counts::* count);

  const Specification& specification_;
  const Trace& trace_;
  std::map<Extents, Counts> known_;
};

}  // namespace assay::validation::formula
