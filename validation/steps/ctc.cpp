// ctc_steps: the derivation of CTC's gradient in any number type, as probabilities, their logarithms, or scaled.
#include <optional>
#include <type_traits>
#include <utility>

#include "reference/ctc/repeats.h"
#include "reference/ctc/steps.h"
#include "reference/number/log_number.h"
#include "validation/steps/outputs.h"
#include "validation/steps/request.h"
#include "validation/steps/steps.h"
#include "validation/steps/text.h"

namespace assay::validation {
namespace {

using reference::CtcSteps;
using reference::LogNumber;
using reference::Matrix;
using reference::Rational;
using reference::detail::refuse;
using steps::Json;
using steps::text;
using steps::texts;

/// alpha without one transition: the one from state `from` to state `to` at frame t.
template <class Weight>
Matrix<Weight> alpha_without(const Matrix<Weight>& y, reference::Expanded states, const Json& edge) {
  const std::int64_t T = y.rows(), L = std::ssize(states);
  const std::int64_t at = steps::integer(edge, "t"), from = steps::integer(edge, "from"),
                     to = steps::integer(edge, "to");
  if (at < 1 || at >= T) refuse("without.t = ", at, ": expected a frame in [1, T=", T, ")");
  if (from < 0 || from > to || to >= L || to - from > 2)
    refuse("without = ", edge.dump(), ": expected states from <= to <= from + 2 in [0, L=", L, ")");
  Matrix<Weight> alpha(T, L);
  for (std::int64_t t = 0; t < T; ++t) {
    const std::span<const Weight> before = alpha.row(t > 0 ? t - 1 : 0);
    reference::alpha_step<Weight>(t, T, states, y.row(t), before, alpha.row(t));
    if (t != at) continue;
    std::vector<Weight> others(before.begin(), before.end()), now(before.size(), Weight(0));
    others[static_cast<std::size_t>(from)] = Weight(0);
    reference::alpha_step<Weight>(t, T, states, y.row(t), others, now);
    alpha(t, to) = now[static_cast<std::size_t>(to)];
  }
  return alpha;
}

/// Adds the quantities that need p > 0. If p is 0 they are nan, or null in number types without NaN.
template <class Number>
Json texts_where_possible(const Matrix<Number>& matrix, std::int64_t T, std::int64_t C, int digits) {
  if (matrix.rows() == T && matrix.cols() == C) return texts(matrix, digits);
  if constexpr (std::is_same_v<Number, Rational>) return nullptr;
  return Json(static_cast<std::size_t>(T), Json(static_cast<std::size_t>(C), "nan"));
}

template <class Weight>
Json to_json(const CtcSteps<Weight>& s, const Json& loss, int digits) {
  const std::int64_t T = s.y.rows(), C = s.y.cols();
  const bool is_scaled = s.beta_excluding.cols() == 0 && T > 0;
  const auto gradient = [&](const auto& matrix) { return texts_where_possible(matrix, T, C, digits); };
  return {{"states", s.states},
          {"y", texts(s.y, digits)},
          {"alpha", texts(s.alpha, digits)},
          {"beta_including", texts(s.beta_including, digits)},
          {"beta_excluding", is_scaled ? Json() : texts(s.beta_excluding, digits)},
          {"product", texts(s.product, digits)},
          {"scale", is_scaled ? texts(s.scale, digits) : Json()},
          {"p", text(s.p, digits)},
          {"loss", loss},
          {"invariant_including", texts(s.invariant_including, digits)},
          {"invariant_excluding", is_scaled ? Json() : texts(s.invariant_excluding, digits)},
          {"posterior", gradient(s.posterior)},
          {"output_error", gradient(s.output_error)},
          {"gradient_two_step", gradient(s.gradient_two_step)},
          {"gradient", gradient(s.gradient)}};
}

template <class Weight>
CtcSteps<Weight> plain(const Json& request, Matrix<Weight> y) {
  const std::int64_t blank = steps::integer_or(request, "blank", 0);
  const std::vector<std::int64_t> labels = steps::labels_of(request, blank);
  if (!request.contains("without")) return reference::ctc_steps(std::move(y), labels, blank);
  std::vector<std::int64_t> states = reference::expand(labels, blank);
  Matrix<Weight> alpha = alpha_without(y, states, request["without"]);
  return reference::ctc_steps_of(std::move(y), std::move(states), std::move(alpha));
}

template <class Number>
CtcSteps<Number> scaled(const Json& request, Matrix<Number> y) {
  if (request.contains("without")) refuse("without: expected space = probability or log");
  const std::int64_t blank = steps::integer_or(request, "blank", 0);
  const std::vector<std::int64_t> labels = steps::labels_of(request, blank);
  return reference::ctc_steps_scaled(std::move(y), labels, blank);
}

Json exact_steps(const Json& request, const std::string& space) {
  Matrix<Rational> y = steps::exact_outputs_of(request);
  if (space == "probability") return to_json(plain(request, std::move(y)), nullptr, 0);
  if (space == "scaled") {
    if (!reference::feasible(y.rows(), steps::integers(request, "labels")))
      refuse("labels: expected an alignment in T=", y.rows(), " frames, for alpha is divided by its sum");
    return to_json(scaled(request, std::move(y)), nullptr, 0);
  }
  refuse("space = ", space, ": expected probability or scaled, for a logarithm is no fraction");
}

template <class Number>
Json steps_in(const Json& request, const std::string& space, int digits) {
  if (space == "log") {
    const auto s = plain(request, steps::outputs_of<LogNumber<Number>>(request));
    return to_json(s, text(reference::loss(s.p), digits), digits);
  }
  Matrix<Number> y = steps::outputs_of<Number>(request);
  if (space == "probability") {
    const auto s = plain(request, std::move(y));
    return to_json(s, text(reference::loss(s.p), digits), digits);
  }
  if (space != "scaled") refuse("space = ", space, ": expected probability, log or scaled");
  const auto s = scaled(request, std::move(y));
  const Number loss = s.scale.empty() ? reference::loss(s.p) : reference::loss_scaled(std::span<const Number>(s.scale));
  return to_json(s, text(loss, digits), digits);
}

}  // namespace

std::string ctc_steps(std::string_view request) {
  return steps::respond(request, [](const Json& r) -> Json {
    const std::string space = steps::text_or(r, "space", "probability");
    if (steps::is_exact(r)) return exact_steps(r, space);
    return steps::with_number(r, [&]<class Number>(int digits) { return steps_in<Number>(r, space, digits); });
  });
}

}  // namespace assay::validation
