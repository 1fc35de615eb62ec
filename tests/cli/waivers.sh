#!/bin/bash
# Refusals and waivers: nothing is weaker than asked for without its name on
# the row.
. "$(dirname "$0")/../lib.sh"

if [ ${#WAIVE[@]} -eq 0 ]; then
	t "a host that holds everything has nothing to waive"
	job --json --allow-degraded -- true
	want_rc 0
	want_json 'd["degraded"]' false
	want_json 'd["confinement"]["waived"]' '[]'
	finish
fi

t "a gap refuses: exit 3, control, cause and what accepts it"
agsbx run -- touch /tmp/ran
want_rc 3
want_err_re '^agsbx: refused: memory cannot be held on this host; the job did not run$'
want_err_re '^  memory  .+'
want_err_re "^  accept  --allow-degraded=memory   \\(kept on the job's row\\)$"
[ "$(wc -l <"$T/err")" -le 4 ] || fail "$(cat "$T/err")"

t "the refusal is a row"
agsbx jobs --state refused --json
want_json 'len(d["jobs"])' 1
want_json 'd["jobs"][0]["started_at"]' null
want_json 'd["jobs"][0]["degraded"]' false

t "waiving another control does not help"
agsbx run --allow-degraded=landlock -- true
want_rc 3

t "waived by name: it runs and the row says so"
agsbx run --json --allow-degraded=memory --note 'who and why' -- true
want_rc 0
want_json 'd["degraded"]' true
want_json 'd["note"]' 'who and why'
want_json 'd["confinement"]["complete"]' false
want_json 'd["confinement"]["waived"][0]["token"]' 'NO-MEMORY-CEILING(rlimit)'
want_json '[c["state"] for c in d["confinement"]["controls"] if c["name"] == "memory"]' '["waived"]'
id=$(json 'd["job"]')
agsbx jobs "$id"
want_out_re 'NO-MEMORY-CEILING\(rlimit\)'

t "a word that is no control, and no control of the floor is suggested"
agsbx run --allow-degraded=wal -- true
want_rc 1
want_err_re '^agsbx: .*unknown control "wal"; those that can be waived are '
agsbx run --allow-degraded=memroy -- true
want_err_re 'did you mean "memory"'

t "a refusal advises no waiver that the tenant may not use"
printf '[tenant strict]\ndegraded = no\n' >"$T/strict.conf"
agsbx run --policy "$T/strict.conf" --tenant strict -- true
want_rc 3
want_err_re '^  accept  not by tenant strict: '
want_no_err_re 'allow-degraded='

t "a bare --allow-degraded waives only what cannot be held"
agsbx run --json --allow-degraded -- true
want_rc 0
want_json '[g["control"] for g in d["confinement"]["waived"]]' '["memory"]'

t "the closing line says it"
agsbx run --allow-degraded -- true
want_err_re 'confinement degraded: NO-MEMORY-CEILING\(rlimit\)$'

t "the stand-in is in force"
agsbx run --allow-degraded=memory --memory-mb 64 -q -- bash -c 'ulimit -d'
want_out $((2 * 64 * 1024))

t "doctor names the same gap and exits 3"
agsbx doctor
want_rc 3
want_out_re '^kernel mediation  : held '
want_out_re '^memory ceiling    : GAP '
want_out_re '^settable rlimits  : .*nofile'
want_out_re '^ISOLATION GAPS on this host:$'
want_out_re '^  - memory \('
agsbx doctor --verbose
want_out_re '^landlock  .*want ABI 2, got ABI [2-9]'

t "doctor writes no row"
agsbx doctor --json
AGSBX_STATE_DIR=$T/none agsbx doctor
[ ! -e "$T/none" ] || fail "a ledger was made"

t "a masked /proc, as in a container: procfs is waived, and the job runs"
masked='mount -t proc proc /proc && mount -t tmpfs tmpfs /proc/tty'
if unshare -Urmpf sh -c "$masked" 2>/dev/null; then
	unshare -Urmpf sh -c "$masked && exec \"\$@\"" sh "$AGSBX" run --json \
	    --allow-degraded=memory,procfs -- true \
	    >"$T/out" 2>"$T/err" </dev/null
	RC=$?
	want_rc 0
	want_json '[g["token"] for g in d["confinement"]["waived"]]' \
	    '["NO-MEMORY-CEILING(rlimit)", "NO-PROCFS(empty)"]'
	want_json '[c["state"] for c in d["confinement"]["controls"] if c["name"] == "procfs"]' '["waived"]'
else
	skip "no user and pid namespace of our own with a /proc"
fi

t "--network=host is a request, not a gap"
agsbx run --json --allow-degraded=memory --network=host -- true
want_rc 0
want_json 'd["network"]' host
want_json '[c["state"] for c in d["confinement"]["controls"] if c["name"] == "netns"]' '["off"]'
agsbx jobs --network --json
want_json 'len(d["jobs"])' 1

finish
