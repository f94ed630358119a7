// os_log: Metal Shading Language Specification, section 6.19. Messages are dropped.
#pragma once

#include <assay/scalar.h>

namespace metal {

struct os_log {
  constexpr os_log(const char*, const char*) {}
#define ASSAY_LOG(name)     \
  template <class... Parts> \
  void name(const char*, Parts...) const {}
  ASSAY_LOG(log)
  ASSAY_LOG(log_debug)
  ASSAY_LOG(log_info)
  ASSAY_LOG(log_error)
  ASSAY_LOG(log_fault)
#undef ASSAY_LOG
};

}  // namespace metal
