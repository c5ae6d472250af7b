"use strict";
// Pictures of lanes and bars as SVG text.
//
//   lesson.draw({lanes, short, bars, lines, value}, {width, broken, chosen, truth, unit}) -> "<svg …>"
//
// A lane is a name, `short` its name on a phone. A bar is {lane, begin, end, setup, label, group,
// key, text}: its lane by number or name, the length of its lighter first part, the number that
// gives it its colour, and what is told when it is pointed at. A line is {label, at, dashed}. Bars
// whose keys are in `broken` are outlined in red, those in `chosen` more thickly. `truth` is the true
// optimum, a line too. Bars that overlap stand side by side in their lane, which grows with them.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  // Okabe and Ito (2008); the reddish one last, because broken bars have red outlines.
  const COLOURS = [
    "#56b4e9", "#e69f00", "#2bb58c", "#cc79a7", "#e8d92c", "#a9a9a9", "#5c9bd1", "#e07b3a",
  ];
  const LANE = 30, MORE = 14, GAP = 4, PHONE = 560, LETTER = 6.6, TICK = 64;

  const escaped = (text) =>
    String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

  // Row of each bar in its lane, so that bars in one row do not overlap; and how many rows there are.
  function stacked(bars) {
    const rows = [], row = new Map();
    const slack = 1e-9 * Math.max(1, ...bars.map((bar) => Math.abs(bar.end)));
    for (const bar of [...bars].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
      let k = rows.findIndex((end) => bar.begin >= end - slack);
      if (k < 0) k = rows.push(0) - 1;
      rows[k] = bar.end;
      row.set(bar, k);
    }
    return { row, rows: Math.max(1, rows.length) };
  }

  function step(span, room) {
    const least = span / Math.max(1, Math.floor(room / TICK));
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((k) => k * power).find((size) => size >= least * (1 - 1e-9));
  }

  // All of a label, its last word, or nothing.
  function fitted(label, room) {
    const short = label.split(" ").at(-1);
    return [label, short, ""].find((text) => text.length * LETTER <= room);
  }

  function barText(bar, x, top, high, unit, classes) {
    const left = x(bar.begin), wide = Math.max(2, x(bar.end) - left);
    const colour = COLOURS[(bar.group ?? 0) % COLOURS.length];
    const read = Math.max(0, Math.min(wide, x(bar.begin + (bar.setup ?? 0)) - left));
    const n = (value) => value.toFixed(1);
    const box = (from, size, fill) =>
      `<rect x="${n(from)}" y="${n(top)}" width="${n(size)}" height="${n(high)}" ${fill}/>`;
    const told = bar.text ?? `${bar.label}: ${lesson.number(bar.begin)} to ${lesson.number(bar.end)} ${unit}`;
    const label = fitted(bar.label, wide - 4);
    const small = high < 16 ? ' font-size="10"' : "";
    return (
      `<g class="bar${classes}" data-key="${escaped(bar.key)}"><title>${escaped(told)}</title>` +
      box(left, wide, `fill="${colour}"`) +
      (read > 0 ? box(left, read, 'fill="#fff" fill-opacity=".55"') : "") +
      box(left, wide, 'class="edge"') +
      (label
        ? `<text x="${n(left + wide / 2)}" y="${n(top + high / 2 + 4)}" text-anchor="middle"${small}>` +
          `${escaped(label)}</text>`
        : "") +
      "</g>"
    );
  }

  // Labels of the lines stand above the lanes, each in a row of its own and left of its line if
  // there is room. The last line has the first row, so no line runs through a label.
  function lineText(line, k, x, bottom) {
    const at = x(line.at), y = 12 + 15 * k, wide = line.label.length * LETTER;
    const before = at - 4 - wide >= 0;
    const n = (value) => value.toFixed(1);
    return (
      `<line class="mark${line.dashed ? " dashed" : ""}" x1="${n(at)}" x2="${n(at)}" y1="${y - 10}" ` +
      `y2="${n(bottom)}"/><text x="${n(before ? at - 4 : at + 4)}" y="${y}" ` +
      `text-anchor="${before ? "end" : "start"}">${escaped(line.label)}</text>`
    );
  }

  function ticks(x, low, high, top, bottom, unit) {
    const size = step(high - low, x(high) - x(low)), parts = [];
    for (let k = Math.ceil(low / size - 1e-9); k * size <= high + 1e-9 * size; k++) {
      const at = x(k * size).toFixed(1), first = k * size + size > high + 1e-9 * size;
      parts.push(
        `<line class="rule" x1="${at}" x2="${at}" y1="${top}" y2="${bottom + 4}"/>` +
          `<text class="soft" x="${at}" y="${bottom + 17}" text-anchor="middle">` +
          `${lesson.number(k * size)}${first ? ` ${escaped(unit)}` : ""}</text>`,
      );
    }
    if (low < 0) parts.push(`<line class="zero" x1="${x(0)}" x2="${x(0)}" y1="${top}" y2="${bottom + 4}"/>`);
    return parts.join("");
  }

  function lanesText(picture, top, left, width, names) {
    let y = top;
    return picture.lanes.map((name, k) => {
      const bars = picture.bars.filter((bar) => bar.lane === k || bar.lane === name);
      const { row, rows } = stacked(bars);
      const lane = { y, high: LANE + MORE * (rows - 1), row, rows, bars };
      lane.text =
        (k % 2 ? "" : `<rect class="band" x="0" y="${y}" width="${width}" height="${lane.high}"/>`) +
        `<text x="${left - 6}" y="${y + lane.high / 2 + 4}" text-anchor="end">${escaped(names[k])}</text>`;
      y += lane.high;
      return lane;
    });
  }

  // As wide as the place where pictures stand in the page.
  const room = () => globalThis.document?.getElementById("picture")?.clientWidth || 800;

  lesson.draw = (picture, options = {}) => {
    const { width = room(), broken = [], chosen = [], truth = null, unit = "s" } = options;
    const { lanes, bars } = picture;
    const lines = [...(picture.lines ?? [])];
    if (Number.isFinite(truth)) lines.push({ label: `true optimum ${lesson.number(truth)} ${unit}`, at: truth });
    lines.sort((a, b) => b.at - a.at);
    const names = width < PHONE && picture.short ? picture.short : lanes;
    const left = 12 + LETTER * Math.max(1, ...names.map((name) => name.length));
    const times = [0, ...bars.flatMap((bar) => [bar.begin, bar.end]), ...lines.map((line) => line.at)];
    const low = Math.min(...times), high = Math.max(...times, low + 1e-6);
    const right = width - 18;
    const x = (time) => left + 2 + ((time - low) / (high - low)) * (right - left - 2);
    const top = 8 + 15 * lines.length;
    const drawn = lanesText(picture, top, left, width, names);
    const bottom = drawn.length ? drawn.at(-1).y + drawn.at(-1).high : top;
    const red = new Set(broken), thick = new Set(chosen);
    const boxes = drawn.flatMap((lane) => {
      const each = (lane.high - GAP) / lane.rows;
      return lane.bars.map((bar) =>
        barText(
          bar, x, lane.y + GAP / 2 + lane.row.get(bar) * each, each - (lane.rows > 1 ? 2 : 0), unit,
          (red.has(bar.key) ? " broken" : "") + (thick.has(bar.key) ? " chosen" : ""),
        ),
      );
    });
    const about = `${bars.length} bars on ${lanes.length} lanes, until ${lesson.number(high)} ${unit}`;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" class="lanes" role="img" aria-label="${about}" ` +
      `width="${width}" height="${bottom + 24}" viewBox="0 0 ${width} ${bottom + 24}">` +
      drawn.map((lane) => lane.text).join("") +
      ticks(x, low, high, top, bottom, unit) +
      boxes.join("") +
      lines.map((line, k) => lineText(line, k, x, bottom)).join("") +
      "</svg>"
    );
  };
}
