// The singular value decomposition of arrays whose types are known when the program runs, for callers such as the gate,
// file readers and other languages. with_types refuses types that do not go together and calls the code that is
// compiled for the type.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "metal/cpu/any_array.h"
#include "metal/cpu/half.h"
#include "metal/cpu/svd/svd.h"
#include "reference/svd/problem.h"

namespace assay::metal {

using AnySvdInput = AnyInputOf<float, double, Half, BFloat16>;
using AnySvdOutputArray = AnyOutputOf<float, double, Half, BFloat16>;

/// The statement of reference/svd/problem.h; `options` holds all but A, which it leaves empty.
struct AnySvdProblem {
  reference::SvdProblem<float> options;
  AnySvdInput A;
};

/// As SvdOutput.
struct AnySvdOutput {
  AnySvdOutputArray U;
  AnyOutputOf<float, double> S;
  AnySvdOutputArray Vh;
};

/// Calls use(SvdProblem<Real>, SvdOutput<Real>), where Real is the type of A. Throws std::invalid_argument that names
/// an array of another type.
template <class Use>
void with_types(const AnySvdProblem& any, const AnySvdOutput& out, Use&& use) {
  std::visit(
      [&]<class Given>(const Given& A) {
        using Real = std::remove_const_t<typename Given::element_type>;
        using Value = reference::SingularValue<Real>;
        const reference::SvdProblem<Real> problem{any.options.B, any.options.M, any.options.N, A};
        std::forward<Use>(use)(problem, SvdOutput<Real>{typed<std::span<Real>>("U", out.U, "A"),
                                                        typed<std::span<Value>>("S", out.S, "the singular values of A"),
                                                        typed<std::span<Real>>("Vh", out.Vh, "A")});
      },
      any.A);
}

}  // namespace assay::metal
