# Every target first installs what it needs and this machine lacks (tools/setup); the second time that is instant.
# CONFIGURE adds options to cmake, as in: make build CONFIGURE=-DKEDGE_BUILD_CLI=OFF

PREFIX ?= /usr/local
CONFIGURE ?=
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60

configure = mkdir -p build && { cmake --preset $(1) $(CONFIGURE) >build/configure.log || { cat build/configure.log; false; }; }
build = cmake --build --preset $(1) --parallel $(JOBS)

.PHONY: help build demo test quick python wheel environment checked checkedbuild sanitize tsan gpu-test fuzz clang portable bench format install deb man completion clean setup

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | while IFS='|' read -r name text; do printf '%-16s %s\n' "$$name" "$$text"; done

build: setup ## build everything, in build/release
	@$(call configure,release)
	@$(call build,release)

demo: setup ## build the command line and write its demonstration to out/demo.html
	@$(call configure,release)
	@$(call build,release) --target kedge_cli
	@mkdir -p out
	@build/release/kedge demo -o out/demo.html

test: build checked environment ## build and run every test, the quick ones again with asserts and sanitizers
	@ctest --preset release --parallel $(JOBS)

quick: build environment ## the tests without those labelled slow
	@ctest --preset release --parallel $(JOBS) --label-exclude slow

python: setup environment ## the tests of the Python package alone
	@$(call configure,release)
	@$(call build,release) --target kedge_c --target kedge_cli
	@ctest --preset release --parallel $(JOBS) --label-regex python

# Without the package index the tests of the Python package are skipped; one line says so.
environment: setup
	@python/tests/setup || test $$? -eq 77

checked: checkedbuild ## the quick tests with asserts, under the address and undefined behaviour sanitizers
	@ctest --preset sanitize --parallel $(JOBS) --label-exclude 'slow|document'

sanitize: checkedbuild ## every test under these sanitizers
	@ctest --preset sanitize --parallel $(JOBS)

checkedbuild: setup
	@$(call configure,sanitize)
	@$(call build,sanitize)

tsan: setup ## the quick tests under the thread sanitizer
	@$(call configure,tsan)
	@$(call build,tsan)
	@ctest --preset tsan --parallel $(JOBS) --label-exclude 'slow|document'

gpu-test: setup ## hold the CUDA engine and commands to those of the CPU on this machine's device; needs nvcc and a GPU
	@$(call configure,release -DKEDGE_CUDA=ON)
	@$(call build,release) --target gpu_tests --target kedge_cli
	@build/release/tests/gpu_tests --gtest_brief=1
	@tests/gpu/commands build/release/kedge

fuzz: setup ## fuzz every reader for FUZZ_SECONDS (60) each, with clang; inputs stay in build/fuzz/corpus
	@tools/setup clang
	@$(call configure,fuzz)
	@$(call build,fuzz)
	@tests/fuzz/run build/fuzz/tests/fuzz build/fuzz/corpus $(FUZZ_SECONDS) $(JOBS)

clang: setup ## build library and command line with clang++-14, in build/clang
	@tools/setup clang
	@$(call configure,clang)
	@$(call build,clang)

portable: setup ## cross-compile for 64-bit ARM and run the tests of kernels, search and predictor under QEMU
	@tools/setup portable
	@$(call configure,portable)
	@$(call build,portable)
	@ctest --preset portable --parallel $(JOBS)

bench: setup ## measure against PyTorch (fetches it, several GB, the first time) and write bench/results
	@tools/setup bench
	@$(call configure,release -DKEDGE_BUILD_BENCH=ON)
	@$(call build,release) --target engine --target csv --target anchors --target simulation --target load \
	    --target bulk --target kedge_c --target kedge_cli
	@bench/peers/setup || test $$? -eq 3
	@build/release/bench/engine
	@build/release/bench/csv
	@build/release/bench/anchors
	@build/release/bench/anchor_rows
	@build/release/bench/simulation
	@build/release/bench/load
	@! python/tests/setup || build/python/bin/python bench/python.py

format: ## clang-format every source
	@tools/setup format
	@git ls-files -z '*.h' '*.cpp' '*.cuh' '*.cu' | xargs -0 clang-format -i

install: setup ## install library, headers and command line under PREFIX (/usr/local)
	@$(call configure,release)
	@$(call build,release) --target kedge --target kedge_c --target kedge_texts
	@cmake --install build/release --prefix "$(PREFIX)"

wheel: setup ## make a wheel of the Python package, in out, and try it on every Python of this machine
	@tools/wheel

deb: setup ## make a Debian package of the command line, in out
	@tools/setup deb
	@$(call configure,release -DKEDGE_CUDA=OFF)
	@$(call build,release) --target kedge --target kedge_texts
	@cpack --config build/release/CPackConfig.cmake -B out >build/deb.log || { cat build/deb.log; false; }
	@rm -rf out/_CPack_Packages
	@ls out/kedge_*.deb

man: setup ## write the manual pages to out/man1
	@$(call configure,release)
	@$(call build,release) --target kedge_cli
	@build/release/kedge man out/man1

completion: setup ## write the scripts by which shells complete commands to out/completion
	@$(call configure,release)
	@$(call build,release) --target kedge_cli
	@mkdir -p out/completion
	@for shell in bash zsh fish; do build/release/kedge completion $$shell >out/completion/kedge.$$shell; done

clean: ## remove what was built (the Python environments in build/python and build/peers stay)
	@rm -rf out build/release build/sanitize build/tsan build/fuzz build/clang build/portable build/wheel build/mypy \
	    build/pycache build/pytest build/ruff build/configure.log

setup:
	@tools/setup
