"use strict";
// What is measured while the page waits: each big-M halved and doubled, the model without each rule
// that is there for speed, and the same instance in another model.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const { escape, number, many } = lesson;

  const NAMES = { 0.5: "halved", 1: "as it is", 2: "doubled" };
  const seconds = (found) => `${number(found.seconds, 2)} s`;
  const said = (found) => (found.status === "optimal" ? number(found.value) : escape(found.status));
  const effort = (found) =>
    `${found.nodes === null ? "–" : many(found.nodes, "node")} in ${seconds(found)}`;
  lesson.effort = effort;

  // What the answer of all rules breaks in rows with a smaller big-M, in words.
  lesson.cutOff = function cutOff(built, on, truth, unit) {
    if (truth.status !== "optimal") return [];
    const found = {};
    for (const [, terms, lower, upper, component] of lesson.rowsOn(built, on)) {
      const value = lesson.activity(terms, truth.columns);
      const short = Math.max((lower ?? -Infinity) - value, value - (upper ?? Infinity));
      if (short <= 1e-6 * Math.max(1, Math.abs(value))) continue;
      const one = (found[component] ??= { rows: 0, worst: 0 });
      one.rows += 1;
      one.worst = Math.max(one.worst, short);
    }
    const parts = Object.entries(found).map(
      ([component, { rows, worst }]) => `${many(rows, "row")} of ${component} (by up to ${number(worst)} ${unit})`,
    );
    const optimum = `the optimum of ${number(truth.value)} ${unit}`;
    return [
      parts.length
        ? `Half the big-M cuts off ${optimum} that was found: it breaks ${lesson.listed(parts)}.`
        : `Half the big-M leaves ${optimum} that was found.`,
    ];
  };

  async function bigMs(page, { on, truth }) {
    const rows = [];
    for (const factor of lesson.FACTORS) {
      const built = page.model(factor);
      const found = await page.measured(lesson.lpText(built, on));
      const relaxed = await page.solved(on, { relax: true }, built);
      const mark = factor === page.bigM ? " <b>(shown)</b>" : "";
      rows.push([NAMES[factor] + mark, said(relaxed), said(found), said(truth), effort(found)]);
    }
    const unit = page.data.unit;
    page.view.at("big-m-table").innerHTML = lesson.table(
      ["big-M", `relaxation (${unit})`, `model says (${unit})`, `truth (${unit})`, "search"], rows);
  }

  async function speed(page, { whole }) {
    const { statements, unit } = page.data;
    const told = async (on) => {
      const relaxed = await page.solved(on, { relax: true }, whole);
      return `LP ${said(relaxed)} ${unit}, ${effort(await page.measured(lesson.lpText(whole, on)))}`;
    };
    const all = await told(page.all);
    for (const label of lesson.labels(statements, "speed")) {
      const on = lesson.componentsOn(statements, new Set([label]));
      const gone = [...page.all].filter((component) => !on.has(component));
      const none = gone.every((component) => !whole.rows[component]?.length);
      page.view.speed(label, none ? "it has no rows here" : `without it ${await told(on)}; with all rules ${all}`);
    }
  }

  function sizes(built) {
    const variables = Object.values(built.variables);
    const rows = Object.values(built.rows).flat();
    const terms = rows.reduce((total, [coefficients]) => total + Object.keys(coefficients).length, 0);
    return [variables.length, variables.filter((one) => one.integer).length, rows.length, terms].map((size) => number(size));
  }

  async function both(page, { whole, truth }) {
    const { data, plugin } = page, place = page.view.at("both");
    const { beside } = data.facts;
    if (beside.refused) {
      place.innerHTML = `<h2>In the ${plugin.beside} model</h2><p class=note>${escape(beside.refused)}</p>`;
      return;
    }
    const models = [[data.model, whole], [plugin.beside, beside]];
    const lines = [];
    for (const [name, built] of models) {
      const on = new Set(Object.keys(built.rows));
      const relaxed = await page.solved(on, { relax: true }, built);
      const found = await page.measured(lesson.lpText(built, on));
      const wrong = found.status === "optimal" && truth.status === "optimal" && !lesson.close(found.value, truth.value);
      lines.push([
        escape(name), ...sizes(built), said(relaxed),
        said(found) + (wrong ? " <b>differs: do not trust this page</b>" : ""),
        found.nodes === null ? "–" : number(found.nodes), number(found.seconds, 2),
      ]);
    }
    const { unit } = data;
    place.innerHTML = `<h2>This instance in both models</h2><p class=note>All rules on. Seconds are of this browser.</p>${lesson.table(
      ["model", "variables", "of them whole", "rows", "nonzeros", `relaxation (${unit})`, `optimum (${unit})`, "nodes", "seconds"],
      lines,
    )}`;
  }

  lesson.measure = async function measure(page, state) {
    const still = () => page.state_ === state;
    if (page.plugin.bigM) await bigMs(page, state);
    if (still()) await speed(page, state);
    if (still() && page.plugin.beside) await both(page, state);
  };
}
