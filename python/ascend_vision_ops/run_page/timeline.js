// SPDX-License-Identifier: Apache-2.0
// The timeline: draws rows on a canvas, and answers pointer, wheel and keys.
"use strict";

const GUTTER = 104; // --gutter of page.css
const RULER = 24;
const SHORTEST = 24; // ticks that fill the width at the strongest zoom

class Timeline {
  constructor(launch, buffer) {
    this.launch = launch;
    this.rows = new Rows(launch, buffer);
    this.from = 0;
    this.to = launch.ticks;
    this.hover = this.pinned = null; // instructions
    this.matches = null; // numbers of sites, or null without a search
    this.section = this.build();
  }

  build() {
    const tool = (label, text, action) => make("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    this.search = make("input", { type: "search", placeholder: "Find Add, or copy.h:12", "aria-label": "Find an instruction or a source line", oninput: () => this.find(), onkeydown: (event) => event.key === "Enter" && this.nextMatch(event.shiftKey ? -1 : 1) });
    this.found = make("output", { class: "muted", "aria-live": "polite" });
    this.range = make("output", { class: "muted", id: "range" });
    this.strip = make("div", { class: "strip" });
    this.ruler = make("canvas", { class: "ruler", "aria-hidden": "true", height: RULER });
    this.canvas = make("canvas", { class: "rows", tabindex: 0, role: "application", "aria-label": "Timeline. Plus and minus zoom, arrows move, full stop and comma go to the next and the previous instruction, page keys change the row, Home shows all." });
    this.spacer = make("div", { class: "spacer" }, this.canvas);
    this.scroll = make("div", { class: "scroll", onscroll: () => this.draw() }, this.spacer);
    this.tip = make("div", { class: "tip", role: "tooltip", hidden: true });
    this.details = make("div", { class: "details", "aria-live": "polite" }, make("p", { class: "muted" }, "Point at an instruction to see what it is; click it, or press the full stop key, to see its source. Wheel or + and - zoom, a drag moves, a drag along the ruler zooms to a range."));
    return make("section", { "aria-label": "Timeline" }, make("h2", {}, "Timeline of pipes"),
      make("div", { class: "toolbar" }, this.search, tool("Previous match", "‹", () => this.nextMatch(-1)), tool("Next match", "›", () => this.nextMatch(1)), this.found, make("span", { class: "space" }), this.range,
        tool("Zoom out", "−", () => this.zoom(2)), tool("Zoom in", "+", () => this.zoom(0.5)), tool("Show all", "All", () => this.show(0, this.launch.ticks)),
        tool("Open all cores", "Open", () => this.fold(true)), tool("Fold all cores", "Fold", () => this.fold(false))),
      make("div", { class: "timeline" }, make("span", { class: "strip-name" }, "busiest"), this.strip, this.ruler, this.scroll, this.tip),
      this.legend(), this.details, this.phaseList());
  }

  legend() {
    const used = PIPES.filter((pipe) => this.launch.rows.some((row) => row.pipe === pipe));
    const joined = this.launch.gap ? make("span", { style: "--colour:transparent" }, `${whole(this.launch.instructions)} instructions are drawn as ${whole(this.launch.groups)}: neighbours less than ${Math.max(1, Math.ceil(this.launch.gap * this.launch.tick))} cycle${this.launch.gap * this.launch.tick > 1 ? "s" : ""} apart are joined where they are the same call, or short.`) : null;
    return make("div", { class: "legend muted" }, used.map((pipe) => make("span", { style: `--colour:var(--${pipe})` }, `${pipe}: ${WORK[pipe]}`)), joined);
  }

  phaseList() {
    const items = this.launch.phases.map(([begin, end, pipe, , , sentence]) => make("li", {},
      make("button", { type: "button", class: "when", onclick: () => this.show(begin, end), "aria-label": "Show this phase" }, `${this.at(begin)} – ${this.at(end)}`),
      make("span", {}, pipe && pipe !== "launch" ? chip(pipe) : chip("", pipe || "waits")), make("span", {}, sentence)));
    return make("div", {}, make("h2", {}, "What bounds each phase"), make("ol", { class: "phases" }, items));
  }

  at(ticks, digits = 2) { return timeText((ticks * this.launch.tick) / (this.launch.clock * 1e3), digits); }

  // Called when the section is on the page.
  begin() {
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointerup", (event) => this.release(event));
    this.canvas.addEventListener("pointerleave", () => this.point(null));
    this.ruler.addEventListener("pointerdown", (event) => this.pressRuler(event));
    this.dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => this.colour();
    this.dark.addEventListener("change", this.redraw);
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.scroll);
    this.labels();
    this.colour();
    // The open core may lie below the edge.
    const open = this.rows.cores.find((core) => core.open);
    if (open && open.top + open.height > 440) this.scroll.scrollTop = open.top - 60;
  }

