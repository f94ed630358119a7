#include "validation/svd/fields.h"

#include <cmath>

#include "metal/host/svd/outputs.h"
#include "reference/svd/validate.h"
#include "validation/core/operation_of.h"

namespace assay::validation {

void SvdFields::prepare_npz(NpzContents& contents, Case&) {
  const auto found = contents.arrays.find("A");
  if (found == contents.arrays.end()) return;
  auto& shape = found->second.header.shape;
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
}

void SvdFields::validate(const Problem& problem, const Output& out) {
  metal::with_types(problem, out, [](const auto& typed, const auto& output) {
    reference::validate(typed);
    metal::host::validate_output(typed, typed.K(), output);
    for (std::int64_t b = 0; b < typed.B; ++b) reference::validate_values(typed, b);
  });
}

ValueShrinks<double> SvdFields::shrinks() {
  return {{[](double) { return 0.0; }, [](double a) { return std::round(a); },
           [](double a) { return std::round(a * 4) / 4; }},
          {[](double) { return 0.0; }, [](double a) { return std::trunc(a / 2) + 0.0; },
           [](double a) { return std::abs(a); }}};
}

template struct OperationOf<SvdFields>;

}  // namespace assay::validation
