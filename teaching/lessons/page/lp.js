"use strict";
// Models as plain data: their LP text, their big-Ms multiplied, the least
// values that they allow, rows at a point.
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

  // The model with its big-Ms multiplied. In the rows of each component the big-M is the coefficient
  // of the variables whose names begin with `prefixes[component]`; where it is subtracted, as in
  // -M (1 - x), it is part of the bound, too.
  lesson.scaled = function scaled(model, prefixes, factor) {
    if (factor === 1) return model;
    const rows = { ...model.rows };
    for (const [component, prefix] of Object.entries(prefixes))
      rows[component] = (rows[component] ?? []).map(([coefficients, lower, upper]) => {
        const sign = lower === null ? -1 : 1, next = { ...coefficients };
        let shift = 0;
        for (const [name, c] of Object.entries(coefficients)) {
          if (!name.startsWith(prefix)) continue;
          next[name] = factor * c;
          if (sign * c < 0) shift = (factor - 1) * c;
        }
        return [next, lower === null ? null : lower + shift, upper === null ? null : upper + shift];
      });
    return { ...model, rows };
  };

  // The least value that the rows of some components leave to every variable that is not whole, for
  // the given values of the whole ones. In each of these rows at most one of the former has a positive
  // sign on the greater side, so that values only rise from their lower bounds until all rows hold.
  lesson.leastValues = function leastValues(built, components, whole) {
    const x = {};
    for (const [name, { integer, lower }] of Object.entries(built.variables))
      x[name] = integer ? Math.round(whole[name] ?? 0) : (lower ?? 0);
    const raise = (row, least, sign) => {
      let rest = 0, target = null;
      for (const [name, factor] of Object.entries(row)) {
        const a = sign * factor;
        if (a > 0 && !built.variables[name].integer) target = { name, a };
        else rest += a * x[name];
      }
      if (target === null) return false;
      const value = (sign * least - rest) / target.a;
      if (value <= x[target.name] + 1e-10) return false;
      x[target.name] = value;
      return true;
    };
    for (let again = true, round = 0; again && round < 1000; round++) {
      again = false;
      for (const component of components)
        for (const [row, lower, upper] of built.rows[component] ?? []) {
          if (lower !== null && raise(row, lower, 1)) again = true;
          if (upper !== null && raise(row, upper, -1)) again = true;
        }
    }
    return x;
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
