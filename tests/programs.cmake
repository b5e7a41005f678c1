# SPDX-License-Identifier: Apache-2.0
# test_program(target [options…]): `target` is a program that tests run. It is built with warnings and with
# these compile options into the folder where tests look for it, as a part of avo_tests where that is there
# (the simulator built alone has no such target).
include_guard(GLOBAL)
function(test_program target)
  target_compile_options(${target} PRIVATE -Wall -Wextra ${ARGN})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(TARGET avo_tests)
    add_dependencies(avo_tests ${target})
  endif()
endfunction()
