// What the calls of the kernels from arrays of NumPy and from buffers of XLA have in common.
#pragma once

#include <cfenv>
#include <string_view>
#include <type_traits>

#include "reference/reduction.h"
#include "reference/refuse.h"

namespace assay::python {

/// "none", "sum" or "mean".
inline reference::Reduction reduction_of(std::string_view name) {
  if (name == "none") return reference::Reduction::none;
  if (name == "sum") return reference::Reduction::sum;
  if (name != "mean") reference::detail::refuse("reduction = '", name, "': expected 'none', 'sum' or 'mean'");
  return reference::Reduction::mean;
}

/// Sets each option of the problem (reference/{ctc,cce}/options.h) to read.operator()<Value>(name), which gives a
/// reduction as its name.
template <class Problem, class Read>
void set_options(Problem& problem, const Read& read) {
  visit_options(problem, [&]<class Value>(const char* name, Value& value) {
    if constexpr (std::is_same_v<Value, reference::Reduction>) {
      value = reduction_of(read.template operator()<std::string_view>(name));
    } else {
      value = read.template operator()<Value>(name);
    }
  });
}

/// While it exists, numbers below the normal range are not flushed to zero, as XLA's threads and
/// torch.set_flush_denormal have it. Threads that are started meanwhile inherit this.
class DefaultArithmetic {
 public:
  DefaultArithmetic() {
    std::fegetenv(&environment_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultArithmetic() { std::fesetenv(&environment_); }
  DefaultArithmetic(const DefaultArithmetic&) = delete;
  DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;

 private:
  std::fenv_t environment_{};
};

}  // namespace assay::python
