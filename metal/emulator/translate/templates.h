// The parameters of templates and their arguments, as far as kernels need them: to tell which template an instantiation
// means, and to show the types of its arguments.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metal/emulator/translate/declarations.h"

namespace assay::metal::emulator {

struct TemplateParameter {
  std::string_view name;  ///< may be empty
  bool is_type = false;   ///< typename T, not int n
  bool has_default = false, is_pack = false;
};

/// The texts of a template's arguments by the names of its parameters.
using TemplateArguments = std::map<std::string, std::string, std::less<>>;

/// The parameters of the declaration's last template <...>.
std::vector<TemplateParameter> template_parameters(const Source& source, const Declaration& declaration);

/// The tokens [first, last) of each part of the list <...> that opens at `open`.
std::vector<std::pair<std::size_t, std::size_t>> split_angles(const Source& source, std::size_t open);

/// Whether the arguments in the list <...> that opens at `open` can be those of the parameters. More parameters may
/// follow from a function's parameters if `may_deduce`.
bool may_be_arguments(const Source& source, std::size_t open, const std::vector<TemplateParameter>& parameters,
                      bool may_deduce);

/// The text with each identifier that names a parameter replaced by its argument.
std::string substituted(std::string_view text, const TemplateArguments& arguments);

}  // namespace assay::metal::emulator
