"use strict";
// Bars from 0 to 1 and beyond: what share of something each class or leaf takes.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  lesson.colour = (group) => `var(--c${group % 8})`;

  lesson.legend = (names) =>
    `<ul class=legend>${names
      .map((name, k) => `<li><span style="background:${lesson.colour(k)}"></span>${lesson.escape(name)}</li>`)
      .join("")}</ul>`;

  /**
   * Lanes as HTML. A lane is {name, parts, used, marks}: parts are {begin, end, group, key, says},
   * with `faint` for what was there before; `used` is written behind it; marks are {at, says}. All
   * lanes have one scale, until `widest`; a dashed line stands at 1 if `full`.
   */
  lesson.tracks = function tracks(lanes, { broken, chosen, widest = 1, full = true } = {}) {
    const { escape, percent } = lesson;
    const place = (share) => `${((100 * share) / widest).toFixed(3)}%`;
    const part = ({ begin, end, group, key, says, faint }) => {
      const marks = [broken?.has(key) ? " broken" : "", chosen?.has(key) ? " chosen" : ""].join("");
      return (
        `<span class="part${marks}" title="${escape(says)}" style="left:${place(begin)};` +
        `width:${place(end - begin)};background:${lesson.colour(group)}${faint ? ";opacity:.55" : ""}"></span>`
      );
    };
    const mark = ({ at, says }) =>
      `<span class=mark title="${escape(says)}" style="left:${place(at)}"></span>`;
    const long = lanes.some(({ name }) => name.length > 9) ? " long" : "";
    const breaking = (name) => escape(name).replaceAll("/", "/<wbr>");
    return lanes
      .map(({ name, parts, used, marks = [] }) => {
        const end = used ?? parts.at(-1)?.end ?? 0;
        return (
          `<div class="share${long}"><span class=of>${breaking(name)}</span><span class=track>` +
          parts.map(part).join("") + marks.map(mark).join("") +
          (full ? `<span class=full style="left:${place(1)}"></span>` : "") +
          `</span><span class=used>${percent(end)}</span></div>`
        );
      })
      .join("");
  };
}
