#!/bin/bash
# Runs suites of tests and sums them up in one last line.
#
#   B=build bash tests/run.sh SUITE...
#
# unit, launcher   cmocka programs
# sanitize         the same, built with AddressSanitizer and UBSan
# fuzz             the fuzz targets, bounded (tests/fuzz/fuzz.sh)
# load             tests/cli/load.sh at its full size (FULL=1)
# cli, cases       scripts that drive the built command (tests/lib.sh)
# escapes          every attempt of the catalogue, and the stubs
# faults           every system call made to fail, and kills (tests/faults)
# root-unit        the unit programs once more, as root
# root-cli         scripts about agsbx that root starts, and bad-input
# root-cases       the cases once more, started by root
# hosts            the host matrix
# escapes-guest    the attempts that only a guest can show; FULL=1: all.  These
#                  two before all others and alone: guests need the machine
#
# Started as root, every other suite runs as an account without any privilege.
# A program that dies or hangs has failed; one that was skipped prints why and
# is never counted as passed.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
JOBS=${JOBS:-$(nproc)}
LIMIT=${LIMIT:-600} # seconds for one program or script
HOSTS_LIMIT=${HOSTS_LIMIT:-1500}
ESCAPES_LIMIT=${ESCAPES_LIMIT:-1200}
UNPRIVILEGED=61234  # an id that no account of the host has

work=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-run.XXXXXX") || exit 1
trap 'cd /; rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -m 1777 "$work/tmp" "$work/report"
mkdir "$work/home"

as_account=()
if [ "$(id -u)" -eq 0 ]; then
	as_account=(setpriv "--reuid=$UNPRIVILEGED" "--regid=$UNPRIVILEGED"
	    --clear-groups --)
	if ! "${as_account[@]}" true 2>"$work/setpriv"; then
		echo "run.sh: everything runs as root: $(cat "$work/setpriv")"
		as_account=()
	else
		chown "$UNPRIVILEGED:$UNPRIVILEGED" "$work/home"
	fi
fi

# The account must reach what it runs: a copy, where the checkout is private.
if [ ${#as_account[@]} -gt 0 ] &&
    ! "${as_account[@]}" test -x "$(realpath "$B")" -a -r "$PWD/tests/lib.sh"; then
	mkdir "$work/copy" "$work/copy/build"
	cp -a common policy launcher broker man tests "$work/copy/"
	for d in agsbx agsbx-launcher agsbx-test agsbx-launcher-test agsbx-attack \
	    agsbx-launcher-hostile attempt faults unit launcher escapes san/unit san/launcher \
	    fuzzed/fuzz; do
		[ -e "$B/$d" ] || continue
		mkdir -p "$(dirname "$work/copy/build/$d")"
		cp -a "$B/$d" "$work/copy/build/$d"
	done
	chmod -R a+rX "$work/copy"
	log=$(realpath "$B")/log
	cd "$work/copy" || exit 1
	B=build
fi
B=$(realpath "$B")
log=${log:-$B/log}
rm -rf "$log"
mkdir -p "$log"

# SUITE -> lines of "SUITE KIND WHO PROGRAM".
list()
{
	local f
	case $1 in
	unit | launcher)
		for f in "$B/$1"/test_*; do
			[[ $f == *.d ]] || echo "$1 cmocka account $f"
		done ;;
	load)
		echo "load script account tests/cli/load.sh" ;;
	escapes)
		echo "$1 script account tests/escapes/catalogue.sh"
		echo "$1 script account tests/escapes/doctor.sh"
		for f in "$B"/escapes/test_*; do
			[[ $f == *.d ]] || echo "$1 cmocka account $f"
		done ;;
	sanitize)
		for f in "$B"/san/unit/test_* "$B"/san/launcher/test_*; do
			[ ! -x "$f" ] || echo "$1 cmocka account $f"
		done ;;
	fuzz)
		echo "$1 script account tests/fuzz/fuzz.sh" ;;
	cli | cases)
		for f in "tests/$1"/*.sh; do
			[[ $f == */root-* ]] || echo "$1 script account $f"
		done ;;
	hosts)
		echo "$1 script root tests/hosts/check.sh" ;;
	escapes-guest)
		echo "$1 script root tests/hosts/escapes.sh" ;;
	faults)
		for f in tests/faults/calls-*.sh tests/faults/kills.sh; do
			echo "$1 script account $f"
		done ;;
	root-*)
		[ "$(id -u)" -eq 0 ] || return 0
		list_root "$1" ;;
	*)
		echo "run.sh: no suite $1" >&2
		return 1 ;;
	esac
}

