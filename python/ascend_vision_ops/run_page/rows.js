// SPDX-License-Identifier: Apache-2.0
// The rows of the timeline: what is in them, where they lie, and what is at a point.
"use strict";

const LANE = 4; // height of a pipe of a folded core
const ROW = 19; // of a pipe of an open one
const GAP = 5;

// The columns of all rows, as the page holds them: base64 of zlib. Bytes are floats.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function columnsOf(row, buffer, offset) {
  const columns = {};
  row.columns.forEach((name, i) => {
    const Type = name === "bytes" ? Float32Array : Uint32Array;
    columns[name] = new Type(buffer, offset + 4 * row.size * i, row.size);
  });
  const { start } = columns;
  for (let i = 1; i < row.size; i += 1) start[i] += start[i - 1];
  return columns;
}

class Rows {
  // `buffer`: a copy of the launch's columns.
  constructor(launch, buffer) {
    this.launch = launch;
    const cores = new Map();
    let offset = 0;
    for (const row of launch.rows) {
      if (!cores.has(row.core)) cores.set(row.core, { core: row.core, cube: row.cube, open: false, pipes: [] });
      cores.get(row.core).pipes.push({ core: row.core, cube: row.cube, pipe: row.pipe, size: row.size, ...columnsOf(row, buffer, offset) });
      offset += 4 * row.size * row.columns.length;
    }
    this.cores = [...cores.values()].sort((a, b) => a.core - b.core);
    for (const core of this.cores) core.pipes.sort((a, b) => PIPES.indexOf(a.pipe) - PIPES.indexOf(b.pipe));
    this.openSome();
    this.lay();
  }

  // Opens all cores where there are few, else the one that ends last; of a mixed block all three.
  openSome() {
    const end = (core) => Math.max(...core.pipes.map((row) => row.start[row.size - 1] + row.length[row.size - 1]));
    const last = this.cores.reduce((a, b) => (end(b) > end(a) ? b : a));
    const cubes = this.cores.filter((core) => core.cube).length;
    const ofBlock = cubes > 0 && cubes < this.cores.length ? Math.round(this.cores.length / cubes) : 1;
    const block = (core) => Math.floor(core.core / ofBlock);
    for (const core of this.cores) core.open = this.cores.length <= 3 || block(core) === block(last);
  }

  lay() {
    let top = GAP;
    for (const core of this.cores) {
      core.top = top;
      for (const row of core.pipes) {
        row.top = top;
        row.height = core.open ? ROW - 2 : LANE - 1;
        top += core.open ? ROW : LANE;
      }
      core.height = top - core.top;
      top = Math.max(top, core.top + 16) + GAP;
    }
    this.height = top;
  }

  all() { return this.cores.flatMap((core) => core.pipes); }

  find(core, pipe) { return this.all().find((row) => row.core === core && row.pipe === pipe); }

  at(y) {
    return this.all().find((row) => y >= row.top && y < row.top + row.height + 2);
  }

  // The first instruction of a row that begins after `time`.
  static after(row, time) {
    let low = 0, high = row.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row.start[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The instruction at a time, or the next one where the pipe waits for it. `slack`: ticks of a few pixels.
  static hit(row, time, slack) {
    const next = Rows.after(row, time);
    for (let i = next - 1; i >= Math.max(0, next - 24); i -= 1) {
      if (row.start[i] + row.length[i] >= time) return i;
    }
    if (next > 0 && time - row.start[next - 1] - row.length[next - 1] <= slack) return next - 1;
    if (next < row.size && (row.start[next] - time <= slack || row.start[next] - row.waited[next] <= time)) return next;
    return -1;
  }
}

// What the page says about an instruction.
class Instruction {
  constructor(launch, row, index) {
    this.launch = launch;
    this.row = row;
    this.index = index;
    [this.name, this.file, this.line, this.calls] = launch.sites[row.site[index]];
    this.start = row.start[index];
    this.length = row.length[index];
    this.count = row.count ? row.count[index] : 1;
  }

  get core() { return `core ${this.row.core} (${this.row.cube ? "AIC" : "AIV"})`; }

  time(ticks, digits = 3) { return timeText((ticks * this.launch.tick) / (this.launch.clock * 1e3), digits); }

  cycles(ticks) {
    const count = whole(ticks * this.launch.tick);
    return `${count} ${count === "1" ? "cycle" : "cycles"}`;
  }

  took() { return `${this.cycles(this.length)}, ${this.time(this.length)}`; }

  joined() {
    if (this.count === 1) return "";
    const sites = this.row.sites[this.index];
    const busy = this.length ? this.row.busy[this.index] / this.length : 1;
    return `${whole(this.count)} calls joined${sites > 1 ? `, from ${sites} places; the longest is named` : ""}; busy ${percent(busy)} of the time`;
  }

  moved() {
    const bytes = this.row.bytes[this.index];
    if (!bytes) return "";
    const cycles = this.length * this.launch.tick;
    return `${bytesText(bytes)}${cycles ? `, ${(bytes / cycles).toFixed(1)} bytes a cycle` : ""}`;
  }

  // What it waited for: text, and the row and call that the text names.
  waited() {
    const { row, index, launch } = this;
    const ticks = row.waited[index];
    const cause = page.data.causes[row.cause[index]];
    if (!ticks || cause === "nothing") return null;
    const who = row.who[index];
    const pipe = WHO[who % 16], core = Math.floor(who / 16);
    const whose = row.whose[index];
    const site = whose ? launch.sites[whose - 1] : null;
    const call = site ? `: ${site[0]} (${placeOf(site[1], site[2])})` : "";
    const text = {
      issue: "the scalar unit, which issued it late", flag: `${pipe}, by a flag${call}`, barrier: `${pipe}, at a barrier${call}`,
      drain: `${pipe}, before an access of the scalar unit${call}`, meeting: "other cores, at SyncAll", "cross-core": `a flag of core ${core}${call}`,
    }[cause];
    return { text: `${this.cycles(ticks)} for ${text}`, short: cause === "issue" ? "S" : cause === "meeting" ? "SyncAll" : cause === "cross-core" ? `core ${core}` : pipe, core, pipe, site: whose ? whose - 1 : -1 };
  }

  stalled() {
    const ticks = this.row.stalled[this.index];
    if (ticks < 0.02 * this.length) return "";
    return `${this.cycles(ticks)} by ${this.row.pipe === "V" ? "conflicts of memory banks" : "bandwidth that cores share, or an address that they all read"}`;
  }
}
