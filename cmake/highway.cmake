# SPDX-License-Identifier: Apache-2.0
# Google Highway is the SIMD library of the CPU kernels. An installed one is used; otherwise the sources that `build.sh
# setup` puts into the environment; otherwise its repository.
python_value(python_prefix "import sys; print(sys.prefix)")
if(EXISTS ${python_prefix}/share/highway/CMakeLists.txt)
  set(FETCHCONTENT_SOURCE_DIR_HIGHWAY ${python_prefix}/share/highway)
endif()
set(HWY_FORCE_STATIC_LIBS ON)
foreach(part CONTRIB EXAMPLES INSTALL TESTS)
  set(HWY_ENABLE_${part} OFF CACHE INTERNAL "")
endforeach()
include(FetchContent)
FetchContent_Declare(highway
  GIT_REPOSITORY https://github.com/google/highway.git GIT_TAG 1.3.0 GIT_SHALLOW ON
  FIND_PACKAGE_ARGS 1.3 NAMES hwy)
FetchContent_MakeAvailable(highway)
if(NOT TARGET hwy::hwy)
  add_library(hwy::hwy ALIAS hwy)
endif()
