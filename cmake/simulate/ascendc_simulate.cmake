# SPDX-License-Identifier: Apache-2.0
# Kernels of a project on the simulated device. The names but the first are those of CANN's CMake:
#
#   ascendc_simulate(TARGET SOURCE…)                       gives a target sources with kernels; makes a program where there
#                                                          is no such target
#   ascendc_library(TARGET STATIC|SHARED SOURCE…)          a library of kernels, with headers aclrtlaunch_KERNEL.h
#   ascendc_include_directories(TARGET PRIVATE DIR…)       how the kernels of a target are compiled
#   ascendc_compile_definitions(TARGET PRIVATE NAME=VALUE…)
#   ascendc_compile_options(TARGET PRIVATE OPTION…)
#
# AVO_ASCEND_HEADERS: a folder with CANN's own headers, to compile against these.
include_guard(DIRECTORY) # the variables below are those of a folder
get_filename_component(avo_package "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
get_filename_component(avo_python_path "${avo_package}/.." ABSOLUTE)
set(AVO_ASCEND_HEADERS "" CACHE PATH "CANN's own AscendC headers, for kernels on the simulated device")
find_program(AVO_PYTHON NAMES python3 python HINTS "${avo_python_path}/../../.." ENV VIRTUAL_ENV PATH_SUFFIXES bin
  DOC "The Python that has ascend-vision-ops")
set(avo_compiler ${CMAKE_COMMAND} -E env "PYTHONPATH=${avo_python_path}" ${AVO_PYTHON}
  -m ascend_vision_ops.sim.compile_object)
set(avo_libraries)
foreach(library op_framework nnopbase ascendcl ascendc_sim)
  list(APPEND avo_libraries ${avo_package}/lib/lib${library}.so)
endforeach()
# Other libraries that projects name. What they have for programs, and is simulated, is in the ones above, which
# every target gets: an empty archive stands for each.
set(avo_empty_libraries ${CMAKE_BINARY_DIR}/ascend_vision_ops_libraries)
foreach(library acl_rt ascendalog c_sec error_manager exe_graph graph_base metadef platform profapi register rt2_registry
    runtime tiling_api unified_dlog)
  file(WRITE ${avo_empty_libraries}/lib${library}.a "!<arch>\n")
endforeach()
link_directories(${avo_package}/lib ${avo_empty_libraries})

# Ends the configuration where nothing can compile kernels.
function(avo_need_python)
  if(NOT AVO_PYTHON)
    message(FATAL_ERROR "ascend_vision_ops: expected a Python that has the package, found none (AVO_PYTHON names one)")
  endif()
endfunction()

# Compiles one source for a target and adds the object to it.
function(avo_kernel_object target source number)
  avo_need_python()
  get_filename_component(source ${source} ABSOLUTE)
  get_filename_component(name ${source} NAME)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels/${number}.${name}.o)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels)
  set(options $<TARGET_PROPERTY:${target},AVO_KERNEL_OPTIONS>)
  set(folders $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  set(macros $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  get_target_property(headers ${target} AVO_LAUNCH_HEADERS)
  set(more)
  if(headers)
    list(APPEND more --launch-headers ${headers})
  endif()
  if(AVO_ASCEND_HEADERS)
    list(APPEND more --ascend-headers ${AVO_ASCEND_HEADERS})
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${avo_compiler} ${more} "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>"
      "$<$<BOOL:${macros}>:-D$<JOIN:${macros},;-D>>" "${options}"
      -MD -MQ ${object} -MF ${object}.d -o ${object} -c ${source}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${name} for the simulated device"
    COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(${target} PRIVATE ${object})
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()

function(ascendc_simulate target)
  if(NOT ARGN)
    message(FATAL_ERROR "ascendc_simulate: expected a target and its sources, got ${target} alone")
  endif()
  if(NOT TARGET ${target})
    add_executable(${target})
  endif()
  set(number 0)
  foreach(source ${ARGN})
    if(source MATCHES "\\.asc$" OR TARGET_OF_KERNELS)
      avo_kernel_object(${target} ${source} ${number})
    else()
      target_sources(${target} PRIVATE ${source})
    endif()
    math(EXPR number "${number} + 1")
  endforeach()
  target_include_directories(${target} PRIVATE ${avo_package}/include)
  target_link_libraries(${target} PRIVATE ${avo_libraries} ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
  set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH ${avo_package}/lib)
endfunction()

function(ascendc_library target)
  cmake_parse_arguments(KERNELS "STATIC;SHARED;OBJECT" "" "" ${ARGN})
  if(KERNELS_OBJECT)
    message(FATAL_ERROR "ascendc_library: expected STATIC or SHARED for ${target}, got OBJECT")
  endif()
  if(KERNELS_SHARED)
    add_library(${target} SHARED)
  else()
    add_library(${target} STATIC)
  endif()
  set(headers ${CMAKE_CURRENT_BINARY_DIR}/include/${target})
  set_target_properties(${target} PROPERTIES AVO_LAUNCH_HEADERS ${headers})
  target_include_directories(${target} INTERFACE ${headers} ${avo_package}/include)
  set(TARGET_OF_KERNELS ON)
  ascendc_simulate(${target} ${KERNELS_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} INTERFACE ${avo_libraries})
endfunction()

function(ascendc_include_directories target)
  target_include_directories(${target} ${ARGN})
endfunction()
function(ascendc_compile_definitions target)
  target_compile_definitions(${target} ${ARGN})
endfunction()
function(ascendc_compile_options target)
  list(FILTER ARGN EXCLUDE REGEX "^(PRIVATE|PUBLIC|INTERFACE)$")
  set_property(TARGET ${target} APPEND PROPERTY AVO_KERNEL_OPTIONS ${ARGN})
endfunction()
