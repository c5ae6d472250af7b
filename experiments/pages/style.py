"""Style and script of the page: light and dark, wide and narrow, printed, with no network."""

STYLE = """
h2 { margin-top: 34px; border-top: 1px solid var(--line); padding-top: 14px; }
p { max-width: 76ch; }
nav { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 10px 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 16px; margin: 8px 0; }
dt { color: var(--soft); } dd { margin: 0; min-width: 0; }
td.w, th.w { text-align: left; }
.scroll tbody th { position: sticky; left: 0; background: var(--paper);
  min-width: 16ch; max-width: 300px; white-space: normal; }
td.w { white-space: normal; min-width: 9ch; }
td.long { min-width: 220px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr));
  gap: 14px 26px; align-items: start; }
figure { margin: 8px 0; min-width: 0; max-width: 620px; }
figcaption { font-weight: 600; }
figure p { color: var(--soft); font-size: 13.5px; }
.chart { width: 100%; height: auto; display: block; overflow: visible; }
.chart text { font-family: system-ui, sans-serif !important; }
.s0 { --c: var(--c0); } .s1 { --c: var(--c1); } .s2 { --c: var(--c2); } .s3 { --c: var(--c3); }
.s4 { --c: var(--c4); } .s5 { --c: var(--c5); } .s6 { --c: var(--c6); } .s7 { --c: var(--c7); }
.key .line { stroke: var(--c); stroke-width: 1.4; fill: none; }
.key .mark { fill: var(--c); }
.off { display: none; }
.keys { display: flex; flex-wrap: wrap; gap: 4px 6px; }
.key { font-size: 13.5px; background: none; padding: 2px 7px; min-height: 0; max-width: 100%; }
.key svg { vertical-align: -1px; margin-right: 5px; }
.key[aria-pressed=false] { opacity: .5; text-decoration: line-through; }
.whisker { vertical-align: -3px; fill: none; stroke: var(--c0); stroke-width: 1.4; }
.whisker .axis { stroke: var(--soft); stroke-width: 1; }
.whisker .mark { fill: var(--c0); stroke: var(--paper); }
@media (max-width: 620px) {
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 6px; }
  .scroll tbody th { max-width: 150px; } }
@media print { nav { display: none; } }
"""

SCRIPT = """
for (const key of document.querySelectorAll('.key')) key.addEventListener('click', () => {
  const shown = key.getAttribute('aria-pressed') !== 'true';
  key.setAttribute('aria-pressed', shown);
  for (const part of key.closest('figure').querySelectorAll('.chart [data-series="' +
    key.dataset.series + '"]')) part.classList.toggle('off', !shown);
});
"""
