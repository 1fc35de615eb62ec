#!/bin/bash
# bench.sh - what a launch costs, beside other sandboxes, in one run.
#
#   B=build bash tests/bench/bench.sh          ROUNDS, SECONDS, LANES to change
#
# Only ratios mean something on another machine.  bubblewrap is the measure: it
# shows the same parts of the host, but sets no limits, loads no filter, reads
# nothing back and keeps no record.  A tool that is not installed is skipped;
# started as root, all run as an account without any privilege.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=$(realpath "${B:-build}")
ROUNDS=${ROUNDS:-200} SECONDS_EACH=${SECONDS_EACH:-5} LANES=${LANES:-$(nproc)}
T=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-bench.XXXXXX") || exit 1
trap 'cd /; rm -rf "$T"' EXIT
chmod 755 "$T"
mkdir -m 1777 "$T/home"
cp "$B/agsbx" "$B/agsbx-launcher" "$B/bench/launches" "$T/"

as_account=(env -i PATH=/usr/bin:/bin HOME="$T/home")
if [ "$(id -u)" -eq 0 ]; then
	as_account=(setpriv --reuid=61234 --regid=61234 --clear-groups --
	    "${as_account[@]}")
fi

# The links that / has here, else the directories behind them.
usr=(--ro-bind /usr /usr)
for dir in bin sbin lib lib32 lib64; do
	if [ -L "/$dir" ]; then
		usr+=(--symlink "$(readlink "/$dir")" "/$dir")
	elif [ -d "/$dir" ]; then
		usr+=(--ro-bind "/$dir" "/$dir")
	fi
done
run="$T/agsbx run -q"
"${as_account[@]}" "$T/agsbx" run -q -- /bin/true 2>"$T/err" ||
    run="$run --allow-degraded"

commands=()
# add NAME PROGRAM [ARG...]: where it works, else it is skipped with the reason.
add()
{
	local name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		echo "SKIP $name: no $1 here"
	elif ! "${as_account[@]}" "$(command -v "$1")" "${@:2}" \
	    >"$T/out" 2>"$T/err" </dev/null; then
		echo "SKIP $name: $(head -n 1 "$T/err")"
	else
		commands+=("$name" "$(command -v "$1") ${*:2}")
	fi
}
add "bwrap" bwrap --unshare-all "${usr[@]}" --dev /dev --proc /proc \
    --tmpfs /tmp --die-with-parent /bin/true
# shellcheck disable=SC2086 # words
add "agsbx run" $run -- /bin/true
add "no sandbox" /bin/true
add "agsbx --version" "$T/agsbx" --version
if [ ${#commands[@]} -lt 2 ]; then
	echo "bench: nothing to measure" >&2
	exit 1
fi

echo "$(uname -r), $(nproc) CPUs, load $(cut -d ' ' -f 1 /proc/loadavg);" \
    "$ROUNDS launches one by one, then $LANES at once; ratio: to ${commands[0]}"
[[ $run != *degraded ]] || echo "this host cannot hold all: $run"
"${as_account[@]}" "$T/launches" "$ROUNDS" "$SECONDS_EACH" "$LANES" \
    "${commands[@]}"