  close() {
    this.dark.removeEventListener("change", this.redraw);
    this.sizes.disconnect();
  }

  colour() {
    const style = getComputedStyle(document.documentElement);
    this.colours = Object.fromEntries(["back", "panel", "text", "muted", "line", "idle", "wait", "accent", ...PIPES, ...PIPES.map((pipe) => `on-${pipe}`)].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.resize();
  }

  labels() {
    this.spacer.replaceChildren(this.canvas);
    for (const core of this.rows.cores) {
      const kind = core.cube ? "AIC" : "AIV";
      this.spacer.append(make("button", { type: "button", class: "core", style: `top:${core.top - 2}px`, "aria-expanded": `${core.open}`, "aria-label": `core ${core.core} ${kind}`, onclick: () => { core.open = !core.open; this.relay(); } }, core.open ? `▾ ${core.core}\n   ${kind}` : `▸ ${core.core} ${kind}`));
      if (core.open) for (const row of core.pipes) this.spacer.append(make("span", { class: "pipe", style: `top:${row.top - 1}px` }, row.pipe));
    }
    this.spacer.style.height = `${this.rows.height}px`;
  }

  fold(open) {
    for (const core of this.rows.cores) core.open = open;
    this.relay();
  }

  relay() {
    this.rows.lay();
    this.labels();
    this.resize();
  }

  resize() {
    this.width = Math.max(60, this.scroll.clientWidth - GUTTER);
    this.height = Math.min(460, this.rows.height);
    const ratio = window.devicePixelRatio || 1;
    for (const [canvas, height] of [[this.canvas, this.height], [this.ruler, RULER]]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${this.width}px`;
      canvas.style.height = `${height}px`;
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.strip.style.width = `${this.width}px`;
    this.shown = ""; // a canvas of a new size is empty
    this.draw();
  }

  // Ranges ------------------------------------------------------------------------------------------------
  show(from, to) {
    const { ticks } = this.launch;
    const span = Math.min(ticks, Math.max(SHORTEST, to - from));
    this.from = Math.min(Math.max(0, from), ticks - span);
    this.to = this.from + span;
    this.draw();
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    const span = Math.min(this.launch.ticks, Math.max(SHORTEST, (this.to - this.from) * factor));
    const part = (around - this.from) / (this.to - this.from);
    this.show(around - part * span, around + (1 - part) * span);
  }

  pan(part) {
    const by = part * (this.to - this.from);
    this.show(this.from + by, this.to + by);
  }

  get scale() { return this.width / (this.to - this.from); }

  // Drawing -----------------------------------------------------------------------------------------------
  draw() {
    if (!this.colours) return;
    const context = this.canvas.getContext("2d");
    const top = this.scroll.scrollTop;
    context.fillStyle = this.colours.back;
    context.fillRect(0, 0, this.width, this.height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const core of this.rows.cores) {
      if (core.top + core.height < top || core.top > top + this.height) continue;
      for (const row of core.pipes) this.drawRow(context, row, row.top - top, core.open);
    }
    this.outline(context, this.hover, this.colours.text, top);
    this.outline(context, this.pinned, this.colours.accent, top);
    const shown = `${this.from} ${this.to} ${this.width} ${this.colours.back}`;
    if (shown === this.shown) return;
    this.shown = shown;
    this.drawRuler();
    this.drawStrip();
    const span = ((this.to - this.from) * this.launch.tick) / (this.launch.clock * 1e3);
    const digits = Math.max(2, Math.ceil(2 - Math.log10(span)));
    this.range.textContent = `${this.at(this.from, digits)} – ${this.at(this.to, digits)}`;
  }

  drawRow(context, row, y, open) {
    const { scale, colours, width } = this;
    context.fillStyle = colours.panel;
    context.fillRect(0, y, width, row.height);
    let i = Math.max(0, Rows.after(row, this.from) - 24);
    let drawn = -1; // the last pixel that is filled: what lies within it is not drawn again
    // Short neighbours are filled at once.
    let run = null;
    const fill = () => {
      if (!run) return;
      context.globalAlpha = run.alpha;
      context.fillStyle = colours[row.pipe];
      context.fillRect(run.begin, y, run.end - run.begin, row.height);
      context.globalAlpha = 1;
      run = null;
    };
    for (; i < row.size && row.start[i] - row.waited[i] < this.to; i += 1) {
      const x = (row.start[i] - this.from) * scale;
      // Copies overlap by their latency; what the next one covers is not drawn.
      const covered = i + 1 < row.size ? row.start[i + 1] - row.start[i] : Infinity;
      const w = Math.min(row.length[i], covered) * scale;
      if (x + w < drawn || x + w < 0) continue;
      const dim = this.matches && !this.matches.has(row.site[i]);
      if (open && row.waited[i] * scale > 4) this.drawWait(context, row, i, x, y);
      if (x > width) break;
      const begin = Math.max(0, x);
      const end = Math.min(width, Math.max(x + w - (w > 4 ? 0.7 : 0), Math.floor(x) + 1));
      const dense = row.busy && row.length[i] > 0 ? 0.45 + 0.55 * Math.min(1, row.busy[i] / row.length[i]) : 1;
      const alpha = dim ? 0.16 : Math.round(dense * 8) / 8;
      if (run && end - begin < 2 && begin <= run.end + 0.4 && alpha === run.alpha) run.end = Math.max(run.end, end);
      else {
        fill();
        run = { begin, end, alpha };
      }
      if (open && end - begin > 34 && !dim) {
        fill();
        this.write(context, this.launch.sites[row.site[i]][0], begin, end, y + row.height / 2, colours[`on-${row.pipe}`]);
      }
      if (this.matches === null || !dim) drawn = Math.floor(end);
    }
    fill();
  }

  drawWait(context, row, i, x, y) {
    const begin = Math.max(0, x - row.waited[i] * this.scale);
    const end = Math.min(this.width, x);
    const middle = Math.round(y + row.height / 2);
    context.fillStyle = this.colours.wait;
    context.fillRect(begin + 1, middle - 0.5, end - begin - 2, 1);
    const waited = end - begin > 70 && new Instruction(this.launch, row, i).waited();
    if (!waited) return;
    const text = `waits for ${waited.short}`;
    const size = context.measureText(text).width;
    if (size + 16 > end - begin) return;
    const at = (begin + end - size) / 2;
    context.fillStyle = this.colours.panel;
    context.fillRect(at - 4, y, size + 8, row.height);
    context.fillStyle = this.colours.muted;
    context.fillText(text, at, middle);
  }

  write(context, text, begin, end, y, colour) {
    let shown = text;
    while (shown.length > 1 && context.measureText(shown).width > end - begin - 8) shown = shown.slice(0, -1);
    if (shown.length < Math.min(3, text.length)) return;
    context.fillStyle = colour;
    context.fillText(shown, begin + 4, y + 0.5);
  }

  outline(context, one, colour, top) {
    if (!one || !this.rows.cores.some((core) => core.pipes.includes(one.row))) return;
    const x = (one.start - this.from) * this.scale;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.strokeRect(x - 1, one.row.top - top - 1, Math.max(3, one.length * this.scale) + 2, one.row.height + 2);
  }

  drawRuler() {
    const context = this.ruler.getContext("2d");
    const { colours, launch, scale } = this;
    context.clearRect(0, 0, this.width, RULER);
    const perTick = launch.tick / (launch.clock * 1e3); // microseconds
    const target = (110 / scale) * perTick;
    const unit = 10 ** Math.floor(Math.log10(target));
    const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= target);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let n = Math.ceil((this.from * perTick) / step); n * step <= this.to * perTick; n += 1) {
      const x = ((n * step) / perTick - this.from) * scale;
      context.fillStyle = colours.line;
      context.fillRect(x, 0, 1, RULER);
      context.fillStyle = colours.muted;
      context.fillText(`${(n * step).toFixed(digits)} us`, x + 5, RULER / 2);
    }
    if (this.selection) {
      const [a, b] = this.selection;
      context.globalAlpha = 0.3;
      context.fillStyle = colours.accent;
      context.fillRect(Math.min(a, b), 0, Math.abs(b - a), RULER);
      context.globalAlpha = 1;
    }
  }

  drawStrip() {
    this.strip.replaceChildren(...this.launch.phases.flatMap(([begin, end, pipe, share, cores, sentence]) => {
      const left = Math.max(0, (begin - this.from) * this.scale), right = Math.min(this.width, (end - this.from) * this.scale);
      if (right - left < 1) return [];
      const known = PIPES.includes(pipe);
      const few = cores ? `, ${cores} ${cores === 1 ? "core" : "cores"}` : "";
      const text = known ? `${pipe} ${percent(share)}${few}` : pipe || "waits";
      return make("button", { type: "button", tabindex: -1, title: sentence, "aria-label": sentence, style: `left:${left}px;width:${right - left - 1}px;background:var(--${known ? pipe : "idle"});color:var(--${known ? `on-${pipe}` : "muted"})`, onclick: () => this.show(begin, end) }, right - left > 40 ? text : "");
    }));
  }

  // The pointer -------------------------------------------------------------------------------------------
  under(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top + this.scroll.scrollTop;
    const time = this.from + x / this.scale;
    const row = this.rows.at(y);
    const index = row ? Rows.hit(row, time, 3 / this.scale) : -1;
    return { time, one: index < 0 ? null : new Instruction(this.launch, row, index) };
  }

  wheel(event) {
    event.preventDefault();
    if (event.shiftKey) this.scroll.scrollTop += event.deltaY || event.deltaX;
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX / this.width);
    else this.zoom(1.0015 ** event.deltaY, this.under(event).time);
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, y: event.clientY, from: this.from, to: this.to, top: this.scroll.scrollTop, moved: false };
  }

  move(event) {
    const { drag } = this;
    if (!drag) {
      this.point(this.under(event).one, event);
      return;
    }
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (Math.hypot(dx, dy) > 4) drag.moved = true;
    if (!drag.moved) return;
    this.point(null);
    this.canvas.classList.add("dragging");
    this.scroll.scrollTop = drag.top - dy;
    this.show(drag.from - dx / this.scale, drag.to - dx / this.scale);
  }

  release(event) {
    const clicked = this.drag && !this.drag.moved;
    this.drag = null;
    this.canvas.classList.remove("dragging");
    if (clicked) this.pin(this.under(event).one);
  }

  pressRuler(event) {
    const box = this.ruler.getBoundingClientRect();
    const first = event.clientX - box.left;
    this.ruler.setPointerCapture(event.pointerId);
    const move = (next) => {
      this.selection = [first, next.clientX - box.left];
      this.drawRuler();
    };
    this.ruler.addEventListener("pointermove", move);
    this.ruler.addEventListener("pointerup", () => {
      this.ruler.removeEventListener("pointermove", move);
      const [a, b] = (this.selection || [0, 0]).map((x) => this.from + x / this.scale).sort((p, q) => p - q);
      const wide = this.selection && Math.abs(this.selection[1] - this.selection[0]) > 4;
      this.selection = null;
      if (wide) this.show(a, b);
      else this.drawRuler();
    }, { once: true });
  }

  point(one, event) {
    const same = one && this.hover && one.row === this.hover.row && one.index === this.hover.index;
    this.hover = one;
    this.tip.hidden = !one;
    if (!same) this.draw();
    if (!one) return;
    if (!same) this.tip.replaceChildren(...this.tipParts(one));
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - box.width - 8)}px`;
    this.tip.style.top = `${event.clientY + 18 + box.height > window.innerHeight ? event.clientY - box.height - 12 : event.clientY + 18}px`;
  }

  tipParts(one) {
    const waited = one.waited();
    return [make("div", {}, chip(one.row.pipe), " ", make("b", {}, one.name), " ", make("code", {}, placeOf(one.file, one.line))),
      ...[one.joined(), `${one.took()}, from ${one.time(one.start)}`, one.moved(), waited && `waited ${waited.text}`, one.stalled() && `stalled ${one.stalled()}`].filter(Boolean).map((text) => make("div", { class: "muted" }, text))];
  }

  // Pinned instructions -----------------------------------------------------------------------------------
  pin(one) {
    if (!one) return;
    this.pinned = one;
    const waited = one.waited();
    const jump = waited && waited.site >= 0 ? make("button", { type: "button", style: "margin-left:8px", onclick: () => this.goTo(waited, one) }, "show") : null;
    const lines = [["on", `${one.core}, ${one.row.pipe} (${WORK[one.row.pipe]})`], ["began", one.time(one.start)], ["took", one.took()], ["bytes", one.moved()],
      ["waited", waited ? make("span", {}, waited.text, jump) : "for nothing"], ["stalled", one.stalled()], ["joined", one.joined()], ["calls", one.calls]];
    this.details.replaceChildren(
      make("div", {}, make("h3", {}, chip(one.row.pipe), " ", make("code", { style: "font-size:16px" }, one.name)),
        make("dl", {}, lines.filter(([, value]) => value).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]))),
      sourceFigure(one.file, one.line));
    this.draw();
  }

