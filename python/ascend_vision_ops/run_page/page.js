// SPDX-License-Identifier: Apache-2.0
// The page as a whole: its head, the choice of a launch, and what the other parts share.
"use strict";

const PIPES = ["S", "MTE2", "MTE1", "M", "FIX", "V", "MTE3"]; // in the order in which data passes them
const WHO = ["S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"]; // by number
const WORK = {
  S: "scalar unit", V: "vector unit", M: "cube unit", MTE1: "L1 to L0A, L0B",
  MTE2: "reads global memory", MTE3: "writes global memory", FIX: "L0C out",
};
const page = { data: null, launch: null, timeline: null };

const shortFile = (file) => file.slice(file.lastIndexOf("/") + 1);
const tidy = (file) => {
  let path = file.replace(/^(\.\.\/)+/, "");
  for (let before = ""; before !== path; ) [before, path] = [path, path.replace(/[^/.]+\/\.\.\//, "")];
  return path;
};
const placeOf = (file, line) => (line > 0 ? `${shortFile(file)}:${line}` : "line not known");
const percent = (share) => share > 0 && share < 5e-4 ? "< 0.1 %" : `${(100 * share).toFixed(share < 0.0995 && share > 0 ? 1 : 0)} %`;

const rateText = (rate) => `${(rate / 1e9).toFixed(rate < 1e10 ? 1 : 0)} GB/s`;

function timeText(microseconds, digits = 2) {
  if (microseconds >= 1e5) return `${(microseconds / 1e3).toFixed(digits)} ms`;
  return `${microseconds.toFixed(digits)} us`;
}

// A modelled time, and what it may be where the model's constants are as far off as they may be.
function rangedText(microseconds, range) {
  if (!range) return timeText(microseconds);
  return `${timeText(microseconds)} (${range.map((end) => timeText(end)).join(" .. ")})`;
}

const chip = (pipe, text) =>
  make("span", { class: "chip", style: `--colour:var(--${pipe || "idle"});--on:var(--on-${pipe || "none"}, var(--text))` }, text || pipe);

// The lines around a place, with the line itself marked.
function sourceFigure(file, line, caption) {
  const lines = page.data.sources[file];
  const head = make("figcaption", {}, caption ? [make("b", {}, caption), " "] : [], make("code", {}, line > 0 ? `${tidy(file)}:${line}` : "line not known"));
  const figure = make("figure", { class: "source" }, head);
  if (line <= 0) return figure;
  if (!lines) {
    figure.append(make("p", { class: "muted" }, "This file was not on the machine when the page was written."));
    return figure;
  }
  const text = make("pre", { tabindex: 0, "aria-label": `lines around ${placeOf(file, line)}` });
  for (let n = line - 4; n <= line + 4; n += 1) {
    if (lines[n] === undefined) continue;
    text.append(make("div", { class: n === line ? "here" : false }, make("i", {}, `${n}`), lines[n] || " "));
  }
  figure.append(text);
  return figure;
}

function head(data) {
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  const total = sum(data.launches.map((launch) => launch.microseconds));
  const ends = data.launches.map((launch) => launch.range);
  const first = data.launches[0];
  const pairs = [...data.facts];
  if (first) {
    pairs.unshift(["device", `${first.soc}, simulated`]);
    if (data.launches.length > 1) pairs.push(["launches", whole(data.launches.length)], ["modelled time of all", rangedText(total, ends.every(Boolean) && [0, 1].map((end) => sum(ends.map((range) => range[end]))))]);
    if (first.headers) pairs.push(["AscendC headers", first.headers]);
  }
  return make("header", {}, make("h1", { class: data.title.length > 60 ? "long" : false }, data.title), facts(pairs));
}

function launchChoice(data, choose) {
  if (data.launches.length < 2) return null;
  const buttons = data.launches.map((launch, index) => {
    const errors = launch.faults.filter((fault) => fault.severity !== "warning").length;
    return make("button", { type: "button", "aria-pressed": "false", onclick: () => choose(index) },
      `${index + 1}. ${launch.kernel}, ${timeText(launch.microseconds)}`,
      errors ? make("span", { class: "bad" }, ` ${errors} ${errors === 1 ? "fault" : "faults"}`) : null);
  });
  return make("nav", { class: "launches", "aria-label": "Launches" }, buttons);
}

function start() {
  page.data = JSON.parse(document.getElementById("data").textContent);
  const { data } = page;
  const body = make("div", { id: "launch" });
  const choose = async (index) => {
    page.launch = data.launches[index];
    document.querySelectorAll(".launches button").forEach((button, i) => button.setAttribute("aria-pressed", `${i === index}`));
    if (page.timeline) page.timeline.close();
    page.timeline = null;
    const { launch } = page;
    const buffer = launch.rows ? await unpacked(launch.words) : null;
    if (launch !== page.launch) return; // another one was chosen in the meantime
    body.replaceChildren(...launchParts(launch, buffer));
    if (page.timeline) page.timeline.begin();
  };
  const faults = allFaults(data);
  document.getElementById("page").replaceChildren(
    ...[head(data), faultSection(faults.errors, "error"), faultSection(faults.warnings, "warning"), launchChoice(data, choose), body].filter(Boolean),
  );
  if (data.launches.length) choose(0);
  else body.append(make("p", {}, "No kernel was launched on the simulated device."));
}

function launchParts(launch, buffer) {
  const parts = [
    make("h2", {}, "Kernel ", make("code", { style: "font-size:inherit" }, launch.kernel)),
    facts([
      ["blocks", whole(launch.blocks)], ["cores at work", whole(launch.cores)], ["modelled time", rangedText(launch.microseconds, launch.range)],
      ...(launch.clock ? [["cycles", whole(launch.ticks * launch.tick)]] : []),
      ...(launch.seed == null ? [] : [["seed", `${launch.seed}`]]),
      ...(launch.suppressed ? [["faults suppressed", `${launch.suppressed}`]] : []),
    ]),
  ];
  if (!launch.rows) {
    parts.push(make("p", { class: "muted" }, `There is no timeline of this launch: ${launch.absent}.`));
    return parts;
  }
  page.timeline = new Timeline(launch, buffer);
  parts.push(verdict(launch), page.timeline.section, tables(launch), hotLines(launch));
  return parts;
}

function verdict(launch) {
  const [first, ...rest] = launch.verdict.split(/(?<=\.)\s(?=[A-Z0-9])/);
  return make("div", { class: "verdict", style: `border-left-color:var(--${launch.bound})` }, make("b", {}, first), rest.join(" "));
}

window.addEventListener("DOMContentLoaded", start);
