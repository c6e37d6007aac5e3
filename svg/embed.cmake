# SPDX-License-Identifier: MIT
# Writes a C file (OUTPUT) that holds each asset (ASSETS, a list of paths) as a constant
# `const struct TYPE TYPE_NAME` of the header HEADER; NAME is the file name with `_` for other
# characters.
set(content "// Made by svg/embed.cmake.\n#include \"${HEADER}\"\n\n")
foreach(path IN LISTS ASSETS)
  get_filename_component(name "${path}" NAME)
  string(MAKE_C_IDENTIFIER "${name}" identifier)
  file(READ "${path}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND content "static const unsigned char ${identifier}_bytes[] = {\n${bytes}0};\n"
    "const struct ${TYPE} ${TYPE}_${identifier} = {${identifier}_bytes, sizeof ${identifier}_bytes - 1};\n\n")
endforeach()
file(WRITE "${OUTPUT}" "${content}")
