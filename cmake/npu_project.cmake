# SPDX-License-Identifier: Apache-2.0
# Builds the project of the target npu, as users build it with a CANN toolkit, with the simulated device's own toolkit
# (sim/operators). Its package has the kernels that are compiled here already.
file(GLOB package_sources ${gen}/op_kernel/*_package.cpp)
add_library(avo_package_kernels SHARED EXCLUDE_FROM_ALL ${no_kernel} ${package_sources})
target_link_libraries(avo_package_kernels PRIVATE avo_kernels avo_host op_framework ascendc_sim)
set_target_properties(avo_package_kernels PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/npu_kernels INSTALL_RPATH ${avo_package}/lib)

set(npu_project ${CMAKE_BINARY_DIR}/npu)
add_custom_target(npu_project
  COMMAND ${CMAKE_COMMAND} -E env --modify PYTHONPATH=path_list_prepend:${CMAKE_SOURCE_DIR}/python
    PYTHONDONTWRITEBYTECODE=1
    ${Python_EXECUTABLE} -m ascend_vision_ops.opgen render --root ${CMAKE_SOURCE_DIR} --out ${npu_project} --target npu
      --only "${AVO_ONLY}"
  COMMAND ${CMAKE_COMMAND} -S ${npu_project} -B ${npu_project}/build_out -G ${CMAKE_GENERATOR}
    -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER} -DASCEND_CANN_PACKAGE_PATH=${SIM_TOOLKIT}
    -DSIM_KERNELS=$<TARGET_FILE:avo_package_kernels>
  COMMAND ${CMAKE_COMMAND} --build ${npu_project}/build_out --target package
  VERBATIM)
add_dependencies(npu_project op_build op_framework op_builtins avo_package_kernels)
