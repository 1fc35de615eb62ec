#!/bin/bash
# Makes the system calls of the broker fail, each once, the loader's as well.
. "$(dirname "$0")/driver.sh"

calls broker
