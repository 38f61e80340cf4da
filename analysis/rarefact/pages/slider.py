"""Sliders over the computed points of a sweep: the numbers, thinned, and the only script that a page may hold."""

import base64
import hashlib
import json

import numpy as np

from ..figures import drawing, runs, style
from .html import escaped
from .sweep import all_cases

MOST_NUMBERS = 200_000  # in a page that is to be mailed
SHOWN = [("error", "tail", "error of the rarest classes"), ("error", "head", "error of the most frequent classes"),
         ("loss", "", "loss [nat]"), ("excess_loss", "", "excess loss [nat]"), ("gap", "", "gap between best and worst class")]
FLOOR = 1e-10

CSS = """
.sweep{border:1px solid var(--line);border-radius:6px;padding:.5rem .7rem;margin:.8rem 0}
.sweep label{display:grid;grid-template-columns:13rem minmax(0,1fr) 8rem;gap:.2rem .6rem;align-items:center}
.sweep label{margin:.3rem 0;overflow-wrap:anywhere}
.sweep input{width:100%;height:2rem;margin:0}
.sweep select{font:inherit;width:100%;min-width:0}
.sweep svg{width:100%;display:block;margin:.4rem 0}
@media (max-width:40rem){.sweep label{grid-template-columns:minmax(0,1fr) auto}.sweep input,.sweep select{grid-column:1/-1;grid-row:2}}
.sweep svg text{font:12px system-ui,sans-serif;fill:var(--text)}
.sweep ul{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;padding:0;margin:.3rem 0;font-size:.9rem}
.sweep li i{display:inline-block;width:1.6rem;height:0;border-top:3px solid;margin-right:.4rem;vertical-align:middle}
"""

