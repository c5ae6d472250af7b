"use strict";
// An independent checker, written from the problem. It sees the instance and the drawn bars, never
// the model: setups, processing times and precedence are computed here from the instance alone.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const order = (lesson.jobOrder ??= {});

  const TOLERANCE = 1e-9, SMALLEST = Number.MIN_VALUE;
  const written = (value) => lesson.number(value);

  // Slots of a phase in the order of the lanes: which node each is on, and whether it is lost.
  function slots(problem, phase) {
    const found = [];
    problem.cluster.nodes.forEach((node, n) => {
      for (let k = 0; k < node[`${phase}_slots`]; k++) {
        const lost = (problem.outages ?? []).some(
          (gone) =>
            gone.node === node.name && (gone.phase ?? phase) === phase && (gone.slot ?? k) === k,
        );
        found.push({ node: n, name: `${phase} slot ${k} of ${node.name}`, lost });
      }
    });
    return found;
  }

  // What a map task needs before it runs on a slot (s): reading its input, perhaps encrypted.
  function mapSetup(problem, input, holders, slot, node) {
    if (!input) return 0;
    const { nodes, rates } = problem.cluster, secure = problem.security;
    let best = secure ? 1 / secure.transfer_rate + 1 / secure.encryption_rate : 1 / rates.remote;
    for (const holder of holders) {
      const there = nodes.findIndex((one) => one.name === holder);
      let cost;
      if (secure) {
        const spared = secure.levels[there][slot] === 1 ? 0 : 1 / secure.encryption_rate;
        cost = there === node ? 0 : 1 / secure.transfer_rate + spared;
      } else if (there === node) cost = 1 / rates.node;
      else cost = 1 / (nodes[there].rack === nodes[node].rack ? rates.rack : rates.remote);
      best = Math.min(best, cost);
    }
    return input * best;
  }

  // What a reduce task reads (s): its part of the output of each map task of its job, from the node
  // that ran it.
  function reduceSetup(problem, job, ran, node) {
    const { nodes, rates } = problem.cluster, secure = problem.security;
    const parts = Math.max(1, (job.reduce_tasks ?? []).length);
    let seconds = 0, output = 0;
    (job.map_tasks ?? []).forEach((task, t) => {
      const mb = ((job.output_ratio ?? 0) * (task.input_mb ?? 0)) / parts;
      output += mb;
      if (secure) seconds += mb / secure.transfer_rate;
      else if (ran[t] === node) seconds += mb / rates.node;
      else if (ran[t] !== undefined) seconds += mb / (nodes[ran[t]].rack === nodes[node].rack ? rates.rack : rates.remote);
    });
    return { seconds, blur: (1e-11 * output) / Math.min(rates.remote, secure?.transfer_rate ?? Infinity) };
  }

  const slackOf = (row) => TOLERANCE * Math.max(Math.abs(row.begin), Math.abs(row.end)) + row.blur + SMALLEST;

  // Every task exactly once, on a slot that exists and that it may use. Gives the placed bars.
  function placed(problem, picture, phase, found) {
    const known = slots(problem, phase), rows = [];
    const shift = phase === "map" ? 0 : slots(problem, "map").length;
    problem.jobs.forEach((job, i) =>
      (job[`${phase}_tasks`] ?? []).forEach((task, t) => {
        const name = `${job.name} ${phase} ${t}`;
        const bars = picture.bars.filter((b) => b.job === i && b.phase === phase && b.task === t);
        if (!bars.length) found.push({ rule: "each task once", text: `${name} runs nowhere`, keys: [] });
        if (bars.length > 1) {
          const text = `${name} runs ${bars.length} times`;
          found.push({ rule: "each task once", text, keys: bars.map((bar) => bar.key) });
        }
        for (const bar of bars) {
          const slot = bar.lane - shift, place = known[slot];
          const wrong = (rule, text) => found.push({ rule, text: `${name} ${text}`, keys: [bar.key] });
          if (!place) wrong("a slot that exists", `is on ${phase} slot ${slot} of ${known.length}`);
          else if (!Number.isFinite(bar.begin)) wrong("a start", "has no start");
          else {
            const allowed =
              phase === "reduce" || !problem.security || problem.security.priorities[i][t][slot] === "1";
            if (place.lost) wrong("a slot that is not lost", `is on ${place.name}, which is lost`);
            if (!allowed) wrong("a slot of its priority", `is on ${place.name}, which its priority forbids`);
            const factor = problem.speed_factors?.[phase][i][slot] ?? 1;
            rows.push({ bar, name, i, t, task, slot, node: place.node, place, run: task.processing * factor });
          }
        }
      }),
    );
    return rows;
  }

  // Gives each bar its true setup and end, and compares both with what was drawn.
  function timed(row, setup, blur, found) {
    Object.assign(row, { setup, blur, begin: row.bar.begin });
    row.end = row.begin + setup + row.run;
    const wrong = (rule, text) =>
      found.push({ rule, text: `${row.name} ${text}`, keys: [row.bar.key] });
    const drawn = row.bar.setup ?? 0;
    if (!(Math.abs(drawn - setup) <= TOLERANCE * setup + blur + SMALLEST))
      wrong(
        "setup as placed",
        `has ${written(drawn)} s of setup, on ${row.place.name} it needs ${written(setup)} s`,
      );
    else if (!(Math.abs(row.bar.end - row.end) <= slackOf(row)))
      wrong(
        "as long as it takes",
        `ends at ${written(row.bar.end)} s, it takes until ${written(row.end)} s`,
      );
  }

  // One task at a time on every slot. What a task exceeds within the tolerance delays the next.
  function oneAtATime(rows, release, found) {
    for (const slot of new Set(rows.map((row) => row.slot))) {
      const here = rows.filter((row) => row.slot === slot).sort((a, b) => a.begin - b.begin || a.end - b.end);
      let free = -Infinity, holder = null;
      for (const row of here) {
        const early = row.begin < release(row) - slackOf(row);
        let begin = early ? row.begin : Math.max(row.begin, release(row));
        if (holder && row.begin < free - slackOf(row)) {
          found.push({
            rule: "one task at a time",
            text:
              `${row.name} starts at ${written(row.begin)} s on ${row.place.name}, which ` +
              `${holder.name} holds until ${written(free)} s`,
            keys: [holder.bar.key, row.bar.key],
          });
        } else if (begin < free) begin = free;
        row.until = begin + row.setup + row.run;
        if (row.until > free) [free, holder] = [row.until, row];
      }
    }
  }

  function notBefore(rows, release, rule, why, found) {
    for (const row of rows)
      if (row.begin < release(row) - slackOf(row))
        found.push({
          rule,
          text: `${row.name} starts at ${written(row.begin)} s${why(row)}`,
          keys: [row.bar.key, ...(release(row) > 0 ? row.waits : [])],
        });
  }

  // Every rule that a drawn schedule breaks: [{rule, text, keys}].
  order.check = (problem, picture) => {
    const found = [];
    const maps = placed(problem, picture, "map", found);
    const reduces = placed(problem, picture, "reduce", found);
    for (const row of maps) {
      const input = row.task.input_mb ?? 0, holders = row.task.replicas ?? [];
      timed(row, mapSetup(problem, input, holders, row.slot, row.node), 0, found);
    }
    notBefore(maps, () => 0, "not before 0", () => "", found);
    oneAtATime(maps, () => 0, found);

    const last = problem.jobs.map((_, i) =>
      maps.filter((row) => row.i === i).reduce((a, b) => (a && a.until >= b.until ? a : b), null),
    );
    const ready = (row) => last[row.i]?.until ?? 0;
    for (const row of reduces) {
      const ran = [];
      for (const map of maps) if (map.i === row.i) ran[map.t] = map.node;
      const job = problem.jobs[row.i];
      const { seconds, blur } = reduceSetup(problem, job, ran, row.node);
      // What tasks that run nowhere leave behind cannot be read from anywhere.
      const known = (job.map_tasks ?? []).every((_, t) => ran[t] !== undefined);
      row.waits = last[row.i] ? [last[row.i].bar.key] : [];
      timed(row, known ? seconds : (row.bar.setup ?? 0), blur, found);
    }
    const until = (row) =>
      `, before the maps of its job end: ${last[row.i].name} at ${written(ready(row))} s`;
    const waiting = reduces.filter((row) => ready(row) > 0);
    notBefore(reduces, () => 0, "not before 0", () => "", found);
    notBefore(waiting, ready, "reduce after maps", until, found);
    oneAtATime(reduces, ready, found);

    const rows = [...maps, ...reduces];
    const end = rows.reduce((a, row) => Math.max(a, row.end), 0);
    const blur = reduces.reduce((a, row) => Math.max(a, row.blur), 0);
    const complete = !found.some(({ rule }) => ["runs nowhere", "a slot that exists", "no start"].includes(rule));
    if (complete && !(Math.abs(picture.value - end) <= TOLERANCE * end + blur + SMALLEST)) {
      const latest = rows.filter((row) => row.end >= end * (1 - TOLERANCE));
      found.push({
        rule: "promised makespan",
        text: `the last task ends at ${written(end)} s, the model says ${written(picture.value)} s`,
        keys: latest.map((row) => row.bar.key),
      });
    }
    return found;
  };
}
