#include "validation/formula/judge.h"

#include "validation/core/support.h"
#include "validation/core/truth.h"

namespace assay::validation::formula {

Finding judge(const Subject& subject, const Property& property, const Case& c) {
  Random random(c.seed);
  try {
    return property.check(subject, c, random);
  } catch (const Unsupported& reason) {
    return Finding::skip(std::string(declined) + reason.what());
  } catch (const ReferenceDisagrees& disagreement) {
    return Finding::mistrust(std::string("  the reference is not certain: ") + disagreement.what());
  } catch (const std::exception& exception) {
    return Finding::error(std::string("  ") + exception.what());
  }
}

}  // namespace assay::validation::formula
