// Every quantity of a derivation as JSON, for the page of the CTC lattice (WebAssembly), the command `assay lattice`
// and assay.steps in Python. All three show the same digits because all three use these functions.
//
// A request is a JSON object, and so is a response. A number of a response is a decimal text, "inf", "-inf" or "nan",
// or a fraction such as "3/16" if the number type is exact. The decimal texts of half, bfloat16, float and double give
// exactly the computed numbers when read as doubles. A request that cannot be answered gets {"error": "..."}, which
// names the argument, its value and what was expected. The functions throw std::bad_alloc alone.
//
//   "number"   "half", "bfloat16", "float", "double", "exact" (fractions), or {"digits": n}
//   a number   of a request is a JSON number or a text: "0.1", "-inf", "1/3" (exact alone)
#pragma once

#include <string>
#include <string_view>

namespace assay::validation {

/// {"labels": [S], "blank": 0, "number", "space": "probability" | "log" | "scaled",
///  "logits": [T][C] or "outputs": [T][C] (y itself), "without": {"t", "from", "to"} (a transition left out of alpha)}
/// -> {"states": [L], "y", "posterior", "output_error", "gradient_two_step", "gradient": [T][C],
///     "alpha", "beta_including", "beta_excluding", "product": [T][L], "invariant_including", "invariant_excluding",
///     "scale": [T], "p", "loss"}
/// The product is alpha beta without y, so its sum over the states is p. In log space y, alpha, both betas, their
/// product, p and the invariants are logarithms. A quantity that does not exist is null: the scaled beta_excluding, the
/// logarithm of a fraction, and, in fractions, the gradient if p is 0 (in other number types it is nan).
std::string ctc_steps(std::string_view request);

/// {"labels": [S], "T", "blank": 0, "most_tries": a million} and, if probabilities are wanted, "number" and "logits" or
/// "outputs" as above
/// -> {"count", "count_closed_form", "repeats", "alignments": [n][T], or null if there are more to try,
///     "best": [T], "best_probability", and if they are listed "probability": [n], "p", "gradient_wrt_outputs",
///     "gradient_wrt_logits": [T][C], by enumeration}
std::string alignment_steps(std::string_view request);

/// {"logits": [V], "chunk": n, "number"} -> {"max", "sum", "log": [chunks], the state after each chunk, which is
/// summed by itself and then merged; "lse", and "naive": ln of the sum without subtracting the maximum}
std::string log_sum_exp_steps(std::string_view request);

/// {"hidden": [N][H], "weight": [V][H], "targets": [N], "number"} and, if wanted, "bias" and the options of
/// reference/cce/options.h by name -> {"loss", "dhidden", "dweight", "dbias"}: the formulas computed in that format,
/// inputs rounded to it.
std::string cce_steps(std::string_view request);

/// {"A": [M][N], M >= N, "number": "float" | "double" | {"digits": n}, "ordering": "cyclic" | "de_rijk"}
/// -> {"sweeps": [{"worst_cosine", "rotations", "AV": [M][N], "V": [N][N]}], where the first entry is A itself,
///     "U", "S", "Vh"}
std::string jacobi_steps(std::string_view request);

/// {"labels": [S], "logits": [T][C] of float32, "blank", "arithmetic": "log_space" | "probability", "unit_roundoff",
///  "output_unit_roundoff", "two_step"} -> {"loss", "gradient": [T][C]}: the gate's bounds for a kernel that claims
///  this arithmetic.
std::string ctc_bounds(std::string_view request);

}  // namespace assay::validation
