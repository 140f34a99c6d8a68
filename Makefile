# Thin wrappers over the CMake presets, for people who want one command. Everything here works by hand too:
#   scripts/bootstrap && cmake --preset dev && cmake --build --preset dev && ctest --preset dev

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
# Many tests wait more than they compute.
TEST_JOBS ?= $(shell expr 3 \* $(JOBS))
LONG_TESTS := ^(install|model|foreign|other_compiler|long)$$
PROGRAMS_TESTS := ^(install|model|foreign)$$
DEMO_ARGS ?=
BENCH_ARGS ?=
PART ?=

.PHONY: help demo test test-long test-programs test-build bench paper bench-jvm bench-postgres bench-python bench-parquet bench-spark docs install package wheel format check clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo              build the command and the example server, run it, show its log'
	@echo 'make test              build everything with assertions, run the tests'
	@echo 'make test-long         after it: install it for programs of others, prove the protocol on its models, ask another compiler'
	@echo 'make test-programs     of test-long what is not just more cases: some three minutes'
	@echo 'make bench             run the benchmarks, write bench/results, render the tables'
	@echo 'make paper             measure what the NanoLog paper and other comparisons did, into docs/paper.md; PART=figure9: that alone'
	@echo 'make bench-jvm         time the same calls on the JVM into steno, Log4j2, Logback and java.util.logging'
	@echo 'make bench-postgres    time PostgreSQL that logs every statement, by steno and its own means'
	@echo 'make bench-python      time DuckDB, Polars and pandas on a log, and on Parquet files of their own'
	@echo 'make bench-parquet     ask the command, and DuckDB on Parquet files of the same rows, the same questions'
	@echo 'make bench-spark       time Spark on a log, and on Parquet files that it wrote of the same rows'
	@echo 'make docs              the reference of the headers as web pages, in build/docs'
	@echo 'make install PREFIX=D  install headers, libraries and bin/steno under D (default /usr/local)'
	@echo 'make package           Debian packages, in build/package'
	@echo 'make wheel             the Python package for pip, with the steno command in it, in build/wheel'
	@echo 'make check             layer and format checks'
	@echo 'make format            clang-format all sources in place'
	@echo 'make clean             remove build/'

demo:
	@scripts/bootstrap --build
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target steno example_kv_server
	@scripts/demo build/release $(DEMO_ARGS)

test: test-build
	ctest --preset test -j $(TEST_JOBS) -LE '$(LONG_TESTS)'

# Those that take a minute or more each, more cases of others, and what another compiler says.
test-long: test-build
	ctest --preset test -j $(TEST_JOBS) -L '$(LONG_TESTS)'

# Of those, programs of others against an installed steno, and the models of the protocol.
test-programs: test-build
	ctest --preset test -j $(TEST_JOBS) -L '$(PROGRAMS_TESTS)' -LE '^long$$'

# What tests need of PyPI comes while the compilers run, in a process group of its own, to be ended with all its children.
test-build:
	@scripts/bootstrap --apt
	cmake --preset test
	@setsid scripts/bootstrap --python & python=$$!; trap 'kill -TERM -$$python; exit 130' HUP INT TERM; \
	echo 'cmake --build --preset test -j $(JOBS)'; cmake --build --preset test -j $(JOBS); built=$$?; \
	wait $$python; exit $$built

bench:
	@scripts/bootstrap --bench
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS)
	scripts/run_bench build/bench $(BENCH_ARGS)

paper:
	@scripts/bootstrap --bench
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target $$(scripts/paper --targets --part '$(PART)')
	scripts/paper build/bench --part '$(PART)' $(BENCH_ARGS)

bench-jvm:
	@scripts/bootstrap
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target steno steno_jvm
	scripts/bench_jvm build/release/bin/steno build/bench-jvm --out bench/results/jvm.json
	rm -f bench/results/jvm_often.json bench/results/jvm_virtual.json  # parts that were measured alone
	scripts/render_bench bench/results/jvm.json --into docs/jvm/*.md
	scripts/paper --render

bench-postgres:
	@scripts/bootstrap
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target steno steno_shared steno_reader_shared
	scripts/bench_postgres build/release $(BENCH_ARGS)
	scripts/render_bench bench/results/postgresql*.json --into docs/postgresql.md
	scripts/paper --render

# The logs are written by a program of the tests. The package is the wheel that users get.
bench-python:
	@scripts/bootstrap
	cmake --preset test
	cmake --build --preset test -j $(JOBS) --target python_many_responses
	scripts/bench_python build/test $(BENCH_ARGS)
	scripts/render_bench bench/results/*.json --into docs/engines.md bench/results/report.md

bench-parquet:
	@scripts/bootstrap
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target bench_real_logs steno
	scripts/bench_parquet build/bench $(BENCH_ARGS)
	scripts/render_bench bench/results/*.json --into docs/performance.md bench/results/report.md

# The logs are written by a program of the tests.
bench-spark:
	@scripts/bootstrap
	@scripts/bootstrap --spark
	cmake --preset test
	cmake --build --preset test -j $(JOBS) --target python_many_responses
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target steno_jvm steno_spark
	scripts/bench_spark build/release build/test/test/python/python_many_responses $(BENCH_ARGS)
	scripts/render_bench bench/results/*.json --into docs/spark.md bench/results/report.md

docs:
	@scripts/bootstrap
	test/docs/check_reference . build/docs

install:
	@scripts/bootstrap --build
	cmake --preset release
	cmake --build --preset release -j $(JOBS)
	DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'

package:
	@scripts/bootstrap --build
	cmake --preset release -B build/package -DCMAKE_INSTALL_PREFIX=/usr -DSTENO_EXAMPLES=OFF
	cmake --build build/package -j $(JOBS)
	cd build/package && cpack

wheel:
	@scripts/bootstrap
	scripts/build_wheel

format:
	scripts/check_format --fix

check:
	scripts/check_layers
	scripts/check_format

clean:
	rm -rf build
