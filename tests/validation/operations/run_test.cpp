// One run of a kernel: every write that is none of its business is seen, and every element that it leaves out.
#include "validation/core/run.h"

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/operations/operations.h"
#include "validation/registry.h"

namespace assay::validation {
namespace {

template <class O>
class Run : public testing::Test {
 public:
  using Case = typename O::Case;
  using Output = typename O::Output;
  using Options = typename O::RunOptions;

  /// A kernel that writes 0 everywhere but calls change(span) for the result called `name`.
  template <class Change>
  static Stub<O> with_result(const std::string& name, const Change& change) {
    return Stub<O>([=](const auto&, const Output& out, const auto&) {
      for_each_row(O::results(), [&](const auto& row) {
        with_span(out.*row.in_output, [&]<class Real>(std::span<Real> span) {
          if (name == row.name) {
            change(span);
          } else {
            std::ranges::fill(span, Real());
          }
        });
      });
    });
  }

  static Stub<O> that_refuses(const std::string& message) {
    return Stub<O>([=](const auto&, const Output& out, const auto&) {
      with_span(out.*std::get<0>(O::results()).in_output, [](auto span) { span.data()[-1] = {}; });
      throw std::invalid_argument(message);
    });
  }

  /// Calls test(case, row) for each result and each type.
  template <class Test>
  static void for_each_result(const Test& test) {
    for (const Dtype dtype : dtypes_of<O>()) {
      auto c = with_every_array<O>();
      c.dtype = dtype;
      for_each_row(O::results(), [&](const auto& row) {
        SCOPED_TRACE(std::string(row.name) + " of " + name_of(dtype));
        test(c, row);
      });
    }
  }

  /// What a write of `value` at `offset` from the beginning of a result is seen as.
  static std::vector<std::string> seen(const Case& c, const std::string& name, std::ptrdiff_t offset, double value,
                                       const Options& options = {}) {
    const auto kernel = with_result(name, [=]<class Real>(std::span<Real> span) {
      std::ranges::fill(span, Real());
      span.data()[offset] = static_cast<Real>(value);
    });
    return run_kernel(kernel, c, options).out_of_bounds_writes;
  }
};

TYPED_TEST_SUITE(Run, Operations, OperationName);

TYPED_TEST(Run, SeesAWriteBeforeAndAfterEachResult) {
  this->for_each_result([](const auto& c, const auto& row) {
    const Stub<TypeParam> writes_nothing([](const auto&...) {});
    const auto size = static_cast<std::ptrdiff_t>((run_kernel(writes_nothing, c).*row.in_run).size());
    ASSERT_GT(size, 0);
    for (const double value : {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
      for (const std::ptrdiff_t offset : {-1, -64})
        EXPECT_THAT(TestFixture::seen(c, row.name, offset, value),
                    ElementsAre(fmt::format("wrote {}[{}], before its beginning", row.name, offset)));
      for (const std::ptrdiff_t offset : {size, size + 63})
        EXPECT_THAT(TestFixture::seen(c, row.name, offset, value),
                    ElementsAre(fmt::format("wrote {}[{}], past its {} elements", row.name, offset, size)));
      EXPECT_THAT(TestFixture::seen(c, row.name, size - 1, value), IsEmpty()) << "its own element";
    }
  });
}

TYPED_TEST(Run, SeesAWriteIntoAResultThatWasNotAskedFor) {
  this->for_each_result([](const auto& c, const auto& row) {
    if (row.wanted_with == nullptr) return;
    EXPECT_THAT(TestFixture::seen(c, row.name, 0, 0, {.without = {row.name}}),
                ElementsAre(fmt::format("wrote {}[0], past its 0 elements", row.name)));
  });
}

TYPED_TEST(Run, SeesEachElementThatIsNotWritten) {
  this->for_each_result([](const auto& c, const auto& row) {
    const auto kernel = TestFixture::with_result(
        row.name, []<class Real>(std::span<Real> span) { std::ranges::fill(span.first(span.size() - 1), Real()); });
    const auto run = run_kernel(kernel, c);
    const auto& result = run.*row.in_run;
    EXPECT_THAT(run.unwritten, ElementsAre(fmt::format("{}[{}] was not written", row.name, result.size() - 1)));
    EXPECT_TRUE(std::isnan(result.back())) << "what was not written must never look like a result";
  });
}

/// A kernel that reads a result before it writes it, as an accumulation into memory that is not cleared does.
TYPED_TEST(Run, TurnsTheUseOfAResultIntoNan) {
  this->for_each_result([](const auto& c, const auto& row) {
    const auto kernel = TestFixture::with_result(row.name, []<class Real>(std::span<Real> span) {
      span[0] = static_cast<Real>(static_cast<double>(span[0]) + 1);
    });
    EXPECT_TRUE(std::isnan((run_kernel(kernel, c).*row.in_run)[0]));
  });
}

TYPED_TEST(Run, SeesEachInputChange) {
  for (const Dtype dtype : dtypes_of<TypeParam>()) {
    auto c = with_every_array<TypeParam>();
    c.dtype = dtype;
    for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsArray<Row>) {
        const Stub<TypeParam> kernel([&](const auto& problem, const auto&, const auto&) {
          with_span(array_of(problem, row), []<class Element>(std::span<const Element> span) {
            // 0 and -0 are equal, and not the same.
            auto& last = const_cast<Element&>(span.back());
            if constexpr (std::is_integral_v<Element>) {
              ++last;
            } else {
              last = static_cast<Element>(-static_cast<double>(last));
            }
          });
        });
        EXPECT_THAT(run_kernel(kernel, c).out_of_bounds_writes, ElementsAre("changed its input")) << row.name;
      }
    });
    EXPECT_THAT(run_kernel(Stub<TypeParam>([](const auto&...) {}), c).out_of_bounds_writes, IsEmpty());
  }
}

