"use strict";
// Numbers and names in words.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

  // Text as HTML that shows it as it is.
  lesson.escape = (text) => String(text).replace(/[&<>"']/g, (letter) => ESCAPES[letter]);

  // A number with up to `digits` significant digits, thousands apart, no noise behind the point.
  lesson.number = function number(value, digits = 6) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
    if (Math.abs(value) < 1e-9) return "0";
    const size = Math.abs(value);
    let text;
    if (size >= 1e15 || size < 1e-6) text = size.toExponential(digits - 1);
    else {
      const places = Math.max(0, Math.min(9, digits - 1 - Math.floor(Math.log10(size))));
      text = size.toFixed(places);
      if (text.includes(".")) text = text.replace(/\.?0+$/, "");
      const [whole, part] = text.split(".");
      text = whole.replace(/(?<=\d)(?=(\d{3})+$)/g, whole.length > 4 ? "\u202f" : "");
      if (part) text += `.${part}`;
    }
    return value < 0 ? `−${text}` : text;
  };

  lesson.percent = (share) => `${lesson.number(100 * share, 3)}\u00a0%`;

  // `1 row`, `2 rows`.
  lesson.many = (count, what) => `${lesson.number(count)} ${what}${count === 1 ? "" : "s"}`;

  // `a`, `a and b`, `a, b and c`.
  lesson.listed = (names) =>
    names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

  /** A table as HTML; cells are HTML, headings text. */
  lesson.table = (headings, rows) =>
    "<div class=wide><table><thead><tr>" +
    headings.map((name) => `<th scope=col>${lesson.escape(name)}</th>`).join("") +
    `</tr></thead><tbody>${rows
      .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`)
      .join("")}</tbody></table></div>`;
}
