"use strict";
// The lesson page: what is switched on, what is asked of the solver, what is concluded from it.
//
// A model's plug-in is `lesson.models[NAME]`:
//   scaled: what stands with the big-M in the rows of each component that has one (lesson.scaled)
//   picture(problem, solution, on, built) -> {lanes, bars: [{lane, begin, end, setup, label, group, key}],
//     lines: [{label, at, dashed}], value}; drawn by lesson.draw(picture, {broken, chosen, truth})
//   html(problem, solution, on, picture, {broken, chosen, truth}) -> HTML instead of that, or more
//   check(problem, picture) -> [{rule, text, keys}]
//   sentences(problem, solution, on, picture, built) -> [text]
//   bigM: the rules that have a big-M, in words
//   beside: the name of another model of the same problems, to be compared with
//   prices(problem, relaxed, built, on) -> {lead, lines}: exact ones, from the relaxation's duals
//   implied(on) -> text or null: why what is off follows from the rest on every instance
//   noun: {value, truth, relaxation}: what the objective is called, for example "makespan"
//   further(problem, on, solve) -> promise of what is solved beyond the model; `solution.further`
//   panel(element, {problem, data, on, truth, drawn, solve}): a part of its own below the rest, made
//     anew after each change of the switches
// `solution` is {value, columns, status}; `solve(text)` promises the answer to an LP text.
// All are optional; check needs picture. The rows are those that Python shipped in the lesson's document.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const TOLERANCE = 1e-6;
  const SECONDS = (lesson.SECONDS = 10), FIRST_SECONDS = 60;

  const close = (a, b) => Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));
  lesson.close = close;

  // Components that are on when the rules in `off` (labels) are not. Cuts follow from all core rules
  // together, so none holds without one of these.
  lesson.componentsOn = function componentsOn(statements, off) {
    const rules = statements.filter((rule) => rule.components.length);
    const broken = rules.some((rule) => rule.role === "core" && off.has(rule.label));
    const on = rules.filter(
      (rule) => !off.has(rule.label) && !(broken && rule.role === "cut"),
    );
    return new Set(on.flatMap((rule) => rule.components));
  };

  // Labels of the rules of a role, each once: a rule may have several formulas.
  lesson.labels = (statements, role) => [
    ...new Set(statements.filter((rule) => rule.role === role).map((rule) => rule.label)),
  ];

  // Whether an answer is the shipped one: undefined if none is, null if there is no optimum.
  lesson.agrees = function agrees(answer, shipped) {
    if (shipped === undefined) return true;
    return shipped === null ? answer.status !== "optimal" : close(answer.value ?? NaN, shipped);
  };

  lesson.why = (error) => String(error?.message ?? error);

  // A moment in which the page has been drawn.
  const idle = () => new Promise((done) => setTimeout(done, 50));

  class Page {
    constructor(data) {
      this.data = data;
      this.plugin = lesson.models[data.model];
      this.problem = data.instance;
      this.off = new Set();
      this.turn = 0;
      this.answered = 0;
      this.known = new Map();
      this.timed = new Map();
      this.bigM = 1;
      this.chosen = null;
      this.view = new lesson.View(this);
    }

    get linear() {
      return !Object.values(this.built.variables).some((variable) => variable.integer);
    }

    async begin() {
      await lesson.startSolver();
      this.built = this.data;
      // The first solve is the slowest by far: the browser still compiles.
      const truth = await this.ask(lesson.lpText(this.built, this.all), FIRST_SECONDS);
      if (truth.status !== "optimal" || !close(truth.value, this.data.optimum)) {
        const found = truth.status === "optimal" ? lesson.number(truth.value, 10) : truth.status;
        return this.view.refuse(
          `This browser's optimum ${found} differs from the proven ` +
            `${lesson.number(this.data.optimum, 10)}: do not trust this page.`,
          [],
        );
      }
      this.view.open();
      addEventListener("hashchange", () => this.follow());
      await this.follow();
      document.body.dataset.state = "ready";
    }

    get all() {
      return lesson.componentsOn(this.data.statements, new Set());
    }

    // The model, its big-Ms multiplied.
    model(bigM) {
      return lesson.scaled(this.data, this.plugin.scaled ?? {}, bigM);
    }

    // Sets the switches as the address says.
    follow() {
      const { off, bigM, unknown } = lesson.switches(location.hash, this.data.statements);
      this.off = off;
      this.bigM = this.plugin.bigM ? bigM : 1;
      this.view.say(unknown.map((name) => `The link names “${name}”, which is no rule of this page.`).join(" "));
      return this.update();
    }

    // An answer with the time and the nodes that it took once the browser has compiled the solver.
    async measured(text) {
      if (!this.timed.has(text)) this.timed.set(text, await lesson.solve(text, { time: SECONDS }));
      return this.timed.get(text);
    }

    // An answer of the solver, known or new.
    async solved(on, options = {}, built = this.built) {
      return this.ask(lesson.lpText(built, on, options));
    }

    // The answer to an LP text, known or new.
    async ask(text, time = SECONDS) {
      if (!this.known.has(text)) {
        const found = await lesson.solve(text, { time });
        if (this.known.size > 500) this.known.clear();
        this.known.set(text, found);
      }
      return this.known.get(text);
    }

    // Solves what is on and shows it. A newer call makes an older one stale.
    async update() {
      const turn = ++this.turn;
      lesson.solver.newer();
      this.chosen = null;
      this.view.busy(true);
      try {
        const state = await this.state();
        if (turn !== this.turn) return;
        this.state_ = state;
        this.view.show(state);
        this.answered += 1;
        document.body.dataset.answered = this.answered;
        this.view.busy(false);
        // Not waited for: the answer is there.
        this.afterwards(turn, state);
      } catch (error) {
        if (error instanceof lesson.Stale || turn !== this.turn) return;
        this.view.busy(false);
        this.view.fail(lesson.why(error));
        document.body.dataset.answered = ++this.answered;
      }
    }

    // What the page adds to an answer while nothing else is asked of it.
    async afterwards(turn, state) {
      try {
        await this.panel(state);
        await idle();
        if (turn !== this.turn) return;
        lesson.solver.keepSpare();
        this.price(state);
        if (turn === this.turn) await lesson.measure(this, state);
        if (turn === this.turn) document.body.dataset.measured = this.answered;
      } catch (error) {
        if (error instanceof lesson.Stale || turn !== this.turn) return;
        this.view.fail(lesson.why(error));
      }
    }

    async state() {
      const { plugin, problem, data, off } = this;
      const built = (this.built = this.model(this.bigM)), whole = data;
      const on = lesson.componentsOn(data.statements, off);
      const truth = await this.solved(this.all, {}, whole);
      const answer = on.size === this.all.size && whole === built ? truth : await this.solved(on);
      const relaxed = this.linear ? answer : await this.solved(on, { relax: true });
      const coreOff = data.statements.some((rule) => rule.role === "core" && off.has(rule.label));
      const cuts = data.statements.some((rule) => rule.role === "cut");
      // The relaxation without a core rule is compared with that of the core rules, else the rule
      // would be credited with what the cuts do.
      const compared =
        coreOff && cuts && !this.linear
          ? await this.solved(this.withoutCuts(), { relax: true })
          : null;
      let drawn = answer.status === "unbounded" ? await this.capped(on, truth) : answer;
      if (plugin.further) {
        drawn = { ...drawn, further: await plugin.further(problem, on, (text) => this.ask(text)) };
      }
      const solvable = drawn.value !== null && drawn.status === "optimal";
      const picture = solvable ? (plugin.picture?.(problem, drawn, on, built) ?? null) : null;
      const violations = picture ? (plugin.check?.(problem, picture) ?? []) : [];
      const sentences = solvable ? (plugin.sentences?.(problem, drawn, on, picture, built) ?? []) : [];
      if (this.bigM < 1) sentences.unshift(...lesson.cutOff(built, on, truth, data.unit));
      return {
        built, whole, on, truth, answer, relaxed, compared, coreOff, drawn, solvable, picture, violations,
        sentences,
        verdict: lesson.verdict({
          answer, truth, violations, off, statements: data.statements, unit: data.unit,
          implied: plugin.implied?.(on), bigM: this.bigM,
        }),
      };
    }

    withoutCuts() {
      const rules = this.data.statements.filter((rule) => rule.role !== "cut");
      return new Set(rules.flatMap((rule) => rule.components));
    }

    // A model without a limit, held at twice the truth so that it can be drawn.
    capped(on, truth) {
      const sign = this.built.sense === "max" ? "<=" : ">=";
      const limit = this.built.sense === "max" ? 2 * truth.value : truth.value / 2;
      const words = Object.entries(this.built.objective).map(([name, c]) => `+ ${c} ${name}`);
      return this.solved(on, { more: [` for_the_drawing: ${words.join(" ")} ${sign} ${limit}`] });
    }

    async panel({ on, truth, drawn }) {
      const { plugin, problem, data } = this;
      await plugin.panel?.(this.view.at("panel"), {
        problem, data, on, truth, drawn, solve: (text) => this.ask(text),
      });
    }

    price({ relaxed, built, on }) {
      this.view.prices(this.plugin.prices?.(this.problem, relaxed, built, on) ?? null);
      document.body.dataset.priced = this.answered;
    }

    toggle(label, on) {
      if (on) this.off.delete(label);
      else this.off.add(label);
      return this.update();
    }

    setBigM(factor) {
      this.bigM = factor;
      return this.update();
    }

    allOn() {
      this.off.clear();
      this.bigM = 1;
      return this.update();
    }

    noCuts() {
      for (const label of lesson.labels(this.data.statements, "cut")) this.off.add(label);
      return this.update();
    }

    choose(violation) {
      this.chosen = this.chosen === violation ? null : violation;
      this.view.draw(this.state_);
    }

    // What each core rule does when it alone is off.
    async each() {
      const table = [];
      const turn = ++this.turn;
      lesson.solver.newer();
      const kept = this.off, keptBigM = this.bigM;
      this.bigM = 1;
      try {
        for (const label of lesson.labels(this.data.statements, "core")) {
          this.off = new Set([label]);
          const { answer, relaxed, verdict, violations } = await this.state();
          if (turn !== this.turn) return;
          const agrees = lesson.agrees(answer, this.data.witness?.[label]);
          table.push({ label, answer, relaxed, verdict, violations, agrees });
          this.view.table(table);
        }
        document.body.dataset.tabled = table.length;
      } catch (error) {
        if (!(error instanceof lesson.Stale)) this.view.fail(lesson.why(error));
      } finally {
        if (turn === this.turn) {
          this.off = kept;
          this.bigM = keptBigM;
          await this.update();
        }
      }
    }
  }

  lesson.Page = Page;

  if (globalThis.document) {
    document.body.dataset.state = "starting";
    const data = JSON.parse(document.getElementById("lesson-data").textContent);
    const page = (lesson.page = new Page(data));
    page.begin().catch((error) => page.view.refuse(lesson.whyNot(error), []));
  }
}
