// CTC as the gate knows it (validation/core/property.h).
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
#include "validation/ctc/case.h"
#include "validation/ctc/generate.h"
#include "validation/ctc/kernel.h"
#include "validation/ctc/truth.h"

namespace assay::validation {

struct CtcOperation {
  using Case = CtcCase;
  using Profile = CtcProfile;
  using Kernel = CtcKernel;
  using Truth = CtcTruth;

  static constexpr const char* name = "ctc";
  /// Real input, in notebooks/data.
  static constexpr std::array<const char*, 1> data_files = {"speech.npz"};

  static CtcCase generate(Random& random, int size, const CtcProfile& profile);
  static std::vector<Shrink<CtcCase>> shrinks_of(const CtcCase& c);
  static std::string why_not(const CtcKernel& kernel, const CtcCase& c);
  static void adapt(const CtcKernel& kernel, CtcCase& c);
  static CtcTruth truth_of(const CtcCase& c, int digits);
  static bool is_worth_remembering(const CtcCase& c);
  static std::vector<Picture> pictures(const CtcKernel& kernel, const CtcCase& c, int digits);
  static std::vector<std::string> classes();
  static std::vector<std::string> classes_of(const CtcCase& c);

  static std::string to_text(const CtcCase& c);
  static CtcCase from_words(const std::map<std::string, std::string>& words);
  static void write(const std::filesystem::path& path, const CtcCase& c);
  static CtcCase read(const std::filesystem::path& path, std::vector<std::string>& notes);
  static void require_valid(const CtcCase& c);

  static const std::vector<Property<CtcOperation>>& properties();
  static const std::vector<Fault<CtcOperation>>& faults();
  static std::shared_ptr<const CtcKernel> kernel(const std::string& name);
  static std::vector<std::string> shipped_kernels();
  static std::vector<NamedCase<CtcOperation>> sized_cases();
};

using CtcContext = Context<CtcOperation>;
using CtcProperty = Property<CtcOperation>;
using CtcFault = Fault<CtcOperation>;
using CtcNamedCase = NamedCase<CtcOperation>;
using CtcGateOptions = GateOptions<CtcOperation>;
using CtcFailure = Failure<CtcOperation>;
using CtcPropertyReport = PropertyReport<CtcOperation>;
using CtcCounterexample = Counterexample<CtcOperation>;
using CtcShrink = Shrink<CtcCase>;

/// Every property, in the order in which a report lists them.
const std::vector<CtcProperty>& ctc_properties();

}  // namespace assay::validation
