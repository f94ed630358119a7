// A property of kernels: a claim, the cases it wants, and a check that gives a verdict on one case.
//
// An Operation is what the gate is a template over (validation/ctc/operation.h, validation/cce/operation.h):
//
//   name             "ctc"
//   Case             a problem that owns its data; Profile: what a property wants of its cases
//   Kernel, Truth    what is judged, and what it is judged by
//   generate         a case for a profile, from random numbers        shrinks_of     simpler cases
//   why_not          why a kernel need not do a case, or nothing  adapt    a case, to the types that a kernel takes
//   truth_of         by the reference at so many digits                is_worth_remembering
//   classes, classes_of                                                the places that a case reaches
//   pictures         what a kernel does to a case, to be looked at
//   to_text, from_words, write, read, require_valid                    a case in words and in files
//   properties, faults, kernel, shipped_kernels, given                 what the command line has of each
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

/// What is judged, by a reference of how many digits, which may remember what it has computed.
template <class Operation>
struct Context {
  const typename Operation::Kernel& kernel;
  int digits = 50;
  std::shared_ptr<TruthMemo<Operation>> memo = std::make_shared<TruthMemo<Operation>>();

  std::shared_ptr<const typename Operation::Truth> truth_of(const typename Operation::Case& c) const {
    return memo->truth_of(c, digits);
  }
};

template <class Operation>
struct Property {
  std::string name;
  std::string claim;  ///< one line
  typename Operation::Profile profile;
  std::function<Finding(const Context<Operation>&, const typename Operation::Case&)> check;
  bool against_reference = false;  ///< judged by the reference, so worth the sizes that take it seconds
};

/// The verdict on one case: skipped where the kernel does not claim to do such; a refusal of a valid problem, or any
/// exception, is an error with its text.
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
