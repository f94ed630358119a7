// What the gate is a template over. An operation is its table of fields and its mathematics:
//
//   Fields (core/fields.h)  name, types, the tables problem(), results() and declarations()
//   generate                a valid problem for a Profile; `size` grows from 0 to 100 over a run: small cases come
//   first shrinks_of              the steps to try on a case that fails, the boldest first: valid problems that differ
//   from it truth_of                the results by the reference, at so many digits; is_worth_remembering: large, but
//   not too large classes, classes_of     the places that cases can reach, and those that a case does sized_cases,
//   data_files cases that generated ones do not reach pictures                what a kernel does to a case, to be
//   looked at properties, faults      in a fixed order, made once: a faulty kernel keeps its state for the life of the
//   program, and
//                           locks it, since any kernel may run on several threads
//   kernel                  by name, of all kernels (validation/registry.cpp); shipped_kernel: of this project's own
#pragma once

#include <array>
#include <concepts>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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
  { O::is_worth_remembering(c) } -> std::same_as<bool>;
  { O::classes() } -> std::same_as<std::vector<std::string>>;
  { O::classes_of(c) } -> std::same_as<std::vector<std::string>>;
  { O::to_text(c) } -> std::same_as<std::string>;
};

/// What follows from a table of fields.
template <class F>
struct OperationOf : F {
  using Case = typename F::Case;
  using Kernel = typename F::Kernel;

  /// Why a kernel need not do a case; empty where it must.
  static std::string why_not(const Kernel& kernel, const Case& c);

  /// Makes a case of a type that the kernel does not do one of its first type, where Fields::adapts_dtype.
  static void adapt(const Kernel& kernel, Case& c);

  /// The kernels that a gate run judges unless one is named: those that are meant to be used.
  static std::vector<std::string> shipped_kernels() { return {"cpu", "metal-emulated"}; }

  /// Real input, in notebooks/data: none.
  static constexpr std::array<const char*, 0> data_files = {};

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
