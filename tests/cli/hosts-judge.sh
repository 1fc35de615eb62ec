#!/bin/bash
# The judge of the host matrix: what a good guest leaves is judged good, and
# each single thing that can be wrong with it is found and named.
. "$(dirname "$0")/../lib.sh"
judge=$(realpath "$(dirname "$0")/../hosts/judge.py")

# good: a fresh $T/host/out of a host without a gap, on which all was refused.
good()
{
	rm -rf "$T/host"
	mkdir -p "$T/host/out"
	python3 -B - "$(dirname "$judge")" "$T/host/out" <<'PYTHON'
import json, os, sys
sys.path.insert(0, sys.argv[1])
import judge

def put(name, text):
    with open(os.path.join(sys.argv[2], name), "w") as f:
        f.write(text)

controls = set(judge.EACH.values()) | {c for c, _ in judge.HOGS.values()}
rows = [{"name": c, "state": "held"} for c in sorted(controls | {"death"})]
put("doctor.out", json.dumps({"complete": True, "gaps": [], "controls": rows}))
put("doctor.rc", "0")
put("run.json", json.dumps({"confinement": {"complete": True, "gaps": []}}))
for run, how in ("naked", "through"), ("each", "refused X"):
    put(run + ".rc", "0")
    put(run + ".scene", "scene ready\n")
    put(run + ".out", "".join(f"{judge.SPOKEN.get(name, name)} {how}\n"
                              for name in judge.EACH))
put("run.rc", "0")
for hog, (_, reason) in judge.HOGS.items():
    put(hog + ".rc", "2")
    put(hog + ".json", json.dumps({"verdict": {"reason": reason}}))
    put(f"naked-{hog}.rc", "0")
    put(f"naked-{hog}.out", f"{hog} through\n")
put("scratch.out", "tmpfs refused No space left on device\n")
put("processes.most", "16")
put("naked-processes.most", "65")
put("output.out", "x" * 1000)
put("naked-output.out", "x" * 100000)
put("naked-scratch.rc", "-1")
put("death.before", "17\n")
put("death.after", "")
for run, code in ("left", 1), ("left-stuck", 1), ("left-recover", 0):
    put(run + ".rc", str(code))
put("left.err", "agsbx: ...; the row stays open until ...\n")
for run, state in ("open", "running"), ("closed", "reaped"):
    put(f"left-{run}.out", json.dumps({"jobs": [{"state": state}]}))
put("left.after", "")
PYTHON
}

# judged NAME WORDS: the good host with what the caller changed since good.
judged()
{
	local line
	t "$1"
	line=$(python3 -B "$judge" test 6.1 '' all "$T/host")
	[[ $line == *"$2"* ]] || fail "says '$line', not '$2'"
}

out=$T/host/out
good
judged 'nothing is wrong' 'ok hosts: test'
good
echo 'connect-tcp through' >>"$out/each.scene"
judged 'the scene saw one come through' \
    'FAIL hosts: test: attempt connect-tcp: got through, though netns is held'
good
sed -i 's/^key refused.*/key through/' "$out/each.out"
judged 'one says that it came through' 'attempt key: got through'
good
sed -i '/^userns /d' "$out/each.out"
judged 'one was not tried' 'attempt userns: was not tried'
good
echo agsbx-secret >>"$out/each.out"
judged 'a secret came out' 'a secret of the host came out'
good
sed -i 's/^trace .*/trace refused X/' "$out/naked.out"
judged 'a naked attempt that proves nothing' 'do not get through: trace'
good
echo 3 >"$out/doctor.rc"
judged 'the exit status of doctor' 'doctor exits 3'
good
echo 3 >"$out/run.rc"
judged 'run refuses what doctor calls held' 'run exits 3'
good
sed -i 's/"gaps": \[\]/"gaps": [{"control": "memory", "cause": "none"}]/' \
    "$out/doctor.out"
judged 'a gap that the table lacks' "doctor's gaps are ['memory'], not []"
good
echo '{"verdict": {"reason": "exited"}}' >"$out/memory.json"
judged 'a hog that ends by itself' 'attempt memory: exit 2, verdict exited'
good
echo 40 >"$out/processes.most"
judged 'a crowd above the ceiling' 'most 40'
good
head -c 70000 /dev/zero >"$out/output.out"
judged 'output above the ceiling' 'attempt output'
good
echo 17 >"$out/death.after"
judged 'a job that outlived its broker' 'attempt death'
good
: >"$out/death.before"
judged 'a job that was never seen' 'attempt death'
good
sed -i s/running/error/ "$out/left-open.out"
judged 'a row that is closed, with its leaf there' \
    "left: states ['error', 'reaped']"
good
echo agsbx-0 >"$out/left.after"
judged 'a leaf that is still there' 'left: still there: agsbx-0'
finish