/// The types of the arrays of the case's dtype, by name, as a kernel is given them.
template <class O>
std::map<std::string, Dtype> types_given(const typename O::Case& c, const typename O::RunOptions& options = {}) {
  std::map<std::string, Dtype> types;
  const Stub<O> kernel([&](const auto& problem, const auto& out, const auto&) {
    const auto note = [&](const char* name, const auto& any) {
      with_span(any, [&]<class Real>(std::span<Real>) { types[name] = dtype_of<std::remove_const_t<Real>>(); });
    };
    for_each_row(O::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsArray<Row> && is_of_dtype<Row>) note(row.name, array_of(problem, row));
    });
    for_each_row(O::results(), [&](const auto& row) { note(row.name, out.*row.in_output); });
  });
  run_kernel(kernel, c, options);
  return types;
}

TYPED_TEST(Run, GivesArraysOfTheCasesTypeUnlessAskedOtherwise) {
  for (const Dtype dtype : dtypes_of<TypeParam>()) {
    auto c = with_every_array<TypeParam>();
    c.dtype = dtype;
    for (const auto& [name, type] : types_given<TypeParam>(c)) {
      const bool is_value = name == "loss" || name == "S";  // float32, or float64 where the dtype is
      EXPECT_EQ(type, is_value && dtype != Dtype::float64 ? Dtype::float32 : dtype) << name;
      if (name == "loss") continue;
      const auto others = types_given<TypeParam>(c, {.other_type = {name}});
      EXPECT_NE(others.at(name), type) << name;
      for (const auto& [other, its_type] : others) {
        if (other == name) continue;
        EXPECT_EQ(its_type, types_given<TypeParam>(c).at(other)) << other;
      }
    }
  }
}

TYPED_TEST(Run, IsRefusedInTheKernelsWordsAndSeesAWriteOnTheWay) {
  const auto kernel = this->that_refuses("X = 7: expected less");
  const auto run = run_kernel(kernel, Samples<TypeParam>::small());
  EXPECT_TRUE(run.refused);
  EXPECT_EQ(run.message, "X = 7: expected less");
  EXPECT_THAT(run.out_of_bounds_writes, SizeIs(1));
  std::size_t elements = 0;
  for_each_row(TypeParam::results(), [&](const auto& row) { elements += (run.*row.in_run).size(); });
  EXPECT_THAT(run.unwritten, SizeIs(elements));
}