SCRIPT = r"""
"use strict";
const NS = "http://www.w3.org/2000/svg", L = 48, R = 12, T = 12, B = 36;
const put = (parent, name, attributes = {}, text = "") => {
  const made = document.createElementNS(parent.namespaceURI, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== "") made.textContent = text;
  return parent.appendChild(made);
};
const power = n => "10" + String(n).replace("-", "⁻").replace(/\d/g, d => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);
// A scale: from numbers to places, with its ticks.
const scale = (low, high, from, to, log) => {
  const f = log ? Math.log10 : x => x, a = f(low), b = f(high) > f(low) ? f(high) : f(low) + 1;
  const ticks = [];
  if (log) {
    const every = Math.max(1, Math.ceil((b - a) / 6));
    for (let n = Math.ceil(a - 1e-9); n <= b + 1e-9; n += every) ticks.push([10 ** n, n >= 0 && n < 5 ? String(10 ** n) : power(n)]);
  } else {
    const raw = (b - a) / 5, unit = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find(n => n * unit >= raw) * unit;
    for (let x = Math.ceil(a / step) * step; x <= b + step / 1e6; x += step) ticks.push([x, String(+x.toPrecision(6))]);
  }
  return {place: x => from + (to - from) * (f(x) - a) / (b - a), ticks};
};
// State of all sweeps in the address: #show=0:2.1.error;1:0.loss
const read = () => new Map((location.hash.startsWith("#show=") ? location.hash.slice(6).split(";") : []).map(part => {
  const at = part.indexOf(":");
  return [part.slice(0, at), part.slice(at + 1).split(".")];
}));
const sweeps = [];
const write = () => history.replaceState(null, "", "#show=" + sweeps.map(each => each.state()).join(";"));

const build = box => {
  const data = JSON.parse(box.dataset.sweep), id = box.dataset.id;
  const sliders = data.keys.map(({key, values}) => {
    const label = put(box, "label");
    put(label, "span", {}, key);
    const input = put(label, "input", {type: "range", min: 0, max: values.length - 1, step: 1, value: 0, "aria-label": key});
    return {input, values, out: put(label, "output")};
  });
  const choice = put(put(box, "label"), "select", {"aria-label": "quantity"});
  choice.before(Object.assign(document.createElement("span"), {textContent: "quantity"}));
  data.series.forEach((one, at) => put(choice, "option", {value: at}, one.text));
  const svg = box.appendChild(document.createElementNS(NS, "svg")), list = put(box, "ul");
  svg.setAttribute("role", "img");

  const draw = () => {
    const place = sliders.map(({input}) => +input.value), one = data.series[+choice.value];
    sliders.forEach(({input, values, out}) => {
      out.textContent = values[+input.value];
      input.setAttribute("aria-valuetext", values[+input.value]);
    });
    const W = Math.max(svg.clientWidth, 280), H = Math.round(Math.min(W * 0.6, 400));
    svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
    svg.replaceChildren();
    list.replaceChildren();
    const point = data.points[place.join(".")];
    if (point === undefined) {
      put(svg, "text", {x: W / 2, y: H / 2, "text-anchor": "middle"}, "this point was not computed");
      return;
    }
    const chosen = sliders.map(({input, values}, at) => `${data.keys[at].key} = ${values[+input.value]}`);
    svg.setAttribute("aria-label", `${one.text} against step at ${chosen.join(", ")}`);
    const steps = data.steps, log = steps[steps.length - 1] > 100, first = steps.find(t => t > 0);
    const x = scale(log ? first : steps[0], steps[steps.length - 1], L, W - R, log), y = scale(one.low, one.high, H - B, T, one.log);
    for (const [value, text] of x.ticks) {
      put(svg, "line", {x1: x.place(value), x2: x.place(value), y1: T, y2: H - B, stroke: "#e3e6ea"});
      put(svg, "text", {x: x.place(value), y: H - B + 15, "text-anchor": "middle"}, text);
    }
    for (const [value, text] of y.ticks) {
      put(svg, "line", {x1: L, x2: W - R, y1: y.place(value), y2: y.place(value), stroke: "#e3e6ea"});
      put(svg, "text", {x: L - 6, y: y.place(value) + 4, "text-anchor": "end"}, text);
    }
    put(svg, "rect", {x: L, y: T, width: W - L - R, height: H - T - B, fill: "none", stroke: "#1b2026"});
    put(svg, "text", {x: (L + W - R) / 2, y: H - 4, "text-anchor": "middle"}, "step");
    const within = value => Math.min(Math.max(value, one.low), one.high);
    const line = (values, attributes) => {
      let path = "", pen = "M";
      values.forEach((value, at) => {
        if (value === null || (log && steps[at] <= 0)) { pen = "M"; return; }
        path += `${pen}${x.place(steps[at]).toFixed(1)} ${y.place(within(value)).toFixed(1)}`;
        pen = "L";
      });
      if (path) put(svg, "path", {d: path, fill: "none", "stroke-width": 2, ...attributes});
    };
    data.optimizers.forEach(({label, color}, at) => {
      const {mean, half, predicted} = one.values[point][at];
      if (half) {
        const there = mean.map((value, t) => t).filter(t => mean[t] !== null && half[t] !== null && !(log && steps[t] <= 0));
        const edge = sign => there.map(t => `${x.place(steps[t]).toFixed(1)} ${y.place(within(mean[t] + sign * half[t])).toFixed(1)}`);
        if (there.length) put(svg, "path", {d: "M" + [...edge(1), ...edge(-1).reverse()].join("L") + "Z", fill: color, "fill-opacity": .2});
      }
      line(mean, {stroke: color});
      if (predicted) line(predicted, {stroke: "#000", "stroke-width": 1, "stroke-dasharray": "5 3"});
      const item = put(list, "li"), end = mean.filter(value => value !== null).pop();
      put(item, "i").style.borderColor = color;
      item.append(`${label}: ${end === undefined ? "no numbers" : end && Math.abs(end) < 1e-3 ? end.toExponential() : end}`);
    });
    if (one.values[point].some(({predicted}) => predicted)) {
      const item = put(list, "li");
      put(item, "i").style.borderTop = "2px dashed #000";
      item.append("predicted");
    }
  };
  const restore = saved => {
    if (!saved) return;
    sliders.forEach(({input, values}, at) => { input.value = Math.min(Math.max(parseInt(saved[at]) || 0, 0), values.length - 1); });
    const wanted = data.series.findIndex(({name}) => name === saved[sliders.length]);
    choice.value = Math.max(wanted, 0);
  };
  box.addEventListener("input", () => { draw(); write(); });
  const state = () => `${id}:${[...sliders.map(({input}) => input.value), data.series[+choice.value].name].join(".")}`;
  sweeps.push({id, draw, restore, state});
};
const show = () => {
  const saved = read();
  for (const each of sweeps) { each.restore(saved.get(each.id)); each.draw(); }
};
document.querySelectorAll("[data-sweep]").forEach(build);
show();
addEventListener("hashchange", show);
addEventListener("resize", () => sweeps.forEach(each => each.draw()));
"""


