"""Writes one HTML file about result files of rarefact: experiment, provenance, verdicts, tables, figures.

    rarefact report results/starter.h5 verdicts.h5 -o report.html

Reports of rarefact verify -o may be among the files. The page needs no network and no script; equal files give equal bytes.
"""

import argparse
import base64
import contextlib
import hashlib
import html
import io
import os
import pathlib
import secrets
import signal
import sys

import numpy as np

from .figures import kinds, style, verdicts
from .result import NotAResult, Result

MOST_ROWS = 60
NARROW, WIDE = 3.9, 6.75  # inches of figures: the narrow ones fit on a phone, the wide ones are moved there with a finger
STYLE = """
:root{--line:#d5d9de;--soft:#f5f6f8;--text:#1b2026;--dim:#5a636d}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--text);background:#fff}
h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.3rem;margin:2.2rem 0 .4rem;padding-top:.6rem;border-top:2px solid var(--text);overflow-wrap:anywhere}
h3{font-size:1.05rem;margin:1.4rem 0 .3rem}
p{margin:.4rem 0}
nav ul{padding-left:1.2rem;margin:.3rem 0}
.dim{color:var(--dim);font-size:.9rem;overflow-wrap:anywhere}
.warn{border-left:4px solid #D55E00;padding:.2rem .7rem;background:#fdf3ec;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.85rem;margin:.4rem 0}
th,td{padding:.25rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{background:var(--soft);white-space:nowrap}
td.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
figure{margin:1rem 0}
figure img{width:100%;display:block}
figcaption{font-size:.9rem;color:var(--dim)}
details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;padding:.3rem .7rem}
summary{cursor:pointer;padding:.2rem 0}
pre{overflow-x:auto;background:var(--soft);padding:.6rem;font-size:.8rem;line-height:1.35;margin:.4rem 0}
.verdict{display:inline-block;padding:0 .5rem;border-radius:4px;color:#fff;background:#5a636d;font-size:.85rem}
.holds{background:#00664b}.against{background:#7a5c00}.fails{background:#b34a00}
"""


def escaped(value):
    """For HTML; what would steer a reader's eye, such as characters that turn the direction of writing, is spelled."""
    visible = "".join(c if c.isprintable() or c in "\n\t" else f"\\u{ord(c):04x}" for c in str(value))
    return html.escape(visible, quote=True)


def number(value):
    """A number or text for a cell."""
    if isinstance(value, str):
        return value
    return "" if np.isnan(value) else f"{value:.4g}"


def table(header, rows):
    """HTML; numbers are set flush right."""
    lines = ["<div class=\"scroll\"><table><thead><tr>", *(f"<th>{escaped(name)}</th>" for name in header), "</tr></thead><tbody>"]
    for row in rows:
        cells = (f"<td>{escaped(cell)}</td>" if isinstance(cell, str) and cell[:1] != ">" else
                 f"<td class=\"number\">{escaped(number(cell))}</td>" for cell in row)
        lines += ["<tr>", *cells, "</tr>"]
    return "".join(lines) + "</tbody></table></div>\n"


def figure(drawing, caption, name):
    """The drawing as an image in the page, as wide as it can be read on."""
    wide, high = drawing.figure.get_size_inches()
    drawing.settle()
    file = io.BytesIO()
    # The salt makes the ids of the picture its own and the same every time.
    with style.plt.rc_context({"svg.hashsalt": name}):
        drawing.figure.savefig(file, format="svg", metadata={"Date": None})
    style.plt.close(drawing.figure)
    source = base64.b64encode(file.getvalue()).decode("ascii")
    return (f"<figure><div class=\"scroll\"><img alt=\"{escaped(caption)}\" width=\"{96 * wide:.0f}\" height=\"{96 * high:.0f}\" "
            f"style=\"height:auto;min-width:{90 * wide:.0f}px;max-width:{125 * wide:.0f}px\" "
            f"src=\"data:image/svg+xml;base64,{source}\"></div><figcaption>{escaped(caption)}</figcaption></figure>\n")


