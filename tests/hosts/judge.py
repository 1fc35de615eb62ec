"""Judges what one guest of the host matrix left.

    judge.py NAME KERNEL GAPS JOBS DIR

Reads DIR (boot.sh, work.sh) and the host's columns of hosts.tbl; prints one
line, "ok hosts: NAME" or "FAIL hosts: NAME: why", and writes the host's row of
the Markdown table to DIR/row.md.  Knows no host: doctor's word is held against
the table, against what run did, and against what the attempts came to.
"""
import json
import os
import sys

# attempt -> the control that must refuse it.
EACH = {
    "read-file": "mntns",
    "read-descriptor": "descriptors",
    "read-environment": "environment",
    "connect-tcp": "netns",
    "connect-abstract": "netns",
    "signal": "pidns",
    "trace": "pidns",
    "shared-memory": "ipc",
    "remount": "locked",
    "setuid": "no_new_privs",
    "device": "dev",
    "hostname": "uts",
    "kernel-file": "procfs",
    "cgroup-path": "cgroupns",
    "own-text": "landlock",
    "userns": "capabilities",
    "key": "floor_filter",
    "uring": "plan_filter",
    "descriptors": "rlimits",
}
# What an attempt says of itself, where that is another name.
SPOKEN = {"setuid": "make-file"}
# hog -> the control, and the reason that the verdict must give.
HOGS = {
    "memory": ("memory", "memory"),
    "tmpfs": ("memory", "memory"),
    "sockets": ("memory", "memory"),
    "scratch": ("scratch", None),
    "processes": ("processes", None),
    "output": ("output", "output"),
    "cpu": ("cpu", "cpu"),
    "wall": ("wall", "wall"),
}
MAX_PROCS = 16  # as work.sh asks
MAX_OUTPUT = 64 * 1024


