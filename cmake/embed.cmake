# kedge_embed(TARGET FILES...): each file becomes a constant of the library, so that nothing has to be found at run
# time: kedge/domains/push/push.xml is embedded::push_push_xml, declared in <kedge_embedded.h> of the build tree.
function(kedge_embed target)
  set(folder ${PROJECT_BINARY_DIR}/embedded)
  set(declarations "#pragma once\n#include <string_view>\nnamespace kedge::embedded {\n")
  set(definitions "#include \"kedge_embedded.h\"\nnamespace kedge::embedded {\n")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${file} text)
    string(REGEX REPLACE "^kedge/domains/" "" name ${file})
    string(MAKE_C_IDENTIFIER ${name} name)
    string(APPEND declarations "extern const std::string_view ${name};\n")
    # Constant from the start: other constants of the program may be made of it.
    string(APPEND definitions "static const char text_of_${name}[] = R\"embedded(${text})embedded\";\n"
           "constinit const std::string_view ${name}(text_of_${name}, sizeof(text_of_${name}) - 1);\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/kedge_embedded.h CONTENT "${declarations}}\n" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/kedge_embedded.cpp CONTENT "${definitions}}\n" @ONLY)
  target_sources(${target} PRIVATE ${folder}/kedge_embedded.cpp)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
