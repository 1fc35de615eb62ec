#!/bin/bash
# Makes the system calls of init fail, each once.
. "$(dirname "$0")/driver.sh"

calls init
