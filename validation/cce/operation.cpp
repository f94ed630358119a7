#include "validation/cce/operation.h"

#include "validation/cce/coverage.h"
#include "validation/cce/faults/faults.h"
#include "validation/cce/kernels.h"
#include "validation/cce/names.h"
#include "validation/cce/npz.h"
#include "validation/cce/shrink.h"
#include "validation/cce/sizes.h"
#include "validation/cce/text.h"

namespace assay::validation {

CceCase CceOperation::generate(Random& random, int size, const CceProfile& profile) {
  return generate_cce(random, size, profile);
}

std::vector<Shrink<CceCase>> CceOperation::shrinks_of(const CceCase& c) {
  return validation::shrinks_of(c);
}

std::string CceOperation::why_not(const CceKernel& kernel, const CceCase& c) {
  return validation::why_not(kernel.info().support, c);
}

void CceOperation::adapt(const CceKernel&, CceCase&) {}

CceTruth CceOperation::truth_of(const CceCase& c, int digits) {
  return validation::truth_of(c, digits);
}

/// Four properties ask for the truth of a case; a million elements take about 200 MB.
bool CceOperation::is_worth_remembering(const CceCase& c) {
  const std::size_t elements = c.hidden.size() + c.weight.size();
  return c.N * c.V * c.H >= 100'000 && elements <= 1'000'000;
}

std::vector<std::string> CceOperation::classes() {
  return cce_classes();
}

std::vector<std::string> CceOperation::classes_of(const CceCase& c) {
  return validation::classes_of(c);
}

std::string CceOperation::to_text(const CceCase& c) {
  return validation::to_text(c);
}

CceCase CceOperation::from_words(const std::map<std::string, std::string>& words) {
  return cce_from_words(words);
}

void CceOperation::write(const std::filesystem::path& path, const CceCase& c) {
  write_npz(path, c);
}

CceCase CceOperation::read(const std::filesystem::path& path, std::vector<std::string>& notes) {
  return read_cce_npz(path, notes);
}

void CceOperation::require_valid(const CceCase& c) {
  validation::require_valid(c);
}

const std::vector<CceProperty>& CceOperation::properties() {
  return cce_properties();
}

const std::vector<CceFault>& CceOperation::faults() {
  return cce_faults();
}

std::shared_ptr<const CceKernel> CceOperation::kernel(const std::string& name) {
  return cce_kernel(name);
}

std::vector<std::string> CceOperation::shipped_kernels() {
  return shipped_cce_kernels();
}

std::vector<CceNamedCase> CceOperation::sized_cases() {
  return cce_sized_cases();
}

}  // namespace assay::validation
