#include "validation/svd/operation.h"

#include "validation/svd/coverage.h"
#include "validation/svd/faults/faults.h"
#include "validation/svd/kernels.h"
#include "validation/svd/npz.h"
#include "validation/svd/shrink.h"
#include "validation/svd/sizes.h"
#include "validation/svd/text.h"

namespace assay::validation {

SvdCase SvdOperation::generate(Random& random, int size, const SvdProfile& profile) {
  return generate_svd(random, size, profile);
}

std::vector<Shrink<SvdCase>> SvdOperation::shrinks_of(const SvdCase& c) {
  return validation::shrinks_of(c);
}

std::string SvdOperation::why_not(const SvdKernel& kernel, const SvdCase& c) {
  return validation::why_not(kernel.info().support, c);
}

void SvdOperation::adapt(const SvdKernel&, SvdCase&) {}

SvdTruth SvdOperation::truth_of(const SvdCase& c, int digits) {
  return validation::truth_of(c, digits);
}

bool SvdOperation::is_worth_remembering(const SvdCase& c) {
  return c.B * c.M * c.N * c.K() >= 8'000 && c.A.size() <= 1'000'000;
}

std::vector<std::string> SvdOperation::classes() {
  return svd_classes();
}

std::vector<std::string> SvdOperation::classes_of(const SvdCase& c) {
  return validation::classes_of(c);
}

std::string SvdOperation::to_text(const SvdCase& c) {
  return validation::to_text(c);
}

SvdCase SvdOperation::from_words(const std::map<std::string, std::string>& words) {
  return svd_from_words(words);
}

void SvdOperation::write(const std::filesystem::path& path, const SvdCase& c) {
  write_npz(path, c);
}

SvdCase SvdOperation::read(const std::filesystem::path& path, std::vector<std::string>& notes) {
  return read_svd_npz(path, notes);
}

void SvdOperation::require_valid(const SvdCase& c) {
  validation::require_valid(c);
}

const std::vector<SvdProperty>& SvdOperation::properties() {
  return svd_properties();
}

const std::vector<SvdFault>& SvdOperation::faults() {
  return svd_faults();
}

std::shared_ptr<const SvdKernel> SvdOperation::kernel(const std::string& name) {
  return svd_kernel(name);
}

std::vector<std::string> SvdOperation::shipped_kernels() {
  return shipped_svd_kernels();
}

std::vector<SvdNamedCase> SvdOperation::sized_cases() {
  return svd_sized_cases();
}

}  // namespace assay::validation
