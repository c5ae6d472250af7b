"use strict";
// The allocation program of [LoTES], equations (1) to (5) and the fit rule (A1).
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const y = (j, k) => `y_${j}_${k}`;

  function rate(one, configuration) {
    const mean = typeof one.mean_time === "object" ? one.mean_time[configuration.name] : one.mean_time;
    return mean === undefined ? 0 : 1 / mean;
  }

  const amount = (amounts, resource) => amounts[resource] ?? 0;

  const unit = (problem) => `jobs/${problem.time_unit ?? "h"}`;

  // What runs: jobs of each class on each configuration, and what share of each resource they take.
  function picture(problem, solution) {
    const { configurations, classes, resources } = problem;
    const running = configurations.map((_, j) =>
      classes.map((_, k) => Math.max(0, solution.columns[y(j, k)] ?? 0)),
    );
    const lanes = [];
    const bars = [];
    configurations.forEach((configuration, j) =>
      resources.forEach((r) => {
        const pooled = amount(configuration.capacity, r) * configuration.count;
        let used = 0;
        classes.forEach((one, k) => {
          const needed = amount(one.request, r) * running[j][k];
          if (needed <= 1e-9) return;
          const share = pooled > 0 ? needed / pooled : 1;
          const key = `${j}/${k}`;
          bars.push({
            lane: lanes.length, begin: used, end: used + share, setup: 0, label: one.name, group: k, key,
          });
          used += share;
        });
        lanes.push(`${configuration.name} ${r}`);
      }),
    );
    return { lanes, bars, lines: [{ label: "full", at: 1, dashed: true }], value: solution.value, running };
  }

  // What the answer breaks, from the datacenter alone: how much work arrives, what machines have.
  function check(problem, { running, value }) {
    const { configurations, classes, resources } = problem;
    const { number, percent } = lesson;
    const found = [];
    const slack = 1 + 1e-6;
    configurations.forEach((configuration, j) =>
      classes.forEach((one, k) => {
        if (running[j][k] <= 1e-6) return;
        const mean = typeof one.mean_time === "object" ? one.mean_time[configuration.name] : one.mean_time;
        const missing = resources.find(
          (r) => amount(one.request, r) > amount(configuration.capacity, r) * slack,
        );
        if (!(mean > 0)) {
          found.push({
            rule: "cannot run there",
            text: `${number(running[j][k])} jobs of ${one.name} run on ${configuration.name}, where the class cannot run`,
            keys: [`${j}/${k}`],
          });
        } else if (missing) {
          found.push({
            rule: "fits no machine",
            text:
              `${number(running[j][k])} jobs of ${one.name} run on ${configuration.name}; one needs ` +
              `${number(amount(one.request, missing))} ${missing}, a machine has ` +
              `${number(amount(configuration.capacity, missing))}`,
            keys: [`${j}/${k}`],
          });
        }
      }),
    );
    configurations.forEach((configuration, j) =>
      resources.forEach((r) => {
        const pooled = amount(configuration.capacity, r) * configuration.count;
        const needed = classes.reduce((sum, one, k) => sum + amount(one.request, r) * running[j][k], 0);
        if (needed <= pooled * slack + 1e-9) return;
        found.push({
          rule: "more than there is",
          text:
            `${configuration.name}: the jobs take ${number(needed)} ${r}, the ` +
            `${lesson.many(configuration.count, "machine")} have ${number(pooled)} (${percent(needed / pooled)})`,
          keys: classes.flatMap((one, k) => (amount(one.request, r) * running[j][k] > 0 ? [`${j}/${k}`] : [])),
        });
      }),
    );
    classes.forEach((one, k) => {
      const arrives = one.share * value;
      const served = configurations.reduce((sum, c, j) => sum + rate(one, c) * running[j][k], 0);
      if (served * slack + 1e-9 >= arrives) return;
      found.push({
        rule: "not served",
        text: `${number(arrives)} ${unit(problem)} of ${one.name} arrive, ${number(served)} are served`,
        keys: configurations.map((_, j) => `${j}/${k}`),
      });
    });
    return found;
  }

  // One lane for each resource of each configuration, filled by the classes that run there.
  function html(problem, solution, on, { bars, running }, options) {
    const { escape, number, percent } = lesson;
    const { configurations, classes, resources } = problem;
    const widest = Math.max(1, ...bars.map((bar) => bar.end));
    const blocks = configurations.map((configuration, j) => {
      const lanes = resources.map((name, l) => {
        const parts = bars.filter((bar) => bar.lane === j * resources.length + l);
        const says = (bar) => `${bar.label}: ${number(running[j][bar.group])} jobs, ${percent(bar.end - bar.begin)}`;
        return { name, parts: parts.map((bar) => ({ ...bar, says: says(bar) })) };
      });
      const jobs = classes
        .map((one, k) => (running[j][k] > 1e-6 ? `${number(running[j][k], 4)} ${one.name}` : ""))
        .filter(Boolean);
      const machines = lesson.many(configuration.count, "machine");
      return (
        `<section class=machines><h3>${escape(configuration.name)} <small>${machines}; runs ` +
        `${escape(lesson.listed(jobs) || "nothing")}</small></h3>` +
        `${lesson.tracks(lanes, { ...options, widest })}</section>`
      );
    });
    return `<div class=shares>${lesson.legend(classes.map(({ name }) => name))}${blocks.join("")}</div>`;
  }

  function sentences(problem, solution, on, { bars, lanes, running }) {
    const { number } = lesson;
    const full = lanes.filter((_, lane) => bars.some((bar) => bar.lane === lane && bar.end >= 1 - 1e-7));
    const said = [
      full.length
        ? `Full: ${lesson.listed(full)}. All other resources are left over.`
        : "No resource is full.",
    ];
    problem.classes.forEach((one, k) => {
      const places = problem.configurations
        .map((c, j) => [c.name, rate(one, c) * running[j][k]])
        .filter(([, served]) => served > 1e-6)
        .map(([name, served]) => `${number(served, 4)} on ${name}`);
      const arrive = one.share * solution.value;
      said.push(
        `${one.name}: ${number(arrive)} ${unit(problem)} arrive; served: ${lesson.listed(places) || "none"}.`,
      );
    });
    return said;
  }

  // Exact prices: the duals. Prices times what there is add up to the optimum (strong duality).
  function prices(problem, answer, built, on) {
    if (answer.status !== "optimal" || !on.has("eq2_demand") || !on.has("eq4_capacity")) return null;
    const { number, rowName } = lesson;
    const lines = [];
    let total = 0;
    let k = 0;
    problem.configurations.forEach((configuration) =>
      problem.resources.forEach((r) => {
        if (!problem.classes.some((one) => amount(one.request, r))) return;
        const [, , pooled] = built.rows.eq4_capacity[k];
        const price = answer.rows[rowName("eq4_capacity", k++)]?.dual ?? 0;
        total += price * pooled;
        lines.push(
          Math.abs(price) <= 1e-9
            ? `${configuration.name}, ${r}: 0, some is left over.`
            : `${configuration.name}, ${r}: ${number(price)} ${unit(problem)} for one more, times ` +
                `${number(pooled)} that there are = ${number(price * pooled)}.`,
        );
      }),
    );
    problem.classes.forEach((one, place) => {
      const price = -(answer.rows[rowName("eq2_demand", place)]?.dual ?? 0);
      lines.push(
        `${one.name}: one job more of it in each ${problem.time_unit ?? "h"} lowers the optimum by ${number(price)}.`,
      );
    });
    const agrees = lesson.close(total, answer.value);
    const lead =
      `What one more of each resource is worth: the duals of (4), exact for small changes. They add up to ` +
      `${number(total)}, ${agrees ? "the optimum itself: capacity is worth what it carries" : `not the optimum ${number(answer.value)}: do not trust this page`}.` +
      " Where several solutions are optimal at a corner, there are several such prices.";
    return { lead, lines };
  }

  lesson.models["allocation"] = {
    picture, check, html, sentences, prices,
    draw: false, // its drawing is in `html`: shares, not times
    noun: { value: "The model says: arrival rate", truth: "The truth" },
  };
}
