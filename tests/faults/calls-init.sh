#!/bin/bash
# Makes the system calls of init, pid 1 of the job fail, each once.
. "$(dirname "$0")/driver.sh"

calls init