class Host:
    """What the guest left, and what is wrong with it."""

    def __init__(self, path):
        self.path = path
        self.wrong = []
        self.tried = 0
        self.contained = 0
        self.unshown = []

    def text(self, name):
        try:
            with open(os.path.join(self.path, name), encoding="utf-8",
                      errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    def status(self, name):
        return int(self.text(name + ".rc") or -1)

    def document(self, name):
        try:
            return json.loads(self.text(name))
        except ValueError:
            return {}

    def want(self, fact, why):
        if not fact:
            self.wrong.append(why)

    def attempt(self, name, fact, why):
        """One attempt against a control that doctor calls held."""
        self.tried += 1
        self.contained += bool(fact)
        self.want(fact, f"attempt {name}: {why}")


def controls_of(gaps):
    return {gap["control"] for gap in gaps}


def judge_doctor(host, doctor, gaps):
    """Doctor against the table, and against itself."""
    said = {g["control"]: g["cause"] for g in doctor.get("gaps", [])}
    status = host.status("doctor")
    host.want(bool(doctor), f"doctor gave no document (exit {status}): "
              + host.text("doctor.err")[:200])
    host.want(said.keys() == gaps.keys(),
              f"doctor's gaps are {sorted(said)}, not {sorted(gaps)}")
    for control in said.keys() & gaps.keys():
        host.want(gaps[control] in said[control],
                  f"the cause of {control} lacks '{gaps[control]}': "
                  f"{said[control]}")
    host.want(status == (3 if said else 0),
              f"doctor exits {status} with gaps {sorted(said)}")
    host.want(doctor.get("complete") == (not said),
              "doctor's 'complete' is not what its gaps say")
    held = {c["name"] for c in doctor.get("controls", [])
            if c["state"] == "held"}
    host.want(not held & said.keys(), "a control is held and a gap")
    return held, set(said)


def judge_run(host, held, said, jobs):
    """Run, without and with the waivers, against doctor."""
    run = host.document("run.json").get("confinement", {})
    status = host.status("run")
    host.want(status == (3 if said else 0),
              f"run exits {status}, doctor's gaps are {sorted(said)}: "
              + host.text("run.err")[:200])
    host.want(controls_of(run.get("gaps", [])) == said,
              "run and doctor name different gaps")
    for control in said:
        host.want(control in host.text("run.err"),
                  f"the refusal does not name {control}")
    if jobs == "all":
        host.want(run.get("complete") is True, "run was not complete")
        return
    status = host.status("waived")
    waived = host.document("waived.json").get("confinement", {})
    host.want(status == (0 if jobs == "waived" else 3),
              f"run with waivers exits {status}: "
              + host.text("waived.err")[:200])
    if jobs == "none":
        return
    host.want(controls_of(waived.get("waived", [])) == said,
              "what was waived is not what doctor calls gaps")
    now = {c["name"] for c in waived.get("controls", [])
           if c["state"] == "held"}
    host.want(now == held, "with the gaps waived other controls are held: "
              f"{sorted(now ^ held)}")


def is_through(host, name, run):
    """The scene decides; its secret and the attempt's word do where it
    cannot see.  None: it was not even tried."""
    word = SPOKEN.get(name, name)
    out = host.text(run + ".out")
    if f"{name} through" in host.text(run + ".scene"):
        return True
    if f"{word} through" in out:
        return True
    return False if f"{word} refused" in out else None


def judge_each(host, held):
    host.want("scene ready" in host.text("each.scene"),
              "the scene did not stand")
    host.want("agsbx-secret" not in host.text("each.out"),
              "a secret of the host came out")
    for name, control in EACH.items():
        if control not in held:
            continue
        if not is_through(host, name, "naked"):
            host.unshown.append(name)
            continue
        through = is_through(host, name, "each")
        host.attempt(name, through is False,
                     "was not tried" if through is None
                     else f"got through, though {control} is held")


def is_contained(host, name, reason):
    verdict = host.document(name + ".json").get("verdict", {})
    if host.status(name) != 2 and name != "scratch":
        return False
    if name == "processes":
        usage = host.document(name + ".json").get("usage", {})
        counted = usage.get("source") == "cgroup"
        return (0 < int(host.text(name + ".most") or 0) <= MAX_PROCS
                and (not counted or verdict.get("reason") == "processes"))
    if name == "output":
        size = os.path.getsize(os.path.join(host.path, "output.out"))
        return 0 < size <= MAX_OUTPUT and verdict.get("reason") == reason
    if f"{reason or 'tmpfs'} through" in host.text(name + ".out"):
        return False
    if reason is None:
        return "tmpfs refused No space left" in host.text(name + ".out")
    return verdict.get("reason") == reason


def judge_hogs(host, held):
    for name, (control, reason) in HOGS.items():
        if control not in held:
            continue
        verdict = host.document(name + ".json").get("verdict", {})
        host.attempt(name, is_contained(host, name, reason),
                     f"exit {host.status(name)}, verdict "
                     f"{verdict.get('reason')} ({verdict.get('detail')}), "
                     f"most {host.text(name + '.most').strip() or '-'}")
    if "death" in held:
        host.attempt("death", host.text("death.before").strip() != "" and
                     host.text("death.after").strip() == "",
                     "a job outlived its broker, or none was seen")


def judge_left(host):
    """A leaf that could not be removed: its row stays open until it is."""
    if host.status("left") == -1:
        return

    def state(name):
        jobs = host.document(name + ".out").get("jobs", [{}])
        return jobs[0].get("state")

    states = [state("left-open"), state("left-closed")]
    exits = [host.status(name)
             for name in ("left", "left-stuck", "left-recover")]
    host.want("stays open" in host.text("left.err"),
              "left: not told: " + host.text("left.err")[:200])
    host.want(states == ["running", "reaped"], f"left: states {states}")
    host.want(exits == [1, 1, 0], f"left: exits {exits}")
    host.want(not host.text("left.after").strip(),
              "left: still there: " + host.text("left.after"))


def judge_naked(host):
    """The hogs must get through where nothing holds them."""
    for name in HOGS:
        if host.status("naked-" + name) == -1:
            continue
        if name == "processes":
            through = int(host.text("naked-processes.most") or 0) > MAX_PROCS
        elif name == "output":
            through = len(host.text("naked-output.out")) > MAX_OUTPUT
        else:
            through = f"{name} through" in host.text(f"naked-{name}.out")
        host.want(through, f"naked {name} does not get through")
        host.want(not host.unshown, "naked attempts do not get through: "
                  + " ".join(host.unshown))


def main():
    name, kernel, gaps, jobs, path = sys.argv[1:6]
    gaps = dict(g.strip().split("=", 1) for g in gaps.split(";") if g.strip())
    host = Host(os.path.join(path, "out"))
    doctor = host.document("doctor.out")
    held, said = judge_doctor(host, doctor, gaps)
    judge_run(host, held, said, jobs)
    if jobs != "none" and host.status("each") != 0:
        host.wrong.append("no attempt was made: "
                          + host.text("each.err")[:200])
    elif jobs != "none":
        judge_each(host, held)
        judge_hogs(host, held)
        judge_naked(host)
        judge_left(host)
    if host.status("python") != -1:
        host.want(host.status("python") == 0 and
                  host.text("python.out") == "hello\n",
                  f"python exits {host.status('python')}: "
                  + host.text("python.err")[:200])
    verdict = "; ".join(" ".join(w.split()) for w in host.wrong)
    said_text = "; ".join(f"{g['control']}: {g['cause']}"
                          for g in doctor.get("gaps", [])) or "no gap"
    unshown = f", not shown: {' '.join(host.unshown)}" if host.unshown else ""
    cells = (name, kernel, f"exit {host.status('doctor')}, {len(held)} held, "
             + said_text, f"exit {host.status('run')}",
             f"exit {host.status('waived')}" if jobs != "all" else "",
             f"{host.contained} of {host.tried}{unshown}",
             verdict[:200] or "agrees")
    with open(os.path.join(path, "row.md"), "w", encoding="utf-8") as f:
        f.write("| " + " | ".join(c.replace("|", "/") for c in cells) + " |\n")
    print(f"FAIL hosts: {name}: {verdict}" if verdict else f"ok hosts: {name}")


if __name__ == "__main__":
    main()
