#!/bin/sh
# The sanitizer build must catch planted bugs; otherwise its silence means nothing.
set -eu
planted="$1"
bugs="$("$planted" list)"
[ -n "$bugs" ] || { echo "no planted bug to try" >&2; exit 1; }
for bug in $bugs; do
  said="$("$planted" "$bug" 2>&1 || true)"
  case "$said" in
    *Sanitizer* | *"runtime error"* | *Assertion*) echo "caught: $bug" ;;
    *) echo "planted bug '$bug' was not caught" >&2; exit 1 ;;
  esac
done
