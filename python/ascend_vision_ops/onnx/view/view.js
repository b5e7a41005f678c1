// SPDX-License-Identifier: Apache-2.0
// The page around the drawing: head, search, legend, and what is known about the chosen node.
"use strict";

const view = { data: null, drawing: null, number: 0, hits: [], hit: -1 };
const STATUS = { kept: "as before", changed: "changed", added: "only after", removed: "only before" };
const NAMES = ["atc", "ours", "host", "function", "nobody", "plain", "kept", "added", "removed", "changed"];

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const colours = {};
  for (const name of ["back", "panel", "text", "muted", "line", "accent", ...NAMES, ...NAMES.map((one) => `on-${one}`)]) colours[name] = style.getPropertyValue(`--${name}`).trim();
  colours.edge = style.getPropertyValue("--wait").trim();
  view.colours = colours;
}

const chip = (key, text) => make("span", { class: "chip", style: `--colour:var(--${key});--on:var(--on-${key})` }, text);
const kindText = (node) => view.data.kinds[node.k] || `${node.k} of the model`;

function choice(label, options, chosen, choose) {
  const buttons = options.map(([key, text]) => make("button", {
    type: "button", "aria-pressed": `${key === chosen}`, "data-key": key,
    onclick: (event) => {
      buttons.forEach((one) => one.setAttribute("aria-pressed", `${one === event.currentTarget}`));
      choose(key);
    },
  }, text));
  return make("span", { class: "choice", role: "group", "aria-label": label }, make("span", { class: "muted" }, label), buttons);
}

// What a search looks at, in small letters. A name leads to the node that makes the value, not to those that use it.
function haystack(node) {
  if (node.hay === undefined) {
    const side = (one) => (one ? [(one.i || []).filter((value) => value[2]), one.o || [], one.a || []].flat(2) : []);
    node.hay = [node.d ? `${node.d}::${node.t}` : node.t, node.n, kindText(node), STATUS[node.s], ...(node.c || []), ...side(node.side), ...side(node.was)].join("\n").toLowerCase();
  }
  return node.hay;
}

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  view.hits = [];
  if (words.length) {
    view.data.graphs.forEach((graph, number) => graph.nodes.forEach((node, index) => {
      if (view.drawing.shown(node) && words.every((word) => haystack(node).includes(word))) view.hits.push([number, index]);
    }));
  }
  view.hit = -1;
  marked();
}

function marked() {
  view.drawing.hits = new Set(view.hits.filter(([graph]) => graph === view.number).map(([, node]) => node));
  view.drawing.draw();
  const text = document.querySelector(".toolbar input").value.trim();
  view.found.textContent = !text ? "" : view.hit >= 0 ? `${view.hit + 1} of ${view.hits.length}` : `${view.hits.length} found`;
}

function nextHit(step) {
  if (!view.hits.length) return;
  view.hit = (view.hit + step + view.hits.length) % view.hits.length;
  const [graph, node] = view.hits[view.hit];
  go(graph, node);
  marked();
}

function go(graph, node) {
  if (graph !== view.number) openGraph(graph);
  view.drawing.select(node, true);
}

function openGraph(number) {
  const { data } = view, old = view.drawing;
  view.number = number;
  const tip = document.querySelector(".tip");
  view.drawing = new Drawing(data.graphs[number], {
    colours: () => view.colours,
    selected: (one) => showDetails(one),
    search: () => document.querySelector(".toolbar input").focus(),
    pointed: (one, x, y) => {
      tip.hidden = one < 0;
      if (one < 0) return;
      const node = data.graphs[number].nodes[one];
      tip.replaceChildren(make("b", {}, node.d ? `${node.d}::${node.t}` : node.t), node.n ? ` ${node.n}` : "", make("br", {}),
        (node.side.o || node.side.i || []).slice(0, 3).map((value) => [value[1] || "", make("br", {})]), make("span", { class: "muted" }, kindText(node), data.compared ? `, ${STATUS[node.s]}` : ""));
      tip.style.left = `${Math.min(x + 14, window.innerWidth - 330)}px`;
      tip.style.top = `${Math.min(y + 14, window.innerHeight - 90)}px`;
    },
  });
  if (old) {
    for (const name of ["side", "colour", "only"]) view.drawing[name] = old[name];
    old.close();
  } else if (data.compared) view.drawing.colour = "s";
  document.querySelector(".stage > div").append(view.drawing.canvas);
  view.drawing.resize();
  const bar = document.querySelector(".path");
  bar.hidden = number === 0;
  bar.replaceChildren(make("button", { type: "button", onclick: () => openGraph(0) }, "main graph"), ` › ${data.graphs[number].name}`);
  showDetails(-1);
  if (document.querySelector(".toolbar input").value) marked();
}

function legend() {
  const { data } = view, bar = document.querySelector(".legend");
  const entries = view.drawing.colour === "s" ? Object.entries(STATUS).map(([key, text]) => ["s", key, text]) : Object.entries(data.kinds).map(([key, text]) => ["k", key, text]);
  view.drawing.only = null;
  bar.replaceChildren(...entries.map(([what, key, text]) => {
    const count = data.graphs.reduce((sum, graph) => sum + graph.nodes.filter((node) => node[what] === key && node.k !== "input" && node.k !== "output").length, 0);
    if (!count) return null;
    return make("button", {
      type: "button", "aria-pressed": "false", style: `--colour:var(--${key})`, title: "show only these in full colour", "data-key": key,
      onclick: (event) => {
        const only = new Set([...bar.querySelectorAll("[aria-pressed=true]")].map((one) => `${what}:${one.dataset.key}`));
        const name = `${what}:${key}`;
        if (!only.delete(name)) only.add(name);
        event.currentTarget.setAttribute("aria-pressed", `${only.has(name)}`);
        view.drawing.only = only.size ? only : null;
        view.drawing.draw();
      },
    }, `${text}: ${whole(count)}`);
  }).filter(Boolean));
  view.drawing.draw();
}

