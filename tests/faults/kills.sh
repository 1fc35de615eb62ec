#!/bin/bash
# Kills broker, launcher and init at each step, and at random instants.
. "$(dirname "$0")/driver.sh"

instants=120
[ -z "${FULL:-}" ] || instants=500
kills "$instants"
