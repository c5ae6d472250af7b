"""Scripts and styles of the page of a Gantt chart: labels that follow the zoom and, for charts too
large for plotly's own bars, a canvas behind plotly's axes.
"""

STYLE = """
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; font: 14px system-ui, sans-serif; color: #222; }
header { padding: 14px 20px 6px; }
h1 { font-size: 20px; margin: 0 0 4px; overflow-wrap: anywhere; }
p { margin: 0 0 2px; white-space: pre-wrap; }
.help { color: #667; font-size: 12px; }
main { flex: 1; min-height: 320px; position: relative; }
main > div { height: 100%; }
#hover { position: fixed; z-index: 9; pointer-events: none; white-space: pre-line;
  padding: 6px 9px; background: #fff; border: 1px solid #556; border-radius: 4px;
  font-size: 13px; line-height: 1.35; }
"""

SCRIPT = r"""
const gd = document.getElementById('{plot_id}');
const data = JSON.parse(document.getElementById('gantt-data').textContent);
const axes = () => [gd._fullLayout.xaxis, gd._fullLayout.yaxis];
document.body.dataset.bars = data.bars;

// Labels that fit: every row, else the nodes, else as many nodes as there is room for.
let written = '';
function label() {
  const [, Y] = axes(), rowPixels = Y._length / Math.abs(Y.range[1] - Y.range[0]);
  let places = data.nodes;
  if (rowPixels >= 14) places = data.y.map((y, k) => [y, data.labels[k]]);
  else {
    let last = -Infinity;
    places = places.filter(([y]) => (y - last) * rowPixels >= 14 && ((last = y), true));
  }
  const key = places.length + ' ' + (places.length ? places[0] : '');
  if (key === written) return;
  written = key;
  const plain = text => text.replace(/[&<>$]/g, c => '&#' + c.charCodeAt(0) + ';');
  Plotly.relayout(gd, {
    'yaxis.tickvals': places.map(p => p[0]), 'yaxis.ticktext': places.map(p => plain(p[1])),
  });
}

function paintable() {
  const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
  canvas.style.position = 'absolute';
  const svg = gd.querySelector('.main-svg');
  svg.parentNode.insertBefore(canvas, svg);
  svg.style.background = 'transparent';

  const pattern = crossed => {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 6;
    const stripe = tile.getContext('2d');
    stripe.strokeStyle = '#fff';
    stripe.lineWidth = crossed ? 1 : 1.5;
    for (const shift of [-6, 0, 6]) {
      stripe.moveTo(shift, 6); stripe.lineTo(shift + 6, 0);
      if (crossed) { stripe.moveTo(shift, 0); stripe.lineTo(shift + 6, 6); }
    }
    stripe.stroke();
    return pen.createPattern(tile, 'repeat');
  };
  const hatch = pattern(false), cross = pattern(true);
  const encryption = k => data.encryption ? data.encryption[k] : 0;

  const hidden = () => {
    const jobs = new Set();
    for (const trace of gd._fullData) if (trace.visible !== true) jobs.add(trace.meta);
    return jobs;
  };
  // The first bar of row r that ends after `time`: bars on a slot do not overlap.
  const after = (r, time) => {
    let low = data.first[r], high = data.first[r + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (data.end[middle] > time) high = middle; else low = middle + 1;
    }
    return low;
  };

  function paint() {
    const [X, Y] = axes(), ratio = window.devicePixelRatio || 1;
    const wide = X._length, tall = Y._length, [x0, x1] = X.range, [y1, y0] = Y.range;
    const width = Math.round(wide * ratio), height = Math.round(tall * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width; canvas.height = height;
    }
    Object.assign(canvas.style, {
      left: X._offset + 'px', top: Y._offset + 'px', width: wide + 'px', height: tall + 'px',
    });
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, tall);
    pen.font = '12px system-ui, sans-serif';
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    const kx = wide / (x1 - x0), ky = tall / (y1 - y0), gone = hidden();
    for (const [top, bottom, kind] of data.bands) {
      pen.fillStyle = data.tints[+kind];
      pen.fillRect(0, (top - y0) * ky, wide, (bottom - top) * ky);
    }
    const thick = Math.max(data.height * ky, 0.75);
    let painted = 0, slivers = [];
    const fill = (from, to, top, style, pattern) => {
      const left = Math.max((from - x0) * kx, -9), right = Math.min((to - x0) * kx, wide + 9);
      // A task too short to see is still there, on top; a longer one is set apart from the next.
      const room = right - left, shown = room > 4 ? room - 0.7 : Math.max(room, 1);
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
      const middle = (data.y[r] - y0) * ky, top = middle - thick / 2;
      if (top > tall || top + thick < 0) continue;
      for (let k = after(r, x0); k < data.first[r + 1] && data.start[k] < x1; k++) {
        const job = data.job[k], begin = Math.min(data.start[k] + data.setup[k], data.end[k]);
        if (gone.has(job)) continue;
        const moved = Math.min(data.start[k] + encryption(k), begin);
        if (encryption(k) > 0) fill(data.start[k], moved, top, data.secrets[job], cross);
        if (data.setup[k] > encryption(k)) fill(moved, begin, top, data.setups[job], hatch);
        const [left, shown] = fill(begin, data.end[k], top, data.colours[job]);
        const from = Math.max(left, 0), room = Math.min(left + shown, wide) - from;
        if (thick >= 12 && room > 30) {
          const text = data.jobs[job] + '·' + data.task[k];
          if (pen.measureText(text).width < room - 6) {
            pen.fillStyle = data.inks[job];
            pen.fillText(text, from + room / 2, middle);
          }
        }
        painted++;
      }
      for (const [left, top, style] of slivers) {
        pen.fillStyle = style;
        pen.fillRect(left, top, 1, thick);
      }
      slivers = [];
    }
    document.body.dataset.painted = painted;
  }

  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; paint(); });
  };
  for (const event of ['plotly_relayouting', 'plotly_afterplot']) gd.on(event, soon);
  paint();

  const hover = document.getElementById('hover');
  const number = value => String(+value.toFixed(3));
  function find(px, py) {
    const [X, Y] = axes(), [x0, x1] = X.range, [y1, y0] = Y.range;
    if (px < 0 || py < 0 || px > X._length || py > Y._length) return -1;
    const pixel = (x1 - x0) / X._length, time = x0 + px * pixel;
    const y = y0 + py * (y1 - y0) / Y._length, gone = hidden();
    let row = 0;
    for (let low = 0, high = data.y.length; low < high;) {
      const middle = (low + high) >> 1;
      if (data.y[middle] <= y + 0.5) { row = middle; low = middle + 1; } else high = middle;
    }
    if (!data.y.length || Math.abs(data.y[row] - y) > 0.5) return -1;
    // Within three pixels counts, so that slivers can be hit; the nearest wins.
    let best = -1, nearest = 3 * pixel;
    for (let k = after(row, time - nearest); k < data.first[row + 1]; k++) {
      if (data.start[k] > time + nearest) break;
      const away = Math.max(data.start[k] - time, time - data.end[k], 0);
      if (!gone.has(data.job[k]) && (best < 0 ? away <= nearest : away < nearest)) {
        best = k; nearest = away;
      }
    }
    return best < 0 ? -1 : [best, row];
  }
  gd.addEventListener('mousemove', event => {
    const box = canvas.getBoundingClientRect();
    const found = event.buttons ? -1 : find(event.clientX - box.left, event.clientY - box.top);
    hover.hidden = found === -1;
    if (found === -1) return;
    const [k, row] = found, phase = data.reduce[row] ? 'reduce' : 'map';
    const setup = data.setup[k], processing = data.end[k] - data.start[k] - setup;
    const parts = encryption(k) > 0 ? ' (encryption ' + number(encryption(k)) + ' s, transfer '
      + number(setup - encryption(k)) + ' s)' : '';
    const speed = data.factor ? ' = ' + number(processing / data.factor[k]) + ' s × speed factor '
      + +data.factor[k].toPrecision(6) : '';
    hover.textContent = [
      data.jobs[data.job[k]] + ' ' + phase + ' task ' + data.task[k],
      'node ' + data.node[row] + ', ' + phase + ' slot ' + data.slot[row],
      'start ' + number(data.start[k]) + ' s',
      'setup ' + number(setup) + ' s' + parts,
      'processing ' + number(processing) + ' s' + speed,
      'end ' + number(data.end[k]) + ' s',
    ].join('\n');
    const right = event.clientX + 16 + hover.offsetWidth > window.innerWidth;
    const low = event.clientY + 16 + hover.offsetHeight > window.innerHeight;
    hover.style.left = event.clientX + (right ? -12 - hover.offsetWidth : 16) + 'px';
    hover.style.top = event.clientY + (low ? -12 - hover.offsetHeight : 16) + 'px';
  });
  for (const event of ['mouseleave', 'mousedown', 'wheel'])
    gd.addEventListener(event, () => { hover.hidden = true; }, { passive: true });
}

if (data.first) paintable();
gd.on('plotly_afterplot', label);
label();
"""
