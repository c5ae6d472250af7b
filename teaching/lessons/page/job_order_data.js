"use strict";
// Index sets and coefficients of the job-order model, as `formulations/mapreduce/coefficients.py` has them:
// times in s, data in MB, slots and tasks numbered over the whole cluster and over all jobs.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const order = (lesson.jobOrder ??= {});

  const SEARCH_LIMIT = 20000;
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
  const range = (count) => Array.from({ length: count }, (_, k) => k);

  // Most of some tasks must share a machine: of q * machines + 1 tasks, q + 1 do.
  function pigeonhole(length, machines) {
    let bound = length[0];
    for (let q = 1; q <= Math.floor((length.length - 1) / machines); q++)
      bound = Math.max(bound, sum(length.slice(q * machines - q, q * machines + 1)));
    return bound;
  }

  // Depth-first search: the least loaded machine first, of equally loaded ones only one.
  function packed(length, machines, enough) {
    const load = Array(machines).fill(0), before = length.map(() => 0), place = length.map(() => 0);
    let best = 1 + sum(length), t = 0, left = SEARCH_LIMIT;
    place[0] = -1;
    while (t >= 0) {
      let k = place[t], tried = -length[0];
      if (k >= 0) load[k] = tried = before[t];
      k = -1;
      for (let j = 0; j < machines; j++)
        if (load[j] > tried && (k < 0 || load[j] < load[k])) k = j;
      if (k < 0 || load[k] + length[t] >= best) {
        t -= 1;
        continue;
      }
      left -= 1;
      if (left === 0) return -1;
      place[t] = k;
      before[t] = load[k];
      load[k] += length[t];
      if (t + 1 < length.length) {
        t += 1;
        place[t] = -1;
        continue;
      }
      best = most(load);
      if (best <= enough) return best;
    }
    return best;
  }

  // Least makespan of independent tasks on equal machines; a lower bound if the search is stopped.
  function leastMakespan(durations, machines) {
    const length = durations.filter((d) => d > 0).sort((a, b) => b - a);
    if (!length.length || !machines) return 0;
    const bound = Math.max(sum(length) / machines, pigeonhole(length, machines));
    const least = packed(length, machines, bound * (1 + 1e-12));
    return least < 0 ? bound : least;
  }

  function slotsOf(nodes, phase) {
    const field = `${phase}_slots`;
    return nodes.flatMap((node, n) =>
      range(node[field]).map((k) => ({
        node: n,
        slot: k,
        name: `${node.name} ${phase} ${k}`,
        short: `${node.name}.${k} ${phase[0]}`,
      })),
    );
  }

  function tasksOf(jobs, phase) {
    return jobs.flatMap((job, i) =>
      (job[`${phase}_tasks`] ?? []).map((task, number) => ({
        job: i,
        number,
        name: `${job.name} ${phase} ${number}`,
        processing: task.processing,
        input: task.input_mb ?? 0,
        replicas: task.replicas ?? [],
      })),
    );
  }

  // Numbers of the tasks of each job.
  function byJob(jobs, tasks) {
    return jobs.map((_, i) => range(tasks.length).filter((t) => tasks[t].job === i));
  }

  // Whether each slot is lost before the start.
  function lostSlots(problem, slots, phase) {
    const nodes = problem.cluster.nodes;
    return slots.map((slot) =>
      (problem.outages ?? []).some(
        (gone) =>
          gone.node === nodes[slot.node].name &&
          (gone.phase == null || gone.phase === phase) &&
          (gone.slot == null || gone.slot === slot.slot),
      ),
    );
  }

  // Setup of a map task on a slot: input over the best rate, or what moving it safely costs.
  function mapSetup(problem, task, slot, k) {
    const { nodes, rates } = problem.cluster, secure = problem.security;
    const holders = task.replicas.map((name) => nodes.findIndex((node) => node.name === name));
    if (secure) {
      let seconds = 1 / secure.transfer_rate + 1 / secure.encryption_rate;
      if (holders.some((n) => secure.levels[n][k] !== -1)) seconds = 1 / secure.transfer_rate;
      if (holders.includes(slot.node)) seconds = 0;
      return task.input * seconds;
    }
    let rate = rates.remote;
    if (holders.some((n) => nodes[n].rack === nodes[slot.node].rack)) rate = rates.rack;
    if (holders.includes(slot.node)) rate = rates.node;
    return task.input / rate;
  }

  function mayRun(problem, task, k) {
    return !problem.security || problem.security.priorities[task.job][task.number][k] === "1";
  }

  // Neighbours on one node that no task can tell apart; gives the second of each such pair.
  function withTwin(slots, columns) {
    return range(slots.length).filter(
      (k) =>
        k > 0 &&
        slots[k].node === slots[k - 1].node &&
        columns.every((column) => column.every((row) => row[k] === row[k - 1])),
    );
  }

  order.tables = (problem) => {
    const { cluster, jobs } = problem, { nodes } = cluster;
    const d = { problem, jobs: range(jobs.length), jobNames: jobs.map((job) => job.name) };
    d.pairs = d.jobs.flatMap((i) => d.jobs.filter((j) => j !== i).map((j) => [i, j]));
    d.mapSlots = slotsOf(nodes, "map");
    d.reduceSlots = slotsOf(nodes, "reduce");
    d.mapTasks = tasksOf(jobs, "map");
    d.reduceTasks = tasksOf(jobs, "reduce");
    d.maps = byJob(jobs, d.mapTasks);
    d.reduces = byJob(jobs, d.reduceTasks);
    const factor = (phase, i, k) => problem.speed_factors?.[phase][i][k] ?? 1;
    const lost = lostSlots(problem, d.mapSlots, "map");
    d.reduceLost = lostSlots(problem, d.reduceSlots, "reduce");
    d.mapAllowed = d.mapTasks.map((task) =>
      d.mapSlots.map((_, k) => !lost[k] && mayRun(problem, task, k)),
    );
    d.mapSetup = d.mapTasks.map((task) =>
      d.mapSlots.map((slot, k) => mapSetup(problem, task, slot, k)),
    );
    d.mapTime = d.mapTasks.map((task) =>
      d.mapSlots.map((_, k) => task.processing * factor("map", task.job, k)),
    );
    d.mapWork = d.mapTime.map((row, t) => row.map((time, k) => d.mapSetup[t][k] + time));
    d.reduceTime = d.reduceTasks.map((task) =>
      d.reduceSlots.map((_, l) => task.processing * factor("reduce", task.job, l)),
    );
    d.mapTwins = withTwin(d.mapSlots, [d.mapWork, d.mapAllowed]);
    d.reduceTwins = withTwin(d.reduceSlots, [d.reduceTime, [d.reduceLost]]);
    return leastAndMost(reads(d));
  };

  // What reduce tasks read, and how fast.
  function reads(d) {
    const { cluster, security, jobs } = d.problem, { nodes } = cluster;
    const safe = security && security.transfer_rate;
    const rates = safe ? { node: safe, rack: safe, remote: safe } : cluster.rates;
    d.share = d.mapTasks.map(
      (t) => ((jobs[t.job].output_ratio ?? 0) / Math.max(d.reduces[t.job].length, 1)) * t.input,
    );
    d.readSeconds = nodes.map((node, n) =>
      d.reduceSlots.map((slot) => {
        const near = nodes[slot.node].rack === node.rack ? rates.rack : rates.remote;
        return 1 / (slot.node === n ? rates.node : near);
      }),
    );
    d.output = d.maps.map((tasks) => sum(tasks.map((t) => d.share[t])));
    d.localRead = d.output.map((output) => output / rates.node);
    d.slowest = d.reduceSlots.map((_, l) => most(d.readSeconds.map((row) => row[l])));
    return d;
  }

  // Least and most work of tasks and jobs, heads and tails, and the time of all work in sequence.
  function leastAndMost(d) {
    const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
    d.leastMap = d.mapWork.map((row, t) => least(row.filter((_, k) => d.mapAllowed[t][k])));
    d.leastReduce = d.reduceTime.map(
      (row, v) => least(row) + d.localRead[d.reduceTasks[v].job],
    );
    d.mapArea = d.maps.map((tasks) => sum(tasks.map((t) => d.leastMap[t])));
    d.reduceArea = d.reduces.map((tasks) => sum(tasks.map((v) => d.leastReduce[v])));
    const known = new Map();
    const phase = (name, tasks, times, slots) => (jobs) => {
      const key = `${name} ${[...jobs].sort((a, b) => a - b)}`;
      if (!known.has(key)) {
        const alone = jobs.length > 1 ? jobs.map((i) => phase(name, tasks, times, slots)([i])) : [];
        const durations = jobs.flatMap((i) => tasks[i].map((t) => times[t]));
        known.set(key, Math.max(leastMakespan(durations, slots), ...alone));
      }
      return known.get(key);
    };
    d.leastMapPhase = phase("map", d.maps, d.leastMap, d.mapSlots.length);
    d.leastReducePhase = phase("reduce", d.reduces, d.leastReduce, d.reduceSlots.length);
    d.head = d.jobs.map((i) => d.leastMapPhase([i]));
    d.tail = d.jobs.map((i) => d.leastReducePhase([i]));
    d.mostMap = d.maps.map((tasks) =>
      d.mapSlots.map((_, k) => sum(tasks.map((t) => d.mapWork[t][k]))),
    );
    d.mostReduce = d.reduces.map((tasks, i) =>
      d.reduceSlots.map(
        (_, l) =>
          sum(tasks.map((v) => d.reduceTime[v][l])) + tasks.length * d.output[i] * d.slowest[l],
      ),
    );
    // One task after another, each on its fastest slot with its longest setup or reads.
    const fastest = (times, allowed) =>
      times.map((row, t) => least([most(times.map(most)), ...row.filter((_, k) => allowed(t, k))]));
    const mapTimes = fastest(d.mapTime, (t, k) => d.mapAllowed[t][k]);
    const reduceTimes = fastest(d.reduceTime, (_, l) => !d.reduceLost[l]);
    const read = most(d.slowest) * sum(d.reduces.map((tasks, i) => tasks.length * d.output[i]));
    d.serial = sum(d.mapSetup.map((row, t) => most(row) + mapTimes[t])) + sum(reduceTimes) + read;
    return d;
  }

  // Jobs without map tasks go first, those without reduce tasks last, by number within each group.
  order.comesFirst = (d, i, j) => {
    const place = (job) => (!d.maps[job].length ? 0 : d.reduces[job].length ? 1 : 2);
    const a = place(i), b = place(j);
    return a < b || (a === b && a !== 1 && i < j);
  };
}
