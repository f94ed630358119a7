#include "validation/core/finding_of.h"

#include <exception>
#include <string>

#include "validation/core/call_time.h"
#include "validation/core/guarded_output.h"
#include "validation/core/kernel_died.h"
#include "validation/core/kernel_unavailable.h"
#include "validation/core/support.h"
#include "validation/core/truth.h"

namespace assay::validation {

namespace {

Finding caught(const std::function<Finding()>& check) {
  try {
    return check();
  } catch (const Unsupported& reason) {
    return Finding::skip(reason.what(), reason.cause());
  } catch (const ReferenceDisagrees& disagreement) {
    return Finding::mistrust(std::string("  the reference is not certain: ") + disagreement.what());
  } catch (const RefusedValidProblem& refusal) {
    return Finding::error(std::string("  ") + refusal.what(), {Clue::Kind::exception});
  } catch (const KernelDied& death) {
    return Finding::error(std::string("  ") + death.what(), {Clue::Kind::death});
  } catch (const KernelUnavailable&) {
    throw;
  } catch (const std::exception& exception) {
    return Finding::error(std::string("  exception: ") + exception.what(), {Clue::Kind::exception});
  }
}

}  // namespace

Finding finding_of(const std::function<Finding()>& check) {
  const CallLog log;
  Finding finding = caught(check);
  finding.longest_call = log.longest();
  finding.returned = log.returned();
  return finding;
}

}  // namespace assay::validation
