#!/bin/bash
# Quotas of tenants: refused in one line that names them, exact also when many
# brokers come at once, and waited for in the order of arrival.
. "$(dirname "$0")/../lib.sh"
need sqlite3

DB=$AGSBX_STATE_DIR/agsbx.db
POLICY=$T/policy.conf
cat >"$POLICY" <<'EOF'
[tenant *]
jobs-at-once = 1
[tenant three]
jobs-at-once = 3
[tenant memory]
jobs-at-once = 9
memory-sum = 1G
[tenant cpu]
jobs-at-once = 9
cpu-per-hour = 200s
[tenant hour]
jobs-per-hour = 2
[tenant strict]
degraded = no
[tenant lenient]
degraded = landlock
EOF

# tenant NAME ARG...: a job of that tenant, under the policy.
tenant()
{
	job -q --policy "$POLICY" --tenant "$@"
}
# start TAG ARG...: the same in the background; its stdout is $T/TAG.
start()
{
	: >"$T/$1" # what an earlier one wrote is no sign of this one
	timeout 120 "$AGSBX" run -q "${WAIVE[@]}" --policy "$POLICY" \
	    --tenant "${@:2}" >"$T/$1" 2>"$T/$1.err" </dev/null &
	PIDS+=($!)
}
PIDS=()
# runs TAG: waits until the job has written something.
runs()
{
	local i
	for ((i = 0; i < 200; i++)); do
		[ ! -s "$T/$1" ] || return 0
		sleep 0.05
	done
	fail "$1 did not start: $(cat "$T/$1.err")"
}
# waiting COUNT: waits until so many stand in line.
waiting()
{
	local i
	for ((i = 0; i < 200; i++)); do
		[ "$(sql 'SELECT count(*) FROM waiters')" != "$1" ] || return 0
		sleep 0.05
	done
	fail "not $1 in line"
}
sql()
{
	sqlite3 -cmd '.timeout 10000' "$DB" "$1"
}
want_sql()
{
	local got
	got=$(sql "$1")
	[ "$got" = "$2" ] || fail "$1 gives '$got', not '$2'"
}

t "jobs-at-once: refused, named, and on a row"
start first one -- bash -c 'echo runs; exec sleep 100'
runs first
tenant one -- true
want_rc 1
want_err_re "^agsbx: $POLICY:2: tenant one: quota jobs-at-once 1: 1 in use and 1 asked for; the job did not run \([0-9A-Z]{26}\)$"
[ "$(wc -l <"$T/err")" = 1 ] || fail "more than one line"
want_sql "SELECT state, reason, started_ms IS NULL FROM jobs WHERE n = 2" \
    'refused|quota|1'

t "as JSON"
tenant one --json -- true
want_rc 1
want_json 'd["error"]["code"]' quota
want_json '[d["error"]["file"], d["error"]["line"]]' "[\"$POLICY\", 2]"
agsbx jobs --json --state refused --limit 1
want_json 'd["jobs"][0]["verdict"]["reason"]' quota
want_json 'd["jobs"][0]["refusals"]' null

t "other tenants are not meant"
tenant other -- true
want_rc 0
tenant three -- true
want_rc 0

t "a job that has ended is in use no more"
kill "${PIDS[0]}"
wait "${PIDS[0]}" 2>/dev/null
PIDS=()
tenant one -- true
want_rc 0

t "memory-sum counts limits"
start held memory --memory-mb 700 -- bash -c 'echo runs; exec sleep 100'
runs held
tenant memory --memory-mb 400 -- true
want_rc 1
want_err_re ":7: tenant memory: quota memory-sum 1G: 700M in use and 400M asked"
tenant memory --memory-mb 324 -- true
want_rc 0
kill "${PIDS[0]}"
wait "${PIDS[0]}" 2>/dev/null
PIDS=()

t "cpu-per-hour counts limits of what runs and the use of what ran"
start held cpu --cpu 150 -- bash -c 'echo runs; exec sleep 100'
runs held
tenant cpu --cpu 60 -- true
want_rc 1
want_err_re ":10: tenant cpu: quota cpu-per-hour 200s: 150s in use and 60s asked"
kill "${PIDS[0]}"
wait "${PIDS[0]}" 2>/dev/null
PIDS=()
tenant cpu --cpu 190 -- true
want_rc 0

