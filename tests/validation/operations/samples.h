// What the suites over all operations know of each: small cases, how much to judge, and how small faults shrink. The
// specialisations are in {ctc,cce,svd}/kernels.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tests/validation/named.h"
#include "validation/core/random.h"
#include "validation/core/run.h"

namespace assay::validation {

/// The largest extents, in the order of the table, of the case that a fault shrinks to.
struct SmallFault {
  const char* name;
  std::vector<std::int64_t> extents;
};

template <class O>
struct Samples;

/// A part of a line, what it is replaced with, and what the complaint names.
struct Spoiled {
  const char *from, *to, *named;
};

/// A line, a batch and faults for the tests of the program.
template <class O>
struct Commands;

template <class O>
typename O::Case generated(std::uint64_t seed, const typename O::Profile& profile = {}) {
  Random random(seed);
  return O::generate(random, static_cast<int>(seed % 101), profile);
}

/// The types that an operation is stated in.
template <class O>
std::vector<Dtype> dtypes_of() {
  std::vector<Dtype> all;
  for_each_row(O::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsDtype<Row>) all = row.all;
  });
  return all;
}

/// Calls use(span) with the span, or with the span that a variant holds.
template <class Any, class Use>
void with_span(const Any& any, const Use& use) {
  if constexpr (is_variant<Any>) {
    std::visit(use, any);
  } else {
    use(any);
  }
}

/// How many elements an array of the case has to have.
template <class O, class Row>
std::size_t elements_due(const Row& row, const typename O::Case& c) {
  return static_cast<std::size_t>(elements_of(dimensions<O>(row.shape.of(statement_of(c)), statement_of(c))));
}

/// The small case with every optional array.
template <class O>
typename O::Case with_every_array() {
  auto c = Samples<O>::small();
  for_each_row(O::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>)
      if ((c.*row.in_case).empty()) (c.*row.in_case).resize(elements_due<O>(row, c), 1);
  });
  return c;
}

/// Does what its function does, and claims what the plain kernel claims.
template <class O>
class Stub final : public O::Kernel {
 public:
  using Run = std::function<void(const typename O::Problem&, const typename O::Output&, const typename O::Request&)>;

  explicit Stub(Run run) : run_(std::move(run)) {}

  const typename O::Info& info() const override { return info_; }
  void run(const typename O::Problem& problem, const typename O::Output& out,
           const typename O::Request& request) const override {
    run_(problem, out, request);
  }

 private:
  typename O::Info info_ = kernel_called<O>("plain")->info();
  Run run_;
};

}  // namespace assay::validation
