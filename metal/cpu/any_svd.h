// The singular value decomposition of arrays whose types are known when the program runs, for callers from elsewhere:
// files, other languages, the gate. with_types refuses types that do not go together and goes on where they are fixed.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "metal/cpu/any_array.h"
#include "metal/cpu/half.h"
#include "metal/cpu/svd.h"
#include "reference/svd/problem.h"

namespace assay::metal {

using AnySvdInput = AnyInputOf<float, double, Half, BFloat16>;
using AnySvdOutputArray = AnyOutputOf<float, double, Half, BFloat16>;

/// The statement of reference/svd/problem.h; `extents` holds all but A, which it leaves empty.
struct AnySvdProblem {
  reference::SvdProblem<float> extents;
  AnySvdInput A;
};

/// As SvdOutput.
struct AnySvdOutput {
  AnySvdOutputArray U;
  AnyOutputOf<float, double> S;
  AnySvdOutputArray Vh;
};

/// Calls use(SvdProblem<Real>, SvdOutput<Real>) of the type that A has. Throws std::invalid_argument naming an array of
/// another type.
template <class Use>
void with_types(const AnySvdProblem& any, const AnySvdOutput& out, Use&& use) {
  std::visit(
      [&]<class Given>(const Given& A) {
        using Real = std::remove_const_t<typename Given::element_type>;
        using Value = reference::SingularValue<Real>;
        const reference::SvdProblem<Real> problem{any.extents.B, any.extents.M, any.extents.N, A};
        std::forward<Use>(use)(problem, SvdOutput<Real>{typed<std::span<Real>>("U", out.U, "A"),
                                                        typed<std::span<Value>>("S", out.S, "the singular values of A"),
                                                        typed<std::span<Real>>("Vh", out.Vh, "A")});
      },
      any.A);
}

}  // namespace assay::metal