def provenance(path, attributes):
    names = ("rarefact_version", "git_commit", "compiler", "compiler_flags", "hdf5_version", "numerics_id", "schema_version")
    rows = [(name, str(attributes[name])) for name in names if name in attributes]
    rows.append(("sha256 of the file", hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()))
    return f"<details><summary>Provenance</summary>{table(['', ''], rows)}</details>\n"


def summary_rows(result):
    """A row for each run and optimizer: last losses, errors of head and tail, the first step with every error below 0.1."""
    keys = list(result.params)
    steps, engine, status = result.coords["step"], result["engine"].values, result["status"].values
    loss, error, count = result["loss"].values, result["error"].values, result["class_count"].values
    for run in range(len(result.coords["run"])):
        tail = max(np.flatnonzero(count[run] > 0), default=0)
        for place, label in enumerate(result.coords["optimizer"]):
            ended = np.flatnonzero(np.isfinite(loss[run, place]))
            last = ended[-1] if len(ended) else 0
            learned = np.flatnonzero((error[run, place] < 0.1)[:, :tail + 1].all(axis=1))
            yield [*(number(result.params[key][run]) for key in keys), label, engine[run, place], status[run, place],
                   float(steps[last]), loss[run, place, last], error[run, place, last, 0], error[run, place, last, tail],
                   float(steps[learned[0]]) if len(learned) else f"> {steps[last]}"]


def result_section(result, place):
    shape = ", ".join(f"{len(result.coords[dim])} {what}{'s' * (len(result.coords[dim]) != 1)}" for dim, what in (
        ("run", "run"), ("optimizer", "optimizer"), ("step", "recorded step")))
    parts = [f"<h2 id=\"r{place}\">{escaped(result.title)}</h2>\n<p class=\"dim\">{escaped(pathlib.Path(result.path).name)}: {shape}</p>\n"]
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        style.say_incomplete(result)
    parts += [f"<p class=\"warn\">{escaped(line.removeprefix(result.path + ': '))}</p>\n" for line in said.getvalue().splitlines()]
    for kind, drawing, more in kinds.drawings(result, width=NARROW, wide=WIDE):
        notes = (line.partition("; others by")[0] for line in more.splitlines())
        caption = " ".join([kind.caption, *(f"({note})" for note in notes)])
        parts.append(figure(drawing, caption, f"{place}{kind.name}"))
    rows = list(summary_rows(result))
    header = [*result.params, "optimizer", "engine", "status", "last step", "loss [nat]", "error, head", "error, tail",
              "step of error < 0.1"]
    parts.append("<h3>At the last step</h3>\n" + table(header, rows[:MOST_ROWS]))
    if len(rows) > MOST_ROWS:
        parts.append(f"<p class=\"dim\">{MOST_ROWS} of {len(rows)} lines; rarefact table shows others.</p>\n")
    parts.append(f"<details><summary>Experiment</summary><pre>{escaped(result.attributes['experiment'].strip())}</pre></details>\n")
    parts.append(provenance(result.path, result.attributes))
    return "".join(parts)


def verdict_mark(verdict):
    kind = next((word for word in ("holds", "against", "fails") if word in verdict.split()), "")
    return f"<span class=\"verdict {kind}\">{escaped(verdict)}</span>"


def interval(finding):
    """measured, with half the 95 % interval where there is one."""
    low, high = finding["low"], finding["high"]
    if np.isfinite(low) and np.isfinite(high) and high > low:
        return f"{finding['measured']:.4g} ± {(high - low) / 2:.1g}"
    return number(finding["measured"])


