// The labelling page. What is said goes through an outbox, in its order; each answer carries the item that was on the
// screen and an id of its own, so that no retry counts twice and no key press grades what was not seen.

import { asked, draw, languageName, prefetch, speak } from "./document.js";
import { finder } from "./find.js";
import { idle } from "./idle.js";
import { meter } from "./meter.js";
import { Outbox, ask, uid } from "./outbox.js";
import { stop } from "./slow.js";

const { project, rater } = document.body.dataset;
const needsEnter = document.body.dataset.enter === "yes";
const $ = (id) => document.getElementById(id);
const AHEAD = 6;

let queue = [];          // items that were fetched and not answered
let current = null;      // the item on the screen
let seenAt = 0;          // when it was painted; 0 until then
let staged = null;       // a grade that waits for Enter
let said = {};           // dimensions of the current item
let note = "";
let history = [];        // answers of this page, the last one last
let fetching = false;
let vain = 0;            // fetches in a row that brought nothing new
let timer = 0;           // of the next fetch, where one comes by itself
let gone = new Set();    // items that left the page while a fetch was on its way: its answer may still name them
let isEmpty = false;
let isWaiting = false;   // the pilot is labelled, and the raters do not agree on it yet
let marks = true;

const dimensions = [...document.querySelectorAll("[data-dimension]")].map((node) => node.dataset.dimension);
const key = (one) => one.item; // a word of this rater and this time: an item that comes again has another

function tell(state, words) {
  $("saving").dataset.state = state;
  $("saved").textContent = words;
  $("says").textContent = words;
}

// Sending. What came of each message, by its kind.

const CAME = {
  grade: (told, { content }) => tell("saved", content.cannot_tell ? "saved: can't tell" : `saved: grade ${told.grade}`),
  undo: () => tell("saved", "undone"),
  skip: () => tell("saved", "skipped: it comes back later"),
  flag: () => tell("saved", "the query is flagged"),
  opened: () => {},
  found: (told) => { if (told.item) takeIn(told.item); tell("saved", find.came(told)); },
};

const outbox = new Outbox(project, rater, {
  sent(message, { ok, code, told }) {
    if (ok) return CAME[message.kind](told, message);
    history = history.filter((one) => one.uid !== message.uid);
    progress.doubt();
    if (message.kind === "found") find.came({ state: told.what || code });
    tell("offline", `not taken: ${told.what || code}`);
    return fill();
  },
  waits: (n, why) => tell("offline", why || `${n} not saved yet, retrying; kept in this browser`),
  idle: () => { if (!current) fill(); },
});

const progress = meter(project, "document", outbox);
const resting = idle("document", fill);

// Other tabs of the same rater: what is answered in one is not asked in another.
const tabs = new BroadcastChannel(`assay ${project} ${rater}`);
tabs.addEventListener("message", ({ data }) => {
  queue = queue.filter((one) => key(one) !== data);
  gone.add(data);
  progress.doubt();
  if (current && key(current) === data) {
    next();
    tell("saved", "that one was answered in another tab");
  }
});

// Fetching.

const isKnown = (one) =>
  gone.has(key(one)) || outbox.has(one.item)
  || [...(current ? [current] : []), ...queue].some((held) => key(held) === key(one));

async function fill() {
  if (fetching) return;
  fetching = true;
  gone = new Set(outbox.waiting().map(key));
  try {
    const n = Math.min(12, AHEAD + outbox.messages.length + 1);
    const isWhole = progress.beginning();
    const { ok, told } = await ask("GET", `/v1/projects/${project}/items?n=${n}`);
    if (ok) {
      progress.take(told.items, isWhole());
      const fresh = told.items.filter((one) => !isKnown(one));
      queue.push(...fresh);
      vain = fresh.length ? 0 : vain + 1;
      for (const one of fresh) prefetch(one.document);
      if (told.waits === "pace") slow.show();
      isEmpty = told.items.length === 0 && outbox.waiting().length === 0 && told.waits !== "pace";
      isWaiting = told.waits === "pilot";
    } else {
      vain += 1;
      tell("offline", told.what || `the server said ${told.code}`);
    }
  } catch {
    vain += 1;
    if (current || isEmpty) later(2000); // where the page waits for one, it asks again by itself
  } finally {
    fetching = false;
  }
  if (!current) next();
}

