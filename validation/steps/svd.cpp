// jacobi_steps: the columns of A V after each sweep of one-sided Jacobi.
#include <string>
#include <utility>

#include "reference/svd/jacobi.h"
#include "validation/steps/request.h"
#include "validation/steps/steps.h"
#include "validation/steps/text.h"

namespace assay::validation {
namespace {

using reference::JacobiColumns;
using reference::JacobiOptions;
using reference::JacobiOrdering;
using reference::JacobiSweep;
using reference::Matrix;
using reference::NumberTraits;
using reference::detail::refuse;
using steps::Json;
using steps::text;
using steps::texts;

JacobiOrdering ordering_of(const Json& request) {
  const std::string name = steps::text_or(request, "ordering", "de_rijk");
  if (name == "de_rijk") return JacobiOrdering::de_rijk;
  if (name == "cyclic") return JacobiOrdering::cyclic;
  refuse("ordering = ", name, ": expected de_rijk or cyclic");
}

template <class Number>
Json sweep_json(const JacobiColumns<Number>& columns, const JacobiSweep<Number>& met, int digits) {
  return {{"worst_cosine", text(met.worst_cosine, digits)},
          {"rotations", met.rotations},
          {"AV", texts(reference::transposed(columns.AV), digits)},
          {"V", texts(reference::transposed(columns.V), digits)}};
}

/// A itself, and A V after each sweep; the thresholds are those of jacobi_svd.
template <class Number>
Json sweeps_of(const Matrix<Number>& A, JacobiOrdering ordering, int digits) {
  const Number u = NumberTraits<Number>::unit_roundoff();
  const Number threshold = NumberTraits<Number>::sqrt(Number(A.rows())) * (u + u);
  auto columns = reference::jacobi_columns(reference::transposed(A), reference::identity<Number>(A.cols()));
  Json sweeps = Json::array({sweep_json(columns, JacobiSweep<Number>{}, digits)});
  for (int sweep = 1; sweep <= JacobiOptions{}.sweep_limit; ++sweep) {
    const double rotations = static_cast<double>(columns.count()) * sweep;
    const auto met = reference::jacobi_sweep(columns, ordering, threshold, Number(4 * std::sqrt(rotations)) * u);
    sweeps.push_back(sweep_json(columns, met, digits));
    if (met.rotations == 0) return sweeps;
  }
  refuse("A: after ", sweeps.size() - 1, " sweeps columns are not orthogonal");
}

template <class Number>
Json steps_in(const Json& request, int digits) {
  const auto A = steps::matrix_of<Number>(request, "A", [](const Json& value, const std::string& name) {
    const double x = steps::real_of(value, name);
    if (!std::isfinite(x)) refuse(name, " = ", value.dump(), ": expected a finite number");
    return NumberTraits<Number>::from_real(x);
  });
  if (A.rows() < A.cols())
    refuse("A of ", A.rows(), " rows and ", A.cols(), " columns: expected at least as many rows as columns");
  JacobiOptions options;
  options.ordering = ordering_of(request);
  Json sweeps = sweeps_of(A, options.ordering, digits);
  const auto factors = reference::jacobi_svd(A, options);
  return {{"sweeps", std::move(sweeps)},
          {"U", texts(factors.U, digits)},
          {"S", texts(factors.S, digits)},
          {"Vh", texts(factors.Vh, digits)}};
}

}  // namespace

std::string jacobi_steps(std::string_view request) {
  return steps::respond(request, [](const Json& r) -> Json {
    const Json number = r.value("number", Json("double"));
    if (number == "float") return steps_in<float>(r, 0);
    if (number == "double") return steps_in<double>(r, 0);
    if (!number.is_object()) refuse("number = ", number.dump(), R"(: expected float, double or {"digits": n})");
    return steps::with_number(r, [&]<class Number>(int digits) -> Json {
      if constexpr (std::is_same_v<Number, reference::BigFloat>) return steps_in<Number>(r, digits);
      refuse("number: expected float, double or digits");
    });
  });
}

}  // namespace assay::validation