function values(title, rows, buttonFor) {
  if (!rows || !rows.length) return null;
  const body = rows.map((value, index) => make("tr", {}, make("td", {}, `${index}`),
    make("td", {}, value.length ? [buttonFor && !value[2] ? buttonFor(value[0], index) : make("code", {}, value[0] || "(no name)"), " ", value[1]] : make("span", { class: "muted" }, "left out"))));
  return [make("h4", {}, title), make("table", {}, make("tbody", {}, body))];
}

function sideParts(side, jump) {
  return [
    side.a && side.a.length ? [make("h4", {}, "Attributes"), make("table", { class: "attributes" }, make("tbody", {}, side.a.map(([name, text]) => make("tr", {}, make("td", {}, name), make("td", {}, text)))))] : null,
    values("Inputs and weights", side.i, jump), values("Outputs", side.o, null),
  ];
}

function showDetails(number) {
  const panel = document.querySelector("aside"), { drawing, data } = view;
  if (number < 0) {
    panel.replaceChildren(make("p", { class: "muted" }, "Click a node to see its attributes, shapes and weights. Drag to move, turn the wheel to zoom. The search looks into types, names, shapes, attributes and who runs a node; several words must all be there."));
    return;
  }
  const node = drawing.graph.nodes[number];
  const goTo = (one, text) => make("button", { type: "button", onclick: () => drawing.select(one, true) }, text);
  const producer = (name) => {
    const edge = drawing.into[number].find((one) => (drawing.graph.nodes[drawing.graph.edges[one][0]].side.o || []).some((value) => value[0] === name));
    return edge === undefined ? make("code", {}, name) : goTo(drawing.graph.edges[edge][0], name);
  };
  const users = drawing.from[number].map((edge) => drawing.graph.edges[edge]).filter((edge) => drawing.shown(drawing.graph.nodes[edge[1]]));
  panel.replaceChildren(...[
    make("h3", {}, node.d ? `${node.d}::${node.t}` : node.t),
    make("p", {}, chip(node.k === "input" || node.k === "output" ? "plain" : node.k, kindText(node)), data.compared ? chip(node.s, STATUS[node.s]) : null),
    node.n ? make("p", {}, "name ", make("code", {}, node.n)) : null,
    node.why ? make("p", { class: "muted why" }, node.why) : null,
    node.side.doc ? make("p", {}, node.side.doc) : null,
    node.c ? [make("h4", {}, "What changed"), make("ul", { class: "changes" }, node.c.map((line) => make("li", {}, line)))] : null,
    (node.side.g || []).map(([name, graph]) => make("p", {}, make("button", { type: "button", class: "open", onclick: () => openGraph(graph) }, `open ${name}`))),
    sideParts(node.side, producer),
    users.length ? [make("h4", {}, users.length === 1 ? "Used by" : `Used by ${users.length}`), users.slice(0, 30).map(([, target]) => [goTo(target, `${drawing.graph.nodes[target].t} ${drawing.graph.nodes[target].n || ""}`), " "]), users.length > 30 ? ` and ${users.length - 30} more` : null] : null,
    node.was ? make("details", {}, make("summary", {}, "before"), sideParts(node.was, null)) : null,
  ].flat(Infinity).filter(Boolean));
}

function start() {
  view.data = JSON.parse(document.getElementById("data").textContent);
  const { data } = view;
  readColours();
  const input = make("input", {
    type: "search", placeholder: "Search nodes", "aria-label": "Search nodes", oninput: (event) => search(event.currentTarget.value),
    onkeydown: (event) => {
      if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
    },
  });
  view.found = make("output", { "aria-live": "polite" });
  const side = (key) => {
    view.drawing.side = key;
    search(input.value);
  };
  const colour = (key) => {
    view.drawing.colour = key;
    legend();
  };
  document.getElementById("page").replaceChildren(
    make("h1", { class: data.title.length > 60 ? "long" : false }, data.title), facts(data.facts),
    make("div", { class: "toolbar" }, input, make("button", { type: "button", "aria-label": "previous hit", onclick: () => nextHit(-1) }, "‹"), make("button", { type: "button", "aria-label": "next hit", onclick: () => nextHit(1) }, "›"), view.found,
      make("button", { type: "button", onclick: () => view.drawing.fit() }, "show all"), make("button", { type: "button", "aria-label": "zoom in", onclick: () => view.drawing.zoom(1.4) }, "+"), make("button", { type: "button", "aria-label": "zoom out", onclick: () => view.drawing.zoom(1 / 1.4) }, "−"),
      data.compared ? [choice("show", [["both", "both"], ["before", "before"], ["after", "after"]], "both", side), choice("colour by", [["s", "change"], ["k", "who runs it"]], "s", colour)] : null),
    make("div", { class: "legend", role: "group", "aria-label": "Legend" }), make("nav", { class: "path", "aria-label": "Graphs", hidden: true }),
    make("div", { class: "stage" }, make("div", {}), make("aside", { "aria-label": "The chosen node", tabindex: 0 })), make("div", { class: "tip", hidden: true }),
  );
  openGraph(0);
  legend();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    view.drawing.draw();
  });
}

window.addEventListener("DOMContentLoaded", start);
