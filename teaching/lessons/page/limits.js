"use strict";
// What a page takes: how far apart numbers may be, as teaching/lessons/ranges.py has it, and how large.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const WHY = "the solver works to 1e-9, and beyond that its rounding shows";

  // Every number of a problem with the place where it stands.
  function* numbers(part, path = []) {
    if (typeof part === "number") yield [path, part];
    else if (part && typeof part === "object")
      for (const [key, value] of Object.entries(part)) yield* numbers(value, [...path, key]);
  }

  // Words for the first number that is not 0 and too small or too large, or null. Only numbers of
  // `field` are looked at, if there is one.
  lesson.outside = function outside(problem, { least, most }, field = null) {
    for (const [path, value] of numbers(problem)) {
      if ((field !== null && path.at(-1) !== field) || value === 0) continue;
      const size = Math.abs(value);
      if (size >= least && size <= most) continue;
      return (
        `${path.join(".")}: ${lesson.number(value)}; this page takes numbers from ` +
        `${lesson.number(least, 1)} to ${lesson.number(most, 1)}: ${WHY}`
      );
    }
    return null;
  };

  // Words for the first of [found, most, what] with too many, or null.
  lesson.tooMany = function tooMany(counts) {
    const over = counts.find(([found, most]) => found > most);
    return over ? `this page takes at most ${over[1]} ${over[2]}, here are ${over[0]}` : null;
  };

  // Words for a name that stands twice, or null.
  lesson.twice = function twice(names, what) {
    const name = names.find((one, k) => names.indexOf(one) !== k);
    return name === undefined ? null : `${what} name “${name}” is used twice`;
  };

  // Words for work that is longer than a big-M may be, or null.
  lesson.tooLong = function tooLong(seconds, most) {
    if (seconds <= most) return null;
    return (
      `all work one after another would take ${lesson.number(seconds, 10)} s; this page takes at most ` +
      `${lesson.number(most, 10)} s, as its big-M is that long: ${WHY}`
    );
  };
}
