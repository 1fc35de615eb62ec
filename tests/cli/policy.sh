#!/bin/bash
# agsbx policy and agsbx doctor: what would be enforced, without a job and
# without a ledger.
. "$(dirname "$0")/../lib.sh"

t "the built-in policy is itself a policy file"
agsbx policy
want_rc 0
want_out_re '^wall = 60s$'
want_out_re '^access = none$'
cp "$T/out" "$T/printed.conf"
agsbx policy --policy "$T/printed.conf"
want_rc 0
cmp -s "$T/out" "$T/printed.conf" || fail "read back, it prints otherwise"

t "flags and files are in it, and change its hash"
agsbx policy --json
before=$(json 'd["sha256"]')
want_json 'd["schema"]' agsbx.policy/1
want_json 'd["limits"]["wall_ms"]' 60000
printf '[limits]\nwall = 20s\n[env]\nallow = ANSWER=42\n' >"$T/p.conf"
agsbx policy --json --policy "$T/p.conf" --memory-mb 64 --network
want_json 'd["limits"]["wall_ms"]' 20000
want_json 'd["limits"]["memory_bytes"]' 67108864
want_json 'd["network"]' host
[ "$(json 'd["sha256"]')" != "$before" ] || fail "the hash is the same"

t "the list of system calls alone"
agsbx policy --syscalls
want_rc 0
want_out_re '^read$'
want_out_re '^clone .*filtered'
! grep -qE '^(ptrace|mount|bpf|unshare|keyctl)( |$)' "$T/out" ||
    fail "a system call that no job may make is in it"

t "a policy that cannot be is an error of policy as well"
agsbx policy --wall 0
want_rc 1
want_err_re '^agsbx: .*--wall'
agsbx policy --allow-env LD_PRELOAD=/x
want_rc 1
want_err_re 'LD_PRELOAD'

t "doctor is true to its word: a job runs with just its gaps waived"
agsbx doctor --json
want_rc 0 3
gaps=$(json '",".join(g["control"] for g in d["gaps"])')
case $RC in
0) [ -z "$gaps" ] || fail "exit 0 with gaps: $gaps" ;;
3) [ -n "$gaps" ] || fail "exit 3 without a gap" ;;
esac
want_json 'd["complete"]' "$([ -z "$gaps" ] && echo true || echo false)"
agsbx run -q ${gaps:+"--allow-degraded=$gaps"} -- true
want_rc 0

t "doctor --verbose tells what was read back"
agsbx doctor --verbose --wall 7
want_out_re '^wall +: held +want 8s, got 8s$'
want_out_re '^landlock +: held +want ABI 2, got ABI [0-9]+$'

t "neither makes a ledger"
rm -rf "$AGSBX_STATE_DIR"
agsbx policy
agsbx doctor
[ ! -e "$AGSBX_STATE_DIR" ] || fail "there is one"

finish
