// Every quantity of a derivation, as JSON, for whoever shows it: the page of the CTC lattice (WebAssembly), the command
// `assay lattice`, and assay.steps in Python. One way from the references to a reader, so that all show the same
// digits.
//
// A request is a JSON object, and so is a response. Numbers of a response are decimal texts, of which
// those of a format are its very numbers when read as doubles; "inf", "-inf", "nan"; or fractions "3/16" where exact. A
// request that cannot be met is answered
// {"error": "..."}, which names the argument, its value and what was expected. Nothing throws but for want of memory.
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
/// product, p and the invariants are logarithms. null: what there is none of (a scaled beta
/// without y; of fractions a logarithm, and a gradient where p is 0, which in other numbers is nan).
std::string ctc_steps(std::string_view request);

/// {"labels": [S], "T", "blank": 0, "most_tries": a million} and, if probabilities are wanted, "number" and "logits" or
/// "outputs" as above
/// -> {"count", "count_closed_form", "repeats", "alignments": [n][T] or null beyond those tries,
///     "best": [T], "best_probability", and where they are listed "probability": [n], "p", "gradient_wrt_outputs",
///     "gradient_wrt_logits": [T][C], by enumeration}
std::string alignment_steps(std::string_view request);

/// {"logits": [V], "chunk": n, "number"} -> {"max", "sum", "log": [chunks], after each chunk, which is summed by itself
/// and then merged; "lse", and "naive": ln of the sum of exponentials without their maximum taken off}
std::string log_sum_exp_steps(std::string_view request);

/// {"hidden": [N][H], "weight": [V][H], "targets": [N], "number"} and, if wanted, "bias", "ignore_index",
/// "logit_softcap", "label_smoothing", "z_loss", "reduction" -> {"loss", "dhidden", "dweight", "dbias"}: the formulas
/// computed in that format, inputs rounded to it.
std::string cce_steps(std::string_view request);

/// {"A": [M][N], M >= N, "number": "float" | "double" | {"digits": n}, "ordering": "cyclic" | "de_rijk"}
/// -> {"sweeps": [{"worst_cosine", "rotations", "AV": [M][N], "V": [N][N]}], of which the first is A itself,
///     "U", "S", "Vh"}
std::string jacobi_steps(std::string_view request);

/// {"labels": [S], "logits": [T][C] of float32, "blank", "arithmetic": "log_space" | "probability", "unit_roundoff",
///  "output_unit_roundoff", "two_step"} -> {"loss", "gradient": [T][C]}: the bounds that the gate would hold a kernel
///  to
/// that says so of itself.
std::string ctc_bounds(std::string_view request);

}  // namespace assay::validation
