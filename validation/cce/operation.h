// Linear cross-entropy as the gate knows it (validation/core/property.h).
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "validation/cce/case.h"
#include "validation/cce/generate.h"
#include "validation/cce/kernel.h"
#include "validation/cce/truth.h"
#include "validation/core/fault.h"
#include "validation/core/gate.h"
#include "validation/core/picture.h"
#include "validation/core/property.h"
#include "validation/core/shrink.h"

namespace assay::validation {

struct CceOperation {
  using Case = CceCase;
  using Profile = CceProfile;
  using Kernel = CceKernel;
  using Truth = CceTruth;

  static constexpr const char* name = "cce";
  static constexpr std::array<const char*, 0> data_files = {};

  static CceCase generate(Random& random, int size, const CceProfile& profile);
  static std::vector<Shrink<CceCase>> shrinks_of(const CceCase& c);
  static std::string why_not(const CceKernel& kernel, const CceCase& c);
  static void adapt(const CceKernel& kernel, CceCase& c);
  static CceTruth truth_of(const CceCase& c, int digits);
  static bool is_worth_remembering(const CceCase& c);
  static std::vector<Picture> pictures(const CceKernel& kernel, const CceCase& c, int digits);
  static std::vector<std::string> classes();
  static std::vector<std::string> classes_of(const CceCase& c);

  static std::string to_text(const CceCase& c);
  static CceCase from_words(const std::map<std::string, std::string>& words);
  static void write(const std::filesystem::path& path, const CceCase& c);
  static CceCase read(const std::filesystem::path& path, std::vector<std::string>& notes);
  static void require_valid(const CceCase& c);

  static const std::vector<Property<CceOperation>>& properties();
  static const std::vector<Fault<CceOperation>>& faults();
  static std::shared_ptr<const CceKernel> kernel(const std::string& name);
  static std::vector<std::string> shipped_kernels();
  static std::vector<NamedCase<CceOperation>> sized_cases();
};

using CceContext = Context<CceOperation>;
using CceProperty = Property<CceOperation>;
using CceFault = Fault<CceOperation>;
using CceNamedCase = NamedCase<CceOperation>;
using CceGateOptions = GateOptions<CceOperation>;

/// Every property, in the order in which a report lists them.
const std::vector<CceProperty>& cce_properties();

}  // namespace assay::validation
