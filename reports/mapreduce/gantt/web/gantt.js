"use strict";
// The chart on a canvas: slots downwards, time to the right. `gantt` is what the controls use.
const gantt = (() => {
  const data = JSON.parse(document.getElementById("gantt-data").textContent);
  const canvas = document.getElementById("chart");
  const pen = canvas.getContext("2d");
  const full = { x0: -0.004 * data.horizon, x1: 1.015 * data.horizon, y0: -0.15, y1: data.bottom + 0.15 };
  const view = { ...full };
  const gone = new Set();
  const frame = { left: 0, top: 0, wide: 1, tall: 1 };
  const LABEL = 14, FONT = "12px system-ui, sans-serif";
  let theme = {};

  const mixed = (colour, other, share) => {
    const part = (text, at) => parseInt(text.slice(at, at + 2), 16);
    return "#" + [1, 3, 5].map(at => Math.round(
      part(colour, at) + (part(other, at) - part(colour, at)) * share
    ).toString(16).padStart(2, "0")).join("");
  };

  function stripes(crossed) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const stripe = tile.getContext("2d");
    stripe.strokeStyle = theme.paper;
    stripe.lineWidth = crossed ? 1 : 1.5;
    for (const shift of [-6, 0, 6]) {
      stripe.moveTo(shift, 6); stripe.lineTo(shift + 6, 0);
      if (crossed) { stripe.moveTo(shift, 0); stripe.lineTo(shift + 6, 6); }
    }
    stripe.stroke();
    return pen.createPattern(tile, "repeat");
  }

  function dress() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["paper", "ink", "soft", "line", "map", "reduce", "lost"])
      theme[name] = style.getPropertyValue("--" + name).trim();
    const paper = theme.paper.length === 4 ? theme.paper.replace(/[0-9a-f]/gi, "$&$&") : theme.paper;
    theme.setups = data.colours.map(colour => mixed(colour, paper, 0.6));
    theme.secrets = data.colours.map(colour => mixed(colour, paper, 0.3));
    theme.hatch = stripes(false);
    theme.cross = stripes(true);
  }

  // The first bar of row r that ends after `time`: bars on a slot do not overlap.
  function after(r, time) {
    let low = data.first[r], high = data.first[r + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (data.end[middle] > time) high = middle; else low = middle + 1;
    }
    return low;
  }

  const encryption = k => data.encryption ? data.encryption[k] : 0;
  const scaleX = () => frame.wide / (view.x1 - view.x0);
  const scaleY = () => frame.tall / (view.y1 - view.y0);
  const toX = time => frame.left + (time - view.x0) * scaleX();
  const toY = y => frame.top + (y - view.y0) * scaleY();

  // Every row is named, else the nodes, else as many nodes as there is room for.
  function labels() {
    const pixels = scaleY();
    if (pixels >= LABEL) return data.y.map((y, k) => [y, data.labels[k]]);
    let last = -Infinity;
    return data.nodes.filter(([y]) => (y - last) * pixels >= LABEL && ((last = y), true));
  }

  function fitted(text, room) {
    if (pen.measureText(text).width <= room) return text;
    let low = 0, high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (pen.measureText(text.slice(0, middle) + "…").width <= room) low = middle; else high = middle - 1;
    }
    return low ? text.slice(0, low) + "…" : "";
  }

  const number = value => {
    const [whole, part] = String(+value.toPrecision(10)).split(".");
    return whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") + (part ? "." + part : "");
  };

  function layOut() {
    const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
    const width = Math.round(box.width * ratio), height = Math.round(box.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width; canvas.height = height;
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = FONT;
    frame.top = 8 + 16 * data.marks.length;
    frame.tall = Math.max(1, box.height - frame.top - 42);
    // The names never take more than a quarter of the width.
    const widest = Math.max(0, ...labels().map(([, text]) => pen.measureText(text).width));
    frame.left = Math.min(widest + 14, Math.max(60, box.width / 4));
    frame.wide = Math.max(1, box.width - frame.left - 12);
    pen.clearRect(0, 0, box.width, box.height);
    return box;
  }

  function paintBars() {
    const kx = scaleX(), ky = scaleY(), right = frame.left + frame.wide;
    const thick = Math.max(0.8 * ky, 1);
    const crisp = ky < 4; // rows of a few pixels stay on whole ones, so that colours do not mix
    let painted = 0, slivers = [];
    const fill = (from, to, top, style, pattern) => {
      const left = Math.max(toX(from), frame.left - 9), end = Math.min(toX(to), right + 9);
      // A task too short to see is still there, on top; a longer one is set apart from the next.
      const room = end - left, shown = room > 4 ? room - 0.7 : Math.max(room, 1);
      if (room < 1) { slivers.push([left, top, style]); return [left, 0]; }
      pen.fillStyle = style;
      pen.fillRect(left, top, shown, thick);
      if (pattern && room > 2 && thick >= 6) {
        pen.fillStyle = pattern;
        pen.fillRect(left, top, shown, thick);
      }
      return [left, shown];
    };
    for (let r = 0; r < data.y.length; r++) {
      const middle = toY(data.y[r]);
      let top = middle - thick / 2;
      if (top > frame.top + frame.tall || top + thick < frame.top) continue;
      if (crisp) top = Math.round(top);
      for (let k = after(r, view.x0); k < data.first[r + 1] && data.start[k] < view.x1; k++) {
        const job = data.job[k], begin = Math.min(data.start[k] + data.setup[k], data.end[k]);
        if (gone.has(job)) continue;
        const moved = Math.min(data.start[k] + encryption(k), begin);
        if (encryption(k) > 0) fill(data.start[k], moved, top, theme.secrets[job], theme.cross);
        if (data.setup[k] > encryption(k)) fill(moved, begin, top, theme.setups[job], theme.hatch);
        const [left, shown] = fill(begin, data.end[k], top, data.colours[job]);
        const from = Math.max(left, frame.left), room = Math.min(left + shown, right) - from;
        if (thick >= 12 && room > 14) {
          const names = [data.jobs[job] + "·" + data.task[k], String(data.task[k])];
          const text = names.find(name => pen.measureText(name).width < room - 6);
          pen.fillStyle = data.inks[job];
          if (text) pen.fillText(text, from + room / 2, middle);
        }
        painted++;
      }
      for (const [left, at, style] of slivers) {
        pen.fillStyle = style;
        pen.fillRect(crisp ? Math.round(left) : left, at, 1, thick);
      }
      slivers = [];
    }
    document.body.dataset.painted = painted;
  }

  function paintTimes() {
    const rough = (view.x1 - view.x0) / Math.max(2, frame.wide / 90);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map(k => k * power).find(size => size >= rough);
    pen.textBaseline = "top";
    for (let k = Math.ceil(Math.max(view.x0, 0) / step); k * step <= view.x1; k++) {
      const x = Math.round(toX(k * step)) + 0.5;
      pen.strokeStyle = theme.line;
      pen.lineWidth = 1;
      pen.beginPath(); pen.moveTo(x, frame.top); pen.lineTo(x, frame.top + frame.tall); pen.stroke();
      pen.fillStyle = theme.soft;
      pen.fillText(number(k * step), x, frame.top + frame.tall + 5);
    }
    pen.fillStyle = theme.soft;
    pen.fillText("time (s)", frame.left + frame.wide / 2, frame.top + frame.tall + 22);
  }

  function paintMarks() {
    const marks = data.marks.map((mark, tier) => ({ ...mark, tier, x: toX(mark.time) }))
      .filter(({ x }) => x >= frame.left - 1 && x <= frame.left + frame.wide + 1);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    for (const { dashed, tier, x } of marks) {
      pen.setLineDash(dashed ? [6, 4] : []);
      pen.beginPath(); pen.moveTo(x, frame.top - 2 - 16 * tier);
      pen.lineTo(x, frame.top + frame.tall); pen.stroke();
    }
    pen.setLineDash([]);
    pen.textBaseline = "bottom";
    // No line goes through a label, whichever is higher.
    for (const { dashed, label, tier, x } of marks) {
      pen.font = (dashed ? "italic " : "") + FONT;
      const room = frame.left + frame.wide + 12, text = fitted(label, room - 4);
      const half = pen.measureText(text).width / 2, bottom = frame.top - 3 - 16 * tier;
      const middle = Math.min(Math.max(x, half + 2), room - half - 2);
      pen.fillStyle = theme.paper;
      pen.fillRect(middle - half - 2, bottom - 14, 2 * half + 4, 15);
      pen.fillStyle = theme.ink;
      pen.fillText(text, middle, bottom);
    }
    pen.font = FONT;
  }

  function paint() {
    const box = layOut();
    pen.save();
    pen.beginPath();
    pen.rect(frame.left, frame.top, frame.wide, frame.tall);
    pen.clip();
    for (const [top, bottom, kind] of data.bands) {
      pen.fillStyle = theme[["map", "reduce", "lost"][+kind]];
      pen.fillRect(frame.left, toY(top), frame.wide, (bottom - top) * scaleY());
    }
    pen.restore();
    pen.textAlign = "center";
    paintTimes();
    pen.save();
    pen.beginPath();
    pen.rect(frame.left, frame.top, frame.wide, frame.tall);
    pen.clip();
    pen.textBaseline = "middle";
    paintBars();
    pen.restore();
    pen.textAlign = "center";
    paintMarks();
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillStyle = theme.ink;
    const shown = labels().filter(([y]) => y >= view.y0 && y <= view.y1);
    for (const [y, text] of shown) pen.fillText(fitted(text, frame.left - 10), frame.left - 6, toY(y));
    document.body.dataset.labels = JSON.stringify(shown.slice(0, 200).map(([, text]) => text));
    return box;
  }

  let waiting = false;
  function soon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; paint(); });
  }

  // The view within the whole chart; a range that is none is left as it was.
  function show(x0, x1, y0, y1) {
    const keep = (low, high, from, to, least) => {
      const size = Math.min(to - from, Math.max(high - low, least));
      const start = Math.min(Math.max(low, from), to - size);
      return [start, start + size];
    };
    [view.x0, view.x1] = keep(x0, x1, full.x0, full.x1, (full.x1 - full.x0) * 1e-7);
    [view.y0, view.y1] = keep(y0, y1, full.y0, full.y1, Math.min(1, full.y1 - full.y0));
    soon();
  }

  // The bar at a place of the canvas and its row, or null.
  function find(px, py) {
    if (px < frame.left || py < frame.top || px > frame.left + frame.wide
      || py > frame.top + frame.tall || !data.y.length) return null;
    const time = view.x0 + (px - frame.left) / scaleX(), y = view.y0 + (py - frame.top) / scaleY();
    let row = 0;
    for (let low = 0, high = data.y.length; low < high;) {
      const middle = (low + high) >> 1;
      if (data.y[middle] <= y + 0.5) { row = middle; low = middle + 1; } else high = middle;
    }
    if (Math.abs(data.y[row] - y) > 0.5) return null;
    // Within three pixels counts, so that slivers can be hit; the nearest wins.
    let best = -1, nearest = 3 / scaleX();
    for (let k = after(row, time - nearest); k < data.first[row + 1]; k++) {
      if (data.start[k] > time + nearest) break;
      const away = Math.max(data.start[k] - time, time - data.end[k], 0);
      if (!gone.has(data.job[k]) && (best < 0 ? away <= nearest : away < nearest)) {
        best = k; nearest = away;
      }
    }
    return best < 0 ? null : [best, row];
  }

  const rowOf = k => {
    let row = 0;
    while (data.first[row + 1] <= k) row++;
    return row;
  };

  function told(k, row = rowOf(k)) {
    const plain = value => String(+value.toFixed(3)), phase = data.is_reduce[row] ? "reduce" : "map";
    const setup = data.setup[k], processing = data.end[k] - data.start[k] - setup;
    const parts = encryption(k) > 0 ? " (encryption " + plain(encryption(k)) + " s, transfer "
      + plain(setup - encryption(k)) + " s)" : "";
    const speed = data.factor ? " = " + plain(processing / data.factor[k]) + " s × speed factor "
      + +data.factor[k].toPrecision(6) : "";
    return [
      data.jobs[data.job[k]] + " " + phase + " task " + data.task[k],
      "node " + data.node[row] + ", " + phase + " slot " + data.slot[row],
      "start " + plain(data.start[k]) + " s",
      "setup " + plain(setup) + " s" + parts,
      "processing " + plain(processing) + " s" + speed,
      "end " + plain(data.end[k]) + " s",
    ];
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { dress(); soon(); });
  new ResizeObserver(soon).observe(canvas);
  document.body.dataset.bars = data.job.length;
  dress();
  paint();
  return { canvas, data, find, frame, full, gone, rowOf, show, soon, paint, told, toX, toY, view };
})();
