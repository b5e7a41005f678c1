// SPDX-License-Identifier: Apache-2.0
// What stands around the timeline: faults, tables of pipes and paths, the roofline, hot lines.
"use strict";

function allFaults(data) {
  const result = { errors: [], warnings: [] };
  for (const launch of data.launches) {
    for (const fault of launch.faults) {
      result[fault.severity === "warning" ? "warnings" : "errors"].push({ ...fault, kernel: launch.kernel });
    }
  }
  return result;
}

// A place of a fault. The path leads from the kernel's entry to the call itself.
function siteFigure([call, file, line, path], both) {
  const figure = sourceFigure(file, line, both ? `${call}, both accesses` : call);
  if (path.length > 1) figure.append(make("p", { class: "path muted" }, `from ${path.slice(0, -1).join(" > ")}`));
  return figure;
}

function faultCard(fault, severity) {
  const begins = `${fault.kind}: kernel ${fault.kernel}, block ${fault.block}: `;
  const text = fault.text.startsWith(begins) ? fault.text.slice(begins.length) : fault.text;
  const { sites } = fault;
  const both = sites.length === 2 && JSON.stringify(sites[0]) === JSON.stringify(sites[1]);
  return make("article", { class: `fault ${severity}` },
    make("h3", {}, make("span", { class: "kind" }, fault.kind), "kernel ", make("code", {}, fault.kernel), `, block ${fault.block}`),
    make("p", {}, text),
    make("div", { class: "sites" }, (both ? sites.slice(0, 1) : sites).map((site) => siteFigure(site, both))));
}

const OPEN_FAULTS = { error: 5, warning: 2 }; // more are folded

function faultSection(faults, severity) {
  if (!faults.length) return null;
  const title = `${faults.length} ${severity === "error" ? "fault" : "warning"}${faults.length === 1 ? "" : "s"}`;
  const cards = faults.map((fault) => faultCard(fault, severity));
  const folded = cards.splice(OPEN_FAULTS[severity]);
  const rest = folded.length ? make("details", {}, make("summary", {}, `${folded.length} more`), folded) : null;
  return make("section", { class: `${severity}s`, "aria-label": title }, make("h2", {}, title), cards, rest);
}

const number = (text) => make("td", { class: "number" }, text);
const column = (text, numeric) => make("th", { class: numeric ? "number" : false, scope: "col" }, text);

function bar(parts, label) {
  return make("div", { class: "bar", role: "img", "aria-label": label, title: label },
    parts.filter(([, share]) => share > 0).map(([name, share, colour]) => make("i", { class: name, style: `width:${Math.min(100, 100 * share)}%;background-color:${colour}` })));
}

const CAUSES = {
  issue: "the scalar unit", flag: "flags of other pipes", barrier: "barriers", drain: "pipes, before scalar accesses",
  meeting: "other cores (SyncAll)", "cross-core": "flags of other cores",
};

function pipeTable(launch) {
  const rows = launch.pipes.filter((one) => one.instructions > 0 || one.busy > 0).sort((a, b) => PIPES.indexOf(a.pipe) - PIPES.indexOf(b.pipe)).map((one) => {
    const waits = Object.entries(one.waits).sort((a, b) => b[1] - a[1]);
    const waited = Math.min(1 - Math.min(one.busy, 1), waits.reduce((sum, [, share]) => sum + share, 0));
    const colour = `var(--${one.pipe})`;
    const text = waits.filter(([cause, share]) => CAUSES[cause] && share >= 0.01).slice(0, 2).map(([cause, share]) => `${CAUSES[cause]} ${percent(share)}`).join(", ");
    const label = `${one.pipe}: busy ${percent(one.busy)}${one.stalled > 0.005 ? `, of which stalled ${percent(one.stalled)}` : ""}; waits ${percent(waited)}`;
    return make("tr", {}, make("td", {}, chip(one.pipe)), number(whole(one.instructions)), number(one.bytes ? bytesText(one.bytes) : ""),
      number(one.microseconds.toFixed(2)), number(percent(one.busy)),
      make("td", {}, bar([["", Math.min(one.busy, 1) - one.stalled, colour], ["stalled", one.stalled, colour], ["waits", waited, "transparent"]], label)),
      make("td", { class: "muted", style: "font-size:13px" }, text));
  });
  return make("div", { class: "wide" }, make("h2", {}, "Pipes, as a mean over the cores"),
    make("table", {}, make("thead", {}, make("tr", {}, column("pipe"), column("instructions", true), column("bytes", true), column("busy, us", true), column("busy", true), column(""), column("waits for"))), make("tbody", {}, rows)),
    make("p", { class: "muted", style: "font-size:13px" }, "Solid: at work. Colour with stripes: at work, but stalled by shared bandwidth or bank conflicts. Grey stripes: nothing to do, because it waits."));
}

