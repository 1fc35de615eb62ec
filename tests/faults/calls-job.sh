#!/bin/bash
# Makes the system calls of the held job fail, each once, up to its exec.
. "$(dirname "$0")/driver.sh"

calls job
