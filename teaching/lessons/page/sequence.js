"use strict";
// The printed program of LJR, equations (1) to (12), as a lesson.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const TAIL = "t";
  const PHASES = ["map", "reduce"];

  /** Tasks and slots of an instance document. */
  function data(problem) {
    const { nodes } = problem.cluster;
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
    return { phases, jobs };
  }

  const follows = (phase, k, v, w) => `u_${phase}_${k}_${v}_${w}`;
  const setupOf = (phase, v) => `s_${phase}_${v}`;
  const endOf = (phase, v) => `c_${phase}_${v}`;

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
  function picture(problem, solution, on, built) {
    const { phases } = data(problem);
    const x = lesson.leastValues(built, on, solution.columns);
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

  lesson.models.sequence = {
    noun: { value: "Makespan, says the model", truth: "True optimum" },
    scaled: {
      eq4_reduce_setup: "u_reduce_",
      eq5_map_precedence: "u_map_",
      eq5_reduce_precedence: "u_reduce_",
    },
    bigM: "(4*) and (5)",
    beside: "job-order",
    picture,
    // The checker knows nothing of the model.
    check: (problem, drawn) => lesson.jobOrder.check(problem, drawn),
    sentences,
    implied,
  };
}
