// assay._gpu: the kernels of metal/kernels on NVIDIA GPUs, in the memory and on the stream of the caller, which gives
// both as numbers. A call returns when its commands are in the stream. See assay.torch.
#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include "validation/python/gpu/gpu.h"

namespace {

std::string why_not(int ordinal) {
  const pybind11::gil_scoped_release others_run;
  try {
    assay::python::Gpu::at(ordinal);
    return {};
  } catch (const std::exception& problem) {
    return problem.what();
  }
}

}  // namespace

PYBIND11_MODULE(_gpu, module) {
  module.doc() = "The kernels for NVIDIA GPUs; see assay.torch.";
  module.def("why_not", &why_not, "Why the GPU of this ordinal cannot be used; empty if it can.");
  assay::python::add_ctc_on_gpu(module);
}
