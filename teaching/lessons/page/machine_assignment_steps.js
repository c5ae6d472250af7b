"use strict";
// Column generation in words and tables: what each round knows, what things are worth, what pays.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const assignment = (lesson.machineAssignment ??= {});

  const number = (value) => lesson.number(value, 5);
  const NONE = '<span class=note>–</span>';

  // Step 1 of a round: the linear program over the bins that are known.
  function masterStep(problem, round, turn, known) {
    const { escape, many } = lesson;
    const unit = assignment.unit(problem);
    const count = round.bins.flat().length;
    const rows = round.bins.flatMap((list, j) =>
      list.map((bin, i) => {
        const machines = round.machines[j][i];
        const fresh = known !== null && i >= known[j];
        return [
          escape(problem.configurations[j].name),
          `${escape(assignment.binName(problem, bin))}${fresh ? " <b>new</b>" : ""}`,
          machines > 1e-9 ? number(machines) : NONE,
        ];
      }),
    );
    const begin = turn === 1
      ? "It begins with the bins of one class, each with as many of its jobs as fit. "
      : "";
    return {
      title: `Round ${turn}: the master over ${many(count, "bin")}`,
      lead:
        `${begin}The best plan over these bins alone, with fractions of machines, carries ` +
        `${number(round.value)} ${unit}.`,
      html:
        lesson.table(["on", "bin", "machines"], rows) +
        lesson.folded("The master in LP format", round.text),
    };
  }

  // Step 2: the duals of the master.
  function priceStep(problem, round, turn) {
    const { escape } = lesson;
    const unit = assignment.unit(problem), time = problem.time_unit ?? "h";
    const classes = problem.classes.map((one, k) => [
      escape(one.name), number(round.worth[k]), number(one.share), number(one.share * round.worth[k]),
    ]);
    const machines = problem.configurations.map(({ name, count }, j) => [
      escape(name), number(round.price[j]), number(count), number(count * round.price[j]),
    ]);
    const total = problem.configurations.reduce((sum, { count }, j) => sum + count * round.price[j], 0);
    const dear = round.worth.indexOf(Math.max(...round.worth));
    return {
      title: `Round ${turn}: what is it worth?`,
      lead:
        `The duals of (7): serving one more ${problem.classes[dear].name} per ${time} is worth ` +
        `${number(round.worth[dear])} ${unit}, the most of all classes. The duals of (9): what a machine ` +
        `earns at these prices. Machines times their prices are ${number(total)} ${unit}, the master's value.`,
      html:
        lesson.table(["class", "π: worth of serving 1 more", "share α", "α π (sum 1)"], classes) +
        lesson.table(["on", "w: price of a machine", "machines n", "n w"], machines),
    };
  }

  // Step 3: for each configuration the most valuable bin, and whether it earns more than its machine.
  function pricingStep(problem, round, turn) {
    const { escape, listed } = lesson;
    const known = assignment.data(problem), unit = assignment.unit(problem);
    const rows = round.priced.map(({ j, bin, value, pays }) => {
      const parts = bin.flatMap((n, k) =>
        n ? [`${n} × ${number(round.worth[k] * known.rate[k][j])}`] : []);
      return [
        escape(problem.configurations[j].name), escape(assignment.binName(problem, bin)),
        `${parts.join(" + ") || "0"} = ${number(value)}`, number(round.price[j]),
        pays ? "<b>pays</b>" : "does not pay",
      ];
    });
    const names = round.entering.map(
      ({ j, bin }) => `${assignment.binName(problem, bin)} on ${problem.configurations[j].name}`,
    );
    const texts = round.priced.map(({ j, text }) =>
      lesson.folded(`The pricing problem of ${problem.configurations[j].name} in LP format`, text));
    const open = round.best - round.value;
    const gap = open > 1e-9 * Math.max(1, round.value)
      ? `${number(open)} above the master (${lesson.percent(open / round.value)})`
      : "the master's value itself";
    return {
      title: `Round ${turn}: the pricing problem`,
      lead:
        (names.length
          ? `New in the master, as they are worth more than a machine: ${listed(names)}. `
          : "No bin of any configuration is worth more than its machine. ") +
        `Times the numbers of machines, the best bins add up to ${number(round.bound)} ${unit}: no plan at ` +
        `all carries more. The least such bound so far is ${number(round.best)}, ${gap}.`,
      html:
        lesson.table(["on", "best bin that fits", "worth: jobs × π μ", "w", ""], rows) +
        texts.join(""),
    };
  }

  // After the last round: the optimum over all bins, compared with what slotwise found by itself.
  function lastStep(problem, rounds, { built, whole, facts }) {
    const round = rounds.at(-1), unit = assignment.unit(problem);
    const generated = round.bins.flat().length, all = assignment.binsIn(built, problem).flat().length;
    const shipped = facts?.column_generation;
    const agrees = shipped === undefined
      ? ""
      : lesson.close(shipped, round.value)
        ? ` slotwise's own column generation, in Python, ended at ${number(shipped)}, too.`
        : ` slotwise's own column generation ended at ${number(shipped)}: do not trust this page.`;
    const lost = whole && round.value > 0 ? (round.value - whole) / round.value : null;
    const cost = lost === null
      ? ""
      : lost > 1e-7
        ? ` Whole machines cost ${lesson.percent(lost)} of that: the best plan carries ${number(whole)}.`
        : " Whole machines carry as much.";
    const start = assignment.binsOfOneClass(problem).flat().length;
    return {
      title: "No bin pays: done",
      lead:
        `After ${lesson.many(rounds.length, "round")} master and bound meet at ${number(round.value)} ${unit}: over all bins that ` +
        `fit there is no better plan with fractions of machines. ${lesson.many(start, "bin")} to begin with and ` +
        `${lesson.number(generated - start)} generated; ${lesson.many(all, "bin")} hold no further job.${agrees}${cost}`,
      html: lesson.table(
        ["round", "bins", "master λ", "no plan above"],
        rounds.map((one, k) => [
          String(k + 1), String(one.bins.flat().length), number(one.value), number(one.best),
        ]),
      ),
    };
  }

  /** All steps of a problem, with the constraint components of the `built` model that are on. */
  assignment.steps = async function steps(problem, on, solve, { built, whole = null, facts = null }) {
    const rounds = await assignment.rounds(problem, on, solve);
    const found = [];
    let known = null;
    for (const [place, round] of rounds.entries()) {
      if (round.status !== "optimal") {
        found.push({
          title: "The master has no optimum",
          lead:
            `The solver says “${round.status}”. Without prices there is no pricing problem: column ` +
            "generation needs all three families.",
          html: lesson.folded("The master in LP format", round.text),
        });
        return found;
      }
      found.push(
        masterStep(problem, round, place + 1, known),
        priceStep(problem, round, place + 1),
        pricingStep(problem, round, place + 1),
      );
      known = round.bins.map((list) => list.length);
    }
    found.push(lastStep(problem, rounds, { built, whole, facts }));
    return found;
  };

  assignment.panel = async function panel(element, { problem, data, on, solve, truth }) {
    const whole = truth?.value ?? null;
    const steps = await assignment.steps(problem, on, solve, { built: data, whole, facts: data.facts });
    lesson.walk(element, "Column generation, step by step", steps);
  };
}
