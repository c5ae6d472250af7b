"use strict";
// One stage of hierarchical max-min fairness: the same rows as formulations/hierarchy/fair_share/model.py.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const fair = (lesson.fairShare ??= {});

  /** The tree as lists: nodes in the order of the file, parents first; leaves with their demand. */
  function data(problem) {
    const resources = Object.keys(problem.capacity);
    const nodes = [], leaves = [];
    const add = (node, parent, path) => {
      const number = nodes.length;
      const one = { name: node.name, weight: node.weight ?? 1, parent, path, children: [], leaf: null };
      nodes.push(one);
      if (parent >= 0) nodes[parent].children.push(number);
      if (node.demand) {
        const fraction = resources.map((name) => (node.demand[name] ?? 0) / problem.capacity[name]);
        const taskShare = Math.max(...fraction);
        one.leaf = leaves.length;
        leaves.push({
          node: number, path, taskShare, tasks: node.tasks ?? Infinity,
          normalised: fraction.map((part) => part / taskShare),
        });
      }
      for (const child of node.children ?? [])
        add(child, number, parent < 0 ? child.name : `${path}/${child.name}`);
    };
    add(problem.root, -1, problem.root.name);
    for (const node of nodes)
      node.active = node.leaf !== null && leaves[node.leaf].tasks > 0;
    for (let n = nodes.length - 1; n > 0; n--)
      if (nodes[n].active) nodes[nodes[n].parent].active = true;
    return { resources, nodes, leaves };
  }

  /** M_n of every node: the largest entry of its children's demand, MCH (2). Leaves have 0. */
  function groupMu({ resources, nodes, leaves }, rising) {
    const demand = nodes.map(() => resources.map(() => 0));
    const mu = nodes.map(() => 0);
    for (const [i, leaf] of leaves.entries())
      if (rising[i]) demand[leaf.node] = [...leaf.normalised];
    for (let n = nodes.length - 1; n > 0; n--) {
      if (nodes[n].leaf === null) {
        mu[n] = Math.max(...demand[n]);
        demand[n] = demand[n].map((part) => part / (mu[n] || 1));
      }
      const up = demand[nodes[n].parent];
      demand[n].forEach((part, j) => (up[j] += nodes[n].weight * part));
    }
    return mu;
  }

  const share = (i) => `x_${i}`;
  const level = (n) => `L_${n}`;

  /** The rows of a stage: leaves that rise, and the share that each has. By default the first. */
  function stageRows(problem, stage = null) {
    const known = data(problem);
    const { resources, nodes, leaves } = known;
    const rising = stage?.rising ?? leaves.map(({ tasks }) => tasks > 0);
    const floor = stage?.floor ?? leaves.map(() => 0);
    const mu = groupMu(known, rising);
    const groups = nodes.flatMap((_, n) => (n > 0 && mu[n] > 0 ? [n] : []));
    const variables = {};
    for (const i of leaves.keys()) variables[share(i)] = { integer: false, lower: 0, upper: null };
    for (const n of [0, ...groups]) variables[level(n)] = { integer: false, lower: 0, upper: null };
    const rows = {};
    rows.F1_leaf_level = leaves.flatMap(({ node }, i) =>
      rising[i]
        ? [[{ [share(i)]: -1, [level(nodes[node].parent)]: nodes[node].weight }, null, 0]]
        : [],
    );
    rows.F2_group_level = groups.map((n) => [
      { [level(n)]: mu[n], [level(nodes[n].parent)]: -nodes[n].weight }, 0, 0,
    ]);
    rows.F3_floor = leaves.map((_, i) => [{ [share(i)]: 1 }, floor[i], null]);
    rows.F4_capacity = resources.flatMap((_, j) => {
      const row = {};
      for (const [i, { normalised }] of leaves.entries())
        if (normalised[j] > 0) row[share(i)] = normalised[j];
      return Object.keys(row).length ? [[row, null, 1]] : [];
    });
    return { variables, sense: "max", objective: { [level(0)]: 1 }, rows };
  }

  /** Guaranteed dominant share of every node: weights over those of its active siblings, up the tree. */
  function guarantees({ nodes }) {
    const found = nodes.map(() => 0);
    found[0] = 1;
    for (const [n, node] of nodes.entries()) {
      const active = node.children.filter((child) => nodes[child].active);
      const together = active.reduce((total, child) => total + nodes[child].weight, 0);
      for (const child of active) found[child] = (found[n] * nodes[child].weight) / together;
    }
    return found;
  }

  Object.assign(fair, { data, groupMu, guarantees, stageRows, names: { share, level } });
  lesson.models["fair-share"] = {
    noun: { value: "Level of the first stage", truth: "With all rules" },
    further: (problem, on, solve) => fair.stages(problem, on, solve),
    picture: (problem, solution) => fair.picture(problem, solution),
    check: (problem, drawn) => fair.check(problem, drawn),
    html: (problem, solution, on, drawn, options) => fair.html(problem, drawn, options),
    draw: false,
    sentences: (problem, solution) => fair.sentences(problem, solution.further),
    prices: (problem, answer, built, on) => fair.prices(problem, answer, built, on),
    panel: (element, context) => fair.panel(element, context),
  };
}
