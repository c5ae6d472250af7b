"""Style and script of the page: light and dark, wide and narrow, printed, with no network."""

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1d232b; --soft: #59636f; --line: #d5dae0;
  --tint: #f3f5f7; --warn: #8a3b00; --link: #00558c;
  --c0: #0072b2; --c1: #c24e00; --c2: #007a5a; --c3: #a23f86; --c4: #8a6500; --c5: #5a5ad0;
  --c6: #4a4f57; --c7: #b3263c; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --ink: #e4e8ec; --soft: #a3adb8;
  --line: #3a424b; --tint: #1e242b; --warn: #ffb37a; --link: #7cc4f5;
  --c0: #5cb8f0; --c1: #ff9a57; --c2: #3fcf9f; --c3: #ea96cd; --c4: #e3bb3c; --c5: #a9a9ff;
  --c6: #c3cad2; --c7: #ff8c9c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 16px 20px 60px; background: var(--paper);
  color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 4px 0 2px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 34px 0 8px; border-top: 1px solid var(--line); padding-top: 14px; }
h3 { font-size: 16px; margin: 22px 0 6px; overflow-wrap: anywhere; }
p { margin: 6px 0; max-width: 76ch; overflow-wrap: anywhere; }
.note { color: var(--soft); font-size: 14px; }
.warning { color: var(--warn); font-weight: 600; }
nav { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 10px 0; }
a { color: var(--link); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 16px; margin: 8px 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.scroll { overflow-x: auto; max-width: 100%; margin: 8px 0; }
.scroll:focus-visible, summary:focus-visible, .key:focus-visible, a:focus-visible {
  outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { padding: 3px 10px; text-align: right; white-space: nowrap; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th:first-child, td.w, th.w { text-align: left; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 600; position: sticky; left: 0; background: var(--paper);
  min-width: 16ch; max-width: 300px; white-space: normal; overflow-wrap: anywhere; }
td.w { white-space: normal; min-width: 9ch; overflow-wrap: anywhere; }
td.long { min-width: 220px; }
details { margin: 8px 0; } summary { cursor: pointer; color: var(--link); }
pre { background: var(--tint); padding: 8px 10px; overflow-x: auto; font-size: 12.5px;
  line-height: 1.4; margin: 6px 0; text-align: left; }
code { background: var(--tint); padding: 1px 4px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr));
  gap: 14px 26px; align-items: start; }
figure { margin: 8px 0; min-width: 0; max-width: 620px; }
figcaption { font-weight: 600; overflow-wrap: anywhere; }
figure p { color: var(--soft); font-size: 13.5px; }
.chart { width: 100%; height: auto; display: block; }
.chart text { font-size: 13px; fill: var(--soft); }
.chart text.name { fill: var(--ink); }
.s0 { --c: var(--c0); } .s1 { --c: var(--c1); } .s2 { --c: var(--c2); } .s3 { --c: var(--c3); }
.s4 { --c: var(--c4); } .s5 { --c: var(--c5); } .s6 { --c: var(--c6); } .s7 { --c: var(--c7); }
.grid { stroke: var(--line); stroke-width: 1; fill: none; }
.axis { stroke: var(--soft); stroke-width: 1; fill: none; }
.line { stroke: var(--c); stroke-width: 2; fill: none; }
.bar { stroke: var(--c); stroke-width: 1.4; fill: none; stroke-dasharray: none; }
.mark { fill: var(--c); stroke: var(--paper); stroke-width: 1; stroke-dasharray: none; }
.dots { stroke: var(--c); stroke-width: 3.4; stroke-linecap: round; stroke-opacity: .5; fill: none;
  stroke-dasharray: none; }
.few { stroke-width: 5; stroke-opacity: .65; }
.off { display: none; }
.keys { display: flex; flex-wrap: wrap; gap: 4px 6px; }
.key { font: inherit; font-size: 13.5px; color: var(--ink); background: none; cursor: pointer;
  border: 1px solid var(--line); border-radius: 5px; padding: 2px 7px; max-width: 100%;
  text-align: left; overflow-wrap: anywhere; }
.key svg { vertical-align: -1px; margin-right: 5px; }
.key[aria-pressed=false] { opacity: .5; text-decoration: line-through; }
.whisker { vertical-align: -3px; }
@media (max-width: 620px) { body { padding: 10px 12px 40px; } .chart text { font-size: 15.5px; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 6px; }
  tbody th { max-width: 150px; } th, td { padding: 3px 7px; } }
@media print { body { max-width: none; } .scroll { overflow: visible; } nav { display: none; } }
"""

SCRIPT = """
for (const key of document.querySelectorAll('.key')) key.addEventListener('click', () => {
  const shown = key.getAttribute('aria-pressed') !== 'true';
  key.setAttribute('aria-pressed', shown);
  for (const part of key.closest('figure').querySelectorAll('.chart [data-series="' +
    key.dataset.series + '"]')) part.classList.toggle('off', !shown);
});
"""
