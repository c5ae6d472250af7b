"use strict";
// The job-order model, one function per equation of docs/formulations/job-order.md, from the instance alone.
// The page compares these rows with those that Python made before it trusts either.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const order = (lesson.jobOrder ??= {});

  const MOST_JOBS_FOR_ALL_SETS = 6, MOST_JOBS_FOR_TRIPLES = 12;
  const range = (count) => Array.from({ length: count }, (_, k) => k);

  // A linear expression: coefficients by name, and a constant.
  class Sum {
    terms = {};
    constant = 0;
    add(other, factor = 1) {
      if (typeof other === "number") this.constant += factor * other;
      else if (typeof other === "string") this.terms[other] = (this.terms[other] ?? 0) + factor;
      else {
        this.constant += factor * other.constant;
        for (const [name, value] of Object.entries(other.terms)) this.add(name, factor * value);
      }
      return this;
    }
  }
  const sum = (...parts) => parts.flat().reduce((total, part) => total.add(part), new Sum());
  const times = (factor, part) => new Sum().add(part, factor);

  class Model {
    constructor(problem, horizon, bigM) {
      this.d = order.tables(problem);
      this.horizon = (horizon ?? this.d.serial) * (1 + 1e-9);
      this.bigM = bigM;
      this.rows = {};
      this.variables = {};
    }
    // What may not be chosen stands in no row.
    free(name) {
      const known = this.variables[name];
      return !known.integer || known.upper > 0;
    }
    row(component, greater, less, kind = ">=") {
      const whole = sum(greater).add(sum(less), -1);
      const terms = {};
      for (const [name, value] of Object.entries(whole.terms))
        if (value !== 0 && this.free(name)) terms[name] = value;
      const bound = 0 - whole.constant;
      const rows = (this.rows[component] ??= []);
      if (!Object.keys(terms).length) return;
      if (kind === ">=") rows.push([terms, bound, null]);
      else if (kind === "<=") rows.push([terms, null, bound]);
      else rows.push([terms, bound, bound]);
    }
    // 1 if job i precedes job j; there is a variable for i < j only.
    precedes(i, j) {
      return i < j ? sum(`before_${i}_${j}`) : sum(1).add(`before_${j}_${i}`, -1);
    }
    mapWork(i, k) {
      return sum(this.d.maps[i].map((t) => times(this.d.mapWork[t][k], `x_${t}_${k}`)));
    }
    reduceWork(i, l) {
      const { d } = this;
      return sum(
        d.reduces[i].map((v) => times(d.reduceTime[v][l], `y_${v}_${l}`).add(`rho_${v}_${l}`)),
      );
    }
  }

  function variables(m) {
    const { d } = m, most = m.horizon;
    const add = (name, upper = most, integer = false) =>
      (m.variables[name] = { integer, lower: 0, upper });
    const maps = range(d.mapSlots.length), reduces = range(d.reduceSlots.length);
    add("C");
    d.mapTasks.forEach((_, t) =>
      maps.forEach((k) => add(`x_${t}_${k}`, d.mapAllowed[t][k] ? 1 : 0, true)),
    );
    d.reduceTasks.forEach((_, v) =>
      reduces.forEach((l) => add(`y_${v}_${l}`, d.reduceLost[l] ? 0 : 1, true)),
    );
    for (const [i, j] of d.pairs) if (i < j) add(`before_${i}_${j}`, 1, true);
    for (const i of d.jobs) add(`theta_${i}`);
    d.reduceTasks.forEach((_, v) => reduces.forEach((l) => add(`rho_${v}_${l}`)));
    for (const [j, i] of d.pairs) maps.forEach((k) => add(`alpha_${j}_${i}_${k}`));
    for (const [j, i] of d.pairs) reduces.forEach((l) => add(`omega_${j}_${i}_${l}`));
    for (const i of d.jobs) reduces.forEach((l) => add(`f_${i}_${l}`, 1));
    for (const i of d.jobs) maps.forEach((k) => add(`z_${i}_${k}`, 1));
  }

  // (J1), (J2): every task on exactly one slot of its phase.
  function assignment(m) {
    const { d } = m;
    d.mapTasks.forEach((_, t) =>
      m.row("J1_map_task_on_one_slot", d.mapSlots.map((_, k) => `x_${t}_${k}`), [1], "="),
    );
    d.reduceTasks.forEach((_, v) =>
      m.row("J2_reduce_task_on_one_slot", d.reduceSlots.map((_, l) => `y_${v}_${l}`), [1], "="),
    );
  }

  // (J3), (J4): of equal slots a task is on one only if a lower task is on the slot before.
  function symmetry(m) {
    const { d } = m;
    const opened = (component, letter, tasks, twins) =>
      tasks.forEach((_, t) => {
        for (const k of twins) {
          const lower = range(t).map((s) => `${letter}_${s}_${k - 1}`);
          m.row(component, [`${letter}_${t}_${k}`], lower, "<=");
        }
      });
    opened("J3_map_slot_symmetry", "x", d.mapTasks, d.mapTwins);
    opened("J4_reduce_slot_symmetry", "y", d.reduceTasks, d.reduceTwins);
  }

  // (J5), (J6): one order of the jobs.
  function jobOrder(m) {
    const { d } = m;
    for (const i of d.jobs)
      for (const [j, u] of d.pairs)
        if (i < j && i < u) {
          const round = [m.precedes(i, j), m.precedes(j, u), m.precedes(u, i)];
          m.row("J5_no_cycle", round, [2], "<=");
        }
    for (const [i, j] of d.pairs)
      if (order.comesFirst(d, i, j)) m.row("J6_fixed_order", [m.precedes(i, j)], [1], "=");
  }

  // (J7), (J8): a reduce task reads its share of every map output of its job.
  function reads(m) {
    const { d } = m;
    d.reduceTasks.forEach(({ job }, v) => {
      if (!(d.localRead[job] > 0)) return;
      d.reduceSlots.forEach((_, l) => {
        const reach = d.maps[job].flatMap((t) =>
          d.mapSlots.map((slot, k) =>
            times(d.readSeconds[slot.node][l] * d.share[t], `x_${t}_${k}`),
          ),
        );
        const most = m.bigM * d.slowest[l] * d.output[job];
        const elsewhere = times(-most, sum(1).add(`y_${v}_${l}`, -1));
        m.row("J7_read", [`rho_${v}_${l}`], [...reach, elsewhere]);
        m.row("J8_local_read", [`rho_${v}_${l}`], [times(d.localRead[job], `y_${v}_${l}`)]);
      });
    });
  }

  // (J9), (J10), (J10b): the map phase of a job ends when all slots have done the jobs up to it.
  function mapPhase(m) {
    const { d } = m;
    for (const [j, i] of d.pairs)
      d.mapSlots.forEach((_, k) => {
        const most = m.bigM * Math.min(d.mostMap[j][k], m.horizon - d.tail[j]);
        const after = times(-most, sum(1).add(m.precedes(j, i), -1));
        m.row("J9_map_work_before", [`alpha_${j}_${i}_${k}`], [m.mapWork(j, k), after]);
      });
    for (const i of d.jobs)
      d.mapSlots.forEach((_, k) => {
        const before = d.jobs.filter((j) => j !== i).map((j) => `alpha_${j}_${i}_${k}`);
        m.row("J10_map_completion", [`theta_${i}`], [m.mapWork(i, k), ...before]);
      });
    for (const i of d.jobs) m.row("J10b_makespan", ["C"], [`theta_${i}`]);
  }

  // (J11), (J12): after the map phase of a job come its reduces and those of all later jobs.
  function reducePhase(m) {
    const { d } = m;
    for (const [j, i] of d.pairs)
      d.reduceSlots.forEach((_, l) => {
        const most = m.bigM * Math.min(d.mostReduce[j][l], m.horizon - d.head[j]);
        const before = times(-most, sum(1).add(m.precedes(i, j), -1));
        m.row("J11_reduce_work_after", [`omega_${j}_${i}_${l}`], [m.reduceWork(j, l), before]);
      });
    for (const i of d.jobs)
      d.reduceSlots.forEach((_, l) => {
        const after = d.jobs.filter((j) => j !== i).map((j) => `omega_${j}_${i}_${l}`);
        m.row("J12_makespan", ["C"], [`theta_${i}`, m.reduceWork(i, l), ...after]);
      });
  }

  // (J13): a job that precedes another leaves its least work before it, over all slots.
  function area(m) {
    const { d } = m;
    for (const [j, i] of d.pairs) {
      const work = d.mapSlots.map((_, k) => `alpha_${j}_${i}_${k}`);
      m.row("J13_map_area", work, [times(d.mapArea[j], m.precedes(j, i))]);
    }
    for (const [j, i] of d.pairs) {
      const work = d.reduceSlots.map((_, l) => `omega_${j}_${i}_${l}`);
      m.row("J13_reduce_area", work, [times(d.reduceArea[j], m.precedes(i, j))]);
    }
  }

  // (J14), (J15): a slot idles for the head of its first job, or for the tail of its last.
  function heads(m) {
    const { d } = m;
    const family = (names, end, on, tasks, ofJob, slots, wait, work) => {
      tasks.forEach((_, t) =>
        slots.forEach((_, k) =>
          m.row(names[0], d.jobs.map((i) => `${end}_${i}_${k}`), [`${on}_${t}_${k}`]),
        ),
      );
      for (const i of d.jobs)
        slots.forEach((_, k) => {
          const there = ofJob[i].map((t) => `${on}_${t}_${k}`);
          m.row(names[1], [`${end}_${i}_${k}`], there, "<=");
        });
      slots.forEach((_, k) => {
        const path = d.jobs.flatMap((i) => [times(wait[i], `${end}_${i}_${k}`), work(i, k)]);
        m.row(names[2], ["C"], path);
      });
    };
    family(
      ["J14_some_first_job", "J14_first_job_is_there", "J14_reduce_slot_makespan"],
      "f", "y", d.reduceTasks, d.reduces, d.reduceSlots, d.head, (i, l) => m.reduceWork(i, l),
    );
    family(
      ["J15_some_last_job", "J15_last_job_is_there", "J15_map_slot_makespan"],
      "z", "x", d.mapTasks, d.maps, d.mapSlots, d.tail, (i, k) => m.mapWork(i, k),
    );
  }

  // (J17), (J18): a phase lasts as long as its longest task, and as its work over all slots.
  function spans(m) {
    const { d } = m;
    d.mapTasks.forEach(({ job }, t) => {
      const there = d.mapSlots.map((_, k) => times(d.mapWork[t][k], `x_${t}_${k}`));
      m.row("J17_map_task", [`theta_${job}`], there);
    });
    d.reduceTasks.forEach(({ job }, v) => {
      const there = d.reduceSlots.map((_, l) =>
        times(d.reduceTime[v][l], `y_${v}_${l}`).add(`rho_${v}_${l}`),
      );
      m.row("J17_reduce_task", ["C"], [`theta_${job}`, ...there]);
    });
    for (const i of d.jobs) m.row("J18_head", [`theta_${i}`], [d.head[i]]);
    for (const i of d.jobs) m.row("J18_tail", ["C"], [`theta_${i}`, d.tail[i]]);
  }

  function combinations(values, size) {
    if (!size) return [[]];
    return values.flatMap((first, k) =>
      combinations(values.slice(k + 1), size - 1).map((rest) => [first, ...rest]),
    );
  }

  // (J19): the last job of a set ends its maps no sooner than the set alone could; mirrored.
  function sets(m) {
    const { d } = m, jobs = d.jobs.length;
    const sizes = new Set([1, jobs - 1]);
    if (jobs <= MOST_JOBS_FOR_TRIPLES) sizes.add(2);
    if (jobs <= MOST_JOBS_FOR_ALL_SETS) range(jobs).slice(1).forEach((size) => sizes.add(size));
    const rows = [...sizes]
      .filter((size) => 0 < size && size < jobs)
      .sort((a, b) => a - b)
      .flatMap((size) =>
        d.jobs.flatMap((i) =>
          combinations(d.jobs.filter((j) => j !== i), size).map((others) => [i, others]),
        ),
      );
    const missing = (pairs) => sum(pairs.map(([i, j]) => sum(1).add(m.precedes(i, j), -1)));
    for (const [i, others] of rows) {
      const least = d.leastMapPhase([i, ...others]);
      const fewer = missing(others.map((j) => [j, i]));
      m.row("J19_map_set", [`theta_${i}`], [least, times(d.head[i] - least, fewer)]);
    }
    for (const [i, others] of rows) {
      const least = d.leastReducePhase([i, ...others]);
      const fewer = missing(others.map((j) => [i, j]));
      const after = times(d.tail[i] - least, fewer);
      m.row("J19_reduce_set", ["C"], [`theta_${i}`, least, after]);
    }
  }

  // (J16): the work of a slot fits between the least head, or tail, and the horizon.
  function horizon(m) {
    const { d } = m;
    const least = (values, tasks) =>
      d.jobs.reduce((a, i) => (tasks[i].length ? Math.min(a, values[i]) : a), Infinity);
    if (d.reduceTasks.length)
      d.reduceSlots.forEach((_, l) => {
        const work = d.reduceTasks.map((_, v) => times(d.leastReduce[v], `y_${v}_${l}`));
        m.row("J16_reduce_knapsack", work, [m.horizon - least(d.head, d.reduces)], "<=");
      });
    if (d.mapTasks.length)
      d.mapSlots.forEach((_, k) => {
        const work = d.mapTasks.map((_, t) => times(d.mapWork[t][k], `x_${t}_${k}`));
        m.row("J16_map_knapsack", work, [m.horizon - least(d.tail, d.maps)], "<=");
      });
  }

  const FAMILIES = [
    variables, assignment, symmetry, jobOrder, reads, mapPhase, reducePhase,
    area, heads, spans, sets, horizon,
  ];

  // All variables and rows. `longest` is the makespan (s) of a known schedule; the big-Ms of (J7), (J9)
  // and (J11) are multiplied by `bigM`.
  order.build = (problem, { longest = null, bigM = 1 } = {}) => {
    const model = new Model(problem, longest, bigM);
    for (const add of FAMILIES) add(model);
    return {
      variables: model.variables,
      sense: "min",
      objective: { C: 1 },
      rows: model.rows,
      horizon: model.horizon,
    };
  };
}
