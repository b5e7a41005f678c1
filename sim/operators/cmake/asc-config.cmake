# SPDX-License-Identifier: Apache-2.0
# The npu_op_* functions of CANN's CMake package ASC, for a project of custom operators that is built for the simulated
# device. Flags, macros, names of libraries and the folders of the package are those of CANN's build:
#
#   vendors/NAME/op_api/lib/libcust_opapi.so                                    npu_op_library(… ACLNN …)
#   vendors/NAME/op_impl/ai_core/tbe/op_tiling/lib/linux/…                      npu_op_library(… TILING …)
#   vendors/NAME/op_proto/lib/linux/…                                           npu_op_library(… GRAPH …)
#   vendors/NAME/framework/onnx/                                                npu_op_library(… ONNX_PLUGIN …)
#   vendors/NAME/op_impl/ai_core/tbe/NAME_impl/dynamic                          the sources of kernels
#   vendors/NAME/op_impl/ai_core/tbe/kernel                                     libraries of kernels: SIM_KERNELS
set(SIM_TOOLKIT ${ASCEND_CANN_PACKAGE_PATH})
include(${SIM_TOOLKIT}/libraries.cmake)
set(SIM_CMAKE_FOLDER ${CMAKE_CURRENT_LIST_DIR})
set(SIM_KERNELS "" CACHE STRING "Libraries of kernels for the simulated device")
set(ASCEND_AUTOGEN_PATH ${CMAKE_BINARY_DIR}/autogen)
set(SIM_VENDORS ${CMAKE_BINARY_DIR}/vendors)

add_library(intf_pub INTERFACE)
target_compile_options(intf_pub INTERFACE -fPIC -fvisibility=hidden -fvisibility-inlines-hidden
  $<$<CONFIG:Release>:-O2> -fstack-protector-strong)
