# OpenBLAS, as target OpenBLAS::OpenBLAS. Its own OpenBLASConfig.cmake differs between distributions in what it defines.
find_path(OpenBLAS_INCLUDE_DIR openblas_config.h PATH_SUFFIXES openblas openblas-pthread)
find_library(OpenBLAS_LIBRARY openblas)
mark_as_advanced(OpenBLAS_INCLUDE_DIR OpenBLAS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  OpenBLAS
  REQUIRED_VARS OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install OpenBLAS with its headers: libopenblas-dev on Debian and Ubuntu")

if(OpenBLAS_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  add_library(OpenBLAS::OpenBLAS UNKNOWN IMPORTED)
  set_target_properties(OpenBLAS::OpenBLAS PROPERTIES IMPORTED_LOCATION "${OpenBLAS_LIBRARY}"
                                                      INTERFACE_INCLUDE_DIRECTORIES "${OpenBLAS_INCLUDE_DIR}")
endif()
