// assay._kernels: the kernels of metal/cpu for the package's Python files, which check and allocate. It has nothing of
// the judge, as assay._core has nothing of the kernels. No function holds the interpreter's lock while it computes.
#include "validation/python/kernels/arrays.h"

PYBIND11_MODULE(_kernels, kernels) {
  kernels.doc() = "The production kernels for CPUs; see assay.numpy.";
  assay::python::add_ctc_kernel(kernels);
  assay::python::add_cce_kernel(kernels);
  assay::python::add_svd_kernel(kernels);
}
