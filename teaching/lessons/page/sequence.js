"use strict";
// The printed program of LJR, equations (1) to (12), as a lesson.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const TAIL = "t";
  const PHASES = ["map", "reduce"];

  const follows = (phase, k, v, w) => `u_${phase}_${k}_${v}_${w}`;
  const setupOf = (phase, v) => `s_${phase}_${v}`;
  const endOf = (phase, v) => `c_${phase}_${v}`;

  const time = (value) => lesson.number(value);

  /** Tasks and slots of each phase, as the job-order lesson numbers them. */
  const phasesOf = (d) => ({
    map: { slots: d.mapSlots, tasks: d.mapTasks },
    reduce: { slots: d.reduceSlots, tasks: d.reduceTasks },
  });

  /** What the rows left on say: a task is on the slots where it has successors, and ends at c. */
  function picture(problem, solution, on, built) {
    const d = lesson.jobOrder.tables(problem), phases = phasesOf(d);
    const x = lesson.leastValues(built, on, solution.columns);
    const bars = [];
    for (const phase of PHASES) {
      const { tasks, slots } = phases[phase];
      for (const [v, { processing }] of tasks.entries()) {
        const end = x[endOf(phase, v)], setup = x[setupOf(phase, v)];
        const begin = end - setup - processing;
        for (const k of slots.keys()) {
          const next = [...tasks.keys(), TAIL].filter((w) => w !== v);
          if (next.some((w) => x[follows(phase, k, v, w)] === 1))
            bars.push(lesson.jobOrder.bar(d, phase, v, k, begin, setup, processing));
        }
      }
    }
    return lesson.jobOrder.drawn(d, bars, x);
  }

  // What holds each task back, from the end of the schedule to its beginning

  /** The task that `one` waits for by the rows that are on, and why; null if for none. */
  function heldBy(d, phases, x, on, { phase, v }) {
    const { tasks, slots } = phases[phase];
    const from = x[endOf(phase, v)] - x[setupOf(phase, v)] - tasks[v].processing;
    const until = (other, w) => Math.abs(x[endOf(other, w)] - from) <= 1e-7 * Math.max(1, Math.abs(from));
    if (phase === "reduce" && on.has("eq3_reduce_completion"))
      for (const w of d.maps[tasks[v].job])
        if (until("map", w)) return { phase: "map", v: w, why: "the last map of its job" };
    if (on.has(`eq5_${phase}_precedence`))
      for (const w of tasks.keys())
        if (w !== v && slots.some((_, k) => x[follows(phase, k, w, v)] === 1) && until(phase, w))
          return { phase, v: w, why: "before it on its slot" };
    return null;
  }

  function longestPath(problem, x, on) {
    const d = lesson.jobOrder.tables(problem), phases = phasesOf(d);
    const ends = PHASES.flatMap((phase) =>
      [...phases[phase].tasks.keys()].map((v) => ({ phase, v, end: x[endOf(phase, v)] })),
    ).filter(({ end }) => Math.abs(end - x.C) <= 1e-7 * Math.max(1, x.C));
    const chain = ends.slice(0, 1);
    const seen = new Set();
    while (chain.length) {
      const next = heldBy(d, phases, x, on, chain.at(-1));
      if (!next || seen.has(`${next.phase} ${next.v}`)) break;
      seen.add(`${next.phase} ${next.v}`);
      chain.push(next);
    }
    return chain.reverse().map(({ phase, v }) => {
      const task = phases[phase].tasks[v], setup = x[setupOf(phase, v)];
      const work = setup > 0 ? `${time(setup)} + ${time(task.processing)}` : time(task.processing);
      return `${task.name} (${work} s)`;
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
