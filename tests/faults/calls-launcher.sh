#!/bin/bash
# Makes the system calls of the launcher fail, each once.
. "$(dirname "$0")/driver.sh"

calls launcher
