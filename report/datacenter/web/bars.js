"use strict";
// Machines as bars on a canvas that shows the part in sight: ten thousand machines cost no more.

const byId = (name) => document.getElementById(name);
const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const series = (r) => colour("c" + (r % 8));

const FULL = 200;
const HEAD = 22;

// Most machines, pixels of a bar across and up, and between machines.
const SIZES = [[60, 14, 56, 8], [400, 8, 40, 6], [2000, 4, 24, 3], [Infinity, 3, 15, 3]];
// So few have their names below them, so wide.
const NAMED = 60;
const LABEL = 88;

function clipped(text, letters) {
  const all = [...text];
  return all.length <= letters ? text : all.slice(0, letters - 1).join("") + "…";
}

class Bars {
  constructor() {
    this.canvas = byId("machines");
    this.scroller = byId("scroller");
    this.names = [];
    this.use = [];
    this.marks = new Uint8Array(0);
    this.groups = [];
    this.sought = "";
    this.chosen = -1;
    this.onChoose = () => {};
    this.onPoint = () => {};
    this.scroller.addEventListener("scroll", () => this.draw());
    addEventListener("resize", () => this.layOut());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.canvas.addEventListener("pointermove", (event) => this.onPoint(this.at(event)));
    this.canvas.addEventListener("click", (event) => this.choose(this.at(event)));
    this.scroller.addEventListener("keydown", (event) => this.key(event));
  }

  // names: of all machines; kinds: the configuration of each; configurations: their names.
  setMachines(names, kinds, configurations) {
    this.names = names;
    this.configurations = configurations;
    this.of = configurations.map(() => []);
    kinds.forEach((j, m) => this.of[j].push(m));
    this.chosen = -1;
    this.seek(this.sought);
  }

  setUse(use, marks) {
    this.use = use;
    this.marks = marks;
    if (this.drawnFor !== use.length) this.layOut();
    else this.draw();
  }

  // Only machines with that text in their names; the number of them.
  seek(text) {
    this.sought = text;
    const small = text.toLowerCase();
    this.shown = this.of.map((group) =>
      small ? group.filter((m) => this.names[m].toLowerCase().includes(small)) : group
    );
    this.count = this.shown.reduce((sum, group) => sum + group.length, 0);
    this.layOut();
    return this.count;
  }

  layOut() {
    if (!this.of) return;
    const bars = Math.max(this.use.length, 1);
    this.drawnFor = this.use.length;
    const [, bar, high, gap] = SIZES.find(([most]) => this.count <= most);
    this.bar = bar;
    this.high = high;
    this.named = this.count <= NAMED;
    this.cell = Math.max(bars * bar + gap, this.named ? LABEL : 0);
    this.row = high + (this.named ? HEAD : gap);
    this.width = this.scroller.clientWidth;
    this.columns = Math.max(1, Math.floor((this.width - 8) / this.cell));
    this.groups = [];
    let top = 0;
    this.shown.forEach((machines, j) => {
      if (!machines.length) return;
      const rows = Math.ceil(machines.length / this.columns);
      this.groups.push({ top, machines, label: this.configurations[j], rows });
      top += HEAD + rows * this.row + 4;
    });
    byId("space").style.height = Math.max(top, 40) + "px";
    this.draw();
  }

  draw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.paint();
    });
  }

  paint() {
    const scale = devicePixelRatio || 1;
    const high = Math.min(this.scroller.clientHeight, byId("space").clientHeight) || 40;
    const [wide, tall] = [Math.round(this.width * scale), Math.round(high * scale)];
    if (this.canvas.width !== wide || this.canvas.height !== tall) {
      this.canvas.width = wide;
      this.canvas.height = tall;
      this.canvas.style.width = this.width + "px";
      this.canvas.style.height = high + "px";
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, -this.scroller.scrollTop * scale);
    pen.clearRect(0, this.scroller.scrollTop, this.width, high);
    const colours = this.use.map((_, r) => series(r));
    const [ink, soft, tint, line, lost] = ["ink", "soft", "tint", "line", "lost"].map(colour);
    const from = this.scroller.scrollTop;
    for (const group of this.groups) {
      const bottom = group.top + HEAD + group.rows * this.row;
      if (bottom < from || group.top > from + high) continue;
      pen.fillStyle = soft;
      pen.font = "13px system-ui, sans-serif";
      pen.fillText(clipped(group.label, 60) + " · " + group.machines.length, 4, group.top + 16);
      const first = Math.max(0, Math.floor((from - group.top - HEAD) / this.row));
      const last = Math.min(group.rows, Math.ceil((from + high - group.top - HEAD) / this.row));
      const end = Math.min(last * this.columns, group.machines.length);
      for (let i = first * this.columns; i < end; i++) {
        const m = group.machines[i];
        const x = 4 + (i % this.columns) * this.cell;
        const y = group.top + HEAD + Math.floor(i / this.columns) * this.row;
        const closed = this.marks[m] === 1;
        for (let r = 0; r < this.use.length; r++) {
          const left = x + r * this.bar;
          pen.fillStyle = closed ? line : tint;
          pen.fillRect(left, y, this.bar - 1, this.high);
          const part = (this.high * this.use[r][m]) / FULL;
          pen.fillStyle = closed ? lost : colours[r];
          pen.fillRect(left, y + this.high - part, this.bar - 1, part);
        }
        if (this.named) {
          pen.fillStyle = soft;
          pen.font = "12px system-ui, sans-serif";
          pen.fillText(clipped(this.names[m], 13), x, y + this.high + 14);
        }
        if (m === this.chosen) {
          pen.strokeStyle = ink;
          pen.strokeRect(x - 1.5, y - 1.5, this.use.length * this.bar + 2, this.high + 3);
        }
      }
    }
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - 4, event.clientY - box.top + this.scroller.scrollTop];
    const column = Math.floor(x / this.cell);
    if (column < 0 || column >= this.columns) return -1;
    for (const group of this.groups) {
      const row = Math.floor((y - group.top - HEAD) / this.row);
      const i = row * this.columns + column;
      if (row >= 0 && row < group.rows && i < group.machines.length) return group.machines[i];
    }
    return -1;
  }

  choose(m) {
    this.chosen = m;
    this.draw();
    this.onChoose(m);
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns };
    const order = this.groups.flatMap((group) => group.machines);
    if (event.key === "Enter" && this.chosen >= 0) this.onChoose(this.chosen);
    if (!(event.key in step) || !order.length) return;
    event.preventDefault();
    const at = order.indexOf(this.chosen) + step[event.key];
    this.chosen = order[Math.min(Math.max(at, 0), order.length - 1)];
    this.show(this.chosen);
    this.onPoint(this.chosen);
  }

  // Scroll to a machine.
  show(m) {
    for (const group of this.groups) {
      const i = group.machines.indexOf(m);
      if (i < 0) continue;
      const y = group.top + HEAD + Math.floor(i / this.columns) * this.row;
      const [from, high] = [this.scroller.scrollTop, this.scroller.clientHeight];
      if (y < from || y + this.row > from + high) this.scroller.scrollTop = y - HEAD;
    }
    this.draw();
  }
}
