/* The functions that instrumentation calls in a shared library: emulator/numerics/instrument.h. They forward to the
 * services that the program has set, and do nothing while there are none. C89 and C++.
 */
#pragma clang system_header

#ifdef __cplusplus
extern "C" {
#endif

/* As abi::NumericsServices. */
struct assay_numerics_services {
  unsigned (*operation)(const void* site, unsigned code, unsigned count, const double* operands, double result,
                        const unsigned* entries);
  unsigned (*load)(const void* address, double value);
  void (*store)(const void* address, unsigned entry, unsigned bytes);
  void (*move)(const void* to, const void* from, unsigned long bytes);
  void (*compare)(const void* site, unsigned predicate, double left, double right, unsigned left_entry,
                  unsigned right_entry);
};

/* The program finds them by their names. The second is the entry of what comes from operations that are not followed. */
__attribute__((weak, visibility("default"))) const struct assay_numerics_services* assay_numerics_followed_by = 0;
__attribute__((weak, visibility("default"))) unsigned assay_numerics_unknown = 0;

#define ASSAY_NUMERICS_HOOK __attribute__((weak, used, nodebug, visibility("hidden")))

ASSAY_NUMERICS_HOOK unsigned assay_numerics_operation_1(const void* site, unsigned code, double a, double result,
                                                        unsigned entry) {
  const struct assay_numerics_services* const services = assay_numerics_followed_by;
  return services ? services->operation(site, code, 1, &a, result, &entry) : 0;
}
ASSAY_NUMERICS_HOOK unsigned assay_numerics_operation_2(const void* site, unsigned code, double a, double b,
                                                        double result, unsigned entry_a, unsigned entry_b) {
  const struct assay_numerics_services* const services = assay_numerics_followed_by;
  const double operands[2] = {a, b};
  const unsigned entries[2] = {entry_a, entry_b};
  return services ? services->operation(site, code, 2, operands, result, entries) : 0;
}
ASSAY_NUMERICS_HOOK unsigned assay_numerics_operation_3(const void* site, unsigned code, double a, double b, double c,
                                                        double result, unsigned entry_a, unsigned entry_b,
                                                        unsigned entry_c) {
  const struct assay_numerics_services* const services = assay_numerics_followed_by;
  const double operands[3] = {a, b, c};
  const unsigned entries[3] = {entry_a, entry_b, entry_c};
  return services ? services->operation(site, code, 3, operands, result, entries) : 0;
}
ASSAY_NUMERICS_HOOK unsigned assay_numerics_load(const void* address, double value) {
  const struct assay_numerics_services* const services = assay_numerics_followed_by;
  return services ? services->load(address, value) : 0;
}
ASSAY_NUMERICS_HOOK void assay_numerics_store(const void* address, unsigned entry, unsigned bytes) {
  const struct assay_numerics_services* const services = assay_numerics_followed_by;
  if (services) services->store(address, entry, bytes);
}
ASSAY_NUMERICS_HOOK void assay_numerics_move(const void* to, const void* from, unsigned long bytes) {
  const struct assay_numerics_services* const services = assay_numerics_followed_by;
  if (services && from) services->move(to, from, bytes);
}
ASSAY_NUMERICS_HOOK void assay_numerics_compare(const void* site, unsigned predicate, double left, double right,
                                                unsigned left_entry, unsigned right_entry) {
  const struct assay_numerics_services* const services = assay_numerics_followed_by;
  if (services) services->compare(site, predicate, left, right, left_entry, right_entry);
}

#undef ASSAY_NUMERICS_HOOK
#ifdef __cplusplus
}
#endif
