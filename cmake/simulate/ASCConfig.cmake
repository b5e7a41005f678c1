# SPDX-License-Identifier: Apache-2.0
# find_package(ASC) before project(… LANGUAGES ASC CXX): .asc sources are compiled for the simulated device.
include(${CMAKE_CURRENT_LIST_DIR}/ascendc_simulate.cmake)
avo_need_python()
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/language)
include_directories(${avo_package}/include)
link_libraries(${avo_libraries})