def check_part(check, name):
    texts = check.texts
    parts = [f"<details><summary>{verdict_mark(texts['verdict'])} <b>{escaped(check.id)}</b>: {escaped(texts['title'])} "
             f"<span class=\"dim\">({escaped(texts['source'])})</span></summary>\n<p>{escaped(texts['statement'])}</p>\n"]
    rows = [[found["verdict"], found["quantity"], interval(found), found["published"], number(found["sharp"]), found["rule"]]
            for found in check.findings]
    parts.append(table(["verdict", "quantity", "measured", "published", "exact or sharp", "rule"], rows))
    if texts.get("note"):
        parts.append(f"<p class=\"dim\">{escaped(texts['note'])}</p>\n")
    if check.curves:
        options = argparse.Namespace(width=WIDE if len(check.curves) > 1 else NARROW)
        parts.append(figure(verdicts.draw_curves(check, options), f"{check.id}: " + "; ".join(curve[0] for curve in check.curves), name))
    return "".join(parts) + "</details>\n"


def report_section(report, place):
    counts = {}
    for check in report.checks:
        counts[check.texts["verdict"]] = counts.get(check.texts["verdict"], 0) + 1
    parts = [f"<h2 id=\"r{place}\">{escaped(report.attributes.get('title', 'verdicts'))}</h2>\n",
             f"<p class=\"dim\">{escaped(pathlib.Path(report.path).name)}: ",
             ", ".join(f"{count} × {escaped(verdict)}" for verdict, count in sorted(counts.items())), "</p>\n"]
    parts += [check_part(check, f"{place}{check.id}") for check in report.checks]
    parts.append(provenance(report.path, report.attributes))
    return "".join(parts)


def page(items, left_out):
    """The HTML of results and reports, in their order."""
    titles = [item.title if isinstance(item, Result) else item.attributes.get("title", "verdicts") for item in items]
    parts = ["<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n",
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n",
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
             "<link rel=\"icon\" href=\"data:,\">\n",
             f"<title>rarefact: {escaped(', '.join(titles))}</title>\n<style>{STYLE}</style></head><body>\n",
             "<h1>How optimizers learn rare facts</h1>\n<p class=\"dim\">Report of rarefact. Losses in nats; markers and solid lines are "
             "measured, black dashes predicted.</p>\n<nav><ul>\n"]
    parts += [f"<li><a href=\"#r{place}\">{escaped(title)}</a></li>\n" for place, title in enumerate(titles)]
    parts.append("</ul></nav>\n")
    parts += [f"<p class=\"warn\">left out: {escaped(line)}</p>\n" for line in left_out]
    parts += [(result_section if isinstance(item, Result) else report_section)(item, place) for place, item in enumerate(items)]
    return "".join(parts) + "</body></html>\n"


def open_any(path):
    """A result or a report of rarefact verify."""
    try:
        return Result(path)
    except NotAResult as error:
        if "not a result file of rarefact run" not in str(error):
            raise
    return verdicts.open_report(path)


def refuse(path):
    """OSError where a page must not or cannot be written; before anything is drawn."""
    if path.is_dir():
        raise OSError(f"{path} is a folder; expected the name of a file")
    if os.path.lexists(path) and not path.is_file():
        raise OSError(f"{path} is no plain file but a device or the like")
    if path.is_file() and path.open("rb").read(4) == b"\x89HDF":
        raise OSError(f"{path} holds an HDF5 file, which a report does not overwrite")


def write(path, text):
    """The whole file or none, whatever ends this program before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def main(words):
    parser = argparse.ArgumentParser(prog="rarefact report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="+", help="result files of rarefact run, reports of rarefact verify")
    parser.add_argument("-o", "--output", default="report.html", help="the page; default: report.html")
    options = parser.parse_args(words)
    # rarefact report sends it when it is ended itself; as an exception it leaves nothing behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    items, left_out = [], []
    for path in options.result:
        try:
            items.append(open_any(path))
        except NotAResult as error:
            style.say(f"error: {error}")
            left_out.append(str(error).replace(path, pathlib.Path(path).name))
    if not items:
        style.say("error: there is nothing to report")
        return 2
    output = pathlib.Path(options.output)
    try:
        refuse(output)
        write(output, page(items, left_out))
    except OSError as error:
        style.say(f"error: {error}")
        return 3
    return 4 if left_out else 0
