"""Writes one HTML file about result files of rarefact: steps to a threshold, figures, tables, experiment, sources, verdicts.

    rarefact report results/starter.h5 verdicts.h5 -o report.html

Reports of rarefact verify -o may be among the files. The page needs no network and no script; equal files give equal bytes.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import pathlib
import shlex
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import files
from .errors import Error, NotAResult, for_shell
from .figures import kinds, runs, verdicts
from .pages import sources, sweep
from .pages.html import NARROW, STYLE, WIDE, escaped, figure, folded, number, table, to_keep
from .result import Result

START = ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
         "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n")


def provenance(path: str, attributes: Mapping[str, Any]) -> str:
    names = ("values_sha256", "rarefact_version", "git_commit", "compiler", "compiler_flags", "hdf5_version", "numerics_id",
             "schema_version")
    meaning = {"values_sha256": "content hash (values_sha256)"}
    rows = [(meaning.get(name, name), str(attributes[name])) for name in names if name in attributes]
    rows.append(("sha256 of the file", hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()))
    return folded("Provenance", table(["", ""], rows))


def cited(attributes: Mapping[str, Any], named: Iterable[str], stem: str) -> str:
    text = sources.bibtex(attributes, named)
    kept = f"<p>{to_keep(stem + '.bib', text)}</p><pre>{escaped(text)}</pre>"
    return folded("How to cite: the program and the sources of the predictions", kept)


def experiment(result: Result, stem: str) -> str:
    """The text of the experiment for download, and the commands that make the result and its report."""
    text, name, file = result.attributes["experiment"], f"{stem}.toml", f"{stem}.h5"
    commands = f"{shlex.join(['rarefact', 'run', name, '-o', file])}\n{shlex.join(['rarefact', 'report', file])}"
    paths = "<p class=\"dim\">Files that it names must be in its folder.</p>" if "\"file\"" in text else ""
    return (f"<h3>Experiment</h3>\n<p>{to_keep(name, text)}, with every default filled in. The same numbers again:</p>\n"
            f"<pre>{escaped(commands)}</pre>\n{paths}{folded('Text of the experiment', f'<pre>{escaped(text.strip())}</pre>')}")


def seeds_text(result: Result) -> str:
    seeds = [f"{len(set(values))} seeds, {min(values):.0f} to {max(values):.0f}" + (f" ({key})" if key != "seed" else "")
             for key, values in runs.seeds_of(result).items()]
    return "; ".join(seeds) or f"seed {result.experiment.get('seed', 1)}"


def figures(result: Result, place: int, file: str) -> Iterator[str]:
    """The figures of a result, heat map first."""
    for kind, made, words, said in kinds.drawings(result, width=NARROW, wide=WIDE):
        caption = " ".join([kind.caption, *(f"({note})" for note in said.splitlines())])
        yield figure(made, caption, f"{place}{kind.name}", shlex.join(["rarefact", "plot", kind.name, file, *words]))


def result_section(result: Result, place: int) -> str:
    file, stem = pathlib.Path(result.path).name, pathlib.Path(result.path).stem
    shape = ", ".join(f"{len(result.coords[dim])} {what}{'s' * (len(result.coords[dim]) != 1)}" for dim, what in (
        ("run", "run"), ("optimizer", "optimizer"), ("step", "recorded step")))
    parts = [f"<h2 id=\"r{place}\">{escaped(result.title)}</h2>\n<p class=\"dim\">{escaped(file)}: {shape}; {seeds_text(result)}</p>\n"]
    parts += [f"<p class=\"warn\">{escaped(line)}</p>\n" for line in runs.incomplete(result)]
    if runs.seeds_of(result):
        parts.append(f"<p class=\"dim\">{sweep.MEAN}</p>\n")
    if runs.learns(result):
        parts.append(sweep.thresholds(result, file))
    if drawn := "".join(figures(result, place, file)):
        parts.append(f"<div class=grid>\n{drawn}</div>\n")
    parts += [sweep.last_step(result), folded("Engines, estimated errors and digits", sweep.computed(result)),
              experiment(result, stem)]
    named = [str(result.file[name].attrs["source"]) for name in result.names if "source" in result.file[name].attrs]
    parts += [cited(result.attributes, named, stem), provenance(result.path, result.attributes)]
    return "".join(parts)


def verdict_mark(verdict: str) -> str:
    kind = next((word for word in ("holds", "against", "fails") if word in verdict.split()), "")
    return f"<span class=\"verdict {kind}\">{escaped(verdict)}</span>"


def interval(finding: Mapping[str, Any]) -> str:
    """The measured number, with half the 95 % interval if there is one."""
    low, high = finding["low"], finding["high"]
    if np.isfinite(low) and np.isfinite(high) and high > low:
        return f"{finding['measured']:.4g} ± {(high - low) / 2:.1g}"
    return number(finding["measured"])


def check_part(check: verdicts.Check, name: str) -> str:
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


def report_section(report: verdicts.Report, place: int) -> str:
    counts = collections.Counter(check.texts["verdict"] for check in report.checks)
    parts = [f"<h2 id=\"r{place}\">{escaped(report.attributes.get('title', 'verdicts'))}</h2>\n",
             f"<p class=\"dim\">{escaped(pathlib.Path(report.path).name)}: ",
             ", ".join(f"{count} × {escaped(verdict)}" for verdict, count in sorted(counts.items())), "</p>\n"]
    parts += [check_part(check, f"{place}{check.id}") for check in report.checks]
    parts.append(cited(report.attributes, [check.texts["source"] for check in report.checks], pathlib.Path(report.path).stem))
    parts.append(provenance(report.path, report.attributes))
    return "".join(parts)


def page(items: Sequence[Result | verdicts.Report], left_out: Iterable[str]) -> str:
    """The HTML of results and reports, in order."""
    titles = [item.title if isinstance(item, Result) else item.attributes.get("title", "verdicts") for item in items]
    sections = [result_section(item, place) if isinstance(item, Result) else report_section(item, place)
                for place, item in enumerate(items)]
    parts = [START, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
             "<link rel=\"icon\" href=\"data:,\">\n",
             f"<title>rarefact: {escaped(', '.join(titles))}</title>\n<style>{STYLE}</style></head><body>\n",
             "<h1>How optimizers learn rare facts</h1>\n<p class=\"dim\">Report of rarefact. Losses in nats; markers and solid lines are "
             "measured, black dashes predicted.</p>\n<nav><ul>\n"]
    parts += [f"<li><a href=\"#r{place}\">{escaped(title)}</a></li>\n" for place, title in enumerate(titles)]
    parts.append("</ul></nav>\n")
    parts += [f"<p class=\"warn\">left out: {escaped(line)}</p>\n" for line in left_out]
    return "".join([*parts, *sections]) + "</body></html>\n"


def open_any(path: str) -> Result | verdicts.Report:
    """A result or a report of rarefact verify."""
    try:
        return Result(path)
    except NotAResult as error:
        if "not a result file of rarefact run" not in str(error):
            raise
    return verdicts.open_report(path)


@for_shell()
def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="rarefact report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="+", help="result files of rarefact run, reports of rarefact verify")
    parser.add_argument("-o", "--output", default="report.html", help="the page; default: report.html")
    options = parser.parse_args(words)
    # An exception leaves no partial file.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        items, refused, code = runs.opened_all(options.result, open_any)
        left_out = [str(error).replace(path, pathlib.Path(path).name) for path, error in refused]
        if not items:
            runs.say("error: there is nothing to report")
            return code
        files.refuse(options.output, START.encode())
        files.write(options.output, page(items, left_out).encode())
    except (Error, OSError) as error:
        runs.say(f"error: {error}")
        return getattr(error, "code", 3)
    print(f"report: {options.output}")
    return code
