"use strict";
// Which schedule the rows believe in. Only the decisions of the solver are kept: slots and order.
// Every other variable gets the least value that the rows still switched on leave it, in the order
// rho, alpha, omega, theta, C. With all rows on that is a schedule of length C; where a family is
// off, its variables fall to 0 and the picture shows what the model now ignores.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const order = (lesson.jobOrder ??= {});

  // The rows that define variables: each stands alone on their greater side.
  const DEFINING = [
    "J7_read", "J8_local_read", "J9_map_work_before", "J11_reduce_work_after", "J10_map_completion",
    "J10b_makespan", "J12_makespan",
  ];

  order.leastValues = (built, solution, on) =>
    lesson.leastValues(built, DEFINING.filter((component) => on.has(component)), solution.columns ?? solution);

  const sum = (values) => values.reduce((total, value) => total + value, 0);

  order.bar = (d, phase, t, slot, begin, setup, run) => {
    const task = phase === "map" ? d.mapTasks[t] : d.reduceTasks[t];
    const lane = phase === "map" ? slot : d.mapSlots.length + slot;
    const end = begin + setup + run;
    const time = (value) => lesson.number(value);
    const what = phase === "map" ? "input" : "map output";
    const reading = setup > 0 ? `reads its ${what} for ${time(setup)} s, ` : "";
    return {
      key: `${phase[0]}${t}.${slot}`,
      label: `${task.name.split(" ")[0]} ${phase[0]}${task.number}`,
      text: `${task.name}: ${reading}runs for ${time(run)} s, from ${time(begin)} to ${time(end)} s`,
      lane, begin, end, setup, group: task.job, job: task.job, phase, task: task.number,
    };
  };

  // Map work of a job begins when that of the jobs before it is over.
  function mapBars(d, values) {
    return d.jobs.flatMap((i) =>
      d.mapSlots.flatMap((_, k) => {
        let at = sum(d.jobs.filter((j) => j !== i).map((j) => values[`alpha_${j}_${i}_${k}`]));
        return d.maps[i].flatMap((t) => {
          if (values[`x_${t}_${k}`] !== 1) return [];
          const one = order.bar(d, "map", t, k, at, d.mapSetup[t][k], d.mapTime[t][k]);
          at = one.end;
          return [one];
        });
      }),
    );
  }

  // Reduce work ends as late as it may: only the work of the jobs that follow comes after it.
  function reduceBars(d, values) {
    return d.jobs.flatMap((i) =>
      d.reduceSlots.flatMap((_, l) => {
        const here = d.reduces[i].filter((v) => values[`y_${v}_${l}`] === 1);
        const after = sum(d.jobs.filter((j) => j !== i).map((j) => values[`omega_${j}_${i}_${l}`]));
        const times = here.map((v) => values[`rho_${v}_${l}`] + d.reduceTime[v][l]);
        let at = values.C - after - sum(times);
        return here.map((v) => {
          const one = order.bar(d, "reduce", v, l, at, values[`rho_${v}_${l}`], d.reduceTime[v][l]);
          at = one.end;
          return one;
        });
      }),
    );
  }

  order.picture = (problem, solution, on, built) => {
    const d = order.tables(problem), values = order.leastValues(built, solution, on);
    return order.drawn(d, [...mapBars(d, values), ...reduceBars(d, values)], values);
  };

  order.drawn = (d, bars, values) => {
    const slots = [...d.mapSlots, ...d.reduceSlots];
    // What rounding leaves beside 0 and beside the makespan would look like a broken rule.
    const tiny = 1e-9 * Math.max(1, values.C);
    for (const one of bars) if (Math.abs(one.begin) < tiny) one.begin = 0;
    return {
      lanes: slots.map((slot) => slot.name),
      short: slots.map((slot) => slot.short),
      bars,
      lines: [{ label: `the model says ${lesson.number(values.C)} s`, at: values.C, dashed: true }],
      value: values.C,
      values,
    };
  };
}