  // Goes to an instruction, and opens its core.
  reveal(one) {
    const core = this.rows.cores.find((each) => each.core === one.row.core);
    if (!core.open) {
      core.open = true;
      this.relay();
    }
    const span = this.to - this.from;
    const inside = one.start >= this.from && one.start + one.length <= this.to;
    if (!inside || one.length * this.scale < 3) {
      const wide = Math.min(span, Math.max(one.length * 12, SHORTEST));
      this.show(one.start + one.length / 2 - wide / 2, one.start + one.length / 2 + wide / 2);
    }
    if (one.row.top < this.scroll.scrollTop || one.row.top + ROW > this.scroll.scrollTop + this.height) this.scroll.scrollTop = one.row.top - this.height / 2;
    this.pin(one);
  }

  goTo(waited, from) {
    const row = this.rows.find(waited.core, waited.pipe);
    if (!row) return;
    for (let i = Rows.after(row, from.start) - 1; i >= 0; i -= 1) {
      if (row.site[i] === waited.site || i === 0) {
        this.reveal(new Instruction(this.launch, row, i));
        return;
      }
    }
  }

  // Search ------------------------------------------------------------------------------------------------
  find() {
    const text = this.search.value.trim().toLowerCase();
    const fits = ([name, file, line, calls]) => `${name} ${file}:${line} ${calls}`.toLowerCase().includes(text);
    this.matches = text ? new Set(this.launch.sites.flatMap((site, number) => (fits(site) ? [number] : []))) : null;
    this.list = null;
    const count = this.matches ? this.matchList().length : 0;
    this.found.textContent = this.matches ? `${whole(count)} found` : "";
    this.draw();
  }

