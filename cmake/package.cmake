# SPDX-License-Identifier: Apache-2.0
# Lays the Python package out twice from one list: as links in the build tree, and as files in an install (a wheel).

# Puts `source` (a file or folder) at `path` below the package.
function(package_item source path)
  get_filename_component(folder ${avo_package}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${source} ${avo_package}/${path} SYMBOLIC)
  get_filename_component(name ${path} NAME)
  get_filename_component(folder ascend_vision_ops/${path} DIRECTORY)
  if(IS_DIRECTORY ${source})
    install(DIRECTORY ${source}/ DESTINATION ${folder}/${name} PATTERN __pycache__ EXCLUDE)
  else()
    install(FILES ${source} DESTINATION ${folder} RENAME ${name})
  endif()
endfunction()

# Puts the files of the folder `source` that fit the patterns at `path` below the package. The build tree links to all.
function(package_sources source path)
  get_filename_component(folder ${avo_package}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${source} ${avo_package}/${path} SYMBOLIC)
  set(patterns)
  foreach(pattern ${ARGN})
    list(APPEND patterns PATTERN ${pattern})
  endforeach()
  install(DIRECTORY ${source}/ DESTINATION ascend_vision_ops/${path} FILES_MATCHING ${patterns})
endfunction()

# Removes old links, because links to contracts and headers that are gone would still be found.
file(REMOVE_RECURSE ${avo_package}/_specs ${avo_package}/include)

# A wheel takes the Python sources from wheel.packages of pyproject.toml; the build tree links to them.
file(MAKE_DIRECTORY ${avo_package})
file(GLOB python_sources CONFIGURE_DEPENDS LIST_DIRECTORIES true python/ascend_vision_ops/*)
foreach(source ${python_sources})
  get_filename_component(name ${source} NAME)
  if(name MATCHES "^(csrc|__pycache__)$")
    continue()
  endif()
  set(parts ${source})
  if(IS_DIRECTORY ${gen}/python/ascend_vision_ops/${name})
    # Where generated files lie in the same folder, the folder has links to files. An older tree may have a link here.
    if(IS_SYMLINK ${avo_package}/${name})
      file(REMOVE ${avo_package}/${name})
    endif()
    file(MAKE_DIRECTORY ${avo_package}/${name})
    file(GLOB parts CONFIGURE_DEPENDS ${source}/*.py)
  endif()
  foreach(part ${parts})
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/python/ascend_vision_ops ${part})
    file(CREATE_LINK ${part} ${avo_package}/${path} SYMBOLIC)
  endforeach()
endforeach()

file(GLOB_RECURSE generated RELATIVE ${gen}/python/ascend_vision_ops ${gen}/python/ascend_vision_ops/*)
foreach(path ${generated})
  package_item(${gen}/python/ascend_vision_ops/${path} ${path})
endforeach()

file(GLOB headers CONFIGURE_DEPENDS LIST_DIRECTORIES true sim/acl/include/* sim/hccl/include/*)
foreach(source ${headers} ${gen}/include/aclnnop)
  get_filename_component(name ${source} NAME)
  package_item(${source} include/${name})
endforeach()
package_item(${CMAKE_SOURCE_DIR}/sim/ascendc/include include/ascendc)

# What a user compiles against CANN's own headers (ascend_headers/), in the folders of the source tree.
if(NOT AVO_CPU_ONLY)
  set(sources _kernel_sources)
  foreach(part compiler engine include)
    package_sources(${CMAKE_SOURCE_DIR}/sim/ascendc/${part} ${sources}/sim/ascendc/${part} *.h)
  endforeach()
  package_sources(${CMAKE_SOURCE_DIR}/sim/operators/include ${sources}/sim/operators/include *.h)
  package_sources(${CMAKE_SOURCE_DIR}/op_kernel ${sources}/op_kernel *.h)
  set(entries)
  foreach(operator ${operators})
    list(APPEND entries ${operator}.cpp ${operator}_instances.h ${operator}_library.cpp)
  endforeach()
  package_sources(${gen}/op_kernel ${sources}/gen/op_kernel ${entries})
endif()

# _specs has links to the contracts only, and not to the C++ sources beside them.
set(rendered_specs ${specs})
keep_rendered_operators(rendered_specs)
foreach(spec ${rendered_specs})
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/op_host ${spec})
  package_item(${spec} _specs/${path})
endforeach()
package_item(${CMAKE_SOURCE_DIR}/tests/cases _cases)

include(CMakePackageConfigHelpers)
set(config ${avo_package}/lib/cmake/ascend_vision_ops)
configure_file(cmake/ascend_vision_opsConfig.cmake.in ${config}/ascend_vision_opsConfig.cmake @ONLY)
write_basic_package_version_file(${config}/ascend_vision_opsConfigVersion.cmake
  VERSION ${avo_version} COMPATIBILITY SameMinorVersion)
file(COPY cmake/simulate/ DESTINATION ${config})
configure_file(cmake/ascend_vision_ops.pc.in ${avo_package}/lib/pkgconfig/ascend_vision_ops.pc @ONLY)
install(DIRECTORY ${avo_package}/lib/cmake ${avo_package}/lib/pkgconfig DESTINATION ascend_vision_ops/lib)

install(TARGETS cust_opapi ascendcl nnopbase hccl hcomm op_framework ascendc_sim avo_onnxruntime ${avo_torch_libraries}
  LIBRARY DESTINATION ascend_vision_ops/lib)
install(TARGETS _native ${avo_torch_modules} LIBRARY DESTINATION ascend_vision_ops)
