"use strict";
// Hierarchical max-min fairness by one linear program for each resource that fills up.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const fair = (lesson.fairShare ??= {});

  const PRICE = 1e-9;
  const COMPONENTS = ["F1_leaf_level", "F2_group_level", "F3_floor", "F4_capacity"];

  /** The least shares that the rows left on allow at the level found. */
  function leastShares({ nodes, leaves }, mu, on, root, rising, floor) {
    const levels = nodes.map(() => 0);
    levels[0] = root;
    if (on.has("F2_group_level"))
      for (const [n, node] of nodes.entries())
        if (n > 0 && mu[n] > 0) levels[n] = (node.weight * levels[node.parent]) / mu[n];
    return leaves.map(({ node }, i) => {
      const { weight, parent } = nodes[node];
      const asked = rising[i] && on.has("F1_leaf_level") ? weight * levels[parent] : 0;
      return Math.max(asked, on.has("F3_floor") ? floor[i] : 0);
    });
  }

  /** A program held at twice the level that it has with all rules, so that it can be drawn. */
  async function held(built, on, solve) {
    const full = await solve(lesson.lpText(built, new Set(COMPONENTS)));
    const name = fair.names.level(0);
    return solve(lesson.lpText(built, on, { more: [` for_the_drawing: ${name} <= ${2 * full.value}`] }));
  }

  /**
   * All stages: {text, rising, floor, level, shares, prices, full, stopped, unbounded}. `prices` are
   * the duals of the capacities by number of the resource, `full` those that stop the stage, `floors`
   * the duals of what leaves have already.
   */
  fair.stages = async function stages(problem, on, solve) {
    const known = fair.data(problem);
    const { resources, leaves } = known;
    let rising = leaves.map(({ tasks }) => tasks > 0);
    let floor = leaves.map(() => 0);
    const found = [];
    while (rising.some(Boolean) && found.length <= resources.length) {
      const built = fair.stageRows(problem, { rising, floor });
      const text = lesson.lpText(built, on);
      let answer = await solve(text);
      const unbounded = answer.status === "unbounded";
      if (unbounded) answer = await held(built, on, solve);
      if (answer.status !== "optimal") break;
      const level = answer.value;
      const shares = leastShares(known, fair.groupMu(known, rising), on, level, rising, floor);
      // Rows of (F4) are there for the resources that some leaf needs.
      const needed = resources.flatMap((_, j) => (leaves.some((leaf) => leaf.normalised[j] > 0) ? [j] : []));
      const dual = (component, k) => answer.rows[lesson.rowName(component, k)]?.dual ?? 0;
      const prices = {};
      if (on.has("F4_capacity")) for (const [k, j] of needed.entries()) prices[j] = dual("F4_capacity", k);
      const full = unbounded ? [] : needed.filter((j) => Math.abs(prices[j] ?? 0) > PRICE * level);
      const stopped = leaves.map((leaf, i) => rising[i] && full.some((j) => leaf.normalised[j] > 0));
      const floors = leaves.map((_, i) => (on.has("F3_floor") ? Math.abs(dual("F3_floor", i)) : 0));
      found.push({ text, rising, floor, level, shares, prices, floors, full, stopped, unbounded });
      if (!stopped.some(Boolean)) break;
      rising = rising.map((still, i) => still && !stopped[i]);
      floor = shares;
    }
    return found;
  };

  /** What the leaves end up with, as bars from 0. */
  fair.picture = function picture(problem, solution) {
    const { leaves } = fair.data(problem);
    const last = solution.further.at(-1);
    const bars = leaves.map(({ path }, i) => ({
      lane: i, begin: 0, end: last.shares[i], setup: 0, label: path, group: i, key: path,
    }));
    return {
      lanes: leaves.map(({ path }) => path), bars, lines: [], value: solution.value,
      shares: last.shares, stages: solution.further,
    };
  };

  /**
   * What shares break, from the tree alone: capacities, guarantees of leaves, guarantees of groups
   * whose leaves all want more, and leaves that could have more although nothing they need is full.
   */
  fair.check = function check(problem, { shares }) {
    const known = fair.data(problem);
    const { resources, nodes, leaves } = known;
    const { percent } = lesson, share = (value) => lesson.number(value, 4);
    const found = [];
    const use = nodes.map(() => resources.map(() => 0));
    for (const [i, { node, normalised }] of leaves.entries())
      use[node] = normalised.map((part) => part * shares[i]);
    const wants = leaves.map(({ tasks, taskShare }, i) => tasks === 0 || shares[i] < tasks * taskShare * (1 - 1e-7));
    const hungry = nodes.map(({ leaf }) => (leaf === null ? true : wants[leaf]));
    for (let n = nodes.length - 1; n > 0; n--) {
      const up = nodes[n].parent;
      use[n].forEach((part, j) => (use[up][j] += part));
      hungry[up] &&= hungry[n];
    }
    const load = use[0];
    for (const [j, name] of resources.entries())
      if (load[j] > 1 + 1e-7)
        found.push({
          rule: "capacity",
          text: `${percent(load[j])} of ${name} is used`,
          keys: leaves.flatMap(({ path, normalised }, i) => (normalised[j] > 0 && shares[i] > 0 ? [path] : [])),
        });
    const guaranteed = fair.guarantees(known);
    for (const [i, { node, path, tasks, taskShare }] of leaves.entries()) {
      const least = Math.min(guaranteed[node], tasks * taskShare);
      if (shares[i] < least * (1 - 1e-7) - 1e-12)
        found.push({
          rule: "guarantee",
          text: `${path} has a dominant share of ${share(shares[i])}, guaranteed are ${share(least)}`,
          keys: [path],
        });
    }
    for (const [n, { leaf, active, path }] of nodes.entries()) {
      const most = Math.max(...use[n]);
      if (n > 0 && leaf === null && active && hungry[n] && most < guaranteed[n] * (1 - 1e-7))
        found.push({
          rule: "guarantee of a group",
          text: `${path} has a dominant share of ${share(most)}, guaranteed are ${share(guaranteed[n])}`,
          keys: leaves.filter((one) => one.path.startsWith(`${path}/`)).map((one) => one.path),
        });
    }
    // Where more is used than there is, the question what is left over has no meaning.
    const fits = load.every((part) => part <= 1 + 1e-7);
    for (const [i, { path, normalised, tasks }] of leaves.entries())
      if (fits && tasks > 0 && wants[i] && !resources.some((_, j) => normalised[j] > 0 && load[j] >= 1 - 1e-6))
        found.push({
          rule: "nothing that helps is left over",
          text: `${path} needs ${lesson.listed(resources.filter((_, j) => normalised[j] > 0))}, of which some is left`,
          keys: [path],
        });
    return found;
  };
}
