// An operation, over which the gate is a template: a table of fields, and mathematics.
//
//   Fields (core/fields.h)   name, types, the tables problem(), results() and declarations()
//   generate                 a valid problem for a Profile; `size` grows from 0 to 100 over a run: small cases first
//   shrinks_of               the steps to try on a failing case, the boldest first; each gives another valid problem
//   truth_of                 the reference's results at a number of digits
//   case_classes             the classes that cases can belong to (core/coverage.h)
//   sized_cases, data_files  cases that generation does not reach
//   needle_extents, needle   cases of one large extent (core/reach.h), of which each index decides a result
//   paired_cases             cases of two large extents, or of the sizes people train with, by rising work_of: about
//                            how many operations a kernel needs for a case
//   joint_size               optional: the name of a size with which bounds grow, and the case's, as min(M, N)
//   pictures                 heat maps of a kernel's errors on a case
//   properties, faults       in a fixed order, made once; a faulty kernel keeps its state as long as the program runs,
//                            and locks the state, because any kernel may run on several threads
//   shipped_kernel           a kernel of this project's own by name; kernel_called (validation/registry.h) knows all
#pragma once

#include <array>
#include <concepts>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "validation/core/coverage.h"
#include "validation/core/picture.h"
#include "validation/core/random.h"
#include "validation/core/support.h"
#include "validation/core/words.h"

namespace assay::validation {

template <class O>
concept Operation = requires(const typename O::Kernel& kernel, typename O::Case& c, Random& random,
                             const typename O::Profile& profile) {
  { O::name } -> std::convertible_to<std::string>;
  { O::generate(random, 1, profile) } -> std::same_as<typename O::Case>;
  O::shrinks_of(c);
  { O::why_not(kernel, c) } -> std::same_as<std::string>;
  { O::truth_of(c, 50) } -> std::same_as<typename O::Truth>;
  { O::case_classes() } -> std::same_as<std::span<const CaseClass<typename O::Case>>>;
  { O::to_text(c) } -> std::same_as<std::string>;
  { O::needle("", 1) } -> std::same_as<typename O::Case>;
  { O::work_of(c) } -> std::same_as<std::int64_t>;
};

/// The part of an operation that follows from its table of fields.
template <class F>
struct OperationOf : F {
  using Case = typename F::Case;
  using Kernel = typename F::Kernel;

  /// The reason why a kernel need not do a case; empty if the kernel must.
  static std::string why_not(const Kernel& kernel, const Case& c);

  /// Leaves out arrays that the kernel does not take, such as the upstream gradient, and converts the case to the input
  /// that the kernel takes (Fields::adapt_input), and to its first dtype if it does not do the case's (adapts_dtype).
  static void adapt(const Kernel& kernel, Case& c);

  /// Whether the bounds on a kernel's errors hold for the reference in long double (core/truth.h).
  static constexpr bool takes_long_double = false;

  /// Files of real input in notebooks/data.
  static constexpr std::array<const char*, 0> data_files = {};

  static std::vector<Picture> pictures(const Kernel&, const Case&, int /*digits*/) { return {}; }

  static std::string to_text(const Case& c);
  static Case from_words(const Words& words);
  static void write(const std::filesystem::path& path, const Case& c);
  static Case read(const std::filesystem::path& path, std::vector<std::string>& notes);
  static Case read(const std::filesystem::path& path) {
    std::vector<std::string> notes;
    return read(path, notes);
  }
};

}  // namespace assay::validation
