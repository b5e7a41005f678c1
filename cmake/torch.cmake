# SPDX-License-Identifier: Apache-2.0
# The libraries of torch operators, on cpu and on npu tensors. They need torch's headers and the libraries they link with.
set(torch_root ${AVO_TORCH_ROOT})
if(NOT torch_root)
  # torch is found without importing it, which would take seconds.
  python_value(torch_root
    "import importlib.util as u, os; spec = u.find_spec('torch'); print(spec and os.path.dirname(spec.origin) or '')")
endif()
if(NOT EXISTS ${torch_root}/include/torch/csrc/stable)
  message(FATAL_ERROR "no torch with a stable ABI for ${Python_EXECUTABLE}: install torch 2.10 or newer there, name the "
    "folder of its package with -DAVO_TORCH_ROOT=DIR, or leave the operators of torch out with -DAVO_TORCH=OFF")
endif()

# This library is built against the LibTorch stable ABI.
file(GLOB torch_sources CONFIGURE_DEPENDS python/ascend_vision_ops/csrc/torch*.cpp)
file(GLOB torch_generated ${gen}/csrc/torch_*.cpp)
add_library(avo_torch SHARED ${torch_sources} ${torch_generated})
target_include_directories(avo_torch PRIVATE python/ascend_vision_ops/csrc)
target_include_directories(avo_torch SYSTEM PRIVATE
  ${torch_root}/include ${torch_root}/include/torch/csrc/api/include)
target_compile_definitions(avo_torch PRIVATE TORCH_TARGET_VERSION=0x020a000000000000)
target_link_libraries(avo_torch PRIVATE
  avo_host avo_cpu ${torch_root}/lib/libtorch_cpu.so ${torch_root}/lib/libc10.so)
# torch is loaded before this library, so it needs no path, and a path of the build machine would mislead.
set_target_properties(avo_torch PROPERTIES INSTALL_RPATH "$ORIGIN")

# The module that calls the kernels without torch's dispatcher knows parts of torch that no stable ABI has, so it serves
# the version of torch that it is built with.
file(STRINGS ${torch_root}/version.py torch_version REGEX "^__version__")
string(REGEX MATCH "[0-9][^'\"]*" torch_version "${torch_version}")
Python_add_library(_direct MODULE WITH_SOABI python/ascend_vision_ops/csrc/direct_module.cpp)
target_include_directories(_direct PRIVATE ${CMAKE_SOURCE_DIR})
target_include_directories(_direct SYSTEM PRIVATE ${torch_root}/include)
target_compile_definitions(_direct PRIVATE AVO_TORCH_VERSION="${torch_version}")
target_link_libraries(_direct PRIVATE avo_torch
  ${torch_root}/lib/libtorch_python.so ${torch_root}/lib/libtorch_cpu.so ${torch_root}/lib/libc10.so)
set_target_properties(_direct PROPERTIES
  CXX_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${avo_package} INSTALL_RPATH "$ORIGIN/lib")

# The operators on npu tensors are a library of their own, which is loaded only beside torch_npu.
add_subdirectory(sim/torch_npu)
# torch_npu looks for built-in operators in opapi and its dependencies. Where we have an operator of CANN, it gets ours.
target_link_libraries(opapi PRIVATE -Wl,--no-as-needed cust_opapi)
file(GLOB npu_sources CONFIGURE_DEPENDS python/ascend_vision_ops/csrc/npu*.cpp)
file(GLOB npu_generated ${gen}/csrc/npu_*.cpp)
# torch.cpp is compiled again, because functions on torch's stable types are hidden from other libraries.
add_library(avo_torch_npu SHARED ${npu_sources} ${npu_generated} python/ascend_vision_ops/csrc/torch.cpp)
target_include_directories(avo_torch_npu PRIVATE python/ascend_vision_ops/csrc)
target_include_directories(avo_torch_npu SYSTEM PRIVATE
  ${torch_root}/include ${torch_root}/include/torch/csrc/api/include)
target_compile_definitions(avo_torch_npu PRIVATE TORCH_TARGET_VERSION=0x020a000000000000)
target_link_libraries(avo_torch_npu PRIVATE avo_host cust_opapi ascendcl nnopbase torch_npu_symbols
  ${torch_root}/lib/libtorch_cpu.so ${torch_root}/lib/libc10.so)
set_target_properties(avo_torch_npu PROPERTIES INSTALL_RPATH "$ORIGIN")

set(avo_torch_modules _direct)
set(avo_torch_libraries avo_torch avo_torch_npu acl_op_compiler ge_runner graph acl_tdt_channel opapi)  # to install