  matchList() {
    if (!this.list) {
      this.list = this.rows.all().flatMap((row) => [...row.site.keys()].filter((i) => this.matches.has(row.site[i])).map((i) => [row, i]));
      this.list.sort((a, b) => a[0].start[a[1]] - b[0].start[b[1]]);
      this.place = -1;
    }
    return this.list;
  }

  nextMatch(by) {
    if (!this.matches || !this.matchList().length) return;
    const { length } = this.list;
    this.place = this.place < 0 ? (by > 0 ? 0 : length - 1) : (this.place + by + length) % length;
    this.found.textContent = `${whole(this.place + 1)} of ${whole(length)}`;
    this.reveal(new Instruction(this.launch, ...this.list[this.place]));
  }

  // Keys --------------------------------------------------------------------------------------------------
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2),
      ArrowUp: () => { this.scroll.scrollTop -= ROW; }, ArrowDown: () => { this.scroll.scrollTop += ROW; }, Home: () => this.show(0, this.launch.ticks),
      ".": () => this.step(1), ",": () => this.step(-1), PageDown: () => this.stepRow(1), PageUp: () => this.stepRow(-1), Escape: () => this.point(null),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  step(by) {
    const row = this.pinned ? this.pinned.row : this.rows.cores.find((core) => core.open)?.pipes[0] || this.rows.all()[0];
    const index = this.pinned ? this.pinned.index + by : Math.min(Rows.after(row, this.from), row.size - 1);
    if (index >= 0 && index < row.size) this.reveal(new Instruction(this.launch, row, index));
  }

  stepRow(by) {
    const all = this.rows.all();
    const row = all[(this.pinned ? all.indexOf(this.pinned.row) : -1) + by];
    if (!row) return;
    const time = this.pinned ? this.pinned.start : this.from;
    this.reveal(new Instruction(this.launch, row, Math.min(Rows.after(row, time), row.size - 1)));
  }
}
