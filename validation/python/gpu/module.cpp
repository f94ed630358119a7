// assay._gpu: the kernels of metal/kernels on NVIDIA GPUs, in the memory and on the stream of the caller, which gives
// both as numbers; a call returns when its commands are in the stream. And the same work as a plan, for a caller with a
// Metal of its own. See assay.torch.
#include <pybind11/pybind11.h>

#include "validation/python/gpu/gpu.h"
#include "validation/python/gpu/plan.h"

PYBIND11_MODULE(_gpu, module) {
  module.doc() = "The kernels for GPUs; see assay.torch.";
  assay::python::add_ctc_on_gpu(module);
  assay::python::add_cce_on_gpu(module);
  assay::python::add_svd_on_gpu(module);
  assay::python::add_shader_text(module);
}
