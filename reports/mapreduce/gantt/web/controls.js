"use strict";
// Wheel, pointers, keys, and the jobs that are shown.
(() => {
  const { canvas, data, frame, full, gone, view } = gantt;
  const hover = document.getElementById("hover"), told = document.getElementById("told");
  const manyRows = data.y.length > 80;

  const at = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  function zoom(factor, px, py, time, rows) {
    const x = view.x0 + (px - frame.left) / frame.wide * (view.x1 - view.x0);
    const y = view.y0 + (py - frame.top) / frame.tall * (view.y1 - view.y0);
    const fx = time ? factor : 1, fy = rows ? factor : 1;
    gantt.show(x + (view.x0 - x) * fx, x + (view.x1 - x) * fx,
      y + (view.y0 - y) * fy, y + (view.y1 - y) * fy);
  }

  function move(dx, dy) {
    const x = dx / frame.wide * (view.x1 - view.x0), y = dy / frame.tall * (view.y1 - view.y0);
    gantt.show(view.x0 - x, view.x1 - x, view.y0 - y, view.y1 - y);
  }

  const all = () => gantt.show(full.x0, full.x1, full.y0, full.y1);

  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    hover.hidden = true;
    const [px, py] = at(event), below = py > frame.top + frame.tall, beside = px < frame.left;
    zoom(1.0015 ** event.deltaY, px, py, !beside, beside || (manyRows && !below));
  }, { passive: false });

  const fingers = new Map();
  let travelled = 0;
  canvas.addEventListener("pointerdown", event => {
    fingers.set(event.pointerId, at(event));
    travelled = fingers.size > 1 ? 99 : 0;
    try { canvas.setPointerCapture(event.pointerId); } catch { /* a made-up pointer */ }
    hover.hidden = true;
  });
  canvas.addEventListener("pointermove", event => {
    const [px, py] = at(event), before = fingers.get(event.pointerId);
    if (!before) { if (event.pointerType !== "touch") point(event, px, py); return; }
    const dx = px - before[0], dy = py - before[1];
    travelled += Math.abs(dx) + Math.abs(dy);
    if (fingers.size === 2) {
      const [, other] = [...fingers].find(([id]) => id !== event.pointerId);
      const distance = place => Math.hypot(place[0] - other[0], place[1] - other[1]) || 1;
      zoom(distance(before) / distance([px, py]), other[0], other[1], true, manyRows);
    } else if (travelled > 4) move(dx, dy);
    fingers.set(event.pointerId, [px, py]);
  });
  for (const name of ["pointerup", "pointercancel"])
    canvas.addEventListener(name, event => {
      const place = fingers.get(event.pointerId);
      fingers.delete(event.pointerId);
      if (name === "pointerup" && place && travelled <= 4) {
        const found = gantt.find(...place);
        tell(found ? found[0] : -1);
      }
    });
  canvas.addEventListener("pointerleave", () => { hover.hidden = true; });
  canvas.addEventListener("dblclick", all);

  function point(event, px, py) {
    const found = gantt.find(px, py);
    hover.hidden = !found;
    if (!found) return;
    hover.textContent = gantt.told(...found).join("\n");
    const right = event.clientX + 16 + hover.offsetWidth > innerWidth;
    const low = event.clientY + 16 + hover.offsetHeight > innerHeight;
    hover.style.left = Math.max(2, event.clientX + (right ? -12 - hover.offsetWidth : 16)) + "px";
    hover.style.top = event.clientY + (low ? -12 - hover.offsetHeight : 16) + "px";
  }

  let current = -1;
  function tell(k) {
    current = k;
    told.textContent = k < 0 ? "" : gantt.told(k).join(", ");
  }

  // Bars by start, for whoever steps through them with the keyboard.
  let order = null;
  function step(by) {
    order ??= data.start.map((_, k) => k).sort((a, b) => data.start[a] - data.start[b] || a - b);
    const shown = order.filter(k => !gone.has(data.job[k]));
    if (!shown.length) return;
    const place = shown.indexOf(current);
    const k = shown[place < 0 ? (by > 0 ? 0 : shown.length - 1)
      : Math.min(Math.max(place + by, 0), shown.length - 1)];
    const wide = (view.x1 - view.x0) / 2, tall = (view.y1 - view.y0) / 2;
    const middle = (data.start[k] + data.end[k]) / 2, y = data.y[gantt.rowOf(k)];
    if (middle < view.x0 || middle > view.x1 || y < view.y0 || y > view.y1)
      gantt.show(middle - wide, middle + wide, y - tall, y + tall);
    tell(k);
  }

  canvas.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = [frame.left + frame.wide / 2, frame.top + frame.tall / 2];
    const keys = {
      ArrowLeft: () => move(frame.wide / 8, 0), ArrowRight: () => move(-frame.wide / 8, 0),
      ArrowUp: () => move(0, frame.tall / 8), ArrowDown: () => move(0, -frame.tall / 8),
      "+": () => zoom(0.7, ...middle, true, manyRows), "=": () => zoom(0.7, ...middle, true, manyRows),
      "-": () => zoom(1 / 0.7, ...middle, true, manyRows), 0: all, Escape: all,
      n: () => step(1), p: () => step(-1),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  const jobs = document.getElementById("jobs");
  const chips = new Map();
  const shown = [...new Set(data.job)].sort((a, b) => a - b);

  function refresh() {
    for (const [job, chip] of chips) chip.setAttribute("aria-pressed", String(!gone.has(job)));
    document.getElementById("all").hidden = gone.size === 0;
    if (current >= 0 && gone.has(data.job[current])) tell(-1);
    gantt.soon();
  }

  function alone(job) {
    gone.clear();
    for (const other of shown) if (other !== job) gone.add(other);
    refresh();
  }

  function chip(job) {
    const button = document.createElement("button"), swatch = document.createElement("i");
    button.type = "button";
    swatch.style.background = data.colours[job];
    button.append(swatch, data.jobs[job]);
    button.addEventListener("click", () => {
      if (gone.has(job)) gone.delete(job); else gone.add(job);
      refresh();
    });
    button.addEventListener("dblclick", () => alone(job));
    button.addEventListener("keydown", event => { if (event.key === "a") alone(job); });
    chips.set(job, button);
    return button;
  }

  function finder() {
    const label = document.createElement("label"), input = document.createElement("input");
    const list = document.createElement("datalist"), scale = document.createElement("span");
    scale.className = "scale";
    scale.style.background = `linear-gradient(90deg, ${data.colours.filter(
      (_, k) => k % Math.ceil(data.colours.length / 12) === 0).join(", ")})`;
    list.id = "names";
    input.setAttribute("list", "names");
    input.placeholder = "all jobs";
    for (const job of shown) list.append(new Option(data.jobs[job]));
    input.addEventListener("input", () => {
      const job = shown.find(k => data.jobs[k] === input.value);
      if (job !== undefined) alone(job);
      else if (!input.value) { gone.clear(); refresh(); }
    });
    label.append("Show one job: ", input);
    const [first, last] = [data.jobs[0], data.jobs[data.jobs.length - 1]];
    jobs.append(first, scale, last, label, list);
  }

  if (data.named) jobs.append(...shown.map(chip));
  else if (shown.length) finder();
  document.getElementById("all").addEventListener("click", () => {
    gone.clear();
    const input = jobs.querySelector("input");
    if (input) input.value = "";
    refresh();
  });
  document.getElementById("whole").addEventListener("click", all);
  document.getElementById("save").addEventListener("click", () => {
    const picture = document.createElement("canvas"), pen = picture.getContext("2d");
    picture.width = canvas.width; picture.height = canvas.height;
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
    pen.fillRect(0, 0, picture.width, picture.height);
    pen.drawImage(canvas, 0, 0);
    const link = document.createElement("a");
    link.href = picture.toDataURL("image/png");
    link.download = "gantt.png";
    link.click();
  });
  refresh();
})();
