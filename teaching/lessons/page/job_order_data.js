"use strict";
// Tasks, slots and times (s) of a batch; slots and tasks are numbered over the whole cluster and over all
// jobs.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const order = (lesson.jobOrder ??= {});

  const range = (count) => Array.from({ length: count }, (_, k) => k);

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
    return d;
  };
}
