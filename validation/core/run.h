// One run of a kernel on a case, with its results poisoned beforehand and guarded on both sides.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "validation/core/call_time.h"
#include "validation/core/compare.h"
#include "validation/core/guarded_output.h"
#include "validation/core/support.h"
#include "validation/core/typed_array.h"

namespace assay::validation {

template <class Request>
struct RunOptions {
  Request request = {};
  std::set<std::string> without = {};     ///< results that are not asked for
  std::map<std::string, int> extra = {};  ///< by how many elements a result is too long, or too short
  std::set<std::string> other_type = {};  ///< arrays given in a wrong type
};

/// The types of an operation that follow from those of its cases, kernels and runs.
template <class TheCase, class TheKernel, class TheRun>
struct FieldTypes {
  using Case = TheCase;
  using Kernel = TheKernel;
  using Run = TheRun;
  using Info = typename Kernel::Info;
  using Problem = typename Kernel::Problem;
  using Output = typename Kernel::Output;
  using Request = typename Kernel::Request;
  using RunOptions = validation::RunOptions<Request>;
  using Statement = decltype(Problem::options);
};

/// The dimensions of a result; a request may ask for another extent than the problem has.
template <class Fields, class Row>
std::vector<std::int64_t> result_dimensions(const Row& row, const typename Fields::Statement& statement,
                                            const typename Fields::Request& request) {
  std::vector<std::int64_t> all;
  for (const std::string_view name : names_in(row.shape.of(statement))) {
    all.push_back(extent_of<Fields>(name, statement));
    if constexpr (requires { request.replaces(name, all.back()); }) request.replaces(name, all.back());
  }
  return all;
}

namespace detail {

/// Whether a variant of spans has a span of 16-bit elements.
template <class View>
inline constexpr bool holds_16_bits =
    std::is_constructible_v<View, std::span<metal::Half>> && !std::is_same_v<View, std::span<metal::Half>>;

/// The type that a result of this View is stored in for a case of the dtype: the dtype itself, or float32 or float64.
template <class View>
Dtype stored_dtype(Dtype dtype, bool other) {
  if constexpr (holds_16_bits<View>) return other ? other_than(dtype) : dtype;
  if constexpr (is_variant<View>) return (dtype == Dtype::float64) != other ? Dtype::float64 : Dtype::float32;
  return Dtype::float32;
}

/// A guarded result of any type.
class AnyResult {
 public:
  AnyResult(const char* name, std::size_t size, Dtype dtype) {
    with_real(dtype, [&]<class Real>(Real) { guarded_.emplace<GuardedOutput<Real>>(name, size); });
  }

  template <class View>
  View view() {
    return std::visit([](auto& guarded) { return view_as<View>(guarded.view()); }, guarded_);
  }

  template <class Image>
  void inspect(Footprint& footprint, std::vector<Image>& image) {
    std::visit(
        [&](auto& guarded) {
          guarded.inspect(footprint);
          const auto view = guarded.view();
          if constexpr (std::is_same_v<typename decltype(view)::value_type, Image>)
            return image.assign(view.begin(), view.end());  // resized first, it would be filled with zeros
          image.resize(view.size());
          std::ranges::transform(view, image.begin(), [](const auto& value) { return static_cast<Image>(value); });
        },
        guarded_);
  }

 private:
  std::variant<GuardedOutput<float>, GuardedOutput<metal::Half>, GuardedOutput<metal::BFloat16>, GuardedOutput<double>>
      guarded_{std::in_place_index<0>, "", 0};
};

}  // namespace detail

/// The arguments of a kernel for a case.
template <HasFields Case>
class CallInputs {
 public:
  using Fields = typename Case::Fields;
  using Problem = typename Fields::Problem;

  CallInputs(const Case& c, const std::set<std::string>& other_type) {
    for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsScalar<Row>) {
        problem_.options.*row.in_statement = c.*row.in_case;
      } else if constexpr (IsArray<Row>) {
        if constexpr (is_of_dtype<Row>) {
          arrays_.emplace_back(c.*row.in_case, other_type.contains(row.name) ? other_than(c.dtype) : c.dtype);
          problem_.*row.in_problem = arrays_.back().template view<typename Fields::Input>();
        } else {
          problem_.options.*row.in_problem = c.*row.in_case;
        }
      }
    });
  }

  const Problem& problem() const { return problem_; }

  /// Whether somebody has written to the arguments, which were made of `c`.
  bool differ_from(const Case& c) const {
    bool differ = false;
    auto array = arrays_.begin();
    for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsArray<Row> && is_of_dtype<Row>) differ = (array++)->differs_from(c.*row.in_case) || differ;
    });
    return differ;
  }

 private:
  std::deque<TypedArray> arrays_;
  Problem problem_{};
};

