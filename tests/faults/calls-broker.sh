#!/bin/bash
# Makes the system calls of the broker, from the loader to its last call fail, each once.
. "$(dirname "$0")/driver.sh"

calls broker
