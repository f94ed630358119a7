# Arb's balls, as target Arb::Arb. Arb is a library of its own up to FLINT 2 (Debian 12) and a part of FLINT from 3 on,
# where its headers lie in FLINT's folder; `#include <arb.h>` serves both.
include(CMakeFindDependencyMacro)
find_dependency(MPFR)

find_path(Arb_INCLUDE_DIR arb.h PATH_SUFFIXES flint)
find_library(Arb_FLINT_LIBRARY flint)
find_library(Arb_LIBRARY NAMES arb flint-arb flint)
mark_as_advanced(Arb_INCLUDE_DIR Arb_FLINT_LIBRARY Arb_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Arb REQUIRED_VARS Arb_LIBRARY Arb_FLINT_LIBRARY Arb_INCLUDE_DIR)

if(Arb_FOUND AND NOT TARGET Arb::Arb)
  add_library(Arb::Arb UNKNOWN IMPORTED)
  set_target_properties(
    Arb::Arb PROPERTIES IMPORTED_LOCATION "${Arb_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${Arb_INCLUDE_DIR}"
                        INTERFACE_LINK_LIBRARIES "${Arb_FLINT_LIBRARY};MPFR::MPFR")
endif()
