"use strict";
// The job-order model as a lesson. Its parts are in the other files named job_order_….
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const order = (lesson.jobOrder ??= {});

  const time = (value) => lesson.number(value);

  // The order

  const precedes = (values, i, j) =>
    i < j ? values[`before_${i}_${j}`] === 1 : values[`before_${j}_${i}`] !== 1;

  // Three jobs in a circle, or null; a circle of any length has one of three.
  function circle(d, values) {
    for (const i of d.jobs)
      for (const [j, u] of d.pairs)
        if (i < j && i < u && precedes(values, i, j) && precedes(values, j, u) && precedes(values, u, i))
          return [i, j, u, i];
    return null;
  }

  function orderInWords(d, values) {
    const round = circle(d, values), arrow = " → ";
    if (round) return `No order: ${round.map((i) => d.jobNames[i]).join(arrow)}.`;
    const before = (i) => d.jobs.filter((j) => j !== i && precedes(values, j, i)).length;
    const sorted = [...d.jobs].sort((a, b) => before(a) - before(b));
    return `Order of the jobs: ${sorted.map((i) => d.jobNames[i]).join(arrow)}.`;
  }

  // The longest path

  const WORK = 1e-9;

  function longest(d, built, values, on) {
    let best = null;
    const tell = (component, make) => {
      if (!on.has(component)) return;
      for (const i of d.jobs) {
        for (const path of make(i)) if (!best || path.length > best.length + WORK) best = path;
      }
    };
    const theta = (i) => values[`theta_${i}`];
    tell("J12_makespan", (i) =>
      d.reduceSlots.map((slot, l) => {
        const parts = d.jobs
          .map((j) => ({ j, work: j === i ? workOn(d, values, i, l) : values[`omega_${j}_${i}_${l}`] }))
          .filter(({ work }) => work > WORK);
        const after = parts.reduce((total, { work }) => total + work, 0);
        return { i, slot, after, jobs: parts.map(({ j }) => j), length: theta(i) + after };
      }),
    );
    tell("J10b_makespan", (i) => [{ i, slot: null, after: 0, jobs: [], length: theta(i) }]);
    return best;
  }

  const workOn = (d, values, i, l) =>
    d.reduces[i].reduce(
      (total, v) => total + d.reduceTime[v][l] * values[`y_${v}_${l}`] + values[`rho_${v}_${l}`],
      0,
    );

  // On which map slot a job's map phase ends last, and whose work that is.
  function mapPath(d, values, i) {
    let best = { length: 0, slot: null, jobs: [] };
    d.mapSlots.forEach((slot, k) => {
      const own = d.maps[i].reduce((a, t) => a + d.mapWork[t][k] * values[`x_${t}_${k}`], 0);
      const parts = d.jobs
        .map((j) => ({ j, work: j === i ? own : values[`alpha_${j}_${i}_${k}`] }))
        .filter(({ work }) => work > WORK);
      const length = parts.reduce((total, { work }) => total + work, 0);
      if (length > best.length + WORK) best = { length, slot, jobs: parts.map(({ j }) => j) };
    });
    return best;
  }

  function pathInWords(d, values, path) {
    if (!path || !(path.length > 0)) return "No row bounds the makespan: the model says 0 s.";
    const names = (jobs) => lesson.listed(jobs.map((j) => d.jobNames[j]));
    const total = `${time(path.length)} s`, until = values[`theta_${path.i}`], job = d.jobNames[path.i];
    const work = path.after > 0
      ? `${time(path.after)} s of reduce work on ${path.slot.name} of ${names(path.jobs)}`
      : "";
    if (!(until > WORK)) return `${total} = ${work}.`;
    const maps = mapPath(d, values, path.i);
    const where = maps.slot ? ` (on ${maps.slot.name}: ${names(maps.jobs)})` : "";
    const first = `${time(until)} s until the maps of ${job} and all jobs before it are over${where}`;
    return `${total} = ${first}${work ? `, plus ${work}` : ""}.`;
  }

  function sentences(problem, solution, on, picture, built) {
    const d = order.tables(problem);
    const values = picture?.values ?? order.leastValues(built, solution, on);
    return [orderInWords(d, values), pathInWords(d, values, longest(d, built, values, on))];
  }

  lesson.models["job-order"] = {
    scaled: { J7_read: "y_", J9_map_work_before: "before_", J11_reduce_work_after: "before_" },
    bigM: "(J7), (J9) and (J11)",
    beside: "sequence",
    picture: (...given) => order.picture(...given),
    check: (problem, picture) => order.check(problem, picture),
    sentences,
  };
}
