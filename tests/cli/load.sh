#!/bin/bash
# Many brokers at once on one ledger: no row is lost, nobody is told that a
# database is locked, and no quota is exceeded for a moment.
# make load sets FULL: 2,000 jobs by 32 brokers.
# shellcheck disable=SC2317 # one() is called by xargs
. "$(dirname "$0")/../lib.sh"
need sqlite3

JOBS=${FULL:+2000} BROKERS=${FULL:+32}
JOBS=${JOBS:-48} BROKERS=${BROKERS:-16}
TENANTS=4
MOST=3
DB=$AGSBX_STATE_DIR/agsbx.db
printf '[tenant *]\njobs-at-once = %d\n' "$MOST" >"$T/policy.conf"
mkdir "$T/log"

want_sql()
{
	local got
	got=$(sqlite3 -cmd '.timeout 30000' "$DB" "$1")
	[ "$got" = "$2" ] || fail "$1 gives '$got', not '$2'"
}

one()
{
	"$AGSBX" run "${@:2}" --policy "$T/policy.conf" \
	    --tenant "t$(($1 % TENANTS))" --wait 1h -- true \
	    >"$T/log/$1" 2>&1 </dev/null
	echo $? >"$T/log/$1.rc"
}
export -f one
export AGSBX T TENANTS

t "$JOBS jobs by $BROKERS brokers at once"
start=$(date +%s)
seq "$JOBS" | xargs -P "$BROKERS" -I % bash -c 'one % "$@"' one "${WAIVE[@]}"
echo "$JOBS jobs by $BROKERS brokers at once: $(($(date +%s) - start)) s"
[ "$(cat "$T"/log/*.rc | sort -u)" = 0 ] ||
    fail "not every one ended with 0: $(cat "$T"/log/*.rc | sort | uniq -c |
	tr '\n' ' ') $(grep -hv succeeded "$T"/log/*[0-9] | sort | uniq -c | head -3)"
! grep -rqi 'locked' "$T/log" || fail "$(grep -rhi -m1 'locked' "$T/log")"

t "no row is lost"
want_sql "SELECT count(*) FROM jobs WHERE state = 'succeeded'" "$JOBS"
want_sql 'SELECT count(*) FROM events' "$((4 * JOBS))"
want_sql 'SELECT count(*) FROM waiters' 0
want_sql 'PRAGMA integrity_check' ok
agsbx recover
want_rc 0
want_out '0 reaped, 0 live, 0 failed'
agsbx audit
want_rc 0

t "no quota was exceeded, and one was used up"
# Open jobs of a tenant after each of its events, in their order.
want_sql "SELECT max(open) FROM (SELECT sum(CASE WHEN from_state IS NULL THEN 1
    WHEN to_state = 'succeeded' THEN -1 ELSE 0 END) OVER (PARTITION BY tenant
    ORDER BY seq) AS open FROM events JOIN jobs ON jobs.id = events.job)" "$MOST"

finish