function later(ms) {
  clearTimeout(timer);
  timer = setTimeout(fill, ms);
}

// An item that the rater asked for: it comes next, and never in place of what is on the screen.
function takeIn(one) {
  gone.delete(key(one));
  progress.doubt();
  if (isKnown(one)) return;
  prefetch(one.document);
  queue.unshift(one);
  if (!current) next();
}

// Showing.

function showQuery(query) {
  $("query").textContent = query.text;
  speak($("query"), query);
  $("need").textContent = query.need || "";
  speak($("need"), query);
  $("need-block").hidden = !query.need;
  $("language").textContent = query.language ? languageName(query.language) : "";
  $("language-block").hidden = !query.language;
}

function show() {
  $("article").hidden = false;
  resting.end();
  draw($("article"), current.document, marks ? asked(current.query) : []);
}

function wait() {
  $("article").hidden = true;
  for (const id of ["need-block", "language-block"]) $(id).hidden = true;
  $("query").textContent = "";
  if (isEmpty) return resting.begin(isWaiting, history.length > 0);
  resting.loading();
  return later(Math.min(3000, 100 * vain * vain)); // what is held waits in an outbox, or comes again
}

function next() {
  staged = null;
  said = {};
  note = "";
  $("note-text").value = "";
  seenAt = 0;
  delete $("article").dataset.seen;
  current = queue.shift() || null;
  press();
  progress.show(current, !current && isEmpty);
  if (!current) {
    wait();
    return;
  }
  find.of(current.query);
  showQuery(current.query);
  show();
  $("shows").textContent = `Next document: ${current.document.title || current.document.doc_id}`;
  $("doc").scrollTop = 0;
  const shown = current;
  // Two frames: the first may still show the document before.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (current !== shown) return;
    seenAt = performance.now();
    $("article").dataset.seen = "";
  }));
  if (queue.length < AHEAD / 2) fill();
}

function press() {
  for (const button of document.querySelectorAll("[data-grade]"))
    button.setAttribute("aria-pressed", String(staged !== null && Number(button.dataset.grade) === staged));
  for (const group of document.querySelectorAll("[data-dimension]")) {
    for (const button of group.querySelectorAll("[data-value]"))
      button.setAttribute("aria-pressed", String(said[group.dataset.dimension] === Number(button.dataset.value)));
    group.toggleAttribute("data-active", group.dataset.dimension === active());
  }
  const isReady = dimensions.length ? active() === undefined : staged !== null;
  for (const button of document.querySelectorAll("[data-confirm]")) button.disabled = !isReady;
}

const active = () => dimensions.find((name) => !(name in said));

// Answering.

function answer(what) {
  if (!current || !seenAt) return;
  const one = {
    uid: uid(), item: current.item, note,
    took_ms: Math.min(Math.round(performance.now() - seenAt), 86_400_000), ...what,
  };
  history.push({ uid: one.uid, was: current });
  leave(current);
  tell("saving", "saving");
  outbox.put("/v1/grades", one, { item: one.item, kind: "grade" });
  progress.answered(current, one.took_ms);
  next();
}

function leave(item) {
  gone.add(key(item));
  tabs.postMessage(key(item));
}

function stage(grade) {
  if (!current || !seenAt) return;
  const isAgain = staged === grade;
  staged = grade;
  press();
  if (!needsEnter || isAgain) confirm();
  else $("says").textContent = `grade ${grade} is chosen: Enter saves it`;
}

function say(name, value) {
  if (!current || !seenAt) return;
  said[name] = value;
  press();
  if (active() === undefined && !needsEnter) confirm();
}

function confirm() {
  if (dimensions.length) {
    if (active() === undefined) answer({ dimensions: said });
  } else if (staged !== null) answer({ grade: staged });
}

