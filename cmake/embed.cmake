# embed.cmake — a file as C: cmake -DFROM=page.html -DTO=page.c -DNAME=page -P embed.cmake
file(READ ${FROM} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR count "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${TO} "#include <stddef.h>\nextern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_bytes;\nextern const char ${NAME}_lacks[];\nconst unsigned char ${NAME}[] = { ${bytes}0 };\nconst size_t ${NAME}_bytes = ${count};\nconst char ${NAME}_lacks[] = \"\";\n")
