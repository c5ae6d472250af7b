"use strict";
// All names are put in as text; nothing of what the service answers becomes markup.

const HISTORY = 900;
const bars = new Bars();
let token = sessionStorage.getItem("slotwise token") || "";
let layout = null;
let state = null;
let pointed = -1;
const history_ = [];

function element(kind, text, ...inside) {
  const made = document.createElement(kind);
  if (text !== "") made.textContent = text;
  made.append(...inside);
  return made;
}

const named = (text) => element("bdi", text);
const number = (value) =>
  Math.abs(value) >= 1000 || Number.isInteger(value)
    ? Math.round(value).toLocaleString("en").replaceAll(",", "\u202f")
    : String(Number(value.toPrecision(3)));
const percent = (part) => (100 * part).toFixed(part < 0.1 && part > 0 ? 1 : 0) + " %";

function seconds(value) {
  if (value === null) return "–";
  if (value > 0 && value < 1) return value < 0.001 ? "< 1 ms" : Math.round(1000 * value) + " ms";
  if (value < 60) return number(Number(value.toPrecision(2))) + " s";
  if (value < 3600) return number(Math.round(value / 6) / 10) + " min";
  return number(Math.round(value / 360) / 10) + " h";
}

const clock = (at) => new Date(1000 * at).toLocaleTimeString("en-GB");

function bytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

class Refused extends Error {}

async function ask(path) {
  const headers = token ? { Authorization: "Bearer " + token } : {};
  const answer = await fetch(path, { headers, cache: "no-store", referrerPolicy: "no-referrer" });
  if (answer.status === 401) throw new Refused();
  const document_ = await answer.json();
  if (!answer.ok) throw new Error(document_.error);
  return document_;
}

function table(id, heads, rows) {
  const head = element("thead", "", element("tr", "", ...heads.map((text) => element("th", text))));
  const body = element("tbody", "");
  for (const row of rows) {
    const cells = row.map((cell) => element("td", "", cell instanceof Node ? cell : String(cell)));
    body.append(element("tr", "", ...cells));
  }
  byId(id).replaceChildren(head, body);
}

function showUse() {
  byId("resources").replaceChildren(
    ...state.resources.map((resource, r) => {
      const part = resource.capacity ? resource.used / resource.capacity : 0;
      const fill = element("i", "");
      fill.style.width = 100 * Math.min(part, 1) + "%";
      fill.style.background = series(r);
      const text = element("span", "", named(resource.name), ` ${percent(part)}: `);
      text.append(`${number(resource.used)} of ${number(resource.capacity)}`);
      const made = element("div", "", text, element("div", "", fill));
      made.className = "use";
      return made;
    })
  );
  const { recent } = state;
  const share = recent.counts.arrived ? recent.counts["at once"] / recent.counts.arrived : null;
  const figures = [
    ["machines", number(state.machines)],
    ["draining", number(state.draining)],
    ["run", number(state.running)],
    ["wait", number(state.waiting)],
    ["arrivals", number(recent.counts.arrived)],
    ["start at once", share === null ? "–" : percent(share)],
    ["mean wait", recent.waits.starts ? seconds(recent.waits.mean) : "–"],
    ["longest", recent.waits.starts ? seconds(recent.waits.longest) : "–"],
  ];
  byId("figures").replaceChildren(
    ...figures.map(([what, value]) => element("div", "", element("dt", what), element("dd", value)))
  );
}

