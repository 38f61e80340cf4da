"""HTML: escaped text, tables, pictures, files to download."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Iterable, Sequence

import numpy as np

from ..figures.drawing import Drawing

NARROW, WIDE = 3.9, 6.75  # inches; narrow figures fit on a phone, wide ones scroll there
STYLE = """
:root{--line:#d5d9de;--soft:#f5f6f8;--text:#1b2026;--dim:#5a636d}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--text);background:#fff}
h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.3rem;margin:2.2rem 0 .4rem;padding-top:.6rem;border-top:2px solid var(--text);overflow-wrap:anywhere}
h3{font-size:1.05rem;margin:1.4rem 0 .3rem}
p{margin:.4rem 0}
nav ul{padding-left:1.2rem;margin:.3rem 0}
code{font-size:.85em;overflow-wrap:anywhere}
.dim{color:var(--dim);font-size:.9rem;overflow-wrap:anywhere}
.warn{border-left:4px solid #D55E00;padding:.2rem .7rem;background:#fdf3ec;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.85rem;margin:.4rem 0}
th,td{padding:.25rem .36rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{background:var(--soft);font-weight:600}
th.number,td.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
th.span{text-align:center;border-left:1px solid var(--line)}
td.long{min-width:14rem}
figure{margin:1rem 0}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,23rem),1fr));gap:0 1rem;align-items:start}
.grid>*{min-width:0}
.grid>.wide{grid-column:1/-1}
figure img{width:100%;display:block}
figcaption{font-size:.9rem;color:var(--dim)}
details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;padding:.3rem .7rem}
summary{cursor:pointer;padding:.2rem 0}
pre{overflow-x:auto;background:var(--soft);padding:.6rem;font-size:.8rem;line-height:1.35;margin:.4rem 0}
.verdict{display:inline-block;padding:0 .5rem;border-radius:4px;color:#fff;background:#5a636d;font-size:.85rem}
.holds{background:#00664b}.against{background:#7a5c00}.fails{background:#b34a00}
"""


def escaped(value: object) -> str:
    """Text escaped for HTML; control characters, such as those that change the direction of writing, are spelled out."""
    visible = "".join(c if c.isprintable() or c in "\n\t" else f"\\u{ord(c):04x}" for c in str(value))
    return html.escape(visible, quote=True)


def broken(name: object) -> str:
    """Escaped text in which names may break after dots and underscores, but numbers may not."""
    return re.sub(r"(?<=[A-Za-z])([._])(?=[A-Za-z0-9])", r"\1<wbr>", escaped(name))


def number(value: str | float) -> str:
    """A number or text for a cell."""
    if isinstance(value, str):
        return value
    return "" if np.isnan(value) else f"{value:.4g}"


def looks_like_number(text: str) -> bool:
    return "±" in text or text[:1] in "0123456789-−>≈–" and len(text) < 24


def table(header: Sequence[str], rows: Iterable[Iterable[str | float]], above: Sequence[tuple[str, int]] = ()) -> str:
    """An HTML table; columns of numbers are flush right. `above` has (text, columns) for a line above the header."""
    lines = ["<div class=\"scroll\"><table><thead>"]
    if above:
        lines += ["<tr>", *(f"<th{f' class=span colspan={wide}' if wide > 1 else ''}>{broken(text)}</th>" for text, wide in above), "</tr>"]
    texts = [list(map(number, row)) for row in rows]
    right = [bool(name) and any(looks_like_number(row[at]) for row in texts) for at, name in enumerate(header)]
    lines += ["<tr>", *(f"<th{' class=number' if flush else ''}>{broken(name)}</th>" for name, flush in zip(header, right))]
    lines.append("</tr></thead><tbody>")
    for row in texts:
        lines.append("<tr>")
        for cell, flush in zip(row, right):
            kind = " class=number" if flush and ("±" in cell or len(cell) < 18) else " class=long" if len(cell) > 40 else ""
            lines.append(f"<td{kind}>{broken(cell)}</td>")
        lines.append("</tr>")
    return "".join(lines) + "</tbody></table></div>\n"


def figure(drawing: Drawing, caption: str, name: str, command: str = "") -> str:
    """The drawing as an image in the page, at a readable width, with the command that draws it."""
    wide, high = drawing.figure.get_size_inches()
    drawing.settle()
    file = io.BytesIO()
    drawing.figure.salt = name
    drawing.figure.savefig(file, format="svg", metadata={"Date": None})
    source = base64.b64encode(file.getvalue()).decode("ascii")
    said = f"{escaped(caption)}<br><code>{escaped(command)}</code>" if command else escaped(caption)
    return (f"<figure{' class=wide' if wide > 5 else ''}><div class=\"scroll\"><img alt=\"{escaped(caption)}\" width=\"{96 * wide:.0f}\" height=\"{96 * high:.0f}\" "
            f"style=\"height:auto;min-width:{90 * wide:.0f}px;max-width:{125 * wide:.0f}px\" "
            f"src=\"data:image/svg+xml;base64,{source}\"></div><figcaption>{said}</figcaption></figure>\n")


def to_keep(name: str, text: str) -> str:
    """A link that downloads the text as a file."""
    data = base64.b64encode(text.encode("utf-8")).decode("ascii")
    return f"<a download=\"{escaped(name)}\" href=\"data:text/plain;charset=utf-8;base64,{data}\">{escaped(name)}</a>"


def folded(summary: str, content: str) -> str:
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>\n"
