#!/bin/sh
# Runs a Python with the sanitizers' runtime loaded first. Python itself leaks at exit, so leaks
# are not counted here; the native tests count them.
libasan="$(${CXX:-g++} -print-file-name=libasan.so)"
libstdcxx="$(${CXX:-g++} -print-file-name=libstdc++.so)"
LD_PRELOAD="$libasan $libstdcxx" \
ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=1 \
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
PYTHONMALLOC=malloc \
exec "$@"
