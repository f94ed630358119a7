// alignment_steps: the definition of CTC with every alignment written out, and the sums over all alignments.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "reference/ctc/best_path.h"
#include "reference/ctc/count_alignments.h"
#include "reference/ctc/enumeration.h"
#include "reference/ctc/repeats.h"
#include "validation/steps/outputs.h"
#include "validation/steps/request.h"
#include "validation/steps/steps.h"
#include "validation/steps/text.h"

namespace assay::validation {
namespace {

using reference::Matrix;
using reference::detail::refuse;
using steps::Json;

constexpr std::int64_t max_frames = 2000;

/// Whether there are few enough sequences of length T over the labels' classes and the blank to try them all.
bool can_enumerate(std::int64_t T, const std::vector<std::int64_t>& labels, double max_tries) {
  const auto classes = static_cast<double>(std::set<std::int64_t>(labels.begin(), labels.end()).size() + 1);
  constexpr double max_sequences = 1e8;  // take a minute
  return static_cast<double>(T) * std::log(classes) <= std::log(std::min(max_tries, max_sequences));
}

/// The most probable alignment, by the recursion of alpha with max for +, for any number of alignments.
template <class Number>
void add_best(Json& response, const Matrix<Number>& y, const std::vector<std::int64_t>& labels, std::int64_t blank,
              int digits) {
  const auto best = reference::best_path(y, reference::expand(labels, blank));
  if (!reference::NumberTraits<Number>::is_positive(best.probability())) return;
  response["best"] = best.alignment();
  response["best_probability"] = steps::text(best.probability(), digits);
}

/// The quantities that are sums over the listed alignments.
template <class Number>
void add_sums(Json& response, const Matrix<Number>& y, const std::vector<std::int64_t>& labels, std::int64_t blank,
              int digits) {
  Json probabilities = Json::array();
  for (const auto& alignment : response["alignments"])
    probabilities.push_back(
        steps::text(reference::path_probability(y, alignment.get<std::vector<std::int64_t>>()), digits));
  const Number p = reference::probability_by_enumeration(y, labels, blank);
  response["probability"] = std::move(probabilities);
  response["p"] = steps::text(p, digits);
  if (!reference::NumberTraits<Number>::is_positive(p)) return;
  response["gradient_wrt_outputs"] =
      steps::texts(reference::gradient_wrt_outputs_by_enumeration(y, labels, blank), digits);
  response["gradient_wrt_logits"] =
      steps::texts(reference::gradient_wrt_logits_by_enumeration(y, labels, blank), digits);
}

Json answer(const Json& request) {
  const std::int64_t T = steps::integer(request, "T"), blank = steps::integer_or(request, "blank", 0);
  if (T < 0 || T > max_frames) refuse("T = ", T, ": expected a number of frames in [0, ", max_frames, "]");
  const std::vector<std::int64_t> labels = steps::labels_of(request, blank);
  Json response{{"count", reference::count_alignments(T, labels, blank).str()},
                {"count_closed_form", reference::count_alignments_closed_form(T, labels).str()},
                {"repeats", reference::repeats(labels)}};
  if (can_enumerate(T, labels, steps::real_or(request, "most_tries", 1'000'000)))
    response["alignments"] = reference::alignments(T, labels, blank);
  if (!request.contains("outputs") && !request.contains("logits")) return response;

  const auto add = [&](const auto& y, int digits) {
    if (y.rows() != T) refuse("T = ", T, ": expected as many as y has rows: ", y.rows());
    add_best(response, y, labels, blank, digits);
    if (response.contains("alignments")) add_sums(response, y, labels, blank, digits);
    return response;
  };
  if (steps::is_exact(request)) return add(steps::exact_outputs_of(request), 0);
  return steps::with_number(request,
                            [&]<class Number>(int digits) { return add(steps::outputs_of<Number>(request), digits); });
}

}  // namespace

std::string alignment_steps(std::string_view request) {
  return steps::respond(request, [](const Json& r) {
    Json response = answer(r);
    for (const char* name :
         {"alignments", "best", "best_probability", "probability", "p", "gradient_wrt_outputs", "gradient_wrt_logits"})
      response.emplace(name, nullptr);
    return response;
  });
}

}  // namespace assay::validation
