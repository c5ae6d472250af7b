"use strict";
(() => {
  const data = JSON.parse(document.getElementById("audit-data").textContent);
  const canvases = ["ran", "best"].map((id) => document.getElementById(id));
  const told = document.getElementById("told"), table = document.getElementById("jobs");
  const view = { from: 0, to: data.last || 1 };
  let chosen = -1, cause = -1, all = false;
  const FIRST = 50, RELEASE = 0, END = 1, BEST = 2, ALONE = 3, STEPS = 4;
  const LEFT = 10, BOTTOM = 22;

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const text = (value) => (Math.round(value * 100) / 100).toLocaleString("en", { maximumFractionDigits: 2 });

  function hatch(context, cross) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const pen = tile.getContext("2d");
    pen.strokeStyle = colour("paper");
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(0, 6); pen.lineTo(6, 0);
    if (cross) { pen.moveTo(0, 0); pen.lineTo(6, 6); }
    pen.stroke();
    return context.createPattern(tile, "repeat");
  }

  function axis(context, width, height, scale) {
    const span = view.to - view.from, rough = span / Math.max(2, width / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
    context.fillStyle = colour("soft");
    context.strokeStyle = colour("line");
    context.font = "12px system-ui, sans-serif";
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
      const x = LEFT + (t - view.from) * scale;
      context.beginPath(); context.moveTo(x, 0); context.lineTo(x, height - BOTTOM); context.stroke();
      context.fillText(`${text(t)} s`, Math.min(x, width - 40), height - 6);
    }
  }

  function bars(context, chart, width, height, scale) {
    let rows = 1;
    for (const set of data.bars) for (const slot of set.slot) rows = Math.max(rows, slot + 1);
    const size = (height - BOTTOM) / rows, patterns = [null, hatch(context, false), hatch(context, true)];
    const colours = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => colour(`c${k}`)), plain = colour("lost");
    for (let k = 0; k < chart.slot.length; k++) {
      const a = LEFT + (chart.start[k] / 1000 - view.from) * scale;
      const b = LEFT + (chart.end[k] / 1000 - view.from) * scale;
      if (b < LEFT || a > width) continue;
      const job = chart.job[k], box = [a, chart.slot[k] * size, Math.max(b - a, 0.7), Math.max(size - (size > 3 ? 1 : 0), 0.7)];
      context.fillStyle = job < 0 || (chosen >= 0 && job !== chosen) ? plain : colours[job % 8];
      context.fillRect(...box);
      if (patterns[chart.kind[k]]) { context.fillStyle = patterns[chart.kind[k]]; context.fillRect(...box); }
    }
  }

  function areas(context, layers, width, height, scale) {
    const count = layers[0].length, wide = data.last / count, own = data.areas.jobs.indexOf(chosen);
    let most = 1;
    for (const set of data.areas.layers)
      for (let k = 0; k < count; k++) most = Math.max(most, set.reduce((sum, layer) => sum + layer[k], 0));
    const base = new Float64Array(count);
    layers.forEach((layer, n) => {
      context.fillStyle = n === layers.length - 1 || (own >= 0 && n !== own) ? colour("lost") : colour(`c${n}`);
      for (let k = 0; k < count; k++) {
        const high = (layer[k] / most) * (height - BOTTOM);
        const x = LEFT + (k * wide - view.from) * scale;
        context.fillRect(x, height - BOTTOM - base[k] - high, wide * scale + 0.5, high);
        base[k] += high;
      }
    });
  }

  function draw() {
    canvases.forEach((canvas, n) => {
      const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
      canvas.width = width * ratio; canvas.height = height * ratio;
      const context = canvas.getContext("2d");
      context.scale(ratio, ratio);
      context.clearRect(0, 0, width, height);
      const scale = (width - 2 * LEFT) / (view.to - view.from);
      axis(context, width, height, scale);
      if (data.bars) bars(context, data.bars[n], width, height, scale);
      else areas(context, data.areas.layers[n], width, height, scale);
    });
  }

  function show(from, to) {
    const span = Math.min(Math.max(to - from, data.last / 1e5, 1e-3), data.last);
    view.from = Math.min(Math.max(from, 0), data.last - span);
    view.to = view.from + span;
    draw();
  }
  function zoom(factor, at = 0.5) {
    const span = view.to - view.from, point = view.from + at * span;
    show(point - at * span * factor, point + (1 - at) * span * factor);
  }
  const move = (share) => show(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));

  function lost(row) { return row[END] - row[BEST]; }
  function added(row) {
    return cause >= 0 && STEPS + cause + 1 < row.length ? row[STEPS + cause] - row[STEPS + cause + 1] : lost(row);
  }

  function fill() {
    const order = data.rows.map((_, k) => k).sort((a, b) => added(data.rows[b]) - added(data.rows[a]));
    table.replaceChildren(...order.slice(0, all ? order.length : FIRST).map((k) => {
      const row = data.rows[k], line = document.createElement("tr");
      line.setAttribute("aria-selected", String(k === chosen));
      const name = document.createElement("button");
      name.type = "button"; name.textContent = data.jobs[k];
      const first = document.createElement("th");
      first.append(name);
      line.append(first);
      const cells = [row[RELEASE], row[END] - row[RELEASE], row[BEST] - row[RELEASE], row[ALONE] - row[RELEASE], lost(row), added(row)];
      for (const value of cells) {
        const cell = document.createElement("td");
        cell.textContent = text(value);
        line.append(cell);
      }
      line.addEventListener("click", () => choose(k === chosen ? -1 : k));
      return line;
    }));
    document.getElementById("more").hidden = all || order.length <= FIRST;
  }

  function choose(job) {
    chosen = job;
    told.textContent = job < 0 ? "" : `${data.jobs[job]}: ends at ${text(data.rows[job][END])} s as it ran, at ${text(data.rows[job][BEST])} s in the best plan.`;
    fill(); draw();
  }

  for (const button of document.querySelectorAll("[data-cause]")) {
    button.addEventListener("click", () => {
      const same = cause === Number(button.dataset.cause);
      cause = same ? -1 : Number(button.dataset.cause);
      for (const other of document.querySelectorAll("[data-cause]"))
        other.setAttribute("aria-pressed", String(!same && other === button));
      document.getElementById("cause").textContent = same ? "cause" : button.textContent.replace(/^.* s /, "").split(button.title)[0];
      fill();
    });
  }

  canvases.forEach((canvas, n) => {
    let last = null, moved = 0;
    const share = (event) => (event.offsetX - LEFT) / Math.max(canvas.clientWidth - 2 * LEFT, 1);
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : 0.8, share(event)); }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => { last = event.clientX; moved = 0; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => {
      if (last === null) return;
      moved += Math.abs(event.clientX - last);
      move((last - event.clientX) / canvas.clientWidth);
      last = event.clientX;
    });
    canvas.addEventListener("pointerup", (event) => {
      last = null;
      if (moved > 4 || !data.bars) return;
      const time = (view.from + share(event) * (view.to - view.from)) * 1000, chart = data.bars[n];
      let rows = 1;
      for (const set of data.bars) for (const slot of set.slot) rows = Math.max(rows, slot + 1);
      const slot = Math.floor(event.offsetY / ((canvas.clientHeight - BOTTOM) / rows));
      const hit = chart.slot.findIndex((s, k) => s === slot && chart.start[k] <= time && time < chart.end[k]);
      choose(hit < 0 || chart.job[hit] === chosen ? -1 : chart.job[hit]);
    });
    canvas.addEventListener("keydown", (event) => {
      const keys = { ArrowLeft: () => move(-0.1), ArrowRight: () => move(0.1), "+": () => zoom(0.8), "-": () => zoom(1.25), 0: () => show(0, data.last) };
      if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
    });
  });
  document.getElementById("in").addEventListener("click", () => zoom(0.5));
  document.getElementById("out").addEventListener("click", () => zoom(2));
  document.getElementById("whole").addEventListener("click", () => show(0, data.last));
  document.getElementById("more").addEventListener("click", () => { all = true; fill(); });
  window.addEventListener("resize", draw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  fill(); draw();
})();