t "jobs-per-hour counts what was admitted"
tenant hour -- true
tenant hour -- true
want_rc 0
tenant hour -- true
want_rc 1
want_err_re ":12: tenant hour: quota jobs-per-hour 2: 2 in use and 1 asked"
tenant hour -- true
want_err_re "2 in use and 1 asked"

t "a waiver that the tenant may not use is a quota as well"
agsbx run -q --policy "$POLICY" --tenant strict --allow-degraded -- true
want_rc 1
want_err_re ":14: tenant strict may not waive .*memory.* \(degraded\); the job did"
agsbx run -q --policy "$POLICY" --tenant lenient --allow-degraded=landlock,memory \
    -- true
want_rc 1
want_err_re ':16: tenant lenient may not waive memory \(degraded\)'

t "a waiver of the policy is not the tenant's"
printf '[degraded]\nallow = memory\n' >>"$POLICY"
agsbx run -q --policy "$POLICY" --tenant strict -- true
if [ ${#WAIVE[@]} -gt 0 ]; then
	want_rc 3
else
	want_rc 0
fi

t "a later file cannot raise a quota"
mkdir -p "$HOME/.config/agsbx"
printf '[tenant three]\njobs-at-once = 9\n[tenant one]\njobs-at-once = 9\n' \
    >"$HOME/.config/agsbx/policy.conf"
agsbx policy --json --policy "$POLICY"
want_json '{t["name"]: t["jobs_at_once"] for t in d["tenants"]}["three"]' 3
want_json '{t["name"]: t["jobs_at_once"] for t in d["tenants"]}["one"]' 1
rm "$HOME/.config/agsbx/policy.conf"

t "of 12 brokers at once exactly 3 win"
for ((i = 0; i < 12; i++)); do
	start "race.$i" three -- sleep 8
done
won=0 lost=0
for pid in "${PIDS[@]}"; do
	wait "$pid"
	case $? in 0) won=$((won + 1)) ;; 1) lost=$((lost + 1)) ;; esac
done
PIDS=()
[ "$won $lost" = "3 9" ] || fail "$won won, $lost were refused: $(cat "$T"/race.*.err)"

t "who waits is served in the order of arrival"
start holder line -- bash -c 'echo runs; exec sleep 100'
runs holder
for tag in a b c; do
	start "wait.$tag" line --wait 100 --note "$tag" -- true
	waiting "$((${#PIDS[@]} - 1))"
done
tenant line --wait 0.2 -- true
want_rc 1
want_err_re '1 in use and 1 asked for, also after --wait; the job did not'
kill "${PIDS[0]}"
wait "${PIDS[0]}" 2>/dev/null
for pid in "${PIDS[@]:1}"; do
	wait "$pid" || fail "a waiter ended with $?"
done
PIDS=()
want_sql "SELECT group_concat(note, '') FROM (SELECT note FROM jobs WHERE
    note IS NOT NULL ORDER BY n)" abc
want_sql 'SELECT count(*) FROM waiters' 0

t "waiters that died are forgotten"
start holder line -- bash -c 'echo runs; exec sleep 100'
runs holder
"$AGSBX" run -q "${WAIVE[@]}" --policy "$POLICY" --tenant line --wait 100 -- \
    true 2>/dev/null &
dead=$!
waiting 1
start alive line --wait 100 -- echo alive
waiting 2
kill -9 "$dead"
wait "$dead" 2>/dev/null
kill "${PIDS[0]}"
wait "${PIDS[0]}" 2>/dev/null
wait "${PIDS[1]}" || fail "the second waiter ended with $?"
[ "$(cat "$T/alive")" = alive ] || fail "the second waiter did not run"
want_sql 'SELECT count(*) FROM waiters' 0
PIDS=()

t "a stopped waiter whose time is up is in nobody's way"
start holder line -- bash -c 'echo runs; exec sleep 100'
runs holder
"$AGSBX" run -q "${WAIVE[@]}" --policy "$POLICY" --tenant line --wait 2 -- \
    true 2>"$T/err" &
