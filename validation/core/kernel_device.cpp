#include "validation/core/kernel_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "metal/device/or_throw.h"
#include "metal/device/shader_source.h"
#include "metal/emulator/emulator_device.h"
#include "metal/emulator/numerics/algebra.h"
#include "metal/host/kernel_file.h"
#include "validation/core/explanation.h"
#include "validation/core/followed_run.h"
#include "validation/core/kernel_unavailable.h"
#include "validation/core/support.h"

namespace assay::validation {
namespace {

template <class T>
T or_unavailable(metal::Result<T> result) {
  if (!result && result.error().kind == metal::Error::Kind::environment) throw KernelUnavailable(result.error().text);
  return or_throw(std::move(result));
}

class FollowedDevice final : public FollowedMemory {
 public:
  explicit FollowedDevice(std::shared_ptr<metal::Device> device)
      : device_(std::move(device)), algebra_(*dynamic_cast<metal::emulator::EmulatorDevice&>(*device_).algebra()) {}

  std::optional<reference::Residue> residue_at(const void* address, double value) const override {
    if (!algebra_.is_copied(address)) return std::nullopt;
    reference::Residue residue = algebra_.residue_at(address, value);
    const bool has_entry = algebra_.places().at(reinterpret_cast<std::uintptr_t>(address)) != 0;
    if (value == 0 && !has_entry) residue.traits |= reference::Residue::assumed;  // it may stand for a negative number
    return residue;
  }
  void clear() override { algebra_.clear(); }

 private:
  std::shared_ptr<metal::Device> device_;
  metal::emulator::Algebra& algebra_;
};

}  // namespace

std::string device_in(const std::string& kernel) {
  constexpr std::string_view stem = "metal-";
  if (!kernel.starts_with(stem)) return {};
  const std::string device = kernel.substr(stem.size());
  return std::ranges::find(metal::device_names, device) != metal::device_names.end() || metal::is_emulated(device)
             ? device
             : std::string();
}

std::int64_t reach_on(const std::string& device) {
  return metal::is_emulated(device) ? 1 << 10 : Support().reach;
}

std::shared_ptr<metal::Device> open_for_kernel(const std::string& name, const metal::ShaderLanguage& language) {
  const char* const follows = FollowedRun::current() != nullptr   ? "-algebra"
                              : Explanation::current() != nullptr ? "-numerics"
                                                                  : nullptr;
  if (follows == nullptr) return or_unavailable(metal::open_device(name, language));
  auto device = or_unavailable(metal::open_device((metal::is_emulated(name) ? name : "emulated") + follows, language));
  if (FollowedRun::current() != nullptr) FollowedRun::current()->follow(std::make_unique<FollowedDevice>(device));
  return device;
}

void DeviceLibrary::compile() const {
  device_ = open_for_kernel(name_, {.metal_version = edit_ ? 300 : 320});
  const std::filesystem::path path = metal::host::kernel_file(file_);
  library_ = or_unavailable(edit_ ? device_->new_library(edit_(or_throw(metal::text_with_includes(path))))
                                  : device_->new_library_from_file(path));
}

std::string replaced_once(std::string text, const std::string& before, const std::string& after) {
  const auto at = text.find(before);
  if (at == std::string::npos || text.find(before, at + 1) != std::string::npos)
    throw std::logic_error(fmt::format("expected exactly once in the shader: {}", before));
  return text.replace(at, before.size(), after);
}

void throw_reports(metal::Device& device) {
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  if (emulated == nullptr) return;
  auto reports = emulated->reports();
  if (Explanation::current() != nullptr) {
    Explanation::current()->take(device);
    std::erase_if(reports, [](const auto& report) { return report.check == metal::emulator::Check::numcheck; });
  }
  emulated->clear_reports();
  if (reports.empty()) return;
  throw std::runtime_error(
      fmt::format("{}{}", to_string(reports.front()),
                  reports.size() > 1 ? fmt::format("\n(and {} more reports)", reports.size() - 1) : ""));
}

}  // namespace assay::validation