// Takes back the last answer. It follows the answer through the outbox, so that both are written in their order.
function undo() {
  const last = history.pop();
  if (!last) return tell("saved", "nothing to undo");
  const { item } = last.was;
  if (outbox.takeOut(last.uid)) tell("saved", "undone"); // the server does not know it yet
  else {
    tell("saving", "undoing");
    outbox.put("/v1/undo", { uid: uid(), of: last.uid }, { item, kind: "undo" });
  }
  if (current) queue.unshift(current);
  queue = [last.was, ...queue.filter((one) => key(one) !== key(last.was))];
  isEmpty = false;
  progress.undone(last.was);
  return next();
}

function skip() {
  if (!current || !seenAt) return;
  const { item } = current;
  leave(current);
  outbox.put("/v1/skip", { item }, { item, kind: "skip" });
  next();
}

function flag() {
  if (!current) return;
  outbox.put("/v1/flags", { project, query_id: current.query.query_id, why: note.slice(0, 500) }, { kind: "flag" });
}

const find = finder(project, {
  add: (doc, query) => outbox.put(
    `/v1/projects/${project}/found`, { query_id: query.query_id, doc_id: doc.doc_id, doc_hash: doc.doc_hash }, { kind: "found" },
  ),
});

const slow = stop(project, () => {
  if (seenAt) seenAt = performance.now(); // the stop is nobody's time to answer
  fill();
});

// Keys and buttons.

const open = (id) => { if (current || id === "help" || id === "rubric-text") $(id).showModal(); };

const KEYS = {
  u: undo, s: skip, f: flag, x: () => open("why"), n: () => open("noting"), r: () => open("rubric-text"),
  "?": () => open("help"), "/": () => { if (current) find.open(); }, t: () => { marks = !marks; if (current) show(); },
  m: () => document.querySelector("#article .more")?.click(), Enter: confirm,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  const dialog = document.querySelector("dialog[open]");
  if (dialog) {
    slow.key(dialog, event);
    if (dialog.id === "why" && /^[1-9]$/.test(event.key)) {
      const button = dialog.querySelectorAll("[data-reason]")[Number(event.key) - 1];
      if (button) { event.preventDefault(); button.click(); }
    }
    return;
  }
  if (event.target.matches("input, textarea") && !event.target.closest("dialog")) return; // a closed dialog keeps the focus a moment
  if (/^[0-9]$/.test(event.key)) {
    event.preventDefault();
    const value = Number(event.key);
    if (dimensions.length) {
      const name = active();
      const fits = name && document.querySelector(`[data-dimension="${CSS.escape(name)}"] [data-value="${value}"]`);
      if (fits) say(name, value);
    } else if (document.querySelector(`[data-grade="${value}"]`)) stage(value);
    return;
  }
  const act = KEYS[event.key];
  if (act && !(event.key === "Enter" && event.target.matches("button, a") && !event.target.closest("dialog"))) {
    event.preventDefault();
    act();
  }
});

const CLICKS = {
  grade: (node) => stage(Number(node.dataset.grade)),
  value: (node) => say(node.closest("[data-dimension]").dataset.dimension, Number(node.dataset.value)),
  confirm, flag, undo, find: find.open, goOn: slow.goOn, look: fill,
  help: () => open("help"),
  rubric: () => open("rubric-text"),
  reason: (node) => { $("why").close(); answer({ cannot_tell: node.dataset.reason }); },
  close: (node) => node.closest("dialog").close(),
};
const BUTTONS = { cannot: () => open("why"), note: () => open("noting"), skip };

document.addEventListener("click", (event) => {
  const node = event.target.closest("button");
  if (!node) return;
  for (const [name, act] of Object.entries(CLICKS)) if (node.dataset[name] !== undefined) act(node);
  BUTTONS[node.id]?.();
});

// A live page is opened by its own link, also in the background; that it was is noted.
for (const kind of ["click", "auxclick"]) document.addEventListener(kind, (event) => {
  if (current && event.button < 2 && event.target.closest("a[data-live]"))
    outbox.put("/v1/opened", { uid: uid(), item: current.item }, { kind: "opened" });
});

$("noting").addEventListener("close", () => {
  note = $("note-text").value.trim();
  if (note) tell("saved", "the note goes with your next grade or flag");
});
addEventListener("online", fill);

outbox.adopt().then((n) => { if (n) outbox.now(); return fill(); }).then(progress.measure); // the first document before its number
