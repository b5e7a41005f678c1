// SPDX-License-Identifier: Apache-2.0
// The drawing of one graph: places come with the data; this draws what is in the window, and moves it.
"use strict";

const LAYER = 92, HALF = 20, NEAREST = 3, FURTHEST = 0.01;
const TEXT_FROM = 0.32; // below this scale, texts cannot be read and are not drawn
const SIGNS = { added: "+ ", removed: "− ", changed: "~ " };

class Drawing {
  constructor(graph, hooks) {
    Object.assign(this, { graph, hooks, scale: 1, x: 0, y: 0, selected: -1, over: -1, hits: new Set(), only: null, side: "both", colour: "k" });
    this.canvas = make("canvas", { class: "graph", tabindex: 0, role: "application", "aria-label": "The graph. Arrows move along its edges, + and - zoom, 0 shows all of it, / searches." });
    this.context = this.canvas.getContext("2d");
    this.frames = 0;
    this.waiting = false;
    this.index();
    this.listen();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.canvas);
  }

  // Edges by node, and the ends of the whole drawing.
  index() {
    const { nodes, edges } = this.graph;
    this.into = nodes.map(() => []);
    this.from = nodes.map(() => []);
    edges.forEach(([source, target], number) => {
      this.from[source].push(number);
      this.into[target].push(number);
    });
    for (const node of nodes) node.y = node.l * LAYER;
    this.box = { left: 0, right: 0, top: -60, bottom: (this.graph.layers - 1) * LAYER + 60 };
    for (const node of nodes) {
      this.box.left = Math.min(this.box.left, node.x - node.w / 2 - 40);
      this.box.right = Math.max(this.box.right, node.x + node.w / 2 + 40);
    }
  }

  shown(node) {
    return !((this.side === "before" && node.s === "added") || (this.side === "after" && node.s === "removed"));
  }

  dimmed(node) {
    return this.only !== null && !this.only.has(`k:${node.k}`) && !this.only.has(`s:${node.s}`);
  }

  close() {
    this.observer.disconnect();
    this.canvas.remove();
  }

  resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.ratio = ratio;
    const first = !this.width;
    Object.assign(this, { width, height });
    if (first) this.begin();
    this.paint(); // at once, since a canvas of a new size is empty
  }

  // All of a small graph; of a large one its beginning, at a scale at which texts can be read.
  begin() {
    this.fit();
    if (this.scale >= TEXT_FROM) return;
    const first = this.graph.nodes.reduce((best, node) => (node.l < best.l ? node : best));
    this.scale = 0.8;
    this.x = this.width / 2 - first.x * this.scale;
    this.y = 60 - first.y * this.scale;
  }

  fit() {
    const { left, right, top, bottom } = this.box;
    this.scale = Math.max(FURTHEST, Math.min(1.2, this.width / (right - left), this.height / (bottom - top)));
    this.x = this.width / 2 - (this.scale * (left + right)) / 2;
    this.y = this.height / 2 - (this.scale * (top + bottom)) / 2;
    this.draw();
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.max(FURTHEST, Math.min(NEAREST, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.draw();
  }

  centre(number) {
    const node = this.graph.nodes[number];
    this.scale = Math.max(this.scale, 0.8);
    this.x = this.width / 2 - node.x * this.scale;
    this.y = this.height / 2 - node.y * this.scale;
    this.draw();
  }

  // The place of a node in the window.
  place(number) {
    const node = this.graph.nodes[number], box = this.canvas.getBoundingClientRect();
    return [box.left + node.x * this.scale + this.x, box.top + node.y * this.scale + this.y];
  }

  at(x, y) {
    const px = (x - this.x) / this.scale, py = (y - this.y) / this.scale;
    return this.graph.nodes.findIndex((node) => Math.abs(node.y - py) <= HALF && Math.abs(node.x - px) <= node.w / 2 && this.shown(node));
  }

  select(number, move) {
    this.selected = number;
    if (move && number >= 0) this.centre(number);
    this.draw();
    this.hooks.selected(number);
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (this.width) this.paint();
    });
  }

  paint() {
    const { context: c, graph, scale } = this;
    const colours = this.hooks.colours();
    this.frames += 1;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.fillStyle = colours.back;
    c.fillRect(0, 0, this.width, this.height);
    c.translate(this.x, this.y);
    c.scale(scale, scale);
    const view = { top: -this.y / scale, bottom: (this.height - this.y) / scale, left: -this.x / scale, right: (this.width - this.x) / scale };
    this.paintEdges(c, colours, view);
    c.font = "600 13px system-ui, sans-serif";
    c.textAlign = "center";
    c.textBaseline = "middle";
    graph.nodes.forEach((node, number) => {
      if (node.y + HALF < view.top || node.y - HALF > view.bottom || node.x + node.w / 2 < view.left || node.x - node.w / 2 > view.right || !this.shown(node)) return;
      this.paintNode(c, colours, node, number);
    });
    c.globalAlpha = 1;
    this.paintMap(c, colours, view);
  }

  paintEdges(c, colours, view) {
    const { nodes, edges } = this.graph;
    const styles = { kept: new Path2D(), added: new Path2D(), removed: new Path2D(), strong: new Path2D(), jump: new Path2D() };
    const focus = this.over >= 0 ? this.over : this.selected;
    const labels = new Map(); // one for each value: its shape
    for (const [source, target, status, text, bends] of edges) {
      const a = nodes[source], b = nodes[target];
      if (Math.max(a.y, b.y) < view.top || Math.min(a.y, b.y) > view.bottom || !this.shown(a) || !this.shown(b)) continue;
      if ((this.side === "before" && status === "added") || (this.side === "after" && status === "removed")) continue;
      const strong = source === focus || target === focus;
      if (bends === null && !strong) {
        styles.jump.moveTo(a.x + a.w / 2 - 8, a.y + HALF);
        styles.jump.lineTo(a.x + a.w / 2 - 2, a.y + HALF + 12);
        styles.jump.moveTo(b.x + b.w / 2 - 8, b.y - HALF);
        styles.jump.lineTo(b.x + b.w / 2 - 2, b.y - HALF - 12);
        continue;
      }
      const path = strong ? styles.strong : styles[status];
      let x = a.x, y = a.y + HALF;
      path.moveTo(x, y);
      (bends || []).forEach((bend, index) => {
        const next = (a.l + 1 + index) * LAYER;
        path.bezierCurveTo(x, (y + next) / 2, bend, (y + next) / 2, bend, next);
        [x, y] = [bend, next];
      });
      const end = b.y - HALF;
      path.bezierCurveTo(x, (y + end) / 2, b.x, (y + end) / 2, b.x, end);
      if (this.scale > 0.75 && text && !labels.has(source + text)) labels.set(source + text, [(a.x + ((bends && bends[0]) ?? b.x)) / 2, a.y + LAYER / 2, text]);
    }
    const line = Math.max(1, 0.8 / this.scale);
    for (const [name, colour, width, dash] of [["kept", colours.edge, 1.2, []], ["jump", colours.muted, 2, []], ["added", colours.added, 1.8, []], ["removed", colours.removed, 1.4, [5, 4]], ["strong", colours.accent, 2.6, []]]) {
      c.strokeStyle = colour;
      c.lineWidth = line * width;
      c.setLineDash(dash);
      c.stroke(styles[name]);
    }
    c.setLineDash([]);
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "center";
    c.textBaseline = "middle";
    const rows = new Map(); // the labels in each row: one that would cover another is left out
    for (const [x, y, text] of labels.values()) {
      const width = c.measureText(text).width + 6, row = rows.get(y) ?? rows.set(y, []).get(y);
      if (row.some((other) => Math.abs(other.x - x) < (other.width + width) / 2)) continue;
      row.push({ x, width });
      c.fillStyle = colours.back;
      c.fillRect(x - width / 2, y - 7, width, 14);
      c.fillStyle = colours.muted;
      c.fillText(text, x, y);
    }
  }

  paintNode(c, colours, node, number) {
    const left = node.x - node.w / 2, end = node.k === "input" || node.k === "output";
    const key = this.colour === "s" ? node.s : end ? "plain" : node.k;
    c.globalAlpha = this.dimmed(node) ? 0.15 : 1;
    c.fillStyle = colours[key];
    c.beginPath();
    c.roundRect(left, node.y - HALF, node.w, 2 * HALF, end ? HALF : 6);
    c.fill();
    const found = this.hits.has(number);
    c.strokeStyle = number === this.selected ? colours.accent : found ? colours.text : node.s === "kept" ? colours.line : colours[node.s];
    c.lineWidth = (number === this.selected || found ? 4 : 1.5) / Math.min(1, this.scale + 0.3);
    c.setLineDash(node.s === "removed" ? [5, 4] : []);
    c.stroke();
    c.setLineDash([]);
    if (this.scale < TEXT_FROM) return;
    c.fillStyle = colours["on-" + key];
    const name = (SIGNS[node.s] || "") + (node.d ? `${node.d}::${node.t}` : node.t);
    const below = end ? (node.side.o || node.side.i)[0][1] : node.n;
    c.font = "600 13px system-ui, sans-serif";
    if (!below || this.scale < 0.55) {
      c.fillText(name, node.x, node.y, node.w - 10);
      return;
    }
    c.fillText(name, node.x, node.y - 7, node.w - 10);
    c.font = "10px system-ui, sans-serif";
    const most = Math.max(4, Math.floor(node.w / 5.4));
    c.fillText(below.length > most ? `…${below.slice(1 - most)}` : below, node.x, node.y + 9, node.w - 8);
  }

  // Where the window is in the whole graph.
  paintMap(c, colours, view) {
    const { left, right, top, bottom } = this.box;
    const room = view.right - view.left >= right - left && view.bottom - view.top >= bottom - top;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.map = null;
    if (room) return;
    const height = Math.min(170, this.height * 0.4), width = Math.max(46, Math.min(170, (height * (right - left)) / (bottom - top)));
    const x0 = this.width - width - 10, y0 = this.height - height - 10;
    this.map = { x0, y0, width, height };
    c.fillStyle = colours.panel;
    c.strokeStyle = colours.line;
    c.lineWidth = 1;
    c.fillRect(x0, y0, width, height);
    c.strokeRect(x0, y0, width, height);
    const fx = width / (right - left), fy = height / (bottom - top);
    for (const node of this.graph.nodes) {
      if (!this.shown(node)) continue;
      const end = node.k === "input" || node.k === "output";
      c.fillStyle = colours[this.colour === "s" ? node.s : end ? "muted" : node.k];
      c.fillRect(x0 + (node.x - node.w / 2 - left) * fx, y0 + (node.y - top) * fy, Math.max(2, node.w * fx), 2);
    }
    c.fillStyle = colours.text;
    for (const number of this.hits) {
      const node = this.graph.nodes[number];
      c.fillRect(x0 + (node.x - left) * fx - 2, y0 + (node.y - top) * fy - 1, 5, 4);
    }
    c.strokeStyle = colours.accent;
    c.lineWidth = 2;
    const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
    const a = clamp((view.left - left) * fx, 0, width), b = clamp((view.right - left) * fx, 0, width);
    const d = clamp((view.top - top) * fy, 0, height), e = clamp((view.bottom - top) * fy, 0, height);
    c.strokeRect(x0 + a, y0 + d, Math.max(3, b - a), Math.max(3, e - d));
  }

  listen() {
    const { canvas } = this;
    const point = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let from = null, moved = false;
    const jump = (x, y) => {
      const { left, right, top, bottom } = this.box;
      this.x = this.width / 2 - this.scale * (left + ((x - this.map.x0) / this.map.width) * (right - left));
      this.y = this.height / 2 - this.scale * (top + ((y - this.map.y0) / this.map.height) * (bottom - top));
      this.draw();
    };
    const inMap = (x, y) => this.map && x >= this.map.x0 && y >= this.map.y0 && x <= this.map.x0 + this.map.width && y <= this.map.y0 + this.map.height;
    canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = point(event);
      canvas.setPointerCapture(event.pointerId);
      from = { x, y, map: inMap(x, y) };
      moved = false;
      if (from.map) jump(x, y);
      else canvas.classList.add("dragging");
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = point(event);
      if (!from) {
        const over = inMap(x, y) ? -1 : this.at(x, y);
        if (over !== this.over) {
          this.over = over;
          this.draw();
        }
        this.hooks.pointed(over, event.clientX, event.clientY);
        return;
      }
      if (from.map) {
        jump(x, y);
        return;
      }
      if (moved || Math.hypot(x - from.x, y - from.y) > 4) {
        moved = true;
        this.x += x - from.x;
        this.y += y - from.y;
        Object.assign(from, { x, y });
        this.hooks.pointed(-1);
        this.draw();
      }
    });
    canvas.addEventListener("pointerup", (event) => {
      canvas.classList.remove("dragging");
      if (from && !moved && !from.map) this.select(this.at(...point(event)), false);
      from = null;
    });
    canvas.addEventListener("pointerleave", () => {
      this.over = -1;
      this.hooks.pointed(-1);
      this.draw();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...point(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const step = { ArrowUp: [this.into, 0], ArrowDown: [this.from, 1] }[event.key];
    if (step) {
      const [edges, end] = step;
      const next = this.selected < 0 ? 0 : (edges[this.selected] || []).map((edge) => this.graph.edges[edge][end]).find((one) => this.shown(this.graph.nodes[one]));
      if (next !== undefined) this.select(next, true);
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const here = this.graph.nodes[this.selected];
      if (!here) return;
      const row = this.graph.nodes.map((_, number) => number).filter((number) => this.graph.nodes[number].l === here.l && this.shown(this.graph.nodes[number])).sort((a, b) => this.graph.nodes[a].x - this.graph.nodes[b].x);
      const next = row[row.indexOf(this.selected) + (event.key === "ArrowLeft" ? -1 : 1)];
      if (next !== undefined) this.select(next, true);
    } else if (event.key === "+" || event.key === "=") this.zoom(1.4);
    else if (event.key === "-") this.zoom(1 / 1.4);
    else if (event.key === "0") this.fit();
    else if (event.key === "/") this.hooks.search();
    else return;
    event.preventDefault();
  }
}
