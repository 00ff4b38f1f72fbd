# Makefile — the door: each target is one short command over CMake's presets
#
#   make            library and command, in build/release
#   make run        build, then `skua tour`
#   make test       everything CI runs            make test-long   with cross build, soaks, coverage
#   make lint       checks of the sources         make format      clang-format over all C files
#   make docs       MAP.md, docs/orders.md, and the manual pages as HTML in build/docs
#   make dist       one skua.c and one skua.h, in build/dist
#   make install    PREFIX=/usr/local, DESTDIR=

PREFIX ?= /usr/local

all:
	@tools/setup run
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build build/release

run: all
	@build/release/skua tour

test:
	@tools/setup test
	@tools/run_tests

test-long:
	@tools/setup long
	@tools/run_tests --long

lint:
	@tools/setup test
	@tools/run_tests --only lint

format:
	@tools/setup test
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' | xargs clang-format -i

docs:
	@tools/setup test
	@tools/make_docs

dist:
	@tools/setup test
	@python3 tools/amalgamate.py build/dist

install: all
	@cmake --install build/release

clean:
	rm -rf build

.PHONY: all run test test-long lint format docs dist install clean
