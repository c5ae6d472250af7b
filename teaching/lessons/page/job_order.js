"use strict";
// The job-order model as a lesson. Its parts are in the other files named job_order_….
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const order = (lesson.jobOrder ??= {});

  const MOST_NODES = 4;
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

  function sentences(problem, solution, on, picture, built = order.build(problem)) {
    const d = order.tables(problem);
    const values = picture?.values ?? order.leastValues(built, solution, on);
    return [orderInWords(d, values), pathInWords(d, values, longest(d, built, values, on))];
  }

  // Changes of the instance

  const copy = (problem) => structuredClone(problem);

  function changed(problem, change) {
    const next = copy(problem);
    change(next);
    return next;
  }

  const eachTask = (problem, phase, tell) =>
    problem.jobs.flatMap((job, i) =>
      (job[`${phase}_tasks`] ?? []).map((task, t) => tell(job, i, task, t)),
    );

  function taskEdits(problem) {
    return problem.jobs.flatMap((job, i) => {
      const found = [];
      const edit = (label, value, change) =>
        found.push({
          label, group: job.name, value, min: 0, step: "any",
          apply: (p, to) => changed(p, (next) => change(next.jobs[i], to)),
        });
      (job.map_tasks ?? []).forEach((task, t) => {
        edit(`map ${t}, time (s)`, task.processing, (own, to) => (own.map_tasks[t].processing = to));
        edit(`map ${t}, input (MB)`, task.input_mb ?? 0, (own, to) => (own.map_tasks[t].input_mb = to));
      });
      (job.reduce_tasks ?? []).forEach((task, t) =>
        edit(`reduce ${t}, time (s)`, task.processing, (own, to) => (own.reduce_tasks[t].processing = to)),
      );
      if ((job.map_tasks ?? []).length && (job.reduce_tasks ?? []).length)
        edit("output for each MB of input", job.output_ratio ?? 0, (own, to) => (own.output_ratio = to));
      return found;
    });
  }

  // Rates keep their order: the same node is never slower than the rack, nor that than elsewhere.
  function rateEdits(problem) {
    const edit = (label, value, change) => ({
      label, group: "rates (MB/s)", value, min: 0.001, step: "any",
      apply: (p, to) => changed(p, (next) => change(next, to)),
    });
    if (problem.security) {
      const { transfer_rate, encryption_rate } = problem.security;
      return [
        edit("transfer", transfer_rate, (next, to) => (next.security.transfer_rate = to)),
        edit("encryption", encryption_rate, (next, to) => (next.security.encryption_rate = to)),
      ];
    }
    const { node, rack, remote } = problem.cluster.rates;
    return [
      edit("same node", node, ({ cluster: { rates } }, to) => {
        rates.node = to;
        rates.rack = Math.min(rates.rack, to);
        rates.remote = Math.min(rates.remote, to);
      }),
      edit("same rack", rack, ({ cluster: { rates } }, to) => {
        rates.rack = to;
        rates.node = Math.max(rates.node, to);
        rates.remote = Math.min(rates.remote, to);
      }),
      edit("another rack", remote, ({ cluster: { rates } }, to) => {
        rates.remote = to;
        rates.rack = Math.max(rates.rack, to);
        rates.node = Math.max(rates.node, to);
      }),
    ];
  }

  // A speed factor of a job on all slots of a node.
  function speedEdits(problem) {
    if (!problem.speed_factors) return [];
    const { nodes } = problem.cluster;
    return ["map", "reduce"].flatMap((phase) => {
      const first = firstSlots(nodes, phase);
      return problem.jobs.flatMap((job, i) =>
        nodes.flatMap((node, n) =>
          node[`${phase}_slots`] && (job[`${phase}_tasks`] ?? []).length
            ? [{
                label: `${job.name} ${phase}s on ${node.name}`,
                group: "speed factors (2: twice as slow)",
                value: problem.speed_factors[phase][i][first[n]], min: 0.001, step: "any",
                apply: (p, to) =>
                  changed(p, (next) => next.speed_factors[phase][i].fill(to, first[n], first[n + 1])),
              }]
            : [],
        ),
      );
    });
  }

  const firstSlots = (nodes, phase) =>
    nodes.reduce((first, node) => [...first, first.at(-1) + node[`${phase}_slots`]], [0]);

  // A node like the last one, without data. Between it and the others nothing needs encryption.
  function withNode(problem) {
    return changed(problem, (next) => {
      const { nodes } = next.cluster, last = nodes.at(-1);
      const names = new Set(nodes.map((node) => node.name));
      let number = nodes.length;
      while (names.has(`n${number}`)) number += 1;
      const slots = last.map_slots;
      nodes.push({ ...last, name: `n${number}` });
      for (const phase of ["map", "reduce"])
        for (const row of next.speed_factors?.[phase] ?? []) {
          const count = last[`${phase}_slots`];
          if (count) row.push(...row.slice(-count));
        }
      if (!next.security) return;
      const { levels, priorities } = next.security;
      for (const row of levels) row.push(...Array(slots).fill(1));
      levels.push(levels[0].map((_, k, all) => (k < all.length - slots ? 1 : 0)));
      if (slots)
        next.security.priorities = priorities.map((job) => job.map((row) => row + row.slice(-slots)));
    });
  }

  function withoutNode(problem, n) {
    return changed(problem, (next) => {
      const { nodes } = next.cluster, { name } = nodes[n];
      const cut = (phase) => {
        const first = firstSlots(nodes, phase);
        return (row) => [...row].filter((_, k) => k < first[n] || k >= first[n + 1]);
      };
      const [maps, reduces] = [cut("map"), cut("reduce")];
      if (next.speed_factors) {
        next.speed_factors.map = next.speed_factors.map.map(maps);
        next.speed_factors.reduce = next.speed_factors.reduce.map(reduces);
      }
      if (next.security) {
        next.security.levels = next.security.levels.filter((_, k) => k !== n).map(maps);
        next.security.priorities = next.security.priorities.map((job) =>
          job.map((row) => maps(row).join("")),
        );
      }
      if (next.outages) next.outages = next.outages.filter((gone) => gone.node !== name);
      for (const job of next.jobs)
        for (const task of job.map_tasks ?? [])
          task.replicas = (task.replicas ?? []).filter((holder) => holder !== name);
      nodes.splice(n, 1);
    });
  }

  function nodeEdits(problem) {
    const { nodes } = problem.cluster, found = [];
    if (nodes.length < MOST_NODES)
      found.push({ label: `add a node like ${nodes.at(-1).name}`, group: "nodes", apply: withNode });
    nodes.forEach((node, n) => {
      if (nodes.length > 1 && order.possible(withoutNode(problem, n)))
        found.push({
          label: `drop ${node.name}`, group: "nodes", apply: (p) => withoutNode(p, n),
        });
    });
    return found;
  }

  // Times of tasks, whose price is what one more second would cost.
  function parameters(problem) {
    const one = (phase) =>
      eachTask(problem, phase, (job, i, _, t) => ({
        label: `one more second of ${job.name} ${phase} ${t}`,
        apply: (p, delta) =>
          changed(p, (next) => (next.jobs[i][`${phase}_tasks`][t].processing += delta)),
      }));
    return [...one("map"), ...one("reduce")];
  }

  lesson.models["job-order"] = {
    build: (problem, data, options) => order.build(problem, options),
    bigM: "(J7), (J9) and (J11)",
    beside: "sequence",
    refuse: (problem, limits) =>
      order.refuse(problem, limits) ??
      (["map", "reduce"].every((phase) => eachTask(problem, phase, () => 1).length)
        ? null
        : "a lesson on job-order needs map tasks and reduce tasks"),
    picture: (...given) => order.picture(...given),
    check: (problem, picture) => order.check(problem, picture),
    sentences,
    edits: (problem) => [
      ...nodeEdits(problem), ...taskEdits(problem), ...rateEdits(problem), ...speedEdits(problem),
    ],
    parameters,
  };
}
