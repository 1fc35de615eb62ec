#!/bin/bash
# doctor --attack: jobs of the caller's own policy are attacked, and what came
# of it is told and kept.
. "$(dirname "$0")/../lib.sh"

if [ -n "${GCOV_PREFIX:-}" ]; then
	t "all of it"
	skip "a confined doctor cannot write its counters"
	finish
fi

attack()
{
	agsbx doctor --attack "${WAIVE[@]}" "$@"
}
# How many attempts have the verdict.
count='len([a for a in d["attack"]["attempts"] if a["verdict"] == "%s"])'

t "every attempt is contained, or says why not"
attack --json
want_rc 0
want_json 'd["schema"]' agsbx.doctor/1
want_json 'd["attack"]["escaped"] + d["attack"]["unanswered"]' 0
want_json 'd["attack"]["contained"] >= 60' true
want_json 'sorted(a["name"] for a in d["attack"]["attempts"] if a["verdict"] == "open")' \
    "$([ ${#WAIVE[@]} -eq 0 ] && echo '[]' || echo '["rs-memory-many"]')"
# shellcheck disable=SC2059 # a format of ours
want_json "$(printf "$count" contained)" "$(json 'd["attack"]["contained"]')"
want_json 'all(a["why"] for a in d["attack"]["attempts"])' true
want_json 'len(set(a["job"] for a in d["attack"]["attempts"]))' 6

t "each of its jobs is a row that says what came of it"
agsbx jobs --json
want_json 'len(d["jobs"])' 6
want_json 'all("contained" in j["verdict"]["detail"] or "open" in j["verdict"]["detail"] for j in d["jobs"])' true
want_json 'all(j["note"].startswith("doctor --attack: ") for j in d["jobs"])' true
want_json '[j["verdict"]["reason"] for j in d["jobs"]][:3]' '["wall", "cpu", "output"]'
agsbx audit
want_rc 0

t "nothing of it is left"
[ -z "$(find "$T/state" -type f ! -name 'agsbx.*')" ] ||
    fail "$(ls "$T/state")"
want_gone 'agsbx-attack batch'

t "for a person, with one line an attempt"
attack
want_rc 0
want_out_re '^  contained  fs-host-read +read the ledger: [A-Z]+$'
want_out_re '^  contained  rs-sleep +sleep on after 1 s: ended: wall$'
want_out_re '^([0-9]+ skipped, )?[0-9]+ contained'
want_no_err_re ESCAPED

if [ ${#WAIVE[@]} -gt 0 ]; then
	t "where no job can run, nothing is attacked"
	agsbx doctor --attack --json
	want_rc 3
	want_json 'd["attack"]["skipped"] == len(d["attack"]["attempts"])' true
	want_json 'd["gaps"][0]["control"]' memory
fi

t "doctor names what stays open, and only when it is asked to"
agsbx doctor --verbose
want_out_re '^  - il-sysinfo, il-statfs: '
agsbx doctor
! grep -q il-sysinfo "$T/out" || fail "$(grep il-sysinfo "$T/out")"

t "what the policy asks for is off, and no escape"
attack --json --network --allow-env AGSBX_TOKEN=seen
want_rc 0
want_json 'sorted(a["name"] for a in d["attack"]["attempts"] if a["verdict"] == "off")[-1]' nw-loopback
want_json '[a["why"] for a in d["attack"]["attempts"] if a["name"] == "nw-loopback"]' \
    '["asked for by --network"]'

t "a variable that the policy passes on is no secret"
AGSBX_TOKEN=x agsbx doctor --attack "${WAIVE[@]}" --json --allow-env AGSBX_TOKEN
want_rc 0
want_json '[a["verdict"] for a in d["attack"]["attempts"] if a["name"] == "ef-env-secret"]' '["off"]'

t "it is a tenant's, within its quotas"
printf '[tenant few]\njobs-per-hour = 2\n' >"$T/few.conf"
attack --tenant few --policy "$T/few.conf"
want_rc 1
want_err_re 'tenant few: quota jobs-per-hour 2'
agsbx jobs --tenant few --json
want_json 'len(d["jobs"])' 3

t "an option that goes with it alone"
agsbx doctor --tenant few
want_rc 1
want_err_re '^agsbx: --tenant goes with --attack alone$'
agsbx doctor --state-dir "$T/other"
want_rc 1

# A build beside which the program of the attempts is another.
mkdir "$T/bin"
cp "$AGSBX" "$T/bin/agsbx"
cp "$(dirname "$AGSBX")/agsbx-launcher" "$T/bin/"
whole=$AGSBX
AGSBX=$T/bin/agsbx

t "without the program of the attempts: exit 1, and its name"
attack
want_rc 1
want_err_re 'no agsbx-attack beside agsbx or in '

t "one that others can write is not used"
cp "$(dirname "$whole")/agsbx-attack" "$T/bin/"
chmod g+w "$T/bin/agsbx-attack"
attack
want_rc 1
want_err_re 'agsbx-attack is writable by its group or by others'

t "one of another build is not believed"
printf '#!/bin/sh\necho agsbx-attack 0\n' >"$T/bin/agsbx-attack"
chmod 755 "$T/bin/agsbx-attack"
attack
want_rc 1
want_err_re 'agsbx-attack is not of the build of agsbx'
AGSBX=$whole

t "a signal ends it, and its rows are closed"
agsbx jobs --json
before=$(json 'len(d["jobs"])')
"$AGSBX" doctor --attack "${WAIVE[@]}" >"$T/out" 2>&1 &
pid=$!
sleep 0.7
kill -TERM "$pid"
wait "$pid"
RC=$?
want_rc 143
grep -q '^agsbx: interrupted before all was tried' "$T/out" ||
    fail "not told: $(cat "$T/out")"
agsbx jobs --json
want_json "len(d['jobs']) > $before" true
want_json '[j["state"] for j in d["jobs"] if j["ended_at"] is None]' '[]'
finish
