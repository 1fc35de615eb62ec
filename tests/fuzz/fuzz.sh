#!/bin/bash
# fuzz.sh - runs the fuzz targets, each from its golden inputs.
#
#   B=build bash tests/fuzz/fuzz.sh            bounded, the same at every run
#   B=build bash tests/fuzz/fuzz.sh SECONDS    each target so long; what it
#                                              learns stays in $B/fuzz-corpus
#
# Prints one line a target: ok, or FAIL with the input that broke it, in base64
# and as a file; then how many inputs there were in all.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=$(realpath "${B:-build}")
SECONDS_EACH=${1:-}
RUNS=10000
PROGRAMS=$B/fuzzed/fuzz
T=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-fuzz.XXXXXX") || exit 1
trap 'cd /; rm -rf "$T"' EXIT
export UBSAN_OPTIONS=print_stacktrace=1

# The bytes of structs are made, the texts are files.
mkdir "$T/seeds"
"$PROGRAMS/seeds" "$T/seeds" || exit 1

# A target whose inputs cost more gets fewer; its share of the runs in percent.
share()
{
	case $1 in
	policy) echo 25 ;;
	*) echo 100 ;;
	esac
}

fuzz_one()
{
	local name=$1 learned=$T/learned/$1 found=$T/found- limit golden=()
	if [ -n "$SECONDS_EACH" ]; then
		learned=$B/fuzz-corpus/$name found=$B/fuzz-corpus/found-
		limit=(-max_total_time="$SECONDS_EACH")
	else
		limit=(-runs=$((RUNS * $(share "$name") / 100)) -seed=1)
	fi
	mkdir -p "$learned"
	for dir in "$T/seeds/$name" "tests/fuzz/corpus/$name"; do
		[ ! -d "$dir" ] || golden+=("$dir")
	done
	"$PROGRAMS/fuzz_$name" "${limit[@]}" -max_len=4096 -timeout=20 \
	    -rss_limit_mb=2048 -print_final_stats=1 -verbosity=1 \
	    -artifact_prefix="$found$name-" "$learned" "${golden[@]}" \
	    >"$T/$name.log" 2>&1
	echo $? >"$T/$name.rc"
}
export -f fuzz_one share
export B T PROGRAMS SECONDS_EACH RUNS

names=$(for f in tests/fuzz/fuzz_*.c; do
	f=${f##*/fuzz_}
	echo "${f%.c}"
done)
xargs -P "$(nproc)" -I NAME bash -c 'fuzz_one NAME' <<<"$names"

total=0 failed=0
for name in $names; do
	inputs=$(awk '/^stat::number_of_executed_units/ { print $2 }' \
	    "$T/$name.log")
	inputs=${inputs:-0}
	total=$((total + inputs))
	if [ "$(cat "$T/$name.rc")" = 0 ] && [ "$inputs" -gt 0 ]; then
		echo "ok fuzz_$name: $inputs inputs"
	else
		echo "FAIL fuzz_$name: the end of what it said:"
		tail -n 60 "$T/$name.log"
		failed=1
	fi
done
echo "COUNT $total inputs to $(wc -w <<<"$names") fuzz targets"
[ "$failed" -eq 0 ]