list_root()
{
	local f
	case $1 in
	root-unit)
		for f in "$B"/unit/test_*; do
			echo "$1 cmocka root $f"
		done ;;
	root-cli)
		for f in tests/cli/root-*.sh tests/cli/bad-input.sh; do
			echo "$1 script root $f"
		done ;;
	root-cases)
		for f in tests/cases/*.sh; do
			echo "$1 script root $f"
		done ;;
	esac
}

# Runs one line of the list; its output and exit status go to the log.
run_one()
{
	local suite=$1 who=$3 program=$4 out as=() argv least=0
	out=$log/$suite.$(basename "$program" .sh)
	[ "$who" = root ] || read -ra as <<<"$as_account_words"
	case $suite in
	hosts | escapes-guest) least=$HOSTS_LIMIT ;;
	escapes) least=$ESCAPES_LIMIT ;;
	esac
	[ "$LIMIT" -ge "$least" ] || LIMIT=$least
	argv=("$program")
	[ "$2" = cmocka ] || argv=(bash "$program")
	"${as[@]}" env -i PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 \
	    HOME="$work/home" TMPDIR="$work/tmp" B="$B" REPORT="$work/report" \
	    AGSBX="${AGSBX:-$B/agsbx}" UBSAN_OPTIONS=print_stacktrace=1 \
	    ${FULL:+"FULL=$FULL"} ${GCOV_PREFIX:+"GCOV_PREFIX=$GCOV_PREFIX"} \
	    AGSBX_HOSTS_OUT="$(dirname "$log")" \
	    ${AGSBX_HOSTS_CACHE:+"AGSBX_HOSTS_CACHE=$AGSBX_HOSTS_CACHE"} \
	    timeout -k 5 "$LIMIT" "${argv[@]}" >"$out.log" 2>&1 </dev/null
	echo $? >"$out.rc"
}
export -f run_one
export B log work LIMIT HOSTS_LIMIT ESCAPES_LIMIT as_account_words="${as_account[*]}"

for suite; do
	list "$suite" || exit 1
done >"$work/list"
guests='^(hosts|escapes-guest) '
grep -E "$guests" "$work/list" | xargs -r -L 1 bash -c 'run_one "$@"' run_one
grep -vE "$guests" "$work/list" |
    xargs -r -P "$JOBS" -L 1 bash -c 'run_one "$@"' run_one

# Counts of one log, as "PASSED FAILED SKIPPED".
count_cmocka()
{
	awk '
	/^\[  PASSED  \]/ { passed = $4 }
	/^\[  FAILED  \] [0-9]+ test/ { failed = $4 }
	/^\[  SKIPPED \] [0-9]+ test/ { skipped = $4 }
	END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}
count_script()
{
	awk '
	/^ok / { passed++ }
	/^FAIL / { failed++ }
	/^SKIP / { skipped++ }
	END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

# What a script counted: "COUNT 2000 inputs to 8 fuzz targets".
counts()
{
	sed -n 's/^COUNT //p' "$1"
}

# What was skipped and why; a cmocka test says why before it calls skip().
skips_cmocka()
{
	awk '
	/^\[  SKIPPED \] [^0-9]/ && before !~ /^\[  SKIPPED/ {
		print "SKIP " $4 ": " before
	}
	{ before = $0 }' "$1"
}
skips_script()
{
	grep '^SKIP ' "$1"
}

# What a suite reports besides its lines.
cp -R "$work/report/." "$(dirname "$log")/report"

passed=0 failed=0 skipped=0
while read -r suite kind _ program; do
	name=$(basename "$program" .sh)
	out=$log/$suite.$name
	rc=$(cat "$out.rc" 2>/dev/null || echo lost)
	read -r p f s < <("count_$kind" "$out.log")
	why=
	if [ "$rc" != 0 ] && [ "$f" -eq 0 ]; then
		f=1 why="ended with $rc (124 and 137: hung)"
	elif [ $((p + f + s)) -eq 0 ]; then
		f=1 why="ran no test"
	fi
	if [ "$f" -gt 0 ]; then
		echo "---- $suite/$name failed${why:+: $why}"
		cat "$out.log"
	elif [ "$suite" = hosts ]; then
		cat "$out.log"
	elif [ "$s" -gt 0 ]; then
		skips_"$kind" "$out.log" | sed "s|^|$suite/$name: |"
	fi
	counts "$out.log"
	# Numbers that a script wants to be seen.
	sed -n "s|^NOTE |$suite/$name: |p" "$out.log"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done <"$work/list"

for suite; do
	if [[ $suite == root* ]] && [ "$(id -u)" -ne 0 ]; then
		echo "$suite: SKIP: only root can start it"
		skipped=$((skipped + 1))
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
