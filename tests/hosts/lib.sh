# shellcheck shell=bash
# lib.sh - what the scripts that boot guests share; sourced, never run.
#
# AGSBX_HOSTS_CACHE  packages and kernels (setup.sh); below $OUT if unset
# AGSBX_HOSTS_OUT    where results go; $B if unset
# KERNEL             another of the cache than 6.1, for delegated()
B=$(realpath "${B:-build}")
OUT=$(realpath "${AGSBX_HOSTS_OUT:-$B}")
C=${AGSBX_HOSTS_CACHE:-$OUT/hosts-cache}
export B OUT C
mkdir -p "$OUT/hosts" "$C" || exit 1

# ready WHO: where no guest can be had, a SKIP line and the end.
ready()
{
	if [ "$(uname -m)" != x86_64 ]; then
		echo "SKIP $1: it boots an x86-64 kernel, this is $(uname -m)"
		exit 0
	fi
	timeout 600 bash tests/hosts/setup.sh "$C" >"$OUT/hosts/setup.log" \
	    2>&1 && return
	echo "SKIP $1: qemu or a kernel cannot be had:" \
	    "$(grep -E '^[EW]: ' "$OUT/hosts/setup.log" | head -n 2 |
	        tr '\n' ' ')"
	exit 0
}

# delegated NAME SECONDS MIB SETTINGS FILE...: boots the delegated guest with
# the work of stdin, and with both programs and each FILE; its $OUT becomes
# $out, which is $OUT/hosts/NAME/out.  The guest's clock counts its instructions
# (boot.sh): no deadline passes because the emulator is slow or this machine
# busy.  False: no result, which a FAIL line has told.
delegated()
{
	local name=$1 dir=$OUT/hosts/$1 seconds=$2 mib=$3 settings=$4
	shift 4
	# shellcheck disable=SC2034 # the caller reads it
	out=$dir/out
	cat >"$dir.work"
	SECONDS_MAX=$seconds CLOCK=counted bash tests/hosts/boot.sh "$C" "$dir" \
	    "${KERNEL:-6.1}" "$mib" "" "$settings" "$dir.work" "$B/agsbx" \
	    "$B/agsbx-launcher" "$@" 2>"$dir.err" && return
	echo "FAIL $name-guest: no result: $(tr '\n' ' ' <"$dir.err")"
	return 1
}
