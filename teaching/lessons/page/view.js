"use strict";
// What the page shows: rules, numbers, drawing, verdict. It asks the page for changes.
{
  const lesson = (globalThis.lesson ??= { models: {} });
  const { escape, number } = lesson;

  const ROLES = {
    core: ["needed for truth", "rule"],
    speed: ["needed for speed, not for truth", "speed"],
    cut: ["a cut: follows from all rules together", "cut"],
  };

  // Why a page cannot start, for a browser that is too old.
  lesson.whyNot = function whyNot(error) {
    if (typeof DecompressionStream === "undefined") {
      return "This browser is too old for this page: it needs DecompressionStream (2023 or later).";
    }
    return `The solver could not be started: ${error?.message ?? error}`;
  };

  // Statements of one label, in their order.
  function byLabel(statements) {
    const groups = new Map();
    for (const rule of statements) {
      if (!groups.has(rule.label)) groups.set(rule.label, []);
      groups.get(rule.label).push(rule);
    }
    return [...groups.values()];
  }

  // A formula that shows, while it has the focus, what its symbols mean.
  function formula({ mathml, forall, symbols = [] }, legend) {
    const meanings = symbols.map((k) => `<div><dt>${legend[k].mathml}</dt><dd>${escape(legend[k].words)}</dd></div>`);
    const drawn = `<div class=formula>${mathml}<span class=forall>${forall}</span></div>`;
    return meanings.length
      ? `<div class=symbols tabindex=0>${drawn}<dl class=meanings>${meanings.join("")}</dl></div>`
      : drawn;
  }

  const list = (items, of = "ul") => `<${of}>${items.map((item) => `<li>${item}</li>`).join("")}</${of}>`;

  lesson.View = class View {
    constructor(page) {
      this.page = page;
      this.main = document.getElementById("page");
    }

    at(name) {
      return document.getElementById(name);
    }

    refuse(text, details) {
      document.body.dataset.state = "refused";
      const shown = details.slice(0, 20).map(escape);
      this.main.insertAdjacentHTML(
        "beforeend",
        `<div class=refused role=alert><p>${escape(text)}</p>${list(shown)}</div>`,
      );
      this.at("starting").remove();
    }

    open() {
      const { data } = this.page;
      const name = data.instance.name ?? "";
      const grouped = byLabel(data.statements);
      const cuts = grouped.filter(([rule]) => rule.role === "cut");
      const others = grouped.filter(([rule]) => rule.role !== "cut");
      const rules = (groups) => groups.map((group) => this.rule(group)).join("");
      this.at("starting").remove();
      this.main.insertAdjacentHTML(
        "beforeend",
        `<details id=about${innerWidth > 760 ? " open" : ""}><summary>About this model</summary>
          <p class=lead>${escape(data.summary)}</p>
          <p class=note>Source: ${escape(data.source)}. Switch a rule off: the model is solved again in this
            page, without network, and an independent checker says what the answer breaks.</p></details>
        <p class=note>Instance: <b>${escape(name)}</b></p>
        ${lesson.linkParts()}
        <p id=verdict role=status aria-live=polite></p>
        <div class=columns>
          <section id=result aria-label="What the model says">
            <dl id=numbers></dl>
            <div id=picture></div>
            <div id=violations></div>
            <div id=sentences></div>
          </section>
          <section id=rules aria-label="Rules">
            <h2>Rules</h2>
            <p class=buttons><button type=button id=all-on>All on</button>
              ${cuts.length ? "<button type=button id=no-cuts>No cuts</button>" : ""}
              <button type=button id=each>Each rule off alone</button></p>
            <div id=table></div>
            ${this.bigM()}
            <p id=cuts-off class=note hidden>Cuts follow from all rules together: with a rule off, all
              cuts are off.</p>
            <p class=note>Tap a formula, or go there by the keyboard, to read what its symbols mean.</p>
            <div id=rule-list><ol>${rules(others)}</ol>${this.cuts(cuts, rules)}</div>
          </section>
        </div>
        <section aria-label="Prices"><div id=prices></div></section>
        <section id=both aria-label="Both models"></section>
        <section id=panel></section>
        <details id=legend><summary>All symbols</summary>${this.legend()}</details>
        <details id=lp><summary>The model as the solver gets it (LP format)</summary>
          <p class=buttons><button type=button id=save-lp>Save as a file</button></p>
          <pre id=lp-text tabindex=0></pre></details>`,
      );
      this.at("rule-list").addEventListener("change", ({ target }) => {
        if (target.dataset.label) this.page.toggle(target.dataset.label, target.checked);
      });
      this.at("all-on").addEventListener("click", () => this.page.allOn());
      this.at("no-cuts")?.addEventListener("click", () => this.page.noCuts());
      this.at("each").addEventListener("click", () => this.page.each());
      this.at("save-lp").addEventListener("click", () => this.save());
      this.at("big-m")?.addEventListener("change", ({ target }) => this.page.setBigM(Number(target.value)));
      this.at("rule-list").addEventListener("keydown", (event) => {
        if (event.key === "Escape") document.activeElement.blur();
      });
      lesson.linking(this.page, this);
      this.at("lp").addEventListener("toggle", () => this.text());
      this.at("violations").addEventListener("click", ({ target }) => {
        const button = target.closest("button");
        if (button) this.page.choose(this.page.state_.violations[Number(button.dataset.number)]);
      });
    }

    legend() {
      const symbols = this.page.data.symbols ?? [];
      const lines = symbols.map(({ mathml, words }) => `<div><dt>${mathml}</dt><dd>${escape(words)}</dd></div>`);
      return `<dl class="meanings all">${lines.join("")}</dl>`;
    }

    bigM() {
      const { plugin } = this.page;
      if (!plugin.bigM) return "";
      const choices = [[0.5, "halved"], [1, "as it is"], [2, "doubled"]].map(
        ([factor, name]) => `<label class=choice><input type=radio name=big-m value=${factor}> ${name}</label>`,
      );
      return `<fieldset id=big-m><legend>Big-M of ${escape(plugin.bigM)}</legend>
        <div class=buttons>${choices.join("")}</div><div id=big-m-table></div></fieldset>`;
    }

    // A line of words above the verdict, such as what is wrong with a link.
    say(text) {
      this.at("said").textContent = text;
    }

    speed(label, text) {
      const input = this.at("rule-list").querySelector(`input[data-label="${CSS.escape(label)}"]`);
      input.closest("li").querySelector(".measure").textContent = `For speed: ${text}.`;
    }

    cuts(groups, rules) {
      if (!groups.length) return "";
      const names = groups.map(([rule]) => `(${escape(rule.label)})`).join(" ");
      return `<details id=cuts><summary>Cuts: ${names}</summary><ol>${rules(groups)}</ol></details>`;
    }

    // All statements of one label, with one switch.
    rule(group) {
      // An objective may share the label of a rule.
      const [{ label: name }] = group, part = group.find(({ role }) => role)?.role;
      const label = escape(name);
      const place = (k) => `words-${label.replace(/\W/g, "-")}-${k}`;
      const legend = this.page.data.symbols ?? [];
      const formulas = group
        .map(
          ({ mathml, forall, words, symbols }, k) =>
            formula({ mathml, forall, symbols }, legend) +
            `<p class=words id="${place(k)}">${escape(words)}</p>`,
        )
        .join("");
      if (!part) return `<li class="rule idle"><p><b>(${label})</b></p>${formulas}</li>`;
      const [role, kind] = ROLES[part];
      return `<li class="rule ${kind}"><label><input type=checkbox role=switch checked data-label="${label}"
          aria-describedby="${group.map((_, k) => place(k)).join(" ")}">
        <span class=knob aria-hidden=true></span><b>(${label})</b> <span class=role>${role}</span></label>
        <p class="measure note"></p>${formulas}<p class=census></p></li>`;
    }

    busy(wanted) {
      clearTimeout(this.timer);
      document.body.classList.remove("busy");
      const show = () => {
        document.body.classList.add("busy");
        if (this.at("verdict")) this.at("verdict").textContent = "Solving …";
      };
      if (wanted) this.timer = setTimeout(show, 250);
    }

    fail(text) {
      this.verdict({ kind: "neutral", text });
    }

    verdict({ kind, text, short = text }) {
      const place = this.at("verdict");
      place.dataset.kind = kind;
      place.innerHTML = `<span class=long>${escape(text)}</span><span class=short>${escape(short)}</span>`;
    }

    show(state) {
      this.verdict(state.verdict);
      this.numbers(state);
      this.draw(state);
      this.at("sentences").innerHTML = state.sentences.length ? list(state.sentences.map(escape)) : "";
      const choice = this.at("big-m")?.querySelector(`[value="${this.page.bigM}"]`);
      if (choice) choice.checked = true;
      this.at("cuts-off").hidden = !state.coreOff || !this.page.data.statements.some((r) => r.role === "cut");
      this.switches(state);
      this.text();
    }

    numbers({ answer, truth, relaxed, compared }) {
      const { data, linear, plugin } = this.page;
      const unit = escape(data.unit);
      const noun = plugin.noun ?? {};
      const value = answer.status === "unbounded" ? (data.sense === "max" ? Infinity : -Infinity) : answer.value;
      const cells = [
        [noun.value ?? "The model says", `${number(value)} <small>${unit}</small>`],
        [noun.truth ?? "The truth", `${number(truth.value)} <small>${unit}</small>`],
      ];
      if (!linear) {
        const share = (found) =>
          found.value === null || !truth.value
            ? ""
            : `, ${lesson.percent(found.value / truth.value)} of the truth`;
        const beside = compared
          ? `<br>${number(compared.value)} with all rules and no cut`
          : "";
        cells.push([
          noun.relaxation ?? "Relaxation (LP)",
          `${number(relaxed.value)} <small>${unit}${share(relaxed)}${beside}</small>`,
        ]);
        if (answer.nodes !== null) cells.push(["Branch and bound", `<small>${lesson.effort(answer)}</small>`]);
      }
      const dt = cells.map(([name, text]) => `<div><dt>${escape(name)}</dt><dd>${text}</dd></div>`);
      this.at("numbers").innerHTML = dt.join("");
    }

    draw(state) {
      const { plugin, problem, chosen } = this.page;
      const { picture, violations, drawn, on, solvable, answer, truth } = state;
      const options = {
        broken: new Set(violations.flatMap((one) => one.keys ?? [])),
        chosen: new Set(chosen?.keys ?? []),
        truth: truth.value,
      };
      const parts = [];
      if (answer.status === "unbounded") {
        parts.push("<p class=note>The model has no limit: drawn is what it allows at twice the truth.</p>");
      }
      if (picture && lesson.draw && plugin.draw !== false) parts.push(lesson.draw(picture, options));
      if (solvable && plugin.html) parts.push(plugin.html(problem, drawn, on, picture, options));
      this.at("picture").innerHTML = parts.join("");
      const broken = violations.map(
        ({ rule, text }, k) =>
          `<button type=button data-number=${k} aria-pressed=${violations[k] === chosen}><b>${escape(rule)}</b>: ${escape(text)}</button>`,
      );
      this.at("violations").innerHTML = broken.length
        ? `<h2>${lesson.many(broken.length, "violation")}</h2>${list(broken)}`
        : "";
    }

    switches({ relaxed, built, on }) {
      const { data, off } = this.page;
      const table = relaxed.status === "optimal" ? lesson.census(built, on, relaxed) : {};
      for (const input of this.at("rule-list").querySelectorAll("input")) {
        const group = data.statements.filter((one) => one.label === input.dataset.label);
        const components = group.flatMap((rule) => rule.components);
        input.checked = !off.has(input.dataset.label);
        input.closest("li").classList.toggle("off", !components.some((one) => on.has(one)));
        const lines = components.map((component) => {
          const rows = built.rows[component]?.length ?? 0;
          const line = table[component];
          const more = line ? `, ${number(line.tight)} tight, ${line.carry ? `${number(line.carry)} carry the bound` : "none carries the bound"}` : "";
          return `${escape(component)}: ${lesson.many(rows, "row")}${rows ? more : ""}`;
        });
        input.closest("li").querySelector(".census").innerHTML = lines.join("<br>");
      }
    }

    text() {
      const { state_: state } = this.page;
      if (!this.at("lp").open || !state) return;
      this.at("lp-text").textContent = lesson.lpText(state.built, state.on);
    }

    save() {
      const { state_: state, data } = this.page;
      const link = document.createElement("a");
      const text = lesson.lpText(state.built, state.on);
      link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      link.download = `${data.model}.lp`;
      link.click();
    }

    prices(exact) {
      this.at("prices").innerHTML = exact
        ? `<h2>Prices</h2><p>${escape(exact.lead)}</p>${list(exact.lines.map(escape))}`
        : "";
    }

    table(lines) {
      const { data, linear } = this.page;
      const endless = data.sense === "max" ? "∞" : "−∞";
      const shown = (found) => (found.status === "unbounded" ? endless : number(found.value));
      const rows = lines.map(({ label, answer, relaxed, verdict, violations, agrees }) => {
        const wrong = agrees ? "" : " (not what this lesson was shipped with: do not trust this page)";
        const first = violations.length ? violations[0].rule : verdict.kind === "good" ? "nothing: not needed here" : "the value";
        const lp = linear ? "" : `<td>${shown(relaxed)}</td>`;
        return `<tr><th scope=row>(${escape(label)})</th><td>${shown(answer)}</td>${lp}<td>${escape(first + wrong)}</td></tr>`;
      });
      this.at("table").innerHTML = `<table><thead><tr><th scope=col>off</th>
        <th scope=col>model says (${escape(data.unit)})</th>${linear ? "" : "<th scope=col>relaxation</th>"}
        <th scope=col>what breaks first</th></tr></thead>
        <tbody>${rows.join("")}</tbody></table>`;
    }

  };
}
