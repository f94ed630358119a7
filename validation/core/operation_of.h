// The definitions of core/operation.h, instantiated once for each operation.
#pragma once

#include "validation/core/npz.h"
#include "validation/core/operation.h"
#include "validation/core/shrink.h"
#include "validation/core/text.h"

namespace assay::validation {

template <class F>
std::string OperationOf<F>::why_not(const Kernel& kernel, const Case& c) {
  return validation::why_not(kernel.info(), c);
}

template <class F>
void OperationOf<F>::adapt(const Kernel& kernel, Case& c) {
  const Support& support = kernel.info().support;
  if constexpr (requires { F::adapt_input(support, c); }) F::adapt_input(support, c);
  for_each_row(F::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>)
      if (row.declinable.key != nullptr && !support.does(row.declinable.key)) (c.*row.in_case).clear();
  });
  if constexpr (requires { F::adapts_dtype; }) {
    if (support.does(c.dtype) || support.dtypes.empty()) return;
    c.dtype = support.dtypes.front();
    round_to_dtype(c);
  }
}

template <class F>
std::string OperationOf<F>::to_text(const Case& c) {
  return validation::to_text(c);
}

template <class F>
typename F::Case OperationOf<F>::from_words(const Words& words) {
  return case_from<Case>(words);
}

template <class F>
void OperationOf<F>::write(const std::filesystem::path& path, const Case& c) {
  write_npz(path, c);
}

template <class F>
typename F::Case OperationOf<F>::read(const std::filesystem::path& path, std::vector<std::string>& notes) {
  return read_npz<Case>(path, notes);
}

}  // namespace assay::validation
