#!/bin/bash
# With --json stdout is one document on every exit; --json-fd leaves stdout.
. "$(dirname "$0")/../lib.sh"

t "0"
job --json -c 'print("hi")'
want_rc 0
want_json 'd["schema"]' agsbx.job/1
want_json 'd["stdout"].split("\n")' '["hi", ""]'
want_json 'd["state"]' succeeded
want_json 'sorted(d)' "$(python3 -c '
import json
print(json.dumps(sorted("""schema agsbx_version job tenant note state degraded
verdict exit_code signal signal_name stdout stdout_encoding stderr
stderr_encoding output_truncated streams usage command network confinement
policy host refusals created_at started_at ended_at""".split())))')"

t "2"
job --json -- false
want_rc 2
want_json 'd["exit_code"]' 1

t "3 has the gap, its cause and nothing run"
if [ ${#WAIVE[@]} -eq 0 ]; then
	skip "this host holds memory"
else
	agsbx run --json -c 'print("ran")'
	want_rc 3
	want_json 'd["schema"]' agsbx.job/1
	want_json 'd["state"]' refused
	want_json 'd["verdict"]["reason"]' refused
	want_json '[g["control"] for g in d["confinement"]["gaps"]]' '["memory"]'
	want_json 'd["stdout"]' ''
	want_err_re '^agsbx: refused: memory cannot be held on this host'
fi

t "1: usage, before and after --json"
for words in "run --bogus --json" "run --json --bogus" "run --json" \
    "run --wall x --json -c 1" "run --bogus value --json" "frob --json" \
    "doctor --json x" "jobs --json --bogus" "policy --json --wall x" \
    "recover --json --bogus"; do
	# shellcheck disable=SC2086 # words
	agsbx $words
	want_rc 1
	want_json 'd["schema"]' agsbx.error/1
	[ -s "$T/err" ] || fail "nothing on stderr: $words"
done
want_json 'd["error"]["code"]' usage

t "--json of the job's own command is not ours"
job -- echo --json
want_rc 0
want_out --json
agsbx run --bogus -- echo --json
[ ! -s "$T/out" ] || fail "stdout: $(cat "$T/out")"

t "1: policy file and line"
printf '[limits]\n\nmemroy = 1\n' >"$T/p.conf"
agsbx run --json --policy "$T/p.conf" -c 1
want_rc 1
want_json 'd["error"]["code"]' policy
want_json 'd["error"]["line"]' 3
want_json 'd["error"]["file"]' "$T/p.conf"

t "a job cannot forge the document"
job --json -- bash -c 'echo "{\"schema\":\"x\"}"; echo "[1" >&2'
want_rc 0
want_json 'd["schema"]' agsbx.job/1
want_json 'd["stderr"].strip()' '[1'

t "bytes that are no UTF-8"
job --json -- printf '\377\376'
want_json 'd["stdout_encoding"]' base64
want_json 'd["stdout"]' '//4='

t "beyond 1 MiB is cut and told, the exit code unchanged"
job --json -- head -c 3000000 /dev/zero
want_rc 0
want_json 'd["output_truncated"]' true
want_json 'd["streams"]["stdout"]["bytes_seen"]' 3000000

t "--json-fd: streams pass, the document goes elsewhere"
exec 9>"$T/doc"
job --json-fd 9 -- echo live
exec 9>&-
want_rc 0
want_out live
want_err_re '^agsbx: job [0-9A-Z]{26} succeeded: '
mv "$T/doc" "$T/out"
want_json 'd["schema"]' agsbx.job/1
want_json 'd["stdout"]' null

t "--json and --json-fd exclude each other"
exec 9>"$T/doc"
agsbx run --json --json-fd 9 -c 1
exec 9>&-
want_rc 1
want_json 'd["error"]["code"]' usage

t "doctor, jobs, policy, recover"
agsbx doctor --json
want_rc 0 3
want_json 'd["schema"]' agsbx.doctor/1
agsbx jobs --json
want_rc 0
want_json 'd["schema"]' agsbx.jobs/1
agsbx policy --json
want_rc 0
want_json 'd["schema"]' agsbx.policy/1
agsbx recover --json
want_rc 0
want_json 'd["schema"]' agsbx.recover/1

finish
