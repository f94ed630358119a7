// log_sum_exp_steps and cce_steps: the sum of exponentials chunk by chunk, and linear cross-entropy computed in a
// format.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/cce/log_sum_exp.h"
#include "reference/cce/options.h"
#include "reference/cce/outcome.h"
#include "reference/cce/problem.h"
#include "validation/steps/request.h"
#include "validation/steps/steps.h"
#include "validation/steps/text.h"

namespace assay::validation {
namespace {

using reference::CceOutcome;
using reference::CceProblem;
using reference::Matrix;
using reference::NumberTraits;
using reference::OnlineSum;
using reference::detail::refuse;
using steps::Json;
using steps::text;
using steps::texts;

/// Reads a decimal text directly in the number type, so that no digits are lost in a double on the way.
template <class Number>
Number number_of(const Json& value, const std::string& place) {
  const double x = steps::real_of(value, place);
  if constexpr (std::is_same_v<Number, reference::BigFloat>)
    if (value.is_string() && std::isfinite(x)) return Number(value.get<std::string>());
  return NumberTraits<Number>::from_real(x);
}

template <class Number>
std::vector<Number> vector_of(const Json& request, const char* name) {
  const auto row = steps::matrix_of<Number>(
      Json{{name, Json::array({steps::member(request, name)})}}, name,
      [](const Json& value, const std::string& place) { return number_of<Number>(value, place); });
  return {row.row(0).begin(), row.row(0).end()};
}

/// ln sum_v exp x_v without subtracting the maximum: the exponentials may overflow, or all underflow.
template <class Number>
Number naive_log_sum_exp(std::span<const Number> x) {
  Number sum(0);
  for (const Number& element : x) sum += NumberTraits<Number>::exp(element);
  return NumberTraits<Number>::log(sum);
}

/// Each chunk is summed by itself and then merged with the sum so far, as kernels do.
template <class Number>
Json chunks(const std::vector<Number>& x, std::int64_t chunk, int digits) {
  std::vector<Number> max, sum, log;
  OnlineSum<Number> online;
  for (std::size_t first = 0; first < x.size(); first += static_cast<std::size_t>(chunk)) {
    const std::size_t end = std::min(x.size(), first + static_cast<std::size_t>(chunk));
    OnlineSum<Number> part;
    for (std::size_t v = first; v < end; ++v) reference::add(part, x[v]);
    online = reference::merge(std::move(online), std::move(part));
    max.push_back(online.empty ? -NumberTraits<Number>::infinity() : online.max);
    sum.push_back(online.empty ? Number(0) : Number(1) + online.others);
    log.push_back(online.log());
  }
  return {{"max", texts(max, digits)},
          {"sum", texts(sum, digits)},
          {"log", texts(log, digits)},
          {"lse", text(online.log(), digits)},
          {"naive", text(naive_log_sum_exp<Number>(x), digits)}};
}

reference::Reduction reduction_of(const Json& request) {
  const std::string name = steps::text_or(request, "reduction", "none");
  if (name == "none") return reference::Reduction::none;
  if (name == "sum") return reference::Reduction::sum;
  if (name == "mean") return reference::Reduction::mean;
  refuse("reduction = ", name, ": expected none, sum or mean");
}

/// The arrays of a request, and the problem that views them.
struct Tokens {
  Matrix<double> hidden, weight;
  std::vector<double> bias;
  std::vector<std::int64_t> targets;
  CceProblem<double> problem;

  explicit Tokens(const Json& request)
      : hidden(steps::matrix_of<double>(request, "hidden", &steps::real_of)),
        weight(steps::matrix_of<double>(request, "weight", &steps::real_of)),
        bias(request.contains("bias") ? vector_of<double>(request, "bias") : std::vector<double>()),
        targets(steps::integers(request, "targets")) {
    problem.N = hidden.rows();
    problem.H = hidden.cols();
    problem.V = weight.rows();
    if (weight.cols() != hidden.cols())
      refuse("weight of ", weight.cols(), " columns: expected H=", hidden.cols(), ", as hidden has");
    if (hidden.rows() > 0) problem.hidden = {hidden.row(0).data(), hidden.row(0).size() * std::size_t(hidden.rows())};
    if (weight.rows() > 0) problem.weight = {weight.row(0).data(), weight.row(0).size() * std::size_t(weight.rows())};
    problem.bias = bias;
    problem.targets = targets;
    reference::visit_options(problem, [&]<class Value>(const char* name, Value& option) {
      if constexpr (std::is_enum_v<Value>) {
        option = reduction_of(request);
      } else if constexpr (std::is_integral_v<Value>) {
        option = steps::integer_or(request, name, option);
      } else {
        option = steps::real_or(request, name, option);
      }
    });
  }
  Tokens(const Tokens&) = delete;
  Tokens& operator=(const Tokens&) = delete;
  ~Tokens() = default;
};

template <class Number>
Matrix<Number> matrix(const std::vector<Number>& elements, std::int64_t rows, std::int64_t cols) {
  Matrix<Number> result(rows, cols);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) result(i, j) = elements[static_cast<std::size_t>(i * cols + j)];
  return result;
}

}  // namespace

std::string log_sum_exp_steps(std::string_view request) {
  return steps::respond(request, [](const Json& r) {
    return steps::with_number(r, [&]<class Number>(int digits) {
      const std::vector<Number> x = vector_of<Number>(r, "logits");
      const std::int64_t chunk = steps::integer_or(r, "chunk", 1);
      if (chunk < 1) refuse("chunk = ", chunk, ": expected at least 1");
      return chunks(x, chunk, digits);
    });
  });
}

std::string cce_steps(std::string_view request) {
  return steps::respond(request, [](const Json& r) {
    const Tokens tokens(r);
    return steps::with_number(r, [&]<class Number>(int digits) -> Json {
      const CceProblem<double>& problem = tokens.problem;
      const CceOutcome<Number> outcome = reference::cce_outcome<Number>(problem);
      return {{"loss", texts(outcome.loss, digits)},
              {"dhidden", texts(matrix(outcome.dhidden, problem.N, problem.H), digits)},
              {"dweight", texts(matrix(outcome.dweight, problem.V, problem.H), digits)},
              {"dbias", problem.bias.empty() ? Json() : texts(outcome.dbias, digits)}};
    });
  });
}

}  // namespace assay::validation
