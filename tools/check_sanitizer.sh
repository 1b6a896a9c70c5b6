#!/bin/sh
# The sanitizer build must catch planted bugs; otherwise its silence means nothing.
planted="$1"
for bug in $("$planted" list); do
  if "$planted" "$bug" > /dev/null 2>&1; then
    echo "planted bug '$bug' was not caught" >&2
    exit 1
  fi
  echo "caught: $bug"
done
