#!/bin/bash
# agsbx doctor where a host lacks something or the moment is wrong; what it says
# then, run says as well.
. "$(dirname "$0")/../lib.sh"

need python3
# Python statements, then a program that it becomes.
SETUP=$T/setup.py
cat >"$SETUP" <<'PY'
import ctypes, errno, os, signal, struct, sys

def refuse(nr, err):
    """Makes one system call answer with err."""
    insns = struct.pack("HBBIHBBIHBBIHBBI", 0x20, 0, 0, 0,
        0x15, 0, 1, nr, 6, 0, 0, 0x50000 | err, 6, 0, 0, 0x7fff0000)
    text = ctypes.create_string_buffer(insns)
    prog = struct.pack("HxxxxxxP", 4, ctypes.addressof(text))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    assert prctl(38, 1, 0, 0, 0) == 0 and prctl(22, 2, prog) == 0

def no_landlock():
    refuse(444, errno.ENOSYS)  # landlock_create_ruleset, everywhere

def pending(number):
    """It came before anybody could see it."""
    signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    os.kill(os.getpid(), number)

exec(sys.argv[1])
os.execv(sys.argv[2], sys.argv[2:])
PY

# after STATEMENTS ARG...: agsbx ARG... as it is then.
after()
{
	local statements=$1
	shift
	timeout -k 3 60 python3 "$SETUP" "$statements" "$AGSBX" "$@" \
	    >"$T/out" 2>"$T/err" </dev/null
	RC=$?
}

t "a kernel without Landlock: doctor names the gap, its cause and its exit"
after 'no_landlock()' doctor --verbose
want_rc 3
want_out_re '^  - landlock \('
want_out_re '^landlock +: GAP +the kernel was built without Landlock '

t "and in JSON, with the errno of the kernel"
after 'no_landlock()' doctor --json
want_rc 3
want_json '[g["errno"] for g in d["gaps"] if g["control"] == "landlock"]' '[38]'

t "run says the same, and nothing ran"
after 'no_landlock()' run "${WAIVE[@]}" --json -- true
want_rc 3
want_json 'd["state"]' refused
want_json 'd["started_at"]' null
want_err_re 'landlock cannot be held on this host'

t "waived by name it runs, and the row says so"
after 'no_landlock()' run --json --allow-degraded=memory,landlock -- true
want_rc 0
want_json '[g["token"] for g in d["confinement"]["waived"] if g["control"] == "landlock"]' \
    '["NO-LANDLOCK"]'
want_json '[c["state"] for c in d["confinement"]["controls"] if c["name"] == "landlock"]' '["waived"]'

for command in doctor "run ${WAIVE[*]} -- true"; do
	t "a signal that came before ${command%% *} could see it ends it"
	read -ra words <<<"$command"
	after 'no_landlock(); pending(signal.SIGTERM)' "${words[@]}"
	want_rc 143
done
agsbx jobs --limit 1 --json
want_json 'd["jobs"][0]["verdict"]["reason"]' interrupted
want_json 'd["jobs"][0]["started_at"]' null

t "what only --attack has is not taken without it"
for option in --tenant --state-dir; do
	agsbx doctor "$option" x
	want_rc 1
	want_err_re "^agsbx: $option goes with --attack alone\$"
	want_err_re "^Try 'agsbx doctor --help'\\.\$"
done
agsbx doctor --attack --tenant 'a b'
want_rc 1
want_err_re '^agsbx: .*tenant'

t "a report that cannot be written is no success"
after 'no_landlock(); os.dup2(os.open("/dev/full", os.O_WRONLY), 1)' doctor
want_rc 1
want_err_re '^agsbx: cannot write the output: No space left on device$'

t "no process can be made: an error of its own, and no gap"
if [ "$(uname -m)" = x86_64 ]; then
	after 'refuse(56, errno.EAGAIN)' doctor # clone
	want_rc 1
	want_err_re '^agsbx: cannot start agsbx-launcher: Resource temporarily unavailable$'
	want_out ''
else
	skip "clone has another number here"
fi

t "a policy that is wrong is told before anything is started"
agsbx doctor --wall 0
want_rc 1
want_err_re '^agsbx: --wall'

finish