TYPED_TEST(Run, OfAValidProblemMustNotBeRefused) {
  EXPECT_NO_THROW(run_valid(*kernel_called<TypeParam>("plain"), Samples<TypeParam>::small()));
  EXPECT_THAT([&] { run_valid(this->that_refuses("X = 7: expected less"), Samples<TypeParam>::small()); },
              testing::ThrowsMessage<RefusedValidProblem>(Eq("a valid problem was refused: X = 7: expected less")));
}

TYPED_TEST(Run, LetsOtherExceptionsThrough) {
  const Stub<TypeParam> broken([](const auto&...) { throw std::logic_error("a bug of the kernel"); });
  EXPECT_THROW(run_kernel(broken, Samples<TypeParam>::small()), std::logic_error);
}

TYPED_TEST(Run, PassesItsOptionsOn) {
  std::map<std::string, std::size_t> sizes;
  int threads = -1;
  const Stub<TypeParam> kernel([&](const auto&, const auto& out, const auto& request) {
    threads = request.threads;
    for_each_row(TypeParam::results(), [&](const auto& row) {
      with_span(out.*row.in_output, [&](auto span) { sizes[row.name] = span.size(); });
    });
  });
  const auto run = [&](const typename TypeParam::RunOptions& options) {
    run_kernel(kernel, with_every_array<TypeParam>(), options);
    return sizes;
  };
  const auto all = run({});
  EXPECT_EQ(threads, 0);
  run({.request = {.threads = 3}});
  EXPECT_EQ(threads, 3);
  for (const auto& [name, size] : all) {
    auto expected = all;
    EXPECT_GT(size, 0U) << name;
    expected[name] = 0;
    EXPECT_EQ(run({.without = {name}}), expected);
    EXPECT_EQ(run({.extra = {{name, -99}}}), expected);
    expected[name] = size + 2;
    EXPECT_EQ(run({.extra = {{name, 2}}}), expected);
  }
}

TYPED_TEST(Run, DiffersFromAnotherByOneBitAnywhere) {
  const auto c = with_every_array<TypeParam>();
  const auto good = run_kernel(*kernel_called<TypeParam>("plain"), c);
  EXPECT_EQ(same_bits(c, good, good, "differs").verdict, Verdict::pass);
  for_each_row(TypeParam::results(), [&](const auto& row) {
    using Value = typename std::remove_cvref_t<decltype(good.*row.in_run)>::value_type;
    using Limits = std::numeric_limits<Value>;
    auto bad = good;
    for (Value& element : bad.*row.in_run) {
      const Value right = element;
      for (const Value wrong : {std::nextafter(right, Value{9}), Limits::quiet_NaN(), Limits::infinity()}) {
        element = wrong;
        const Finding finding = same_bits(c, good, bad, "differs");
        EXPECT_EQ(finding.verdict, Verdict::fail) << wrong;
        EXPECT_THAT(finding.explanation, AllOf(StartsWith(std::string(row.name) + "["), HasSubstr("]: differs")));
      }
      element = right;
    }
    (bad.*row.in_run).clear();
    EXPECT_EQ(same_bits(c, good, bad, "differs").verdict, Verdict::pass) << "of a run without " << row.name;
  });
}

/// What is no extent must reach the kernel as it is, and make no array of that size.
TYPED_TEST(Run, HandsOverExtentsThatAreNone) {
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  for_each_row(TypeParam::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>)
      for (const std::int64_t extent : {std::int64_t{-3}, std::int64_t{1} << 40, max}) {
        auto c = Samples<TypeParam>::small();
        c.*row.in_case = extent;
        const auto run = run_kernel(*kernel_called<TypeParam>("plain"), c);
        EXPECT_TRUE(run.refused) << row.name << " = " << extent;
        EXPECT_THAT(run.out_of_bounds_writes, IsEmpty());
      }
  });
}

}  // namespace
}  // namespace assay::validation
