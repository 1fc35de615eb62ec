#!/bin/bash
# Lines of common, policy and broker that the tests run; fails below 90 %.
#   B=build/cov bash tests/coverage.sh     (built with --coverage)
#
# A confined broker can write only below its state directory, so its counters
# are reached there: each state directory gets hard links to them, and the
# broker is told by GCOV_PREFIX.  A process that ends in _exit, exec or SIGKILL
# writes none: what only such a process runs is not counted.
set -eu
cd "$(dirname "$0")/.."
B=$(realpath "$B")
MINIMUM=90
counters=$(mktemp -d "${TMPDIR:-/tmp}/agsbx-coverage.XXXXXX")
trap 'rm -rf "$counters"' EXIT

# Every counter exists, empty, and whoever runs the tests may write it.
find "$B/obj" -name '*.gcda' -delete
(cd / && find "${B#/}/obj" -name '*.gcno') | while read -r note; do
	mkdir -p "$counters/$(dirname "$note")"
	: >"$counters/${note%.gcno}.gcda"
done
chmod -R a+rwX "$counters"

# Stands in front of agsbx, and becomes it.
cat >"$counters/agsbx" <<WRAPPER
#!/bin/bash
state=\${AGSBX_STATE_DIR:-}
for ((i = 1; i <= \$#; i++)); do
	case \${!i} in
	--state-dir=*) state=\${!i#*=} ;;
	--state-dir) next=\$((i + 1)); state=\${!next:-} ;;
	-- | -c) break ;;
	esac
done
if [ -n "\$state" ] && mkdir -p -m 700 "\$state" 2>/dev/null; then
	cp -al -n "$counters/${B#/}" "\$state/gcov" 2>/dev/null
	mkdir -p "\$state/gcov-root/$(dirname "${B#/}")" 2>/dev/null &&
	    mv "\$state/gcov" "\$state/gcov-root/${B#/}" 2>/dev/null
	export GCOV_PREFIX=\$state/gcov-root
fi
exec "$B/agsbx" "\$@"
WRAPPER
chmod 755 "$counters/agsbx"

GCOV_PREFIX=$counters AGSBX=$counters/agsbx B=$B \
    bash tests/run.sh unit launcher cli >"$B/tests.txt" || {
	sed 's/^/  /' "$B/tests.txt"
	echo "coverage: tests fail in this build"
	exit 1
}
(cd "$counters" && find "${B#/}" -name '*.gcda' -size +0 \
    -exec cp {} /{} \;)
gcovr -r . --object-directory "$B/obj" --filter 'common/' --filter 'policy/' \
    --filter 'broker/' --exclude 'policy/genfilter.c' \
    --gcov-ignore-parse-errors --txt "$B/coverage.txt" \
    --fail-under-line "$MINIMUM" --print-summary
