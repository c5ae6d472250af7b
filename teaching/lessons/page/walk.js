"use strict";
// A sequence of steps with buttons for the previous and the next one.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  /**
   * Shows steps in an element. A step is {title, lead, html}: HTML in `html`, text in the others.
   * The number of the step shown is kept in the element, so that a change of the model leaves the
   * reader where they are. Arrow keys turn pages while the part has the focus.
   */
  lesson.walk = function walk(element, heading, steps) {
    const { escape } = lesson;
    let at = Math.min(Number(element.dataset.step ?? 0), steps.length - 1);
    element.innerHTML =
      `<h2 id=walk-title>${escape(heading)}</h2>` +
      "<div class=walk role=group aria-labelledby=walk-title tabindex=0>" +
      "<p class=buttons><button type=button data-go=-1>← Previous</button>" +
      "<button type=button data-go=1>Next →</button>" +
      "<span class=counter></span></p>" +
      "<div class=said role=status aria-live=polite></div><div class=shown></div></div>";
    const part = element.querySelector(".walk");
    const [before, after] = part.querySelectorAll("button");
    const show = () => {
      const { title, lead, html } = steps[at];
      element.dataset.step = at;
      element.dataset.steps = steps.length;
      part.querySelector(".counter").textContent = `step ${at + 1} of ${steps.length}`;
      part.querySelector(".said").innerHTML = `<h3>${escape(title)}</h3><p>${escape(lead)}</p>`;
      part.querySelector(".shown").innerHTML = html ?? "";
      // A disabled button would lose the focus.
      before.setAttribute("aria-disabled", at === 0);
      after.setAttribute("aria-disabled", at === steps.length - 1);
    };
    const go = (by) => {
      const next = Math.min(steps.length - 1, Math.max(0, at + by));
      if (next === at) return;
      at = next;
      show();
    };
    for (const button of [before, after])
      button.addEventListener("click", () => go(Number(button.dataset.go)));
    part.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      go(by);
    });
    show();
  };

  /** A model in LP format, folded away. */
  lesson.folded = (summary, text) =>
    `<details><summary>${lesson.escape(summary)}</summary><pre tabindex=0>${lesson.escape(text)}</pre></details>`;
}