/// The memory for a kernel's results.
template <HasFields Case>
class CallResults {
 public:
  using Fields = typename Case::Fields;
  using Options = typename Fields::RunOptions;

  CallResults(const Case& c, const Options& options) {
    const auto statement = statement_of(c);
    for_each_row(Fields::results(), [&]<class Row>(const Row& row) {
      using View = std::remove_cvref_t<decltype(output_.*row.in_output)>;
      std::int64_t due = elements_of(result_dimensions<Fields>(row, statement, options.request));
      if (row.gradient_of != nullptr) due = static_cast<std::int64_t>((c.*row.gradient_of).size());
      if (const auto extra = options.extra.find(row.name); extra != options.extra.end()) due += extra->second;
      if (options.without.contains(row.name)) due = 0;
      const Dtype dtype = detail::stored_dtype<View>(c.dtype, options.other_type.contains(row.name));
      results_.emplace_back(row.name, static_cast<std::size_t>(std::max<std::int64_t>(due, 0)), dtype);
      output_.*row.in_output = results_.back().template view<View>();
    });
  }

  const typename Fields::Output& output() const { return output_; }

  void inspect(typename Fields::Run& run) {
    auto result = results_.begin();
    for_each_row(Fields::results(), [&](const auto& row) { (result++)->inspect(run, run.*row.in_run); });
  }

 private:
  std::deque<detail::AnyResult> results_;
  typename Fields::Output output_;
};

template <class Fields>
Returned returned_by(const typename Fields::Run& run) {
  Returned returned;
  for_each_row(Fields::results(), [&](const auto& row) { returned.add_all(run.*row.in_run); });
  return returned;
}

/// Runs the kernel and records a refusal, an std::invalid_argument. Other exceptions pass through.
template <class Kernel, HasFields Case>
typename Case::Fields::Run run_kernel(const Kernel& kernel, const Case& c,
                                      const typename Case::Fields::RunOptions& options = {}) {
  using Fields = typename Case::Fields;
  typename Fields::Run run;
  if constexpr (requires { run.describe(c, options.request); }) run.describe(c, options.request);
  const Case given = c;
  const CallInputs<Case> inputs(given, options.other_type);
  CallResults<Case> results(given, options);
  const CallTimer timer;
  try {
    if constexpr (requires { Fields::call(kernel, inputs.problem(), results.output(), options.request); }) {
      Fields::call(kernel, inputs.problem(), results.output(), options.request);
    } else {
      kernel.run(inputs.problem(), results.output(), options.request);
    }
  } catch (const std::invalid_argument& refusal) {
    run.refused = true;
    run.message = refusal.what();
  }
  CallLog::note(timer.seconds());
  results.inspect(run);
  if (!run.refused) CallLog::note(returned_by<Fields>(run));
  if (inputs.differ_from(c) || !(given == c)) run.out_of_bounds_writes.emplace_back("changed its input");
  return run;
}

/// As run_kernel, for a valid problem: a refusal throws RefusedValidProblem, and a problem that the kernel does not
/// claim to do throws Unsupported.
template <class Kernel, HasFields Case>
typename Case::Fields::Run run_valid(const Kernel& kernel, const Case& c,
                                     const typename Case::Fields::RunOptions& options = {}) {
  if (const std::string reason = why_not(kernel.info(), c); !reason.empty())
    throw Unsupported(reason, SkipCause::not_claimed);
  auto run = run_kernel(kernel, c, options);
  if (run.refused) throw RefusedValidProblem("a valid problem was refused: " + run.message);
  return run;
}

/// The place of element `offset` of a result.
template <class Fields, class Row>
Place place_of(const Row& row, const std::vector<std::int64_t>& dimensions, std::size_t offset) {
  auto rest = static_cast<std::int64_t>(offset);
  std::int64_t at[] = {-1, -1, -1};
  for (std::size_t axis = dimensions.size(); axis-- > 0; rest /= dimensions[axis]) at[axis] = rest % dimensions[axis];
  return {row.name, at[0], at[1], at[2], row.indices};
}

/// Two runs of one request must agree in every bit of the results that both have.
template <HasFields Case>
Finding same_bits(const Case& c, const typename Case::Fields::Run& first, const typename Case::Fields::Run& second,
                  const std::string& what, const typename Case::Fields::Request& request = {}) {
  using Fields = typename Case::Fields;
  Comparison comparison;
  for_each_row(Fields::results(), [&](const auto& row) {
    const auto &a = first.*row.in_run, &b = second.*row.in_run;
    if (a.size() != b.size()) return;
    const auto shape = result_dimensions<Fields>(row, statement_of(c), request);
    for (std::size_t i = 0; i < a.size(); ++i) comparison.same_bits(place_of<Fields>(row, shape, i), a[i], b[i], what);
  });
  return comparison.finding();
}

}  // namespace assay::validation
