// What a binding declares of its shader, under "declares" and "support", read into the fields of a kernel's info.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "validation/core/dtype.h"
#include "validation/core/support.h"
#include "validation/plugin/metal_json.h"

namespace assay::validation::plugin {

/// The fields that a section of the binding may set, by key. Throws std::invalid_argument for any other key.
class Declarations {
 public:
  Declarations& flag(const std::string& key, bool& to);
  Declarations& number(const std::string& key, double& to);         ///< positive, or an expression such as "2^-24"
  Declarations& integer(const std::string& key, std::int64_t& to);  ///< at least 0
  Declarations& choice(const std::string& key, std::vector<std::string> names, std::size_t& to);

  void read(const BindingNode& binding, const std::string& section) const;

 private:
  void read_member(const std::string& key, const BindingNode& node) const;
  std::vector<std::string> keys() const;

  std::map<std::string, bool*> flags_;
  std::map<std::string, double*> numbers_;
  std::map<std::string, std::int64_t*> integers_;
  std::map<std::string, std::pair<std::vector<std::string>, std::size_t*>> choices_;
};

/// "dtype": float32 unless the binding says otherwise; not float64, which Metal does not have.
Dtype dtype_of(const BindingNode& binding);

/// Metal's name of a dtype, and back.
std::string metal_type_of(Dtype dtype);
Dtype dtype_of_metal(const std::string& type);

}  // namespace assay::validation::plugin
