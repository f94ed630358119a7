// What the gate judges: anything that maps a problem to its results.
#pragma once

namespace assay::validation {

/// `Info` is what the kernel claims about itself: at least its name, and as `support` what it does. The bounds on the
/// kernel's errors are derived from the claims and from the problem (docs/bounds.md); a stronger claim gives tighter
/// bounds. `Request` holds the options of a run: at least `threads`, of which 0 is the kernel's own choice.
template <class TheInfo, class TheProblem, class TheOutput, class TheRequest>
class BasicKernel {
 public:
  using Info = TheInfo;
  using Problem = TheProblem;
  using Output = TheOutput;
  using Request = TheRequest;

  BasicKernel() = default;
  BasicKernel(const BasicKernel&) = delete;
  BasicKernel& operator=(const BasicKernel&) = delete;
  virtual ~BasicKernel() = default;

  virtual const Info& info() const = 0;

  /// Fills `out`, or refuses a bad argument by throwing std::invalid_argument that names it.
  /// The gate asks only for what info().support claims, except in the property `refusals`.
  virtual void run(const Problem& problem, const Output& out, const Request& request) const = 0;
};

}  // namespace assay::validation
