#include "validation/ctc/properties/properties.h"

#include <exception>

#include "validation/ctc/run.h"
#include "validation/ctc/truth.h"

namespace assay::validation {

Finding judge(const CtcProperty& property, const CtcContext& context, const CtcCase& c) {
  try {
    return property.check(context, c);
  } catch (const ReferenceDisagrees& disagreement) {
    return Finding::mistrust(std::string("  the reference is not certain: ") + disagreement.what());
  } catch (const RefusedValidProblem& refusal) {
    return Finding::error(std::string("  ") + refusal.what());
  } catch (const std::exception& exception) {
    return Finding::error(std::string("  exception: ") + exception.what());
  }
}

const std::vector<CtcProperty>& ctc_properties() {
  using namespace properties;
  static const std::vector<CtcProperty> all = {
      outside(),       inside(),     repeat(),     threads(),    two_shapes(),  loss_only(),        layout(),
      padding(),       refusals(),   impossible(), empty(),      nonnegative(), zero_past_length(), row_independence(),
      batch_singles(), reductions(), linearity(),  frame_sums(), shift(),       permutation(),      input_kinds(),
      two_step(),      loss(),       gradient(),
  };
  return all;
}

}  // namespace assay::validation