def policy():
    """The source expression of a content security policy that lets this script run and no other."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(SCRIPT.encode("utf-8")).digest()).decode("ascii") + "'"


def rounded(values):
    """Four digits; null where there is no number."""
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in values]


def series(result, cases, kept, name, group, text):
    """One quantity of every case and optimizer over the kept steps: mean, half the interval, prediction; None without numbers."""
    values = runs.of_class(result, name, group)[:, :, kept]
    shown = values[np.isfinite(values)]
    if not len(shown):
        return None
    predicted = runs.of_class(result, f"{name}_predicted", group)[:, :, kept] if f"{name}_predicted" in result else None
    log = name != "gap" and shown.max() > 0 and shown.min() < 0.05 * shown.max()
    out = []
    for case in cases:
        out.append([])
        for place in range(values.shape[1]):
            mean, half = runs.over_seeds(values[case.runs, place])
            one = {"mean": rounded(mean)}
            if np.isfinite(half).any():
                one["half"] = rounded(half)
            if predicted is not None and np.isfinite(said := predicted[case.runs, place].mean(axis=0)).any():
                one["predicted"] = rounded(said)
            out[-1].append(one)
    low, high = (10.0 ** np.floor(np.log10(max(shown.min(), FLOOR))), 10.0 ** np.ceil(np.log10(shown.max()) - 0.01)) if log else (
        0.0, 1.0 if name in ("gap", "error") else float(f"{shown.max() * 1.02:.3g}"))
    return {"name": f"{name}_{group}" if group else name, "text": text, "log": bool(log), "low": low, "high": high, "values": out}


def sliders(result, place):
    """The HTML of a sweep of more than one point; nothing of others."""
    keys, cases = all_cases(result)
    steps = result.coords["step"]
    names = [each for each in SHOWN if each[0] in result and (each[0] != "excess_loss" or not np.allclose(
        result["loss"].values, result["excess_loss"].values, rtol=1e-6, atol=0, equal_nan=True))]
    if not keys or len(cases) < 2 or len(steps) < 3:
        return ""
    most = MOST_NUMBERS // (len(cases) * len(result.coords["optimizer"]) * len(names) * 2)
    if most < 8:
        return f"<p class=\"dim\">No sliders: {len(cases)} points are too many for a page.</p>\n"
    kept = drawing.spread(steps, min(most, 80), steps[-1] > 100)
    looks = style.optimizer_looks(result)
    distinct = {key: list(dict.fromkeys(result.params[key])) for key in keys}
    distinct = {key: values if isinstance(values[0], str) else sorted(values) for key, values in distinct.items()}
    points = {".".join(str(distinct[key].index(result.params[key][case.runs[0]])) for key in keys): at for at, case in enumerate(cases)}
    data = {"keys": [{"key": key, "values": [value if isinstance(value, str) else f"{value:.6g}" for value in values]}
                     for key, values in distinct.items()],
            "points": points, "steps": [int(steps[at]) for at in kept],
            "optimizers": [{"label": label, "color": look["color"]} for label, look in looks.items()],
            "series": [one for each in names if (one := series(result, cases, kept, *each))]}
    return (f"<h3>Every computed point</h3>\n<div class=\"sweep\" data-id=\"{place}\" "
            f"data-sweep=\"{escaped(json.dumps(data, ensure_ascii=False, separators=(',', ':')))}\"></div>\n")
