"use strict";
(() => {
  const one = (name) => document.getElementById(name);
  const picture = one("picture"), frame = one("frame"), slider = one("slider");
  const parts = [...frame.querySelectorAll("[data-from]")].map((part) => ({
    part, from: +part.dataset.from, to: +(part.dataset.to ?? Infinity),
  }));
  const steps = [...document.querySelectorAll("article")];
  const last = steps.length;
  let now = 0;

  // A tall picture ends above the buttons and scrolls by itself.
  const fitFrame = () => {
    const top = frame.getBoundingClientRect().top + scrollY;
    const room = document.querySelector("nav").getBoundingClientRect().top - top - 8;
    frame.style.maxHeight = `${Math.max(room, 240)}px`;
  };

  // Scroll the picture, and nothing else, to what the step has drawn.
  const bringIntoView = (drawn) => {
    if (!drawn) return;
    const box = drawn.getBoundingClientRect(), seen = frame.getBoundingClientRect();
    if (box.top < seen.top) frame.scrollTop += box.top - seen.top - 16;
    else if (box.bottom > seen.bottom) frame.scrollTop += box.bottom - seen.bottom + 40;
  };

  const show = (step) => {
    step = Math.min(Math.max(Math.round(step) || 1, 1), last);
    if (step === now) return;
    now = step;
    let drawn = null;
    for (const { part, from, to } of parts) {
      part.toggleAttribute("hidden", step < from || step >= to);
      const isNew = part.classList.contains("bar") && from === step && step < to;
      part.classList.toggle("new", isNew);
      if (isNew && part.getClientRects().length) drawn = part;
    }
    const of = steps[step - 1];
    one("words").replaceChildren(...[...of.querySelectorAll("h2, p")].map((x) => x.cloneNode(true)));
    for (const article of steps) article.hidden = article !== of;
    slider.value = step;
    slider.setAttribute("aria-valuetext", `step ${step} of ${last}`);
    one("first").disabled = one("back").disabled = step === 1;
    one("next").disabled = one("last").disabled = step === last;
    try { history.replaceState(null, "", `#${step}`); } catch { /* not allowed in a notebook */ }
    fitFrame();
    bringIntoView(drawn);
  };

  // The slide of this step: the picture with its words and without what is hidden.
  const save = () => {
    const copy = picture.cloneNode(true);
    for (const part of copy.querySelectorAll("[data-from]")) {
      if (+part.dataset.from > now || +(part.dataset.to ?? Infinity) <= now) part.remove();
      else if (part.classList.contains("new")) {
        part.setAttribute("stroke", "#1d232b");
        part.setAttribute("stroke-width", "1.6");
      }
    }
    const [x, y, wide, high] = picture.dataset.whole.split(" ");
    copy.setAttribute("viewBox", picture.dataset.whole);
    copy.setAttribute("width", wide);
    copy.setAttribute("height", high);
    copy.querySelector("rect").setAttribute("y", y);
    copy.querySelector("rect").setAttribute("height", high);
    const text = new XMLSerializer().serializeToString(copy);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    link.download = `${String(now).padStart(Math.max(2, String(last).length), "0")}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  const to = { first: () => 1, back: () => now - 1, next: () => now + 1, last: () => last };
  for (const [name, step] of Object.entries(to)) one(name).onclick = () => show(step());
  one("save").onclick = save;
  slider.oninput = () => show(+slider.value);
  addEventListener("resize", fitFrame);
  addEventListener("hashchange", () => show(parseInt(location.hash.slice(1), 10)));

  const keys = {
    ArrowLeft: to.back, PageUp: to.back, ArrowRight: to.next, PageDown: to.next,
    Home: to.first, End: to.last,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.target === slider || event.target.closest?.(".scroll")) return;
    if (event.key in keys) show(keys[event.key]());
    else if (event.key === "s" || event.key === "S") save();
    else return;
    event.preventDefault();
  });

  // Swipes outside of what scrolls by itself.
  let begun = null;
  addEventListener("touchstart", (event) => {
    const inside = event.target.closest?.(".scroll, nav");
    begun = inside || event.touches.length > 1 ? null : event.touches[0];
  }, { passive: true });
  addEventListener("touchend", (event) => {
    if (!begun) return;
    const ended = event.changedTouches[0];
    const right = ended.clientX - begun.clientX, down = ended.clientY - begun.clientY;
    if (Math.abs(right) > 50 && Math.abs(right) > 2 * Math.abs(down)) show(now + (right < 0 ? 1 : -1));
    begun = null;
  });

  show(parseInt(location.hash.slice(1), 10));
})();
