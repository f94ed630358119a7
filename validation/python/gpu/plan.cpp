#include "validation/python/gpu/plan.h"

#include "metal/device/or_throw.h"
#include "metal/device/shader_source.h"
#include "metal/host/kernel_file.h"

namespace assay::python {

namespace {

namespace py = pybind11;

py::bytes bytes_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

py::list extents_of(const metal::Size& size) {
  py::list extents;
  for (const std::uint64_t extent : {size.width, size.height, size.depth}) extents.append(extent);
  return extents;
}

py::dict dict_of(const metal::host::RecordedDispatch& dispatch) {
  py::dict constants, buffers, bytes, lengths, result;
  for (const auto& [index, value] : dispatch.constants.values())
    constants[py::int_(index)] = bytes_of(std::as_bytes(std::span(value.bytes).first(value.size)));
  for (const auto& [index, bound] : dispatch.buffers)
    buffers[py::int_(index)] = py::make_tuple(bound.buffer, bound.offset);
  for (const auto& [index, contents] : dispatch.bytes) bytes[py::int_(index)] = bytes_of(contents);
  for (const auto& [index, length] : dispatch.threadgroup_lengths) lengths[py::int_(index)] = length;
  result["kernel"] = dispatch.kernel;
  result["constants"] = constants;
  result["buffers"] = buffers;
  result["bytes"] = bytes;
  result["threadgroup_lengths"] = lengths;
  result["threads"] = extents_of(dispatch.threads);
  result["group"] = extents_of(dispatch.group);
  return result;
}

std::string shader_text(const std::string& name) {
  return metal::or_throw(metal::text_with_includes(metal::host::kernel_file(name)));
}

}  // namespace

py::dict dict_of(const metal::host::RecordingDevice& device, const std::vector<std::size_t>& ends) {
  py::list buffers, commands;
  for (const auto& [label, length, contents] : device.buffers())
    buffers.append(
        py::make_tuple(label, length, contents.empty() ? py::object(py::none()) : py::object(bytes_of(contents))));
  std::size_t next = 0;
  for (const std::size_t end : ends) {
    py::list dispatches;
    for (; next < end; ++next) dispatches.append(dict_of(device.dispatches()[next]));
    commands.append(dispatches);
  }
  py::dict result;
  result["buffers"] = buffers;
  result["commands"] = commands;
  return result;
}

void add_shader_text(py::module_& module) {
  module.def("shader_text", &shader_text,
             "The text of a file of metal/kernels, such as \"ctc/ctc.metal\", with the files that it includes.");
}

}  // namespace assay::python
