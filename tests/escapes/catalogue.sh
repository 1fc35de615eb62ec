#!/bin/bash
# The escape suite: every attempt of tests/escapes/catalogue.def, naked, with
# everything held, and with its cut set left out.
#   B=build bash tests/escapes/catalogue.sh [NAME...]
# REPORT   a directory for escapes.json
set -u
B=${B:-build}
exec "$B/escapes/run" -o "${REPORT:-$B}/escapes.json" "$@"
