"use strict";
// What a datacenter must be for a page on the allocation or the machine assignment program.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const amount = (amounts, resource) => amounts[resource] ?? 0;

  const fits = (problem, one, { name, capacity }) =>
    (typeof one.mean_time !== "object" || name in one.mean_time) &&
    problem.resources.every((r) => amount(one.request, r) <= amount(capacity, r));

  function names({ resources, configurations, classes }) {
    const of = (list) => list.map((one) => one.name);
    const unknown = (list, known) => list.flatMap((part) => Object.keys(part)).find((name) => !known.includes(name));
    const resource = unknown([...configurations.map((c) => c.capacity), ...classes.map((c) => c.request)], resources);
    const times = classes.map((one) => one.mean_time).filter((time) => typeof time === "object");
    const machine = unknown(times, of(configurations));
    return (
      lesson.twice(resources, "resource") ?? lesson.twice(of(configurations), "configuration") ??
      lesson.twice(of(classes), "class") ??
      (resource === undefined ? null : `there is no resource “${resource}”`) ??
      (machine === undefined ? null : `there is no configuration “${machine}”`)
    );
  }

  // Why a page does not take a datacenter of the right form, or null.
  lesson.refuseDatacenter = function refuseDatacenter(problem, limits) {
    const { configurations, classes } = problem;
    const wrong =
      names(problem) ??
      lesson.tooMany([
        [classes.length, limits.classes, "classes"],
        [configurations.length, limits.configurations, "configurations"],
      ]) ??
      lesson.outside(problem, limits);
    if (wrong) return wrong;
    const shares = classes.reduce((total, one) => total + one.share, 0);
    if (!(shares > 0 && shares <= 1 + 1e-9)) return `shares of the classes add up to ${lesson.number(shares)}, need more than 0, at most 1`;
    if (!configurations.some((one) => one.count > 0)) return "need at least one machine";
    const empty = classes.find((one) => !Object.values(one.request).some((units) => units > 0));
    if (empty) return `class “${empty.name}” needs no resource at all`;
    const lost = classes.find((one) => one.share > 0 && !configurations.some((c) => fits(problem, one, c)));
    return lost ? `class “${lost.name}” fits no machine` : null;
  };
}