stopped=$!
waiting 1
# Not amid a transaction, which would lock out everybody.
for ((i = 0; i < 200; i++)); do
	kill -STOP "$stopped"
	! sqlite3 "$DB" 'BEGIN IMMEDIATE' 2>/dev/null || break
	kill -CONT "$stopped"
	sleep 0.01
done
kill "${PIDS[0]}"
wait "${PIDS[0]}" 2>/dev/null
tenant line --wait 100 -- echo alive
want_rc 0
want_sql 'SELECT count(*) FROM waiters' 0
start holder line -- bash -c 'echo runs; exec sleep 100'
runs holder
kill -CONT "$stopped"
wait "$stopped"
RC=$?
want_rc 1
kill "${PIDS[1]}"
wait "${PIDS[1]}" 2>/dev/null
PIDS=()

t "a job whose broker was killed does not block those that wait"
start killed line -- bash -c 'echo runs; exec sleep 1000'
runs killed
start alive line --wait 100 -- echo alive
waiting 1
# timeout(1) stands between
pkill -9 -P "${PIDS[0]}"
wait "${PIDS[1]}" || fail "the waiter ended with $?"
wait "${PIDS[0]}" 2>/dev/null
PIDS=()

t "a signal ends the wait, and no row is left"
start holder line -- bash -c 'echo runs; exec sleep 100'
runs holder
rows=$(sql 'SELECT count(*) FROM jobs')
"$AGSBX" run "${WAIVE[@]}" --policy "$POLICY" --tenant line --wait 100 -- true \
    2>"$T/err" &
pid=$!
waiting 1
kill -TERM "$pid"
wait "$pid"
RC=$?
want_rc 143
want_err_re 'a signal ended the wait for the quota of tenant line'
want_sql 'SELECT count(*) FROM waiters' 0
want_sql 'SELECT count(*) FROM jobs' "$rows"
kill "${PIDS[0]}"
wait "${PIDS[0]}" 2>/dev/null
PIDS=()

t "more than all of a quota is not waited for"
tenant memory --memory-mb 2000 --wait 100 -- true
want_rc 1
want_ms_below 20000
want_err_re 'quota memory-sum 1G: nothing in use and 2000M asked for; the job'

t "nor where another quota is used up as well"
printf '[tenant both]\njobs-at-once = 1\nmemory-sum = 1G\n' >>"$POLICY"
start holder both -- bash -c 'echo runs; exec sleep 100'
runs holder
tenant both --memory-mb 2000 --wait 100 -- true
want_rc 1
want_ms_below 20000
want_err_re 'quota memory-sum 1G: 512M in use and 2000M asked for; the job'
kill "${PIDS[0]}"
wait "${PIDS[0]}" 2>/dev/null
PIDS=()

while IFS='|' read -r name line says; do
	t "$name"
	printf '%b\n' "$line" >"$T/bad.conf"
	agsbx run --policy "$T/bad.conf" -- true
	want_rc 1
	want_err_re "bad.conf:$says"
done <<'EOF'
a key that is none|[tenant a]\njobs-at-onec = 2|2: unknown key "jobs-at-onec" in \[tenant NAME\] \(did you mean "jobs-at-once"\?\)
a number that is none|[tenant a]\njobs-at-once = x|2: jobs-at-once: "x" is not a whole number
a number out of range|[tenant a]\nmemory-sum = 1K|2: memory-sum: 1K is not from 1M to
a tenant that is none|[tenant a b]\njobs-at-once = 2|2: \[tenant a b\] is not the name of a tenant
a key twice|[tenant a]\njobs-at-once = 2\njobs-at-once = 3|3: jobs-at-once was set in line 2 already
a waiver of the floor|[tenant a]\ndegraded = mntns|2: degraded: mntns belongs to the floor
a name without end|[tenant aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]|1: the section's name is too long
EOF

t "a name as long as a tenant's may be"
name=$(printf 'n%.0s' {1..64})
printf '[tenant %s]\njobs-per-hour = 1\n' "$name" >"$T/long.conf"
job -q --policy "$T/long.conf" --tenant "$name" -- true
want_rc 0
job -q --policy "$T/long.conf" --tenant "$name" -- true
want_rc 1

t "audit holds after all of it"
agsbx audit
want_rc 0

finish
