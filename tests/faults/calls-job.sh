#!/bin/bash
# Makes the system calls of the held job, up to its exec fail, each once.
. "$(dirname "$0")/driver.sh"

calls job
