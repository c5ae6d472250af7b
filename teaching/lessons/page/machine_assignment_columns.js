"use strict";
// Column generation for LoTES (6) to (10), round by round: the master over the bins known so far, its
// prices, for each configuration the bin that is worth most at these prices, and so on.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const assignment = (lesson.machineAssignment ??= {});

  const NEGLIGIBLE = 1e-9;
  const MOST_ROUNDS = 60;

  const jobs = (k) => `N_${k}`;

  /** The pricing problem of configuration j: jobs that fit one machine and are worth most. */
  function knapsack(problem, j, worth, known = assignment.data(problem)) {
    const { configurations, classes, resources } = problem;
    const variables = {}, objective = {};
    for (const k of classes.keys()) {
      const most = known.fits[k][j] ? assignment.fitting(known.request[k], known.capacity[j]) : 0;
      variables[jobs(k)] = { integer: true, lower: 0, upper: most };
      objective[jobs(k)] = worth[k] * known.rate[k][j];
    }
    const fits = resources.flatMap((name) => {
      const row = {};
      for (const [k, one] of classes.entries())
        if (one.request[name]) row[jobs(k)] = one.request[name];
      return Object.keys(row).length ? [[row, null, configurations[j].capacity[name] ?? 0]] : [];
    });
    return { variables, sense: "max", objective, rows: { fits } };
  }

  const worthOf = (known, worth, j, bin) =>
    bin.reduce((total, n, k) => total + n * worth[k] * known.rate[k][j], 0);

  /** The bin with whatever else fits: jobs that are worth nothing at today's prices do no harm. */
  function filled(known, j, bin) {
    const full = [...bin];
    for (const k of full.keys()) {
      if (!known.fits[k][j]) continue;
      full[k] += assignment.fitting(known.request[k], assignment.roomOf(known, j, full));
    }
    return full;
  }

  async function priced(problem, known, round, solve) {
    const found = [];
    for (const [j, { count }] of problem.configurations.entries()) {
      const model = knapsack(problem, j, round.worth, known);
      const text = lesson.lpText(model, new Set(["fits"]));
      const answer = await solve(text);
      const raw = problem.classes.map((_, k) => Math.round(answer.columns[jobs(k)] ?? 0));
      if (assignment.roomOf(known, j, raw).some((room) => room < 0))
        throw new Error(`the solver's bin does not fit ${problem.configurations[j].name}`);
      const bin = filled(known, j, raw);
      const value = worthOf(known, round.worth, j, bin);
      // A configuration without machines needs no bin, whatever one were worth.
      const pays = count > 0 && value > round.price[j] + NEGLIGIBLE * Math.max(1, round.value);
      found.push({ j, text, bin, value, pays });
    }
    return found;
  }

  /** Optimum, plan and prices of the master over these bins; null if it has no optimum. */
  async function master(problem, bins, on, solve) {
    const built = assignment.over(problem, bins);
    const text = lesson.lpText(built, on, { relax: true });
    const answer = await solve(text);
    if (answer.status !== "optimal") return { text, bins, status: answer.status };
    const dual = (component, k) => answer.rows[lesson.rowName(component, k)]?.dual ?? 0;
    const worth = problem.classes.map((one, k) => (one.share ? Math.max(0, dual("eq7_demand", k)) : 0));
    // λ has no bound, so that shares times prices add up to 1; rounding is taken out.
    const total = problem.classes.reduce((sum, one, k) => sum + one.share * worth[k], 0);
    return {
      text, bins, status: "optimal", value: answer.value,
      machines: bins.map((list, j) =>
        list.map((_, i) => Math.max(0, answer.columns[assignment.names.machines(j, i)] ?? 0))),
      worth: worth.map((price) => (total > 0 ? price / total : price)),
      price: problem.configurations.map((_, j) => dual("eq9_one_bin_each", j)),
    };
  }

  /**
   * All rounds until no bin pays: {status, text, bins, value, machines, worth, price, priced, bound,
   * best, entering}. `bound` is the Lagrangian one of this round, `best` the best so far.
   */
  assignment.rounds = async function rounds(problem, on, solve) {
    const known = assignment.data(problem);
    let bins = assignment.binsOfOneClass(problem, known), best = Infinity;
    const found = [];
    while (found.length < MOST_ROUNDS) {
      const round = await master(problem, bins, on, solve);
      found.push(round);
      if (round.status !== "optimal") return found;
      round.priced = await priced(problem, known, round, solve);
      round.bound = round.priced.reduce(
        (sum, { j, value }) => sum + problem.configurations[j].count * value, 0);
      round.best = best = Math.min(best, round.bound);
      const has = (j, bin) => bins[j].some((other) => other.every((n, k) => n === bin[k]));
      round.entering = round.priced.filter(({ j, bin, pays }) => pays && !has(j, bin));
      if (!round.entering.length) return found;
      bins = bins.map((list, j) => [
        ...list, ...round.entering.filter((one) => one.j === j).map(({ bin }) => bin),
      ]);
    }
    throw new Error(`no end after ${MOST_ROUNDS} rounds`);
  };
  assignment.knapsack = knapsack;
}
