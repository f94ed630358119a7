// A property of kernels: a claim, a profile of the cases to generate, and a check that gives a verdict on one case.
// validation/core/operation.h describes the template parameter Operation.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "validation/core/guarded_output.h"
#include "validation/core/kernel_died.h"
#include "validation/core/support.h"
#include "validation/core/truth.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// The number of elements of a case's arrays of its dtype.
template <HasFields Case>
std::size_t elements_of_dtype(const Case& c) {
  std::size_t count = 0;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>) count += (c.*row.in_case).size();
  });
  return count;
}

/// The kernel to judge, and the reference at `digits` digits, which remembers truths that are slow to compute.
template <class Operation>
struct Context {
  const typename Operation::Kernel& kernel;
  int digits = default_digits;
  std::shared_ptr<TruthMemo<Operation>> memo = std::make_shared<TruthMemo<Operation>>();

  std::shared_ptr<const typename Operation::Truth> truth_of(const typename Operation::Case& c) const {
    const bool suffices = Operation::takes_long_double && long_double_digits > 0 && digits <= default_digits &&
                          elements_of_dtype(c) >= large_case && kernel.info().unit_roundoff >= 0x1p-53;
    if (!suffices) return memo->truth_of(c, digits);
    return std::make_shared<const typename Operation::Truth>(Operation::truth_of(c, long_double_digits));
  }
};

template <class Operation>
struct Property {
  std::string name;
  std::string claim;  ///< one line
  typename Operation::Profile profile;
  std::function<Finding(const Context<Operation>&, const typename Operation::Case&)> check;
  bool against_reference = false;  ///< compares with the reference, which is worth seconds on large cases
  std::int64_t reach = no_limit;   ///< the largest needle case, for a property of much work
};

/// The verdict on one case: skipped if the kernel does not claim to do the case; an error, with the exception's text,
/// if the kernel refuses a valid problem or anything throws.
template <class Operation>
Finding judge(const Property<Operation>& property, const Context<Operation>& context,
              const typename Operation::Case& c) {
  if (std::string reason = Operation::why_not(context.kernel, c); !reason.empty())
    return Finding::skip(std::move(reason));
  try {
    return property.check(context, c);
  } catch (const Unsupported& reason) {
    return Finding::skip(reason.what());
  } catch (const ReferenceDisagrees& disagreement) {
    return Finding::mistrust(std::string("  the reference is not certain: ") + disagreement.what());
  } catch (const RefusedValidProblem& refusal) {
    return Finding::error(std::string("  ") + refusal.what());
  } catch (const KernelDied& death) {
    return Finding::error(std::string("  ") + death.what());
  } catch (const std::exception& exception) {
    return Finding::error(std::string("  exception: ") + exception.what());
  }
}

}  // namespace assay::validation
