#!/usr/bin/env python3
"""render.py - the escape suite's reports as one page: Markdown and HTML.

    python3 tests/escapes/render.py build/report

Reads escapes.json and escapes-*.json there, a host each, and writes escapes.md
and escapes.html beside them.  The HTML needs nothing but itself.  A row an
attempt: naked (what is done to agsbx itself has no such form), with everything
held (which layer refused it), and ablated, with what each smaller cut met, all
as the first host has it that could show it; then the verdict of every host.
"""
import glob
import html
import json
import os
import sys

VERDICTS = ("passed", "failed", "skipped")

STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em; color: #1b1b1b;
       background: #fff; max-width: 110em }
h1 { font-size: 1.5em } caption { text-align: left; padding: .5em 0 }
table { border-collapse: collapse; width: 100% }
th, td { border: 1px solid #ccc; padding: .3em .5em; text-align: left;
         vertical-align: top }
th { background: #f0f0f0; position: sticky; top: 0 }
td.id { font-family: monospace; white-space: nowrap }
td:nth-child(6) { min-width: 21em }
td.passed { background: #dff2df }
td.failed { background: #f9d9d9 }
td.skipped, td.none { color: #666; background: #f7f7f7 }
code { font-size: .92em } ul { margin: 0; padding-left: 1.1em }
"""


def runs_of(attempt):
    """The naked run, the full one, the proper subsets, the whole cut."""
    naked = full = whole = None
    parts = []
    size = len(attempt["layers"])
    for run in attempt["runs"]:
        if run["naked"]:
            naked = run
        elif not run["without"]:
            full = run
        elif len(run["without"]) == size:
            whole = run
        else:
            parts.append(run)
    return naked, full, parts, whole


def outcome(run):
    if run is None:
        return "not run"
    return "got out" if run["escaped"] else run["answer"]


def cells(attempt):
    naked, full, parts, whole = runs_of(attempt)
    smaller = [
        "without %s: %s" % (", ".join(run["without"]), outcome(run))
        for run in parts
    ]
    cut = ", ".join(layer["ablation"] for layer in attempt["layers"])
    return {
        "id": attempt["id"],
        "tries": attempt["tries"],
        "control": attempt.get("control", ""),
        "naked": outcome(naked),
        "full": outcome(full),
        "ablated": "without %s: %s" % (cut, outcome(whole)) if cut else "",
        "smaller": smaller,
        "witness": attempt.get("witness", ""),
    }


def merge(reports):
    """A row an attempt, in the order of the reports, with its verdicts."""
    seen = {}
    for index, report in enumerate(reports):
        for attempt in report["attempts"]:
            of_hosts = seen.setdefault(attempt["id"], [None] * len(reports))
            of_hosts[index] = attempt
    rows = []
    for of_hosts in seen.values():
        here = [attempt for attempt in of_hosts if attempt is not None]
        row = cells(min(here, key=lambda a: a["verdict"] == "skipped"))
        row["hosts"] = of_hosts
        rows.append(row)
    return rows


def verdict_of(attempt):
    if attempt is None:
        return "not run"
    why = attempt["why"]
    return attempt["verdict"] + (": " + why if why else "")


def host_name(report):
    host = report["host"]
    return "Linux %s" % host["kernel"]


def summaries(reports, rows):
    """A line for all, and one a host."""
    some = [sum(any(a is not None and a["verdict"] == v for a in row["hosts"])
                for row in rows) for v in VERDICTS]
    none = sum(all(a is None or a["verdict"] == "skipped"
                   for a in row["hosts"]) for row in rows)
    tried = [row for row in rows
             if not all(a is None or a["verdict"] == "named"
                        for a in row["hosts"])]
    out = ["%d attempts: %d passed on a host, %d failed on one, %d could not "
           "be shown on any" % (len(tried), some[0], some[1], none)]
    for report in reports:
        host = report["host"]
        counts = tuple(sum(a["verdict"] == v for a in report["attempts"])
                       for v in VERDICTS)
        out.append(
            "%s %s: %d passed, %d failed, %d skipped; %s; Landlock ABI %d; "
            "uid %d; waived: %s"
            % ((host_name(report), host["machine"]) + counts +
               (report["version"], host["landlock_abi"], host["uid"],
                host["waived"] or "nothing")))
    return out


def markdown(reports, rows):
    out = ["# agsbx: escape suite", ""]
    for line in summaries(reports, rows):
        out += [line + ".", ""]
    heads = ["attempt", "tries", "control", "naked", "everything held",
             "ablated", "witness"] + [host_name(r) for r in reports]
    out.append("| " + " | ".join(heads) + " |")
    out.append("|" + "---|" * len(heads))
    for row in rows:
        line = [row["id"], row["tries"], row["control"], row["naked"],
                row["full"], "; ".join(row["smaller"] + [row["ablated"]]),
                row["witness"]] + [verdict_of(a) for a in row["hosts"]]
        out.append(
            "| " + " | ".join(
                " ".join(cell.split()).replace("|", "\\|") for cell in line)
            + " |")
    return "\n".join(out) + "\n"


def page(reports, rows):
    esc = html.escape
    total, *hosts = summaries(reports, rows)
    out = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<title>agsbx: escape suite</title><style>%s</style>" % STYLE,
        "<h1>agsbx: escape suite</h1>",
        "<p><b>%s</b>" % esc(total),
        "".join("<br>" + esc(line) for line in hosts),
        "<table><thead><tr><th>attempt<th>tries<th>control<th>naked"
        "<th>everything held<th>left out<th>witness",
        "".join("<th>" + esc(host_name(r)) for r in reports) + "</thead>",
    ]
    for row in rows:
        parts = "".join(
            "<li>%s" % esc(part) for part in row["smaller"] + [row["ablated"]])
        verdicts = "".join(
            "<td class=%s>%s" % (a["verdict"] if a else "none",
                                 esc(verdict_of(a)))
            for a in row["hosts"])
        out.append(
            "<tr><td class=id>%s<td>%s<td>%s<td>%s<td>%s<td><ul>%s</ul><td>%s"
            % (esc(row["id"]), esc(row["tries"]), esc(row["control"]),
               esc(row["naked"]), esc(row["full"]), parts,
               esc(row["witness"])) + verdicts)
    out.append("</table></html>")
    return "\n".join(out) + "\n"


def main(directory):
    paths = (glob.glob(os.path.join(directory, "escapes.json")) +
             sorted(glob.glob(os.path.join(directory, "escapes-*.json"))))
    if not paths:
        sys.exit("render.py: no report in " + directory)
    reports = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            reports.append(json.load(file))
    rows = merge(reports)
    for suffix, render in ((".md", markdown), (".html", page)):
        path = os.path.join(directory, "escapes" + suffix)
        with open(path, "w", encoding="utf-8") as file:
            file.write(render(reports, rows))
        print("wrote " + path)
    print(summaries(reports, rows)[0])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