function pathTable(launch) {
  const rows = launch.paths.map((one) => make("tr", {}, make("td", {}, one.path), number(bytesText(one.read)), number(bytesText(one.written)), number(rateText(one.rate)),
    make("td", {}, bar([["", one.share, "var(--MTE2)"]], `${percent(one.share)} of the peak`), make("span", { class: "muted", style: "font-size:13px" }, `${percent(one.share)} of ${rateText(one.peak)}`))));
  return make("div", { class: "wide" }, make("h2", {}, "Paths to memory"),
    make("table", {}, make("thead", {}, make("tr", {}, column("path"), column("read", true), column("written", true), column("rate", true), column("share of the peak"))), make("tbody", {}, rows)),
    make("p", {}, facts(launch.peaks.map(([name, value, of]) => [name, of ? `${value} ${of}` : value]))));
}

function roofline(launch) {
  const { pipe, work, bytes, cycles, cores, bandwidth } = launch.roofline;
  const space = document.getElementById("svg").namespaceURI;
  const shape = (tag, attributes, text) => {
    const element = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text) element.textContent = text;
    return element;
  };
  const section = make("div", {}, make("h2", {}, "Roofline"));
  if (!(work > 0)) {
    section.append(make("p", { class: "muted" }, "This launch does no work on vectors or in the cube unit."));
    return section;
  }
  const kind = pipe === "M" ? "cube" : "vector";
  const ridge = cores / bandwidth;
  const x = bytes > 0 ? work / bytes : ridge * 1e3;
  const y = work / cycles;
  const roof = Math.min(cores, x * bandwidth);
  const left = Math.log10(Math.min(x, ridge)) - 1, right = Math.log10(Math.max(x, ridge)) + 1;
  const top = Math.log10(cores) + 0.35, bottom = Math.min(Math.log10(y), Math.log10(cores) - 2) - 0.4;
  const px = (value) => 44 + (340 * (Math.log10(value) - left)) / (right - left);
  const py = (value) => 12 + (196 * (top - Math.log10(value))) / (top - bottom);
  const low = Math.max(10 ** left, 10 ** bottom / bandwidth);
  const text = `${percent(y / roof)} of the roof above it: ${y.toFixed(y < 10 ? 2 : 1)} of ${cores} ${kind} cores compute, on average`;
  const svg = shape("svg", { viewBox: "0 0 400 250", role: "img", "aria-label": text, style: "max-width:460px;width:100%" });
  svg.append(
    shape("path", { class: "axis", d: "M44 12V208H384" }),
    shape("path", { class: "roof", d: `M${px(low)} ${py(low * bandwidth)}L${px(ridge)} ${py(cores)}L${px(10 ** right)} ${py(cores)}` }),
    shape("text", { x: 382, y: py(cores) - 6, "text-anchor": "end" }, `${cores} ${kind} cores`),
    shape("text", { x: px(Math.sqrt(low * ridge)) + 10, y: py(Math.sqrt(low * ridge) * bandwidth) + 12 }, "HBM at its peak"),
    shape("line", { class: "drop", x1: px(x), x2: px(x), y1: py(roof), y2: py(y) }),
    shape("circle", { cx: px(x), cy: py(y), r: 6, fill: `var(--${pipe})`, stroke: "var(--text)" }),
    shape("text", { class: "strong", x: px(x) + (px(x) > 250 ? -11 : 11), y: py(y) + 4, "text-anchor": px(x) > 250 ? "end" : "start" }, percent(y / roof)),
    shape("text", { x: 384, y: 226, "text-anchor": "end" }, `${pipe} cycles for each byte through HBM, log scale`),
    shape("text", { transform: "translate(14 208) rotate(-90)" }, `cores that compute in ${pipe}, log`),
  );
  section.append(svg, make("p", { class: "muted", style: "font-size:13px" }, `${text}.${bytes > 0 ? "" : " Nothing moved through HBM."}`));
  return section;
}

function tables(launch) {
  return make("section", { class: "tables", "aria-label": "Counters" }, make("div", {}, pipeTable(launch), pathTable(launch)), roofline(launch));
}

function hotLines(launch) {
  const most = launch.hot.length ? launch.hot[0].share : 1;
  const lines = launch.hot.map((one, index) => make("details", { class: "line", open: index === 0 },
    make("summary", {}, make("b", { class: "number" }, percent(one.share)), bar([["", one.share / most, `var(--${one.pipes[0] || "S"})`]], percent(one.share)),
      make("span", { class: "name" }, make("code", {}, one.name), " ", make("span", { class: "muted" }, placeOf(one.file, one.line))),
      make("span", {}, one.pipes.map((pipe) => [chip(pipe), " "])),
      make("span", { class: "figures" }, `${whole(one.count)} x, ${whole(one.cycles)} cycles${one.bytes ? `, ${bytesText(one.bytes)}` : ""}`)),
    make("p", { class: "muted" }, one.calls, one.waited > 0 ? `; before it, pipes waited ${whole(one.waited)} cycles` : ""),
    sourceFigure(one.file, one.line)));
  return make("section", { "aria-label": "Hot lines" }, make("h2", {}, "Source lines by cycles of all pipes and cores"), lines);
}
