#include "validation/cli/interrupt.h"

#include <unistd.h>

#include "validation/transport/library/call_ends.h"

namespace assay::validation {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// If the run does not end in good order by then, SIGALRM ends it.
constexpr unsigned seconds_to_end = 20;

void remember(int) {
  interrupted = 1;
  alarm(seconds_to_end);
}

}  // namespace

Interrupt::Interrupt() {
  interrupted = 0;
  transport::end_calls_when(came);
  struct sigaction action{};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &former_int_);
  sigaction(SIGTERM, &action, &former_term_);
}

Interrupt::~Interrupt() {
  transport::end_calls_when([] { return false; });
  alarm(0);
  sigaction(SIGINT, &former_int_, nullptr);
  sigaction(SIGTERM, &former_term_, nullptr);
}

bool Interrupt::came() {
  return interrupted != 0;
}

}  // namespace assay::validation
