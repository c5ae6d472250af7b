"use strict";
// Models as plain data: their LP text, their comparison with shipped rows, rows at a point.
//
// A built model is {variables: {name: {integer, lower, upper}}, sense: "min" | "max",
// objective: {name: coefficient}, rows: {component: [[{name: coefficient}, lower, upper], …]}};
// null is no bound.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const WIDTH = 96;

  // Row k of a component, also in the LP text; `_up` and `_low` are the halves of a range.
  lesson.rowName = (component, k) => `${component}_${k + 1}`;

  function terms(coefficients) {
    const words = [];
    for (const [name, coefficient] of Object.entries(coefficients)) {
      if (coefficient === 0) continue;
      const size = Math.abs(coefficient);
      const sign = coefficient < 0 ? "- " : words.length ? "+ " : "";
      words.push(`${sign}${size === 1 ? "" : `${size} `}${name}`);
    }
    return words;
  }

  function wrapped(begin, words) {
    const lines = [` ${begin}`];
    for (const word of words) {
      if (lines.at(-1).length + word.length > WIDTH) lines.push("   ");
      lines[lines.length - 1] += ` ${word}`;
    }
    return lines;
  }

  function bound(name, { integer, lower, upper }, relax) {
    if (integer && !relax && lower === 0 && upper === 1) return null; // Binaries have these
    if (lower === null && upper === null) return ` ${name} free`;
    if (lower === upper) return ` ${name} = ${lower}`;
    if (upper === null) return lower === 0 ? null : ` ${name} >= ${lower}`;
    return ` ${lower ?? "-inf"} <= ${name} <= ${upper}`;
  }

  // The rows of the components in `on`: [name, coefficients, lower, upper], only those with terms.
  lesson.rowsOn = function rowsOn(built, on) {
    const rows = [];
    for (const [component, list] of Object.entries(built.rows)) {
      if (!on.has(component)) continue;
      list.forEach(([coefficients, lower, upper], k) => {
        rows.push([lesson.rowName(component, k), coefficients, lower, upper, component]);
      });
    }
    return rows;
  };

  // The model as LP text, with the components in `on`. `relax` leaves out that variables are whole;
  // `more` are lines of further rows.
  lesson.lpText = function lpText(built, on, { relax = false, more = [] } = {}) {
    const lines = [];
    const seen = new Set(Object.keys(built.objective).filter((name) => built.objective[name]));
    for (const [name, coefficients, lower, upper] of lesson.rowsOn(built, on)) {
      const words = terms(coefficients);
      if (!words.length) continue;
      for (const used in coefficients) if (coefficients[used]) seen.add(used);
      if (lower === upper) lines.push(...wrapped(`${name}:`, [...words, "=", String(lower)]));
      else if (lower === null) lines.push(...wrapped(`${name}:`, [...words, "<=", String(upper)]));
      else if (upper === null) lines.push(...wrapped(`${name}:`, [...words, ">=", String(lower)]));
      else {
        lines.push(...wrapped(`${name}_low:`, [...words, ">=", String(lower)]));
        lines.push(...wrapped(`${name}_up:`, [...words, "<=", String(upper)]));
      }
    }
    // A variable that no row has any more keeps its bounds, and is there to be read.
    const names = Object.keys(built.variables);
    const idle = names.filter((name) => !seen.has(name)).map((name) => `+ 0 ${name}`);
    const objective = wrapped("objective:", [...terms(built.objective), ...idle]);
    const bounds = names.map((name) => bound(name, built.variables[name], relax));
    const whole = relax ? [] : names.filter((name) => built.variables[name].integer);
    const isBinary = (name) => built.variables[name].lower === 0 && built.variables[name].upper === 1;
    const binary = whole.filter(isBinary);
    const general = whole.filter((name) => !isBinary(name));
    return [
      built.sense === "max" ? "maximize" : "minimize",
      ...objective,
      "subject to",
      ...lines,
      ...more,
      "bounds",
      ...bounds.filter((line) => line !== null),
      ...(binary.length ? ["binaries", ...wrapped("", binary)] : []),
      ...(general.length ? ["generals", ...wrapped("", general)] : []),
      "end",
      "",
    ].join("\n");
  };

  const near = (a, b) =>
    a === b ||
    (a !== null &&
      b !== null &&
      Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)));

  function sameTerms(one, other) {
    const nonzero = (terms) => Object.keys(terms).filter((name) => terms[name] !== 0);
    const names = nonzero(one);
    return (
      names.length === nonzero(other).length &&
      names.every((name) => name in other && near(one[name], other[name]))
    );
  }

  const negative = (value) => (value === null ? null : -value);

  function sameRow(one, other) {
    if (!one || !other) return false;
    const [terms, lower, upper] = one;
    if (sameTerms(terms, other[0]) && near(lower, other[1]) && near(upper, other[2])) return true;
    // The same row with all signs turned.
    const turned = Object.fromEntries(Object.entries(terms).map(([name, c]) => [name, -c]));
    return (
      sameTerms(turned, other[0]) &&
      near(negative(upper), other[1]) &&
      near(negative(lower), other[2])
    );
  }

  const written = (row) => (row ? JSON.stringify(row) : "no row");

  // Differences between what the page builds and what the lesson was shipped with, in words.
  lesson.differences = function differences(built, shipped) {
    const found = [];
    const names = new Set([...Object.keys(built.variables), ...Object.keys(shipped.variables)]);
    for (const name of names) {
      const [one, other] = [built.variables[name], shipped.variables[name]];
      const same =
        one &&
        other &&
        Boolean(one.integer) === other.integer &&
        near(one.lower, other.lower) &&
        near(one.upper, other.upper);
      if (!same) found.push(`variable ${name}: ${written(one)} here, ${written(other)} shipped`);
    }
    if (built.sense !== shipped.sense) found.push(`the objective is ${built.sense} here`);
    if (!sameTerms(built.objective, shipped.objective)) found.push("the objective differs");
    for (const component of new Set([...Object.keys(built.rows), ...Object.keys(shipped.rows)])) {
      const [one, other] = [built.rows[component] ?? [], shipped.rows[component] ?? []];
      for (let k = 0; k < Math.max(one.length, other.length); k++) {
        if (sameRow(one[k], other[k])) continue;
        const name = lesson.rowName(component, k);
        found.push(`${name}: ${written(one[k])} here, ${written(other[k])} shipped`);
      }
    }
    return found;
  };

  // Value of a row's left side at a solution.
  lesson.activity = (coefficients, columns) =>
    Object.entries(coefficients).reduce((sum, [name, c]) => sum + c * (columns[name] ?? 0), 0);

  // Rows of each component in `on`, how many of them are tight at the solution, and how many carry
  // the bound (a dual that is not 0).
  lesson.census = function census(built, on, found) {
    const table = {};
    for (const [name, coefficients, lower, upper, component] of lesson.rowsOn(built, on)) {
      const line = (table[component] ??= { rows: 0, tight: 0, carry: 0 });
      line.rows += 1;
      const value = lesson.activity(coefficients, found.columns);
      const slack = Math.min(
        lower === null ? Infinity : Math.abs(value - lower),
        upper === null ? Infinity : Math.abs(value - upper),
      );
      if (slack <= 1e-7 * Math.max(1, Math.abs(value))) line.tight += 1;
      const duals = [name, `${name}_low`, `${name}_up`].map((key) => found.rows[key]?.dual ?? 0);
      if (duals.some((dual) => Math.abs(dual) > 1e-9)) line.carry += 1;
    }
    return table;
  };
}
