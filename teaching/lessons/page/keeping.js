"use strict";
// The instance as a file, to save and to open, and a link that sets the switches.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const MOST_BYTES = 1e6;

  lesson.save = function save(text, name, type = "application/json") {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
  };

  // The problem in a text, for a page whose own problem has the format of `schema`. Throws, in words.
  lesson.opened = function opened(text, schema) {
    let problem;
    try {
      problem = JSON.parse(text);
    } catch (error) {
      throw new Error(`is no JSON: ${error.message}`);
    }
    const wrong = lesson.misshapen(problem, schema);
    if (wrong) throw new Error(wrong);
    return problem;
  };

  const SAVED = "Save the instance", LINK = "Copy a link with these switches";

  lesson.keepingParts = () => `<p class="buttons keeping">
    <button type=button id=save-instance>${SAVED}</button>
    <label class=button>Open an instance <input type=file id=open-instance accept=".json,application/json"></label>
    <button type=button id=copy-link>${LINK}</button></p>
    <p id=link-part class=note hidden><label>Link <input type=text id=link readonly></label></p>
    <p id=said class=note role=status></p>`;

  lesson.keeping = function keeping(page, view) {
    view.at("save-instance").addEventListener("click", () => {
      const name = String(page.problem.name ?? page.data.model).replace(/[^\w.-]+/g, "-");
      lesson.save(`${JSON.stringify(page.problem, null, 1)}\n`, `${name}.json`);
    });
    view.at("open-instance").addEventListener("change", async ({ target }) => {
      const [file] = target.files;
      if (!file) return;
      try {
        if (file.size > MOST_BYTES) throw new Error(`is larger than ${lesson.number(MOST_BYTES / 1e6)} MB`);
        const schema = JSON.parse(view.at("instance-schema").textContent);
        const problem = lesson.opened(await file.text(), schema);
        await page.edit(problem, true);
        view.say(`Opened: ${file.name}.`);
      } catch (error) {
        view.say(`${file.name}: ${error.message}`);
      }
      target.value = ""; // so that the same file can be opened again
    });
    view.at("copy-link").addEventListener("click", async () => {
      const place = view.at("link");
      place.value = location.href.split("#")[0] + lesson.fragment(page.off, page.bigM);
      view.at("link-part").hidden = false;
      place.select();
      const changed = page.problem === page.data.instance ? "" : " It carries the switches; save the changed instance beside it.";
      const copied = await navigator.clipboard?.writeText(place.value).then(() => true, () => false);
      view.say(`${copied ? "Copied." : "Copy it from the field."}${changed}`);
    });
  };
}
