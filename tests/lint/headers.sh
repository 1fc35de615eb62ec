#!/bin/bash
# Each header includes what it needs: every one of them compiles alone, seen
# from its own layer.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
bad=0
read -ra overlay < <(pkg-config --cflags libbsd-overlay)
for header in common/*.h policy/*.h launcher/*.h broker/*.h; do
	includes=(-Icommon "-I$B/gen")
	case $header in
	policy/*) includes+=(-Ipolicy "${overlay[@]}") ;;
	launcher/*) includes+=(-Ilauncher) ;;
	broker/*) includes+=(-Ibroker -Ipolicy "${overlay[@]}") ;;
	esac
	${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only \
	    "${includes[@]}" -include "$header" -x c /dev/null || {
		echo "headers: $header does not compile alone"
		bad=1
	}
done
exit "$bad"
