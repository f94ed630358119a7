// The singular value decomposition as the gate knows it (validation/core/property.h).
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "validation/core/fault.h"
#include "validation/core/gate.h"
#include "validation/core/picture.h"
#include "validation/core/property.h"
#include "validation/core/shrink.h"
#include "validation/svd/case.h"
#include "validation/svd/generate.h"
#include "validation/svd/kernel.h"
#include "validation/svd/truth.h"

namespace assay::validation {

struct SvdOperation {
  using Case = SvdCase;
  using Profile = SvdProfile;
  using Kernel = SvdKernel;
  using Truth = SvdTruth;

  static constexpr const char* name = "svd";
  static constexpr std::array<const char*, 0> data_files = {};

  static SvdCase generate(Random& random, int size, const SvdProfile& profile);
  static std::vector<Shrink<SvdCase>> shrinks_of(const SvdCase& c);
  static std::string why_not(const SvdKernel& kernel, const SvdCase& c);
  static void adapt(const SvdKernel& kernel, SvdCase& c);
  static SvdTruth truth_of(const SvdCase& c, int digits);
  static bool is_worth_remembering(const SvdCase& c);
  static std::vector<Picture> pictures(const SvdKernel& kernel, const SvdCase& c, int digits);
  static std::vector<std::string> classes();
  static std::vector<std::string> classes_of(const SvdCase& c);

  static std::string to_text(const SvdCase& c);
  static SvdCase from_words(const std::map<std::string, std::string>& words);
  static void write(const std::filesystem::path& path, const SvdCase& c);
  static SvdCase read(const std::filesystem::path& path, std::vector<std::string>& notes);
  static void require_valid(const SvdCase& c);

  static const std::vector<Property<SvdOperation>>& properties();
  static const std::vector<Fault<SvdOperation>>& faults();
  static std::shared_ptr<const SvdKernel> kernel(const std::string& name);
  static std::vector<std::string> shipped_kernels();
  static std::vector<NamedCase<SvdOperation>> sized_cases();
};

using SvdContext = Context<SvdOperation>;
using SvdProperty = Property<SvdOperation>;
using SvdFault = Fault<SvdOperation>;
using SvdNamedCase = NamedCase<SvdOperation>;
using SvdGateOptions = GateOptions<SvdOperation>;

/// Every property, in the order in which a report lists them.
const std::vector<SvdProperty>& svd_properties();

}  // namespace assay::validation