target_compile_features(intf_pub INTERFACE cxx_std_11)
target_compile_definitions(intf_pub INTERFACE _GLIBCXX_USE_CXX11_ABI=0 $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
target_include_directories(intf_pub INTERFACE ${SIM_TOOLKIT}/include)
target_link_options(intf_pub INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--no-undefined)
target_link_directories(intf_pub INTERFACE ${SIM_LIBRARIES})

function(npu_op_package package)
  set_property(GLOBAL PROPERTY SIM_PACKAGE_FOLDER_${package} ${SIM_VENDORS}/${package})
  if(NOT TARGET binary)
    add_custom_target(binary)
    add_custom_target(package ALL DEPENDS binary)
  endif()
endfunction()

# Compiles the definitions into a library and lets op_build write the entry points. As in CANN this happens while CMake
# configures, so that a project can list the files that were written.
function(npu_op_code_gen)
  cmake_parse_arguments(GEN "" "OUT_DIR;PACKAGE" "SRC;COMPILE_OPTIONS" ${ARGN})
  set(build ${GEN_OUT_DIR}/definitions)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${SIM_CMAKE_FOLDER}/definitions -B ${build} -G ${CMAKE_GENERATOR}
      -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
      "-DSIM_SOURCES=${GEN_SRC}" "-DSIM_OPTIONS=${GEN_COMPILE_OPTIONS}"
      "-DSIM_INCLUDE=${SIM_TOOLKIT}/include" "-DSIM_LIBRARIES=${SIM_LIBRARIES}"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} OUTPUT_VARIABLE output RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "the operator definitions do not compile:\n${output}")
  endif()
  execute_process(
    COMMAND ${SIM_TOOLKIT}/tools/opbuild/op_build ${build}/libascend_all_ops.so ${GEN_OUT_DIR}
      --compute_unit=${ASCEND_COMPUTE_UNIT}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(npu_op_library target type)
  add_library(${target} OBJECT ${ARGN})
  target_link_libraries(${target} PRIVATE intf_pub)
  if(type STREQUAL TILING)
    target_compile_definitions(${target} PRIVATE OP_TILING_LIB)
  elseif(type STREQUAL GRAPH)
    target_compile_definitions(${target} PRIVATE OP_PROTO_LIB)
  elseif(type STREQUAL ONNX_PLUGIN)
    target_compile_definitions(${target} PRIVATE google=ascend_private)
  elseif(NOT type STREQUAL ACLNN)
    message(FATAL_ERROR "npu_op_library: expected ACLNN, TILING, GRAPH or ONNX_PLUGIN, got ${type}")
  endif()
  set_property(GLOBAL PROPERTY SIM_TYPE_${target} ${type})
endfunction()

function(npu_op_kernel_sources target)
  cmake_parse_arguments(SOURCE "" "OP_TYPE;KERNEL_FILE;KERNEL_DIR" "COMPUTE_UNIT" ${ARGN})
  if(SOURCE_KERNEL_DIR)
    set_property(GLOBAL APPEND PROPERTY SIM_KERNEL_FOLDERS_${target} ${SOURCE_KERNEL_DIR})
  else()
    set(SOURCE_KERNEL_DIR .)
  endif()
  if(SOURCE_KERNEL_FILE)
    set_property(GLOBAL APPEND PROPERTY SIM_KERNEL_FILES_${target} ${SOURCE_KERNEL_DIR}/${SOURCE_KERNEL_FILE})
  endif()
endfunction()

function(npu_op_kernel_library target)
  cmake_parse_arguments(KERNEL "" "SRC_BASE;TILING_LIBRARY" "" ${ARGN})
  set_property(GLOBAL PROPERTY SIM_TYPE_${target} KERNEL)
  set_property(GLOBAL PROPERTY SIM_KERNEL_BASE_${target} ${KERNEL_SRC_BASE})
endfunction()

# Copies what npu_op_kernel_sources named: folders with all files below them, and single files; everything where it named
# nothing.
function(sim_copy_kernel_sources target destination)
  get_property(base GLOBAL PROPERTY SIM_KERNEL_BASE_${target})
  get_property(folders GLOBAL PROPERTY SIM_KERNEL_FOLDERS_${target})
  get_property(files GLOBAL PROPERTY SIM_KERNEL_FILES_${target})
  if(NOT folders AND NOT files)
    set(folders .)
  endif()
  foreach(folder ${folders})
    file(GLOB_RECURSE found RELATIVE ${base} ${base}/${folder}/*)
    list(APPEND files ${found})
  endforeach()
  list(FILTER files EXCLUDE REGEX "\\.txt$")
  list(REMOVE_DUPLICATES files)
  file(REMOVE_RECURSE ${destination})
  foreach(file ${files})
    get_filename_component(folder ${destination}/${file} DIRECTORY)
    file(COPY ${base}/${file} DESTINATION ${folder})
  endforeach()
endfunction()

# Links the objects of a target as a library of the package.
function(sim_package_library target name folder)
  add_library(${target}_packaged SHARED $<TARGET_OBJECTS:${target}>)
  target_link_libraries(${target}_packaged PRIVATE intf_pub op_framework nnopbase ascendcl)
  set_target_properties(${target}_packaged PROPERTIES
    OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${folder} LINKER_LANGUAGE CXX
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH ${SIM_LIBRARIES})
  add_dependencies(package ${target}_packaged)
endfunction()

function(npu_op_package_add package)
  cmake_parse_arguments(ADD "" "TYPE;PACKAGE_PATH" "LIBRARY;FILES" ${ARGN})
  get_property(folder GLOBAL PROPERTY SIM_PACKAGE_FOLDER_${package})
  if(ADD_TYPE STREQUAL ACLNN)
    file(COPY ${ADD_FILES} DESTINATION ${folder}/op_api/include)
  elseif(ADD_PACKAGE_PATH)
    file(COPY ${ADD_FILES} DESTINATION ${folder}/${ADD_PACKAGE_PATH})
  endif()
  set(core ${folder}/op_impl/ai_core/tbe)
  set(host lib/linux/${CMAKE_SYSTEM_PROCESSOR})
  foreach(target ${ADD_LIBRARY})
    get_property(type GLOBAL PROPERTY SIM_TYPE_${target})
    if(type STREQUAL ACLNN)
      sim_package_library(${target} cust_opapi ${folder}/op_api/lib)
    elseif(type STREQUAL TILING)
      sim_package_library(${target} cust_opmaster_rt2.0 ${core}/op_tiling/${host})
    elseif(type STREQUAL GRAPH)
      sim_package_library(${target} cust_opsproto_rt2.0 ${folder}/op_proto/${host})
    elseif(type STREQUAL ONNX_PLUGIN)
      sim_package_library(${target} cust_onnx_parsers ${folder}/framework/onnx)
    elseif(type STREQUAL KERNEL)
      sim_copy_kernel_sources(${target} ${core}/${package}_impl/dynamic)
      file(REMOVE_RECURSE ${core}/kernel)
      file(MAKE_DIRECTORY ${core}/kernel)
      foreach(library ${SIM_KERNELS})
        get_filename_component(name ${library} NAME)
        file(CREATE_LINK ${library} ${core}/kernel/${name} SYMBOLIC)
      endforeach()
    else()
      message(FATAL_ERROR "npu_op_package_add: ${target} is no library of an npu_op_ function")
    endif()
  endforeach()
endfunction()
