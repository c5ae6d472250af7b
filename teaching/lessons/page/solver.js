"use strict";
// HiGHS in a worker: solves LP text, ends what a newer change has made stale.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const GRACE = 100; // milliseconds

  lesson.Stale = class Stale extends Error {};

  // Solves one text with a loaded HiGHS. It runs in the worker, which gets only its own source, so
  // it uses nothing from outside.
  lesson.answer = function answer(highs, text, options) {
    const began = performance.now();
    // The default tolerances times a big-M would blur the value that is compared.
    const settings = {
      output_flag: false,
      time_limit: options.time ?? 10,
      mip_rel_gap: 1e-9,
      mip_abs_gap: 1e-9,
      mip_feasibility_tolerance: 1e-9,
      primal_feasibility_tolerance: 1e-9,
      ...options.settings,
    };
    const run = (more) => {
      const model = highs.createModel({ format: "lp", data: text });
      model.options.set({ ...settings, ...more });
      const { modelStatus } = model.run();
      return { model, status: modelStatus };
    };
    const { modelStatus: codes } = highs.constants;
    let { model, status } = run({});
    if ([codes.unboundedOrInfeasible, codes.unbounded, codes.infeasible].includes(status)) {
      model.dispose();
      ({ model, status } = run({ presolve: "off" }));
    }
    try {
      const words = {
        [codes.optimal]: "optimal",
        [codes.infeasible]: "infeasible",
        [codes.unbounded]: "unbounded",
        [codes.timeLimit]: "time limit",
      };
      const { numCols, numRows } = model.getDimensions();
      const { colValue, rowDual } = model.getSolution();
      const columns = {}, rows = {};
      let whole = false;
      for (let k = 0; k < numCols; k++) {
        const isWhole = model.getColIntegrality(k) === highs.constants.variableType.integer;
        whole ||= isWhole;
        // Whole numbers are whole: a drawing is made of them.
        columns[model.getColName(k)] = isWhole ? Math.round(colValue[k]) : colValue[k];
      }
      for (let k = 0; k < numRows; k++) rows[model.getRowName(k)] = { dual: rowDual[k] ?? null };
      const objective = model.getObjectiveValue();
      return {
        status: words[status] ?? `status ${status}`,
        value: Number.isFinite(objective) ? objective : null,
        columns,
        rows,
        nodes: whole ? Number(model.info.get("mip_node_count")) : null,
        seconds: (performance.now() - began) / 1000,
      };
    } finally {
      model.dispose();
    }
  };

  // What the worker runs, after the source of HiGHS, which defines `Module`.
  function worker(answer) {
    const hooks = {};
    const ready = new Promise((done) => (hooks.given = done)).then((given) =>
      Module({
        // This build would look for a file beside the page if it were given the bytes.
        instantiateWasm(info, finished) {
          WebAssembly.instantiate(given, info).then((made) =>
            finished(made.instance ?? made, made.module ?? given),
          );
          return {};
        },
      }),
    );
    onmessageerror = () => postMessage({ lost: true });
    onmessage = async ({ data }) => {
      if (data.wasm) return hooks.given(data.wasm);
      try {
        const highs = await ready;
        postMessage({ number: data.number, found: answer(highs, data.text, data.options) });
      } catch (error) {
        postMessage({ number: data.number, failed: String(error?.message ?? error) });
      }
    };
  }

  lesson.workerSource = (glue) => `${glue}\n(${worker})(${lesson.answer});\n`;

  // Runs HiGHS in workers. `glue` is its JavaScript, `bytes` and `compiled` its machine code. A second
  // worker is kept ready, so that ending the first costs no start.
  lesson.Solver = class Solver {
    constructor(glue, bytes, compiled) {
      this.source = URL.createObjectURL(
        new Blob([lesson.workerSource(glue)], { type: "text/javascript" }),
      );
      this.bytes = bytes;
      this.compiled = compiled;
      this.waiting = [];
      this.running = null;
      this.number = 0;
      this.spare = null;
      this.ended = 0;
      this.begin();
    }

    made() {
      const made = new Worker(this.source);
      made.onmessage = ({ data }) => {
        // A browser that hands over no compiled code gets the bytes there.
        if (data.lost) made.postMessage({ wasm: this.bytes });
        else if (made === this.worker) this.arrived(data);
      };
      made.onerror = (event) => {
        event.preventDefault();
        if (made !== this.worker) this.spare = null;
        else this.arrived({ number: this.running?.number, failed: event.message ?? "no worker" });
      };
      made.postMessage({ wasm: this.compiled });
      return made;
    }

    begin() {
      this.worker = this.spare ?? this.made();
      this.spare = null;
    }

    solve(text, options = {}) {
      return new Promise((done, fail) => {
        this.waiting.push({ text, options, done, fail, number: ++this.number });
        this.next();
      });
    }

    next() {
      if (this.running || !this.waiting.length) return;
      const task = (this.running = this.waiting.shift());
      // HiGHS ends by itself at its limit; this is for the case that it does not.
      task.alarm = setTimeout(
        () => this.over(task, new Error("the solver did not answer")),
        ((task.options.time ?? 10) + 5) * 1000,
      );
      this.worker.postMessage({ number: task.number, text: task.text, options: task.options });
    }

    arrived({ number, found, failed }) {
      const task = this.running;
      if (!task || task.number !== number) return;
      if (failed !== undefined) return this.over(task, new Error(failed));
      clearTimeout(task.alarm);
      this.running = null;
      task.done(found); // of a stale one nobody listens any more
      this.next();
    }

    // Ends the worker with what it does, and goes on in the other one.
    over(task, error) {
      clearTimeout(task.alarm);
      this.worker.terminate();
      this.ended += 1;
      this.running = null;
      task.fail(error);
      this.begin();
      this.next();
    }

    // Drops everything that was asked for before. What runs has a moment to end by itself: most
    // solves take less time than a worker takes to start.
    newer() {
      for (const task of this.waiting.splice(0)) task.fail(new lesson.Stale());
      const task = this.running;
      if (!task) return;
      task.fail(new lesson.Stale());
      clearTimeout(task.alarm);
      task.alarm = setTimeout(() => this.over(task, new lesson.Stale()), GRACE);
    }

    // Starts the second worker; for a moment in which nothing else is to be done.
    keepSpare() {
      this.spare ??= this.made();
    }
  };

  // Text of a `script` element that holds base64 of gzip, as bytes.
  lesson.unpacked = async function unpacked(id) {
    const packed = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) =>
      c.charCodeAt(0),
    );
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };

  lesson.startSolver = async function startSolver() {
    const [glue, bytes] = await Promise.all(["highs-js", "highs-wasm"].map(lesson.unpacked));
    const solver = new lesson.Solver(
      new TextDecoder().decode(glue),
      bytes,
      await WebAssembly.compile(bytes),
    );
    lesson.solver = solver;
    lesson.solve = (text, options) => solver.solve(text, options);
  };
}
