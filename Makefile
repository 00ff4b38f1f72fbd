# Makefile — the door: each target is one short command over CMake's presets
#
#   make            library and command, in build/release
#   make run        build, then `skua tour`
#   make test       everything CI runs            make test-long   with cross build, soaks, coverage
#   make lint       checks of the sources         make format      clang-format over all C files
#   make docs       MAP.md, docs/orders.md, and the manual pages as HTML in build/docs
#   make bench      skua beside other runtimes, a report in bench/reports; QUICK=1 PEERS=a,b KERNELS=x,y
#   make dist       one skua.c and one skua.h, in build/dist
#   make install    PREFIX=/usr/local, DESTDIR=   make uninstall   the same

PREFIX ?= /usr/local
BUILD = build/release

all:
	@tools/setup run
	@[ ! -e build ] || [ -w build ] || { echo "make: build/ belongs to another user; remove it" >&2; exit 1; }
	@cmake --preset release -B "$(BUILD)" -DCMAKE_INSTALL_PREFIX="$(PREFIX)" >/dev/null
	@cmake --build "$(BUILD)"

run: all
	@"$(BUILD)/skua" tour

test:
	@tools/setup test
	@tools/run_tests

test-long:
	@tools/setup long
	@tools/run_tests --long

bench:
	@tools/setup bench || echo "make bench: going on with what is installed" >&2
	@$(MAKE) --no-print-directory all
	@bench/runner/bench --skua "$(BUILD)/skua" $(if $(QUICK),--quick) $(if $(PEERS),--peers "$(PEERS)") $(if $(KERNELS),--kernels "$(KERNELS)")

help:
	@sed -n '3,11s/^# *//p' Makefile

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
	@tools/setup dist
	@python3 tools/amalgamate.py build/dist

prefix:
	@[ -n "$(PREFIX)" ] || { echo "make: PREFIX is empty, which would mean /; name a folder, or leave it out for /usr/local" >&2; exit 1; }

install: prefix all
	@rm -f "$(BUILD)/install_manifest.txt"
	@cmake --install "$(BUILD)"
	@# libskua.so.0 is found at once; a staged install (DESTDIR) is the packager's affair
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig 2>/dev/null || true; fi

uninstall: prefix all
	@tools/uninstall "$(BUILD)" "$(DESTDIR)"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig 2>/dev/null || true; fi

clean:
	rm -rf build

.PHONY: all run test test-long bench help lint format docs dist prefix install uninstall clean
