"use strict";
// Switches in the address: `#without=J5,J9&big-m=0.5`.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const FACTORS = (lesson.FACTORS = [0.5, 1, 2]);

  // Labels of the rules that a name is for: a label, a component, or what a component begins with.
  function meant(statements, name) {
    const wanted = name.toLowerCase();
    const rules = statements.filter((rule) => rule.components.length);
    const labelled = rules.filter((rule) => rule.label.toLowerCase() === wanted);
    const named = (component) => component.toLowerCase() === wanted || component.toLowerCase().startsWith(`${wanted}_`);
    const found = labelled.length ? labelled : rules.filter((rule) => rule.components.some(named));
    return found.map((rule) => rule.label);
  }

  // What an address asks for: labels that are off, what big-Ms are multiplied by, names of no rule.
  lesson.switches = function switches(fragment, statements) {
    const asked = new URLSearchParams(fragment.replace(/^#/, ""));
    const off = new Set(), unknown = [];
    for (const name of (asked.get("without") ?? "").split(",").map((part) => part.trim()).filter(Boolean)) {
      const labels = meant(statements, name);
      for (const label of labels) off.add(label);
      if (!labels.length) unknown.push(name);
    }
    const factor = Number(asked.get("big-m") ?? 1);
    return { off, unknown, bigM: FACTORS.includes(factor) ? factor : 1 };
  };

  // The part of an address that sets these switches.
  lesson.fragment = function fragment(off, bigM) {
    const parts = [
      ...(off.size ? [`without=${[...off].map(encodeURIComponent).join(",")}`] : []),
      ...(bigM === 1 ? [] : [`big-m=${bigM}`]),
    ];
    return parts.length ? `#${parts.join("&")}` : "";
  };

  lesson.linkParts = () => `<p class=buttons>
    <button type=button id=copy-link>Copy a link with these switches</button></p>
    <p id=link-part class=note hidden><label>Link <input type=text id=link readonly></label></p>
    <p id=said class=note role=status></p>`;

  lesson.linking = function linking(page, view) {
    view.at("copy-link").addEventListener("click", async () => {
      const place = view.at("link");
      place.value = location.href.split("#")[0] + lesson.fragment(page.off, page.bigM);
      view.at("link-part").hidden = false;
      place.select();
      const copied = await navigator.clipboard?.writeText(place.value).then(() => true, () => false);
      view.say(copied ? "Copied." : "Copy it from the field.");
    });
  };
}
