#!/usr/bin/env python3
"""render.py - the escape suite's report as one page: Markdown and HTML.

    python3 tests/escapes/render.py build/report/escapes.json

Writes escapes.md and escapes.html beside the JSON that the runner wrote.  The
HTML needs nothing but itself.  A row an attempt: naked (what is done to agsbx
itself has no such form), with everything held (which layer refused it), and
ablated, with what each smaller cut met.
"""
import html
import json
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
tr.passed td.verdict { background: #dff2df }
tr.failed td { background: #f9d9d9 }
tr.skipped td { color: #666; background: #f7f7f7 }
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
        "verdict": attempt["verdict"],
        "why": attempt["why"],
    }


def summary(report):
    counts = [
        sum(a["verdict"] == v for a in report["attempts"]) for v in VERDICTS
    ]
    host = report["host"]
    return (
        "%d passed, %d failed, %d skipped" % tuple(counts),
        "%s; Linux %s %s; Landlock ABI %d; uid %d; waived: %s"
        % (
            report["version"],
            host["kernel"],
            host["machine"],
            host["landlock_abi"],
            host["uid"],
            host["waived"] or "nothing",
        ),
    )


def markdown(report, rows):
    total, host = summary(report)
    out = ["# agsbx: escape suite", "", total + ".", "", host + ".", ""]
    heads = ("attempt", "tries", "control", "naked", "everything held",
             "ablated", "witness", "verdict")
    out.append("| " + " | ".join(heads) + " |")
    out.append("|" + "---|" * len(heads))
    for row in rows:
        verdict = row["verdict"] + (": " + row["why"] if row["why"] else "")
        line = (row["id"], row["tries"], row["control"], row["naked"],
                row["full"], "; ".join(row["smaller"] + [row["ablated"]]),
                row["witness"], verdict)
        out.append(
            "| " + " | ".join(
                " ".join(cell.split()).replace("|", "\\|") for cell in line)
            + " |")
    return "\n".join(out) + "\n"


def page(report, rows):
    total, host = summary(report)
    esc = html.escape
    out = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<title>agsbx: escape suite</title><style>%s</style>" % STYLE,
        "<h1>agsbx: escape suite</h1>",
        "<p><b>%s</b><br>%s</p>" % (esc(total), esc(host)),
        "<table><thead><tr><th>attempt<th>tries<th>control<th>naked"
        "<th>everything held<th>left out<th>witness<th>verdict</thead>",
    ]
    for row in rows:
        parts = "".join(
            "<li>%s" % esc(part) for part in row["smaller"] + [row["ablated"]])
        out.append(
            "<tr class=%s><td class=id>%s<td>%s<td>%s<td>%s<td>%s"
            "<td><ul>%s</ul><td>%s<td class=verdict>%s"
            % (esc(row["verdict"]), esc(row["id"]), esc(row["tries"]),
               esc(row["control"]), esc(row["naked"]), esc(row["full"]),
               parts, esc(row["witness"]),
               esc(row["verdict"] +
                   (": " + row["why"] if row["why"] else ""))))
    out.append("</table></html>")
    return "\n".join(out) + "\n"


def main(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    rows = [cells(attempt) for attempt in report["attempts"]]
    stem = path[: -len(".json")] if path.endswith(".json") else path
    for suffix, render in ((".md", markdown), (".html", page)):
        with open(stem + suffix, "w", encoding="utf-8") as file:
            file.write(render(report, rows))
        print("wrote " + stem + suffix)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
