// The property batch compares every element of every member with that in batches of other sizes.
#include "validation/core/batch.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "tests/matchers.h"
#include "tests/validation/operations/operations.h"
#include "validation/registry.h"

namespace assay::validation {
namespace {

// Three members with other values each.
CtcCase three_of(const CtcCase& one) {
  CtcCase c = select_rows(one, {0, 0, 0});
  for (std::size_t i = 0; i < c.activations.size(); ++i)
    c.activations[i] += static_cast<float>(i % (3 * static_cast<std::size_t>(c.C)));
  return c;
}
CceCase three_of(const CceCase& one) {
  CceCase c = select_tokens(one, {0, 0, 0});
  for (std::size_t i = 0; i < c.hidden.size(); ++i) c.hidden[i] += static_cast<float>(i);
  return c;
}
SvdCase three_of(const SvdCase& one) {
  SvdCase c = select_matrices(one, {0, 0, 0});
  for (std::size_t i = 0; i < c.A.size(); ++i) c.A[i] += static_cast<double>(i);
  return c;
}

template <class O>
class Batch : public testing::Test {
 public:
  static std::string_view extent() { return std::string_view(O::name) == "cce" ? "N" : "B"; }

  static std::int64_t members(const auto& statement) { return extent_of<O>(extent(), statement); }

  static typename O::Case given() {
    auto c = with_every_array<O>();
    c.dtype = Dtype::float32;
    return three_of(c);
  }

  static Finding judged(const typename O::Kernel& kernel) {
    for (const auto& property : O::properties())
      if (property.name == "batch") return judge(property, Context<O>{kernel}, given());
    return Finding::error("there is no such property");
  }

  /// The plain kernel, but change(element) in batches of another size than the given case: element `i` of the result
  /// called `name`. `changed` becomes whether there was one.
  template <class Change>
  static Finding with_change(const std::string& name, std::size_t i, const Change& change, bool& changed) {
    const auto plain = kernel_called<O>("plain");
    const std::int64_t size = members(statement_of(given()));
    return judged(Stub<O>([&](const auto& problem, const auto& out, const auto& request) {
      plain->run(problem, out, request);
      if (members(problem.options) == size) return;
      for_each_row(O::results(), [&](const auto& row) {
        with_span(out.*row.in_output, [&]<class Real>(std::span<Real> span) {
          if (name != row.name || i >= span.size()) return;
          changed = true;
          span[i] = static_cast<Real>(change(static_cast<double>(static_cast<float>(span[i]))));
        });
      });
    }));
  }
};
TYPED_TEST_SUITE(Batch, Operations, OperationName);

double next(double x) {
  return double{std::nextafter(static_cast<float>(x), 9.0F)};
}
double not_a_number(double) {
  return std::numeric_limits<double>::quiet_NaN();
}
double infinite(double) {
  return std::numeric_limits<double>::infinity();
}

TYPED_TEST(Batch, DiffersByOneBitAnywhere) {
  const auto good = run_kernel(*kernel_called<TypeParam>("plain"), this->given());
  for_each_row(TypeParam::results(), [&](const auto& row) {
    const auto names = names_in(row.shape.of(statement_of(this->given())));
    const std::size_t size = (good.*row.in_run).size();
    for (std::size_t i = 0; i < size; ++i)
      for (double (*const change)(double) : {next, not_a_number, infinite}) {
        bool changed = false;
        const Finding finding = this->with_change(row.name, i, change, changed);
        const bool is_sum = std::ranges::find(names, this->extent()) == names.end() && names.front() != "1";
        EXPECT_EQ(finding.verdict, changed && !is_sum ? Verdict::fail : Verdict::pass) << row.name << " " << i;
        if (is_failure(finding.verdict)) {
          EXPECT_THAT(finding.explanation,
                      AllOf(StartsWith(std::string(row.name) + "["), HasSubstr("]: other bits where ")));
        }
      }
  });
}

TYPED_TEST(Batch, HoldsOfThePlainKernel) {
  const Finding finding = this->judged(*kernel_called<TypeParam>("plain"));
  EXPECT_EQ(finding.verdict, Verdict::pass) << finding.explanation;
  EXPECT_GT(finding.judged.elements, 0);
}

TYPED_TEST(Batch, AsksForArraysThatBeginAsAllocatedOnes) {
  std::vector<bool> aligned;
  const auto plain = kernel_called<TypeParam>("plain");
  this->judged(Stub<TypeParam>([&](const auto& problem, const auto& out, const auto& request) {
    aligned.push_back(request.aligned);
    plain->run(problem, out, request);
  }));
  EXPECT_EQ(aligned.size(), 4U) << "of 3, 1, 2 and more members";
  EXPECT_THAT(aligned, Each(true));
}

TEST(BatchSizes, AreFewerAndMore) {
  Random random(1);
  EXPECT_THAT(other_sizes(1, 10, random), Each(AllOf(testing::Ge(2), testing::Le(131))));
  for (const std::int64_t size : {2, 7, 100, 5000}) {
    const auto sizes = other_sizes(size, size * 10, random);
    for (const std::int64_t fewer : {std::int64_t{1}, size / 2, size - 1}) EXPECT_THAT(sizes, Contains(fewer));
    EXPECT_GT(*sizes.rbegin(), size);
    EXPECT_LE(*sizes.rbegin(), size + std::max<std::int64_t>(size, 130));
  }
  for (int i = 0; i < 20; ++i) EXPECT_LE(*other_sizes(2, 100'000, random).rbegin(), 4) << "large members are few";
}

}  // namespace
}  // namespace assay::validation
