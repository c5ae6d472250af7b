"use strict";
// What a batch of jobs must be for a page on the job-order or the sequence model: names that exist,
// tables of the right size, not too many tasks and slots, not too much work.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const order = (lesson.jobOrder ??= {});

  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const tasksOf = (jobs, phase) => jobs.flatMap((job) => job[`${phase}_tasks`] ?? []);
  const slotsOf = (nodes, phase) => sum(nodes.map((node) => node[`${phase}_slots`]));
  const shaped = (table, rows, columns) =>
    table.length === rows && table.every((row) => row.length === columns);

  // Nodes and jobs that are named must be there.
  function names({ cluster: { nodes }, jobs, outages }) {
    const known = new Set(nodes.map((node) => node.name));
    const holders = tasksOf(jobs, "map").flatMap((task) => task.replicas ?? []);
    const lost = [...holders, ...(outages ?? []).map((gone) => gone.node)].find((name) => !known.has(name));
    return (
      lesson.twice(nodes.map((node) => node.name), "node") ??
      lesson.twice(jobs.map((job) => job.name), "job") ??
      (lost === undefined ? null : `there is no node “${lost}”`)
    );
  }

  function tables({ cluster: { nodes }, jobs, speed_factors: factors, security }) {
    const maps = slotsOf(nodes, "map"), reduces = slotsOf(nodes, "reduce");
    if (factors && !(shaped(factors.map, jobs.length, maps) && shaped(factors.reduce, jobs.length, reduces)))
      return "speed_factors: need a row for each job and a column for each slot";
    if (!security) return null;
    const { levels, priorities } = security;
    if (!shaped(levels, nodes.length, maps)) return "security.levels: need a row for each node and a column for each map slot";
    const counts = jobs.map((job) => (job.map_tasks ?? []).length);
    if (!(priorities.length === jobs.length && priorities.every((job, i) => shaped(job, counts[i], maps))))
      return "security.priorities: need a row for each map task and a letter for each map slot";
    return null;
  }

  function possible(problem) {
    const d = order.tables(problem);
    return (
      d.mapAllowed.every((row) => row.some(Boolean)) &&
      (!d.reduceTasks.length || d.reduceLost.some((lost) => !lost))
    );
  }

  // Why the page does not take a problem of the right form, or null.
  order.refuse = function refuse(problem, { tasks, slots, seconds }) {
    const { cluster: { nodes, rates }, jobs } = problem;
    const maps = tasksOf(jobs, "map").length, reduces = tasksOf(jobs, "reduce").length;
    const wrong =
      names(problem) ??
      tables(problem) ??
      lesson.tooMany([
        [maps + reduces, tasks, "tasks"],
        [slotsOf(nodes, "map") + slotsOf(nodes, "reduce"), slots, "slots"],
      ]);
    if (wrong) return wrong;
    if (!(rates.node >= rates.rack && rates.rack >= rates.remote))
      return "cluster.rates: the same node is never slower than the same rack, nor that than another rack";
    if (!maps && !reduces) return "there is no task";
    if (!possible(problem)) return "no schedule exists: a task has no slot that it may use";
    return lesson.tooLong(order.tables(problem).serial, seconds);
  };

  order.possible = possible;
}
