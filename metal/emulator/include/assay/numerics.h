// The functions that instrumentation calls in a shader compiled with --numerics: emulator/numerics/instrument.h. They
// forward to the Services. While a shader computes its program-scope constants there are none.
#pragma once

#include <assay/site.h>

#if ASSAY_NUMERICS

#define ASSAY_NUMERICS_HOOK \
  extern "C"                \
      __attribute__((used, nodebug, no_sanitize("thread", "coverage", "array-bounds"), visibility("hidden"))) inline

ASSAY_NUMERICS_HOOK unsigned assay_numerics_operation_1(const assay_shader_side::Site* site, unsigned code, double a,
                                                        double result, unsigned entry) {
  using assay_shader_side::services;
  return services ? services->numerics->operation(site, code, 1, &a, result, &entry) : 0;
}
ASSAY_NUMERICS_HOOK unsigned assay_numerics_operation_2(const assay_shader_side::Site* site, unsigned code, double a,
                                                        double b, double result, unsigned entry_a, unsigned entry_b) {
  using assay_shader_side::services;
  const double operands[] = {a, b};
  const unsigned entries[] = {entry_a, entry_b};
  return services ? services->numerics->operation(site, code, 2, operands, result, entries) : 0;
}
ASSAY_NUMERICS_HOOK unsigned assay_numerics_operation_3(const assay_shader_side::Site* site, unsigned code, double a,
                                                        double b, double c, double result, unsigned entry_a,
                                                        unsigned entry_b, unsigned entry_c) {
  using assay_shader_side::services;
  const double operands[] = {a, b, c};
  const unsigned entries[] = {entry_a, entry_b, entry_c};
  return services ? services->numerics->operation(site, code, 3, operands, result, entries) : 0;
}
ASSAY_NUMERICS_HOOK unsigned assay_numerics_load(const void* address, double value) {
  using assay_shader_side::services;
  return services ? services->numerics->load(address, value) : 0;
}
ASSAY_NUMERICS_HOOK void assay_numerics_store(const void* address, unsigned entry, unsigned bytes) {
  using assay_shader_side::services;
  if (services) services->numerics->store(address, entry, bytes);
}
ASSAY_NUMERICS_HOOK void assay_numerics_move(const void* to, const void* from, unsigned long bytes) {
  using assay_shader_side::services;
  if (services && from) services->numerics->move(to, from, bytes);
}
ASSAY_NUMERICS_HOOK void assay_numerics_compare(const assay_shader_side::Site* site, unsigned predicate, double left,
                                                double right, unsigned left_entry, unsigned right_entry) {
  using assay_shader_side::services;
  if (services) services->numerics->compare(site, predicate, left, right, left_entry, right_entry);
}

#undef ASSAY_NUMERICS_HOOK
#endif
