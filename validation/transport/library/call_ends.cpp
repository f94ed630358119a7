#include "validation/transport/library/call_ends.h"

#include <atomic>

namespace assay::validation::transport {
namespace {

bool never() {
  return false;
}

std::atomic<bool (*)()> ends{never};

}  // namespace

void end_calls_when(bool (*stop)()) {
  ends = stop;
}

bool (*call_ends())() {
  return ends;
}

}  // namespace assay::validation::transport
