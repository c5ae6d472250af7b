"use strict";
// Stages of fair shares in words and bars: who rises, what fills up, who stops, what it costs.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const fair = (lesson.fairShare ??= {});

  const number = (value) => lesson.number(value, 4);

  const namesOf = (leaves, kept) => leaves.flatMap(({ path }, i) => (kept[i] ? [path] : []));

  /** Leaves from what they had to what they have, their guarantees as marks; then the resources. */
  function bars(problem, stage, options) {
    const known = fair.data(problem);
    const { resources, leaves } = known;
    const guaranteed = fair.guarantees(known);
    const { shares, floor } = stage;
    const own = leaves.map(({ node, path }, i) => {
      const says = (from, to) => `${path}: ${number(from)} to ${number(to)}`;
      const before = Math.min(floor[i], shares[i]);
      return {
        name: path, used: shares[i],
        parts: [
          ...(before > 0 ? [{ begin: 0, end: before, group: i, key: path, says: says(0, before), faint: true }] : []),
          ...(shares[i] > before ? [{ begin: before, end: shares[i], group: i, key: path, says: says(before, shares[i]) }] : []),
        ],
        marks: [{ at: guaranteed[node], says: `guaranteed: ${number(guaranteed[node])}` }],
      };
    });
    const together = resources.map((name, j) => {
      let end = 0;
      const parts = leaves.flatMap(({ normalised, path }, i) => {
        const begin = end;
        end += normalised[j] * shares[i];
        return end > begin ? [{ begin, end, group: i, key: path, says: `${path}: ${lesson.percent(end - begin)} of ${name}` }] : [];
      });
      return { name, parts, used: end };
    });
    const widest = Math.max(1, ...own.map(({ used }) => used), ...together.map(({ used }) => used));
    return (
      `<section class=machines><h3>Dominant shares <small>of the leaves; a line marks the guarantee</small></h3>` +
      `${lesson.tracks(own, { ...options, widest, full: false })}</section>` +
      `<section class=machines><h3>Resources <small>and which leaves use them; dashed: all there is</small></h3>` +
      `${lesson.tracks(together, { ...options, widest })}</section>`
    );
  }

  fair.html = (problem, { stages }, options) => `<div class=shares>${bars(problem, stages.at(-1), options)}</div>`;

  fair.sentences = function sentences(problem, stages) {
    const { resources, leaves } = fair.data(problem);
    return stages.map((stage, k) => {
      if (stage.unbounded)
        return `Stage ${k + 1}: nothing limits the level; drawn at twice the right one.`;
      const full = lesson.listed(stage.full.map((j) => resources[j]));
      const stop = lesson.listed(namesOf(leaves, stage.stopped));
      return full
        ? `Stage ${k + 1}: ${full} is full at level ${number(stage.level)}; that stops ${stop}.`
        : `Stage ${k + 1}: level ${number(stage.level)}, and no price says what stopped it.`;
    });
  };

  /** Duals of the first stage: exact, as the program is linear. */
  fair.prices = function prices(problem, answer, built, on) {
    if (answer.status !== "optimal" || !on.has("F4_capacity") || !on.has("F1_leaf_level")) return null;
    const known = fair.data(problem), { resources, nodes, leaves } = known;
    const dual = (component, k) => answer.rows[lesson.rowName(component, k)]?.dual ?? 0;
    const needed = resources.filter((_, j) => leaves.some((leaf) => leaf.normalised[j] > 0));
    let total = 0;
    const lines = needed.map((name, k) => {
      const price = dual("F4_capacity", k);
      total += price;
      return Math.abs(price) <= 1e-9
        ? `${name}: 0, some is left when the stage ends.`
        : `${name}: ${number(price)}. With room for 1 % more, shares counted as before, the level would be ${number(price / 100)} higher.`;
    });
    let k = 0;
    for (const [i, { path, tasks, node }] of leaves.entries()) {
      if (!(tasks > 0)) continue;
      const price = Math.abs(dual("F1_leaf_level", k++));
      const has = answer.columns[fair.names.share(i)] ?? 0, { weight } = nodes[node];
      lines.push(
        price <= 1e-9
          ? `${path}: costs the others nothing now.`
          : `${path}: each 0.01 of dominant share given to it beyond its level would cost the level ` +
            `${number(price / 100)} (it has ${number(has)} at weight ${number(weight)}).`,
      );
    }
    const agrees = lesson.close(total, answer.value);
    const lead =
      `Duals of the first stage, exact because it is linear. The prices of the capacities add up to ` +
      `${number(total)}, ` +
      (agrees ? "the level itself." : `not the level ${number(answer.value)}: do not trust this page.`);
    return { lead, lines };
  };

  function stageStep(problem, stage, k, known) {
    const { resources, leaves } = known;
    const who = lesson.listed(namesOf(leaves, stage.rising));
    const rest = namesOf(leaves, stage.rising.map((still, i) => still && !stage.stopped[i]));
    const prices = Object.entries(stage.prices)
      .filter(([, price]) => Math.abs(price) > 1e-9)
      .map(([j, price]) => `${resources[j]} ${number(Math.abs(price))}`);
    const kept = leaves.flatMap(({ path }, i) =>
      stage.floors[i] > 1e-9 && stage.floor[i] > 0 ? [`${path} ${number(stage.floors[i])}`] : []);
    const end = stage.unbounded
      ? "Nothing limits the level with these rules; drawn is twice the right one."
      : stage.full.length
        ? `At level ${number(stage.level)} of the root's children ${lesson.listed(stage.full.map((j) => resources[j]))} is full. ` +
          `That stops ${lesson.listed(namesOf(leaves, stage.stopped))}` +
          (rest.length ? `; to the next stage: ${lesson.listed(rest)}.` : ".")
        : `The level ends at ${number(stage.level)}; no capacity has a price, so no stage can follow.`;
    return {
      title: `Stage ${k + 1}: ${k ? `what is left for ${who}` : "all leaves rise"}`,
      lead:
        `Rising in the ratio of the weights: ${who}` +
        `${k ? "; levels count anew from 0, and nobody falls below what they have" : ""}. ${end}` +
        (prices.length ? ` Prices of (F4): ${lesson.listed(prices)}.` : "") +
        (kept.length ? ` What the others keep costs: ${lesson.listed(kept)} of level for each unit of share.` : ""),
      html: bars(problem, stage, {}) + lesson.folded("This stage in LP format", stage.text),
    };
  }

  function lastStep(problem, stages, known, facts) {
    const { resources, nodes, leaves } = known;
    const guaranteed = fair.guarantees(known), last = stages.at(-1);
    const rows = leaves.map(({ path, node }, i) => {
      const stage = stages.findIndex(({ stopped }) => stopped[i]);
      const full = stage < 0 ? [] : stages[stage].full.filter((j) => leaves[i].normalised[j] > 0);
      return [
        lesson.escape(path), number(nodes[node].weight), number(last.shares[i]), number(guaranteed[node]),
        stage < 0 ? "nothing" : `${lesson.escape(lesson.listed(full.map((j) => resources[j])))}, stage ${stage + 1}`,
      ];
    });
    const shipped = facts?.shares;
    const agrees = shipped === undefined
      ? ""
      : leaves.every(({ path }, i) => Math.abs(shipped[path] - last.shares[i]) <= 1e-6)
        ? " slotwise's own allocator, which flattens the tree and solves no program, gives the same shares."
        : " slotwise's own allocator, which keeps all rules, gives other shares.";
    return {
      title: "Nobody rises any more: done",
      lead: `${lesson.many(stages.length, "stage")}, one for each resource that filled up.${agrees}`,
      html: lesson.table(["leaf", "weight", "dominant share", "guarantee", "stopped by"], rows),
    };
  }

  fair.steps = function steps(problem, stages, facts = null) {
    const known = fair.data(problem);
    return [
      ...stages.map((stage, k) => stageStep(problem, stage, k, known)),
      // Without some rules a stage stops nobody, and there is no end to speak of.
      ...(stages.at(-1).stopped.some(Boolean) ? [lastStep(problem, stages, known, facts)] : []),
    ];
  };

  fair.panel = function panel(element, { problem, data, drawn }) {
    const steps = fair.steps(problem, drawn?.further ?? [], data.facts);
    if (drawn?.further?.length) lesson.walk(element, "One stage after another", steps);
    else element.replaceChildren();
  };
}
