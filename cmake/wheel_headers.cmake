# Where a wheel takes the headers of Eigen, fmt and nlohmann/json from: the build requirements of pyproject.toml, whose
# versions are fixed there. They come before those of the machine, so a wheel is made of the same headers everywhere.
# Included before find_package.
foreach(folder IN LISTS CMAKE_PREFIX_PATH)
  if(IS_DIRECTORY ${folder}/cmeel.prefix)
    list(PREPEND CMAKE_PREFIX_PATH ${folder}/cmeel.prefix)
  endif()
  if(EXISTS ${folder}/nlohmann_json/include/nlohmann/json.hpp)
    # This requirement has the headers alone.
    set(nlohmann_json_DIR ${PROJECT_BINARY_DIR}/headers)
    file(WRITE ${nlohmann_json_DIR}/nlohmann_json-config.cmake
         "add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)\n"
         "set_target_properties(nlohmann_json::nlohmann_json PROPERTIES INTERFACE_INCLUDE_DIRECTORIES\n"
         "                      \"${folder}/nlohmann_json/include\")\n")
  endif()
endforeach()
