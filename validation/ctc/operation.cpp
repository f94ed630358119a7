#include "validation/ctc/operation.h"

#include "validation/ctc/coverage.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/kernels.h"
#include "validation/ctc/npz.h"
#include "validation/ctc/shrink.h"
#include "validation/ctc/sizes.h"
#include "validation/ctc/text.h"

namespace assay::validation {

CtcCase CtcOperation::generate(Random& random, int size, const CtcProfile& profile) {
  return generate_ctc(random, size, profile);
}

std::vector<CtcShrink> CtcOperation::shrinks_of(const CtcCase& c) {
  return validation::shrinks_of(c);
}

std::string CtcOperation::why_not(const CtcKernel& kernel, const CtcCase& c) {
  return validation::why_not(kernel.info().support, c);
}

void CtcOperation::adapt(const CtcKernel& kernel, CtcCase& c) {
  validation::adapt(kernel.info().support, c);
}

CtcTruth CtcOperation::truth_of(const CtcCase& c, int digits) {
  return validation::truth_of(c, digits);
}

/// A million activations take about 200 MB.
bool CtcOperation::is_worth_remembering(const CtcCase& c) {
  return c.activations.size() >= 20'000 && c.activations.size() <= 1'000'000;
}

std::vector<std::string> CtcOperation::classes() {
  return ctc_classes();
}

std::vector<std::string> CtcOperation::classes_of(const CtcCase& c) {
  return validation::classes_of(c);
}

std::string CtcOperation::to_text(const CtcCase& c) {
  return validation::to_text(c);
}

CtcCase CtcOperation::from_words(const std::map<std::string, std::string>& words) {
  return ctc_from_words(words);
}

void CtcOperation::write(const std::filesystem::path& path, const CtcCase& c) {
  write_npz(path, c);
}

CtcCase CtcOperation::read(const std::filesystem::path& path, std::vector<std::string>& notes) {
  return read_ctc_npz(path, notes);
}

void CtcOperation::require_valid(const CtcCase& c) {
  validation::require_valid(c);
}

const std::vector<CtcProperty>& CtcOperation::properties() {
  return ctc_properties();
}

const std::vector<CtcFault>& CtcOperation::faults() {
  return ctc_faults();
}

std::shared_ptr<const CtcKernel> CtcOperation::kernel(const std::string& name) {
  return ctc_kernel(name);
}

std::vector<std::string> CtcOperation::shipped_kernels() {
  return shipped_ctc_kernels();
}

std::vector<CtcNamedCase> CtcOperation::sized_cases() {
  return ctc_sized_cases();
}

}  // namespace assay::validation
