#!/bin/bash
# The same sources give the same programs, wherever they are built.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-repro.XXXXXX")
trap 'rm -rf "$work"' EXIT
for dir in one two/deeper; do
	mkdir -p "$work/$dir/tests"
	cp -a Makefile common policy launcher broker "$work/$dir/"
	cp -a tests/escapes "$work/$dir/tests/"
	make -s -C "$work/$dir" "-j$(nproc)" all
done
for program in agsbx agsbx-launcher agsbx-attack; do
	cmp "$work/one/build/$program" "$work/two/deeper/build/$program"
done
echo "repro: the programs are the same bytes from two directories"
