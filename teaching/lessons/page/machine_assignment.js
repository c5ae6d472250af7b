"use strict";
// LoTES, equations (6) to (10): the same rows as formulations/datacenter/machine_assignment/model.py.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const assignment = (lesson.machineAssignment ??= {});

  const FIT_TOLERANCE = 1e-9, DIGITS = 14;

  /** Capacities and requests in integer units, as instances/datacenter counts them, and rates. */
  function data(problem) {
    const { resources, configurations, classes } = problem;
    const amount = (amounts, r) => amounts[resources[r]] ?? 0;
    const numbers = [...resources.keys()];
    const unit = numbers.map((r) => {
      const most = Math.max(...configurations.map((one) => amount(one.capacity, r)));
      return Number(`1e${Math.floor(Math.log10(most > 0 ? most : 1)) - DIGITS}`);
    });
    const capacity = configurations.map((one) =>
      numbers.map((r) => {
        const units = Math.round(amount(one.capacity, r) / unit[r]);
        return units + Math.floor(units * FIT_TOLERANCE);
      }),
    );
    const request = classes.map((one) =>
      numbers.map((r) => {
        const units = Math.min(Math.round(amount(one.request, r) / unit[r]), 10 ** (DIGITS + 2));
        return units || (amount(one.request, r) > 0 ? 1 : 0);
      }),
    );
    const time = classes.map((one) =>
      configurations.map(({ name }) =>
        typeof one.mean_time === "number" ? one.mean_time : (one.mean_time[name] ?? Infinity),
      ),
    );
    const rate = time.map((row) => row.map((t) => 1 / t));
    const fits = classes.map((_, k) =>
      configurations.map(
        (__, j) => time[k][j] < Infinity && request[k].every((units, r) => units <= capacity[j][r]),
      ),
    );
    return { capacity, request, rate, fits };
  }

  /** How many jobs of a class fit into the room that is left. */
  const fitting = (request, room) =>
    Math.min(...request.map((units, r) => (units > 0 ? Math.floor(room[r] / units) : Infinity)));

  /** Room that a bin leaves on a machine of configuration j. */
  const roomOf = ({ capacity, request }, j, jobs) =>
    capacity[j].map((units, r) => units - jobs.reduce((used, n, k) => used + n * request[k][r], 0));

  /** The bins of each configuration, as the shipped rows of (8) have them: jobs of each class. */
  function binsIn({ variables, rows }, problem) {
    const bins = problem.configurations.map(() => []);
    for (const name of Object.keys(variables)) {
      const [letter, j, i] = name.split("_");
      if (letter === "x") bins[j][i] = problem.classes.map(() => 0);
    }
    for (const [row] of rows.eq8_running) {
      const [, j, k] = Object.keys(row).find((name) => name.startsWith("run_")).split("_");
      for (const [name, n] of Object.entries(row))
        if (name.startsWith("x_")) bins[j][name.split("_")[2]][k] = Math.abs(n);
    }
    return bins;
  }

  const machines = (j, i) => `x_${j}_${i}`;
  const running = (j, k) => `run_${j}_${k}`;

  /** The rows over the bins given: those of the master where they are not all. */
  function over(problem, bins, known = data(problem)) {
    const variables = { lambda: { integer: false, lower: 0, upper: null } };
    const classes = [...problem.classes.keys()], configurations = [...problem.configurations.keys()];
    for (const j of configurations)
      for (const k of classes) variables[running(j, k)] = { integer: false, lower: null, upper: null };
    for (const j of configurations)
      for (const i of bins[j].keys()) variables[machines(j, i)] = { integer: true, lower: 0, upper: null };
    const rows = {};
    rows.eq7_demand = classes.map((k) => {
      // As Pyomo writes `served >= arriving`: all on the right side.
      const row = {};
      for (const j of configurations) if (known.rate[k][j]) row[running(j, k)] = -known.rate[k][j];
      if (problem.classes[k].share) row.lambda = problem.classes[k].share;
      return [row, null, 0];
    });
    rows.eq8_running = configurations.flatMap((j) =>
      classes.map((k) => {
        const row = { [running(j, k)]: -1 };
        for (const [i, jobs] of bins[j].entries()) if (jobs[k]) row[machines(j, i)] = jobs[k];
        return [row, 0, 0];
      }),
    );
    rows.eq9_one_bin_each = configurations.map((j) => {
      const { count } = problem.configurations[j];
      return [Object.fromEntries(bins[j].map((_, i) => [machines(j, i), 1])), count, count];
    });
    return { variables, sense: "max", objective: { lambda: 1 }, rows };
  }

  /** Bins of one class each, as many of its jobs as fit: what column generation starts with. */
  function binsOfOneClass(problem, known = data(problem)) {
    return problem.configurations.map((_, j) => {
      const bins = [...problem.classes.keys()]
        .filter((k) => known.fits[k][j])
        .map((k) => problem.classes.map((__, other) =>
          other === k ? fitting(known.request[k], known.capacity[j]) : 0));
      return bins.length ? bins : [problem.classes.map(() => 0)];
    });
  }

  const unit = (problem) => `jobs/${problem.time_unit ?? "h"}`;
  const amount = (amounts, name) => amounts[name] ?? 0;

  /** `3 k1 + 1 k2`, or `nothing`. */
  function binName(problem, jobs) {
    const parts = jobs.flatMap((n, k) => (n ? [`${n} ${problem.classes[k].name}`] : []));
    return parts.join(" + ") || "nothing";
  }

  /** What a machine's resources hold: a part for each class in the bin, as a share of all there is. */
  function lanesOf(problem, j, jobs, key) {
    return problem.resources.map((name) => {
      const there = amount(problem.configurations[j].capacity, name);
      let end = 0;
      const parts = jobs.flatMap((n, k) => {
        const needed = n * amount(problem.classes[k].request, name);
        if (!(needed > 0)) return [];
        const begin = end;
        end += there > 0 ? needed / there : 1;
        const says = `${n} ${problem.classes[k].name}: ${lesson.number(needed)} of ${lesson.number(there)} ${name}`;
        return [{ begin, end, group: k, key, says }];
      });
      return { name, parts };
    });
  }

  /** The plan that the rows left on say: which machines have which bin, and the arrival rate. */
  function picture(problem, solution, on, built) {
    const bins = binsIn(built, problem), plan = [];
    for (const [j, list] of bins.entries())
      for (const [i, jobs] of list.entries()) {
        const count = solution.columns[machines(j, i)] ?? 0;
        if (count > 1e-6) plan.push({ j, jobs, count, key: `${j}/${i}` });
      }
    const bars = plan.flatMap(({ j, jobs, key }, lane) =>
      lanesOf(problem, j, jobs, key)[0].parts.map((part) => ({ ...part, lane })));
    return { lanes: plan.map(({ j, jobs }) => `${problem.configurations[j].name}: ${binName(problem, jobs)}`),
      bars, lines: [], value: solution.value, plan,
      claimed: bins.map((_, j) => problem.classes.map((__, k) => solution.columns[running(j, k)] ?? 0)) };
  }

  /** What a plan breaks, from the datacenter alone: what fits, how many machines, who is served. */
  function check(problem, { plan, value, claimed }) {
    const { configurations, classes, resources } = problem;
    const { number, percent } = lesson;
    const found = [];
    const keysOf = (kept) => plan.filter(kept).map(({ key }) => key);
    const meanTime = ({ mean_time: mean }, j) =>
      typeof mean === "object" ? mean[configurations[j].name] : mean;
    for (const { j, jobs, key } of plan) {
      for (const name of resources) {
        const needed = jobs.reduce((sum, n, k) => sum + n * amount(classes[k].request, name), 0);
        const there = amount(configurations[j].capacity, name);
        if (needed > there * (1 + 2e-9))
          found.push({
            rule: "a bin fits its machine",
            text: `${binName(problem, jobs)} needs ${number(needed)} ${name}, a machine of ${configurations[j].name} has ${number(there)}`,
            keys: [key],
          });
      }
      for (const [k, n] of jobs.entries())
        if (n && !(meanTime(classes[k], j) > 0))
          found.push({
            rule: "a class runs where it can",
            text: `${classes[k].name} cannot run on ${configurations[j].name}`,
            keys: [key],
          });
    }
    for (const [j, { name, count }] of configurations.entries()) {
      const used = plan.reduce((sum, one) => sum + (one.j === j ? one.count : 0), 0);
      if (Math.abs(used - count) > 1e-6 * Math.max(1, count))
        found.push({
          rule: used > count ? "no more machines than there are" : "a bin for every machine",
          text: `${name}: bins for ${number(used)} machines, there are ${number(count)}`,
          keys: keysOf((one) => one.j === j),
        });
    }
    for (const [j, { name }] of configurations.entries())
      for (const [k, one] of classes.entries()) {
        const held = plan.reduce((sum, bin) => sum + (bin.j === j ? bin.count * bin.jobs[k] : 0), 0);
        const said = claimed?.[j][k] ?? held;
        if (said > held * (1 + 1e-6) + 1e-6)
          found.push({
            rule: "what runs is in a bin",
            text: `${number(said)} jobs of ${one.name} are said to run on ${name}, its bins hold ${number(held)}`,
            keys: keysOf((bin) => bin.j === j),
          });
      }
    for (const [k, one] of classes.entries()) {
      const served = plan.reduce(
        (sum, { j, jobs, count }) => sum + (jobs[k] ? (count * jobs[k]) / meanTime(one, j) : 0), 0);
      const arriving = one.share * value;
      if (arriving > served * (1 + 1e-6) + 1e-9)
        found.push({
          rule: "every class is served",
          text:
            `${number(arriving)} ${unit(problem)} of ${one.name} arrive, the bins serve ${number(served)}` +
            ` (${percent(served / arriving)})`,
          keys: keysOf(({ jobs }) => jobs[k] > 0),
        });
    }
    return found;
  }

  function html(problem, solution, on, { plan }, { broken, chosen }) {
    const { escape, number, many } = lesson;
    const blocks = plan.map(({ j, jobs, count, key }) => {
      const { name } = problem.configurations[j];
      return (
        `<section class=machines><h3>${escape(name)} <small>${many(count, "machine")} with ` +
        `${escape(binName(problem, jobs))}</small></h3>` +
        `${lesson.tracks(lanesOf(problem, j, jobs, key), { broken, chosen })}</section>`
      );
    });
    const none = plan.length ? "" : "<p>No machine has a bin.</p>";
    return `<div class=shares>${lesson.legend(problem.classes.map(({ name }) => name))}${blocks.join("")}${none}</div>`;
  }

  function sentences(problem, solution, on, { plan }) {
    const { number, listed } = lesson, { rate } = data(problem);
    return problem.classes.map((one, k) => {
      const places = problem.configurations.flatMap(({ name }, j) => {
        const jobs = plan.reduce((sum, bin) => sum + (bin.j === j ? bin.count * bin.jobs[k] : 0), 0);
        return jobs > 0 ? [`${number(jobs * rate[k][j], 4)} on ${name} (${number(jobs)} at a time)`] : [];
      });
      const arriving = `${number(one.share * solution.value)} ${unit(problem)}`;
      return `${one.name}: ${arriving} arrive; served: ${listed(places) || "none"}.`;
    });
  }

  /** The duals of the relaxation: exact where machines may be shared out in fractions. */
  function prices(problem, relaxed, built, on) {
    const all = Object.keys(built.rows).every((component) => on.has(component));
    if (relaxed.status !== "optimal" || !all) return null;
    const { number, rowName } = lesson, lines = [];
    const dual = (component, k) => relaxed.rows[rowName(component, k)]?.dual ?? 0;
    let total = 0;
    for (const [j, { name, count }] of problem.configurations.entries()) {
      const price = dual("eq9_one_bin_each", j);
      total += price * count;
      lines.push(
        `One more machine of ${name} raises the bound by ${number(price)} ${unit(problem)}; times ` +
          `${number(count)} that there are = ${number(price * count)}.`,
      );
    }
    for (const [k, one] of problem.classes.entries())
      lines.push(
        `Serving one more ${one.name} per ${problem.time_unit ?? "h"} is worth ` +
          `${number(Math.max(0, dual("eq7_demand", k)))} ${unit(problem)}.`,
      );
    const agrees = lesson.close(total, relaxed.value);
    const lead =
      `Duals of the relaxation, in which machines may be shared out in fractions. Machines times their ` +
      `prices add up to ${number(total)}, ` +
      (agrees ? "the bound itself." : `not the bound ${number(relaxed.value)}: do not trust this page.`);
    return { lead, lines };
  }

  Object.assign(assignment, {
    data, fitting, roomOf, binsIn, binsOfOneClass, over, binName, lanesOf, unit,
    names: { machines, running },
  });
  lesson.models["machine-assignment"] = {
    noun: { value: "Arrival rate, says the model", truth: "Best plan", relaxation: "Fractions of machines (LP)" },
    picture, html, draw: false, check, sentences, prices,
    panel: (element, context) => assignment.panel(element, context),
  };
}
