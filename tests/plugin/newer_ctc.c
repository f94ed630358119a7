/* A CTC plug-in built with a later assay_plugin.h, which has a field more; MORE is its value. */
#define assay_ctc assay_ctc_of_today
#include "assay_plugin.h"
#undef assay_ctc

struct later_ctc_kernel {
  assay_ctc_kernel known;
  int64_t more;
};

static int run(const assay_ctc_problem* p, const assay_ctc_output* out, char* message, size_t message_size) {
  (void)p, (void)out, (void)message, (void)message_size;
  return ASSAY_FAILED;
}

ASSAY_EXPORT extern const struct later_ctc_kernel assay_ctc;
const struct later_ctc_kernel assay_ctc = {{ASSAY_HEADER(struct later_ctc_kernel), .run = run}, MORE};