function showHistory() {
  const canvas = byId("history");
  const scale = devicePixelRatio || 1;
  const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(wide * scale);
  canvas.height = Math.round(high * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const begin = history_[0].at;
  const span = Math.max(history_[history_.length - 1].at - begin, 60);
  const waited = Math.max(...history_.map((past) => past.waiting));
  const most = Math.max(waited, 1);
  const curve = (value, ink, filled) => {
    pen.beginPath();
    history_.forEach((past, i) => {
      const [x, y] = [((past.at - begin) / span) * wide, high - 3 - value(past) * (high - 20)];
      if (i) pen.lineTo(x, y);
      else pen.moveTo(x, y);
    });
    if (filled) {
      pen.lineTo(((history_[history_.length - 1].at - begin) / span) * wide, high);
      pen.lineTo(0, high);
      pen.fillStyle = ink;
      pen.fill();
    } else {
      pen.strokeStyle = ink;
      pen.lineWidth = 1.5;
      pen.stroke();
    }
  };
  curve((past) => past.waiting / most, colour("lost"), true);
  state.resources.forEach((_, r) => curve((past) => past.use[r], series(r), false));
  pen.fillStyle = colour("soft");
  pen.font = "12px system-ui, sans-serif";
  const who = waited ? `at most ${number(waited)} waited` : "nobody waited";
  pen.fillText(`${who}; ${seconds(span)} from left to right`, 6, 13);
}

function showKey() {
  const entry = (ink, text) => {
    const box = element("i", "");
    box.style.background = ink;
    return element("span", "", box, text);
  };
  byId("key").replaceChildren(
    ...state.resources.map((resource, r) => entry(series(r), named(resource.name))),
    entry("var(--lost)", "jobs that wait; below, machines that drain")
  );
}

function showConfigurations() {
  const rows = bars.of.map((machines, j) => {
    const uses = bars.use.map((column) => {
      const sum = machines.reduce((total, m) => total + column[m], 0);
      return machines.length ? percent(sum / machines.length / FULL) : "–";
    });
    const draining = machines.filter((m) => bars.marks[m] === 1).length;
    return [named(bars.configurations[j]), number(machines.length), number(draining), ...uses];
  });
  const heads = ["configuration", "machines", "draining"];
  table("configurations", [...heads, ...state.resources.map((one) => one.name)], rows);
}

function showTables() {
  const waits = state.recent.waits_by_class;
  table(
    "classes",
    ["class", "run", "by plan", "wait", "mean wait", "longest"],
    state.classes.map((k) => {
      const seen = waits[k.name];
      const means = seen ? [seconds(seen.mean), seconds(seen.longest)] : ["–", "–"];
      return [named(k.name), number(k.runs), number(k.planned), number(k.waits), ...means];
    })
  );
  const last = number(state.recent.waits.starts);
  byId("waits").textContent = `Waits of the last ${last} starts. By plan: when all machines are full.`;
  const more = state.waiting - state.first.length;
  byId("line").textContent = state.waiting
    ? `${number(state.waiting)} wait${more > 0 ? `, the first ${state.first.length} of them:` : ":"}`
    : "Nobody waits.";
  byId("first").hidden = !state.waiting;
  table("first", ["job", "class", "waits for", ...state.resources.map((one) => one.name)],
    state.first.map((job) => [
      named(job.id), named(job.class), seconds(job.seconds),
      ...state.resources.map((one) => number(job.demand[one.name] || 0)),
    ]));
  byId("changes").replaceChildren(...state.recent.changes.map(change));
}

function change(entry) {
  const words = element("span", "");
  if (entry.job) words.append(named(entry.job), " ");
  words.append(entry.what);
  if (entry.machine) words.append(entry.job ? " on " : ": ", named(entry.machine));
  if (entry.more) words.append(": ", named(entry.more));
  return element("li", "", element("time", clock(entry.at)), words);
}

function showMachine(m) {
  pointed = m;
  if (m < 0 || m >= bars.names.length) return;
  const parts = state.resources.map((one, r) => `${one.name} ${percent(bars.use[r][m] / FULL)}`);
  const mark = ["", ", draining", ", kept for a job"][bars.marks[m]];
  byId("machine").replaceChildren(named(bars.names[m]), `: ${parts.join(", ")}${mark}`);
}

async function showDetails(m) {
  const box = byId("details");
  box.replaceChildren();
  if (m < 0) return;
  showMachine(m);
  try {
    const found = await ask("/v1/live/machines/" + encodeURIComponent(bars.names[m]));
    const jobs = found.jobs.flatMap((job, i) => [i ? ", " : "", named(job.id), ` (${job.class})`]);
    const more = found.running - found.jobs.length;
    const classes = found.classes.map((k) => `${k.runs} of ${k.planned} ${k.name}`).join(", ");
    box.replaceChildren(
      element("p", "", named(found.name), ` (${found.configuration}): runs ${classes || "nothing"}`),
      element("p", "", ...jobs, more > 0 ? ` and ${number(more)} more` : "")
    );
  } catch (error) {
    box.replaceChildren(element("p", error.message));
  }
}

async function update() {
  const next = await ask("/v1/live");
  if (!layout || layout.layout !== next.layout) {
    layout = await ask("/v1/live/machines");
    bars.setMachines(layout.names, layout.configuration, layout.configurations);
  }
  state = next;
  history_.push({
    at: state.at,
    waiting: state.waiting,
    use: state.resources.map((one) => (one.capacity ? one.used / one.capacity : 0)),
  });
  if (history_.length > HISTORY) history_.splice(1, 1);
  byId("ask").hidden = true;
  byId("all").hidden = false;
  byId("plan").textContent = state.plan || "slotwise serve";
  const beyond = state.machines - bars.names.length;
  byId("told").textContent =
    `policy ${state.policy}, at ${clock(state.at)}; serves for ${seconds(state.recent.seconds)}` +
    (beyond > 0 ? `; ${number(beyond)} machines are counted, not drawn` : "");
  byId("told").className = "note";
  bars.setUse(state.use.map(bytes), bytes(state.marks));
  showUse();
  showHistory();
  showKey();
  showConfigurations();
  showTables();
  showMachine(pointed);
}

async function again() {
  let wait = 2;
  try {
    if (!document.hidden) {
      await update();
      wait = state.every;
    }
  } catch (error) {
    if (error instanceof Refused) {
      byId("told").textContent = token ? "That is not the token." : "";
      byId("all").hidden = true;
      byId("ask").hidden = false;
      sessionStorage.removeItem("slotwise token");
      return;
    }
    byId("told").textContent = `no answer at ${new Date().toLocaleTimeString("en-GB")}: ${error.message}`;
    byId("told").className = "warning";
    wait = 3;
  }
  setTimeout(again, 1000 * wait);
}

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byId("token").value.trim();
  byId("token").value = "";
  sessionStorage.setItem("slotwise token", token);
  again();
});
byId("find").addEventListener("input", () => {
  const text = byId("find").value.trim();
  const number_ = bars.seek(text);
  byId("found").textContent = text ? `${number(number_)} of ${number(bars.names.length)}` : "";
});
bars.onPoint = (m) => m >= 0 && showMachine(m);
bars.onChoose = showDetails;
again();
