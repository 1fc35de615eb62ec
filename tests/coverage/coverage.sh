#!/bin/bash
# Lines of common, policy and broker that the tests run; fails below 90 %.
#   B=build/cov bash tests/coverage/coverage.sh     (built with --coverage)
#
# A confined broker can write only below its state directory, so its counters
# are reached there: each state directory gets hard links to them, and the
# broker is told by GCOV_PREFIX.  A process that ends in _exit or SIGKILL writes
# none, nor does a confined doctor: what only these run is not counted, and what
# only doctor --attack runs (its files but the judge) is left out.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "$B")
MINIMUM=90
counters=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-coverage.XXXXXX")
trap 'rm -rf "$counters"' EXIT

# Every counter exists, empty, and whoever runs the tests may write it.
chmod 755 "$counters"
find "$B/obj" -name '*.gcda' -delete
find "$B/obj" -name '*.gcno' | while read -r note; do
	mkdir -p "$counters/tree$(dirname "$note")"
	: >"$counters/tree${note%.gcno}.gcda"
done

# The filter compiler runs when agsbx is built; tests judge what it made.
for what in floor policy; do
	GCOV_PREFIX=$counters/tree "$B/genfilter" "$what" >/dev/null
done
chmod -R a+rwX "$counters/tree"

# Stands in front of agsbx, and becomes it; the checkout may be private.
mkdir "$counters/bin"
cp "$B/agsbx" "$B/agsbx-launcher" "$counters/bin/"
chmod -R a+rX "$counters/bin"
cat >"$counters/agsbx" <<WRAPPER
#!/bin/bash
state=\${AGSBX_STATE_DIR:-\${XDG_STATE_HOME:-\$HOME/.local/state}/agsbx}
for ((i = 1; i <= \$#; i++)); do
	next=\$((i + 1))
	case \${!i} in
	--state-dir=*) state=\${!i#*=} ;;
	--state-dir) state=\${!next:-} ;;
	--) break ;;
	esac
done
case \${1:-} in run | recover | jobs) ;; *) exec "$counters/bin/agsbx" "\$@" ;; esac
if mkdir -p -m 700 "\$state" 2>/dev/null &&
    { [ -d "\$state/gcov" ] ||
	cp -al "$counters/tree" "\$state/gcov" 2>/dev/null; }; then
	export GCOV_PREFIX=\$state/gcov
fi
exec "$counters/bin/agsbx" "\$@"
WRAPPER
chmod 755 "$counters/agsbx"

GCOV_PREFIX=$counters/tree AGSBX=$counters/agsbx B=$B \
    bash tests/run.sh unit launcher cli root-unit >"$B/tests.txt" || {
	sed 's/^/  /' "$B/tests.txt"
	echo "coverage: tests fail in this build"
	exit 1
}
find "$counters/tree" -name '*.gcda' -size +0 | while read -r data; do
	cp "$data" "${data#"$counters/tree"}"
done
gcovr -r . --object-directory "$B/obj" --filter 'common/' --filter 'policy/' \
    --filter 'broker/' --exclude 'policy/genfilter.c' \
    --exclude 'broker/(text_)?attack(_answer|_job|_scene)?[.]c' \
    --txt "$B/coverage.txt" \
    --fail-under-line "$MINIMUM" --print-summary
