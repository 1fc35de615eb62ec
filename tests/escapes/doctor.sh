#!/bin/bash
# doctor --attack bites: with a control taken away, in the test build, the
# attempts against it are told as escaped, the exit status is 3 and the row of
# the ledger says it; with everything held none is.
B=${B:-build}
AGSBX=$(realpath "$B/agsbx-test")
. "$(dirname "$0")/../lib.sh"
# Not in /tmp, of which a job has its own.
state=$(mktemp -d /var/tmp/agsbx-doctor.XXXXXX) || exit 1
trap 'cd /; chmod -R u+rwX "$T" 2>/dev/null; rm -rf "$T" "$state"' EXIT

attack()
{
	agsbx doctor --attack --json --state-dir "$state" "${WAIVE[@]}"
}
escaped='[a["name"] for a in d["attack"]["attempts"] if a["verdict"] == "escaped"]'

t "nothing left out: nothing escapes"
attack
want_rc 0
want_json "$escaped" '[]'

# bites ABLATIONS CONTROL:ATTEMPT...: without these, the attempts, each against
# its control, escape, are told and are on their job's row.
bites()
{
	local ablations=$1 pair control attempt job detail
	shift
	t "without $ablations: exit 3"
	AGSBX_ABLATE=$ablations attack
	want_rc 3
	cp "$T/out" "$T/attack"
	cp "$T/err" "$T/alarm"
	for pair; do
		control=${pair%%:*} attempt=${pair#*:}
		t "without $control: $attempt escapes"
		cp "$T/attack" "$T/out"
		want_json "\"$attempt\" in $escaped" true
		want_json "[a['control'] for a in d['attack']['attempts'] if a['name'] == '$attempt']" \
		    "[\"$control\"]"
		grep -q "^agsbx: ESCAPED: .* $attempt" "$T/alarm" ||
		    fail "$(cat "$T/alarm")"
		job=$(json "[a['job'] for a in d['attack']['attempts'] if a['name'] == '$attempt'][0]")
		agsbx jobs --state-dir "$state" --json "$job"
		detail=$(json 'd["jobs"][0]["verdict"]["detail"]')
		[[ $detail == "ESCAPED: "*"$attempt"* ]] || fail "$detail"
		want_json 'd["jobs"][0]["state"] == "succeeded"' false
	done
}

bites fs.root,ll.fs mntns:fs-host-read mntns:fs-host-write mntns:fs-dotdot \
    landlock:pr-self-mem
bites fd.close,ll.fs,ev.clear,ns.uts,ns.cg,ns.time,ns.counts,pr.subset,pv.caps \
    descriptors:ef-leaked-fd environment:ef-env-secret uts:ns-hostname \
    cgroupns:ns-cgroup-path timens:ns-boottime nscounts:ns-inotify \
    procfs:pr-version capabilities:pv-dac-override
bites sc.ns,fl.ns,uc.userns,sc.misc,fl.misc,sc.prctl,ns.net,ll.scope \
    userns:ns-unshare-user floor_filter:ks-userfaultfd \
    plan_filter:sc-subreaper netns:nw-loopback netns:nw-abstract
bites sc.nice,fl.nice,sc.mode,fl.mode \
    floor_filter:ps-renice-init floor_filter:fs-setid-chmod
bites ns.pid,pr.fresh,ll.scope pidns:ps-kill-host pidns:ps-pidfd-host
bites rl.nofile,fs.size,rl.nproc,br.cap,clock.cpu,rl.cpu \
    rlimits:rs-fds scratch:rs-scratch processes:rs-fork-bomb \
    output:rs-stdout-flood cpu:rs-cpu-spin
bites br.wall,clock.wall wall:rs-sleep
t "the chain of all that is intact"
agsbx audit --state-dir "$state"
want_rc 0
finish
