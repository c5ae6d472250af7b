"use strict";
// What an answer of the solver means.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  // What the answer means, as {kind, text, short}: kind is good, bad or neutral; short fits a phone.
  // `bigM` is what every big-M is multiplied by.
  lesson.verdict = function verdict({
    answer, truth, violations, off, statements, unit, implied = null, bigM = 1,
  }) {
    const core = lesson.labels(statements, "core").filter((label) => off.has(label));
    const parts = [
      ...(core.length ? [`without ${lesson.listed(core.map((label) => `(${label})`))}`] : []),
      ...(bigM < 1 ? ["with half the big-M"] : []),
    ];
    const changed = parts.join(" and ").replace(/^w/, "W");
    const said = (value) => `${lesson.number(value)} ${unit}`;
    const told = (kind, text, short = text) => ({ kind, text, short });
    const first = violations.length ? `Breaks “${violations[0].rule}”: ${violations[0].text}` : "";
    const briefly = violations.length ? `: ${violations[0].rule}` : "";
    const same = answer.status === "optimal" && lesson.close(answer.value, truth.value);
    if (answer.status === "time limit") {
      return told("neutral", `No proof within ${lesson.SECONDS} s: nothing is concluded.`);
    }
    if (answer.status === "infeasible") {
      return told("bad", `${changed} nothing is allowed any more.`);
    }
    if (answer.status === "unbounded") {
      const text = `${changed} nothing limits the model. ${first}`.trim();
      return told("bad", text, `${changed} there is no limit${briefly}`);
    }
    if (answer.status !== "optimal") {
      return told("neutral", `The solver ended with “${answer.status}”.`);
    }
    if (!changed && (violations.length || !same)) {
      const why = first || `${said(answer.value)} is not the optimum ${said(truth.value)}`;
      return told("bad", `This page contradicts itself, do not trust it. ${why}`);
    }
    if (!changed && bigM > 1) {
      return told("good", `Still the optimum, ${said(truth.value)}: a larger big-M only makes the relaxation weaker.`);
    }
    if (!changed) {
      return off.size
        ? told("good", `Still the optimum, ${said(truth.value)}: what is off only helps the solver.`)
        : told("good", `All rules hold: the optimum is ${said(truth.value)}.`);
    }
    if (same && !violations.length) {
      const short = core.length ? "the rule was not needed" : "half the big-M is enough";
      return told("good", `Still valid: ${implied ?? `on this instance ${short}`}.`);
    }
    const claim = `${changed} the model says ${said(answer.value)}`;
    const truly = same ? "the right value" : `the truth is ${said(truth.value)}`;
    const cut = !violations.length && bigM < 1 ? "The best answer is cut off." : first;
    const short = `${changed} ${said(answer.value)}${same ? "" : `, not ${said(truth.value)}`}`;
    return told("bad", `${claim}, ${truly}. ${cut}`.trim(), `${short}${briefly}`);
  };
}
