"use strict";
// The printed program of LJR, equations (1) to (12): the same rows as formulations/mapreduce/sequence/model.py.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const HEAD = "h", TAIL = "t";
  const PHASES = ["map", "reduce"];

  /** Tasks, slots and times (s) of an instance document. */
  function data(problem) {
    const { nodes, rates } = problem.cluster;
    const rate = (a, b) =>
      a === b ? rates.node : nodes[a].rack === nodes[b].rack ? rates.rack : rates.remote;
    const number = Object.fromEntries(nodes.map((node, n) => [node.name, n]));
    const phases = {};
    for (const phase of PHASES) {
      const slots = [];
      nodes.forEach((node, node_number) => {
        for (let k = 0; k < node[`${phase}_slots`]; k++) slots.push({ node: node_number, slot: k });
      });
      const tasks = [];
      problem.jobs.forEach((job, i) =>
        (job[`${phase}_tasks`] ?? []).forEach((task, t) => tasks.push({ ...task, job: i, task: t })),
      );
      phases[phase] = { slots, tasks };
    }
    const { map, reduce } = phases;
    const jobs = problem.jobs.map((job, i) => ({
      maps: map.tasks.flatMap((task, v) => (task.job === i ? [v] : [])),
      reduces: reduce.tasks.flatMap((task, w) => (task.job === i ? [w] : [])),
    }));
    const setup = map.tasks.map((task) => {
      const input = task.input_mb ?? 0;
      const fastest = (node) => Math.max(rates.remote, ...(task.replicas ?? []).map((name) => rate(node, number[name])));
      return map.slots.map((slot) => (input ? input / fastest(slot.node) : 0));
    });
    const share = map.tasks.map((task) => {
      const job = problem.jobs[task.job];
      return ((job.output_ratio ?? 0) * (task.input_mb ?? 0)) / (jobs[task.job].reduces.length || 1);
    });
    // Seconds per MB that a reduce slot takes from each node.
    const seconds = reduce.slots.map((slot) => nodes.map((_, n) => 1 / rate(n, slot.node)));
    return { phases, jobs, setup, share, seconds };
  }

  // A row as Pyomo writes `left >= right`: what is on the left side turned to the right.
  const atLeast = (row, lower) => [
    Object.fromEntries(Object.entries(row).map(([name, factor]) => [name, -factor])), null, -lower,
  ];

  const sum = (values) => values.reduce((total, value) => total + value, 0);

  /** All work at its slowest, one task after another: the big-M, as printed. */
  function bigM({ phases: { map, reduce }, jobs, setup, share, seconds }) {
    let total = sum(map.tasks.map((task, v) => Math.max(0, ...setup[v].map((s) => s + task.processing))));
    for (const { maps, reduces } of jobs) {
      const output = sum(maps.map((v) => share[v]));
      const work = seconds.map(
        (from) =>
          sum(reduces.map((w) => reduce.tasks[w].processing)) +
          reduces.length * output * Math.max(0, ...from),
      );
      total += Math.max(0, ...work);
    }
    return total * (1 + 1e-9);
  }

  const follows = (phase, k, v, w) => `u_${phase}_${k}_${v}_${w}`;
  const setupOf = (phase, v) => `s_${phase}_${v}`;
  const endOf = (phase, v) => `c_${phase}_${v}`;

  /** Adds `factor` times e_vk, 1 if task v runs on slot k: the sum over its successors there. */
  function addRuns(row, factor, phase, v, k, tasks) {
    for (const w of [...tasks.keys(), TAIL])
      if (w !== v) row[follows(phase, k, v, w)] = (row[follows(phase, k, v, w)] ?? 0) + factor;
    return row;
  }

  /** Rows (5) to (10) of a phase, and its variables. */
  function sequences(phase, { tasks, slots }, m, bigM, variables, rows) {
    const numbers = [...tasks.keys()];
    const before = [...numbers, HEAD], after = [...numbers, TAIL];
    for (const k of slots.keys())
      for (const v of before)
        for (const w of after)
          if (v !== w) variables[follows(phase, k, v, w)] = { integer: true, lower: 0, upper: 1 };
    for (const v of numbers) variables[setupOf(phase, v)] = { integer: false, lower: 0, upper: m };
    for (const v of numbers) variables[endOf(phase, v)] = { integer: false, lower: 0, upper: m };
    const ones = (names) => Object.fromEntries(names.map((name) => [name, 1]));
    const over = (list, other, name) => list.flatMap((v) => (v === other ? [] : [name(v)]));
    rows[`eq5_${phase}_precedence`] = numbers.flatMap((v) =>
      over(numbers, v, (w) => {
        const row = { [endOf(phase, w)]: 1, [endOf(phase, v)]: -1, [setupOf(phase, w)]: -1 };
        for (const k of slots.keys()) row[follows(phase, k, v, w)] = -m * bigM;
        return atLeast(row, tasks[w].processing - m * bigM);
      }),
    );
    const each = [...slots.keys()];
    const into = (k, w) => over(before, w, (v) => follows(phase, k, v, w));
    const out = (k, v) => over(after, v, (w) => follows(phase, k, v, w));
    rows[`eq6_${phase}_one_predecessor`] = numbers.map((w) => [ones(each.flatMap((k) => into(k, w))), 1, 1]);
    rows[`eq7_${phase}_one_successor`] = numbers.map((v) => [ones(each.flatMap((k) => out(k, v))), 1, 1]);
    rows[`eq8_${phase}_one_first`] = each.map((k) => [ones(out(k, HEAD)), 1, 1]);
    rows[`eq9_${phase}_one_last`] = each.map((k) => [ones(into(k, TAIL)), 1, 1]);
    rows[`eq10_${phase}_flow`] = each.flatMap((k) =>
      numbers.map((w) => {
        const row = ones(into(k, w));
        for (const name of out(k, w)) row[name] = -1;
        return [row, 0, 0];
      }),
    );
  }

  // The big-Ms of (4*) and (5) are multiplied by `factor`.
  function build(problem, given, { bigM: factor = 1 } = {}) {
    const known = data(problem);
    const { phases, jobs, setup, share, seconds } = known;
    const { map, reduce } = phases;
    const m = bigM(known);
    const variables = { C: { integer: false, lower: 0, upper: m } };
    const rows = {};
    const [p, q] = PHASES;
    rows.eq1_makespan = reduce.tasks.map((_, w) => atLeast({ C: 1, [endOf(q, w)]: -1 }, 0));
    rows.eq1_makespan_without_reduce = map.tasks.flatMap((task, v) =>
      jobs[task.job].reduces.length ? [] : [atLeast({ C: 1, [endOf(p, v)]: -1 }, 0)],
    );
    rows.eq2_map_completion = map.tasks.map((task, v) =>
      atLeast({ [endOf(p, v)]: 1, [setupOf(p, v)]: -1 }, task.processing),
    );
    rows.eq3_reduce_completion = reduce.tasks.flatMap((task, w) =>
      jobs[task.job].maps.map((v) =>
        atLeast({ [endOf(q, w)]: 1, [setupOf(q, w)]: -1, [endOf(p, v)]: -1 }, task.processing),
      ),
    );
    rows.eq3_reduce_completion_without_map = reduce.tasks.flatMap((task, w) =>
      jobs[task.job].maps.length
        ? []
        : [atLeast({ [endOf(q, w)]: 1, [setupOf(q, w)]: -1 }, task.processing)],
    );
    rows.eq4_map_setup = map.tasks.map((_, v) => {
      const row = { [setupOf(p, v)]: 1 };
      for (const k of map.slots.keys())
        if (setup[v][k]) addRuns(row, -setup[v][k], p, v, k, map.tasks);
      return [row, 0, 0];
    });
    rows.eq4_reduce_setup = reduce.tasks.flatMap((task, w) => {
      const { maps } = jobs[task.job];
      if (!maps.length) return [];
      return seconds.map((from, l) => {
        const row = { [setupOf(q, w)]: 1 };
        for (const v of maps)
          for (const [k, slot] of map.slots.entries())
            if (share[v]) addRuns(row, -from[slot.node] * share[v], p, v, k, map.tasks);
        const most = factor * Math.max(...from) * sum(maps.map((v) => share[v]));
        if (most) addRuns(row, -most, q, w, l, reduce.tasks);
        return atLeast(row, -most);
      });
    });
    for (const phase of PHASES) sequences(phase, phases[phase], m, factor, variables, rows);
    return { variables, sense: "min", objective: { C: 1 }, rows };
  }

  /**
   * The least value that the rows leave to every variable that is not whole, for the given values of
   * the whole ones. In each row of this model at most one of the former has a positive sign on the
   * greater side, so that values only rise from their lower bounds until all rows hold.
   */
  function leastValues(built, on, whole) {
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
      for (const component of on)
        for (const [row, lower, upper] of built.rows[component] ?? []) {
          if (lower !== null && raise(row, lower, 1)) again = true;
          if (upper !== null && raise(row, upper, -1)) again = true;
        }
    }
    return x;
  }

  const time = (value) => lesson.number(value);
  const last = (text) => text.at(-1);

  // Names as the job-order lesson has them.
  const taskName = (problem, phase, { job, task }) => `${problem.jobs[job].name} ${phase} ${task}`;
  const laneName = (problem, phase, { node, slot }) =>
    `${problem.cluster.nodes[node].name} ${phase} ${slot}`;

  function bar(problem, phase, task, lane, x, v) {
    const end = x[endOf(phase, v)], setup = x[setupOf(phase, v)];
    const begin = end - setup - task.processing;
    const name = taskName(problem, phase, task), what = phase === "map" ? "input" : "map output";
    const reading = setup > 0 ? `reads its ${what} for ${time(setup)} s, ` : "";
    return {
      key: `${phase[0]}${v}.${lane}`,
      label: `${problem.jobs[task.job].name} ${phase[0]}${task.task}`,
      text: `${name}: ${reading}runs for ${time(task.processing)} s, from ${time(begin)} to ${time(end)} s`,
      lane, begin: Math.abs(begin) < 1e-9 * Math.max(1, end) ? 0 : begin, end, setup,
      group: task.job, job: task.job, phase, task: task.task,
    };
  }

  /** What the rows left on say: a task is on the slots where it has successors, and ends at c. */
  function picture(problem, solution, on, built = build(problem)) {
    const { phases } = data(problem);
    const x = leastValues(built, on, solution.columns);
    const bars = [], lanes = [], short = [];
    for (const phase of PHASES) {
      const { tasks, slots } = phases[phase];
      const first = lanes.length;
      for (const slot of slots) {
        lanes.push(laneName(problem, phase, slot));
        short.push(`${problem.cluster.nodes[slot.node].name}.${slot.slot} ${phase[0]}`);
      }
      for (const [v, task] of tasks.entries())
        for (const k of slots.keys()) {
          const next = [...tasks.keys(), TAIL].filter((w) => w !== v);
          if (next.some((w) => x[follows(phase, k, v, w)] === 1))
            bars.push(bar(problem, phase, task, first + k, x, v));
        }
    }
    const lines = [{ label: `the model says ${time(x.C)} s`, at: x.C, dashed: true }];
    return { lanes, short, bars, lines, value: x.C, values: x };
  }

  // What holds each task back, from the end of the schedule to its beginning

  /** The task that `one` waits for by the rows that are on, and why; null if for none. */
  function heldBy({ phases, jobs }, x, on, { phase, v }) {
    const { tasks, slots } = phases[phase];
    const from = x[endOf(phase, v)] - x[setupOf(phase, v)] - tasks[v].processing;
    const until = (other, w) => Math.abs(x[endOf(other, w)] - from) <= 1e-7 * Math.max(1, Math.abs(from));
    if (phase === "reduce" && on.has("eq3_reduce_completion"))
      for (const w of jobs[tasks[v].job].maps)
        if (until("map", w)) return { phase: "map", v: w, why: "the last map of its job" };
    if (on.has(`eq5_${phase}_precedence`))
      for (const w of tasks.keys())
        if (w !== v && slots.some((_, k) => x[follows(phase, k, w, v)] === 1) && until(phase, w))
          return { phase, v: w, why: "before it on its slot" };
    return null;
  }

  function longestPath(problem, x, on) {
    const known = data(problem);
    const ends = PHASES.flatMap((phase) =>
      [...known.phases[phase].tasks.keys()].map((v) => ({ phase, v, end: x[endOf(phase, v)] })),
    ).filter(({ end }) => Math.abs(end - x.C) <= 1e-7 * Math.max(1, x.C));
    const chain = ends.slice(0, 1);
    const seen = new Set();
    while (chain.length) {
      const next = heldBy(known, x, on, last(chain));
      if (!next || seen.has(`${next.phase} ${next.v}`)) break;
      seen.add(`${next.phase} ${next.v}`);
      chain.push(next);
    }
    return chain.reverse().map(({ phase, v }) => {
      const task = known.phases[phase].tasks[v], setup = x[setupOf(phase, v)];
      const work = setup > 0 ? `${time(setup)} + ${time(task.processing)}` : time(task.processing);
      return `${taskName(problem, phase, task)} (${work} s)`;
    });
  }

  /** Equations that follow from others, and so change nothing alone. */
  const IMPLIED = [
    ["eq6_map_one_predecessor", "(6) follows from (7) and (10)", ["eq7_map_one_successor", "eq10_map_flow"]],
    ["eq7_map_one_successor", "(7) follows from (6) and (10)", ["eq6_map_one_predecessor", "eq10_map_flow"]],
    ["eq8_map_one_first", "(8) follows from (9) and (10)", ["eq9_map_one_last", "eq10_map_flow"]],
    ["eq9_map_one_last", "(9) follows from (8) and (10)", ["eq8_map_one_first", "eq10_map_flow"]],
  ];

  function sentences(problem, solution, on, drawn) {
    const path = longestPath(problem, drawn.values, on);
    return [
      path.length
        ? `${time(drawn.value)} s = ${path.join(", then ")}: setup + processing of each.`
        : `No task ends at the ${time(drawn.value)} s that the model says.`,
    ];
  }

  /** Why nothing changes on any instance, if all that is off follows from the rest. */
  function implied(on) {
    const off = IMPLIED.filter(([component]) => !on.has(component));
    const follows = off.every(([, , others]) => others.every((other) => on.has(other)));
    return off.length && follows ? `${lesson.listed(off.map(([, text]) => text))}, on every instance` : null;
  }

  lesson.sequence = { data, bigM, leastValues, names: { follows, setupOf, endOf } };
  lesson.models.sequence = {
    noun: { value: "Makespan, says the model", truth: "True optimum" },
    build,
    bigM: "(4*) and (5)",
    beside: "job-order",
    picture,
    // The checker knows nothing of the model.
    check: (problem, drawn) => lesson.jobOrder.check(problem, drawn),
    sentences,
    implied,
    parameters: (problem) => lesson.jobOrder.parameters(problem),
  };
}
