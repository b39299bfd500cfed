// The page on which a rater prefers one of two documents. Each answer names the item and the document on the left, so
// that no key press is about a pair that was not on the screen, whatever its sides are.

import { asked, draw, prefetch, speak } from "./document.js";
import { idle } from "./idle.js";
import { meter } from "./meter.js";
import { Outbox, ask, uid } from "./outbox.js";
import { stop } from "./slow.js";

const { project, rater } = document.body.dataset;
const $ = (id) => document.getElementById(id);
const AHEAD = 6;
const SIDES = ["left", "right"];
const WORDS = { left: "left", right: "right", tie: "both alike", "both-bad": "neither serves" };

let queue = [];          // pairs that were fetched and not answered
let current = null;      // the pair on the screen
let seenAt = 0;          // when it was painted; 0 until then
let note = "";
let history = [];        // answers of this page, the last one last
let gone = new Set();    // pairs that left the page while a fetch was on its way: its answer may still name them
let fetching = false;
let vain = 0;            // fetches in a row that brought nothing new
let timer = 0;           // of the next fetch, where one comes by itself
let isEmpty = false;
let isWaiting = false;   // the pilot is compared, and the raters do not agree on it yet
let marks = true;

function tell(state, words) {
  $("saving").dataset.state = state;
  $("saved").textContent = words;
  $("says").textContent = words;
}

const outbox = new Outbox(project, rater, {
  sent(message, { ok, code, told }) {
    if (ok) return tell("saved", message.words);
    history = history.filter((one) => one.uid !== message.uid);
    progress.doubt();
    tell("offline", `not taken: ${told.what || code}`);
    fill();
  },
  waits: (n, why) => tell("offline", why || `${n} not saved yet, retrying; kept in this browser`),
  idle: () => { if (!current) fill(); },
});

const progress = meter(project, "pair", outbox);
const resting = idle("pair", fill);
const key = (one) => one.item; // a word of this rater and this time: a pair that comes again has another

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
  gone = new Set(outbox.messages.map(key));
  try {
    const n = Math.min(12, AHEAD + outbox.messages.length + 1);
    const isWhole = progress.beginning();
    const { ok, told } = await ask("GET", `/v1/projects/${project}/pairs?n=${n}`);
    if (ok) {
      progress.take(told.items, isWhole());
      const fresh = told.items.filter((one) => !isKnown(one));
      for (const one of fresh) for (const side of SIDES) prefetch(one[side]);
      queue.push(...fresh);
      vain = fresh.length ? 0 : vain + 1;
      if (told.waits === "pace") slow.show();
      isEmpty = told.items.length === 0 && outbox.messages.length === 0 && told.waits !== "pace";
      isWaiting = told.waits === "pilot";
    } else vain += 1;
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

// Showing.

function show() {
  const { query } = current;
  const words = marks ? asked(query) : [];
  $("query").textContent = query.text;
  $("need").textContent = query.need || "";
  for (const id of ["query", "need"]) speak($(id), query);
  $("need-block").hidden = !query.need;
  for (const side of SIDES) {
    const article = $(side).querySelector("article");
    article.hidden = false;
    draw(article, current[side], words);
    $(side).scrollTop = 0;
  }
  resting.end();
}

function next() {
  note = "";
  $("note-text").value = "";
  seenAt = 0;
  delete $("main").dataset.seen;
  current = queue.shift() || null;
  progress.show(current, !current && isEmpty);
  if (!current) {
    for (const side of SIDES) $(side).querySelector("article").hidden = true;
    $("query").textContent = "";
    $("need-block").hidden = true;
    if (isEmpty) {
      resting.begin(isWaiting, history.length > 0);
      return;
    }
    resting.loading();
    later(Math.min(3000, 100 * vain * vain)); // what is held waits in an outbox, or comes again
    return;
  }
  show();
  const shown = current;
  // Two frames: the first may still show the pair before.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (current !== shown) return;
    seenAt = performance.now();
    $("main").dataset.seen = "";
  }));
  if (queue.length < AHEAD / 2) fill();
}

// Answering.

function answer(what, saved) {
  if (!current || !seenAt) return;
  const { item } = current;
  const content = {
    uid: uid(), item, left: current.left.doc_id, note,
    took_ms: Math.min(Math.round(performance.now() - seenAt), 86_400_000), ...what,
  };
  gone.add(key(current));
  tabs.postMessage(key(current));
  history.push({ uid: content.uid, item, was: current });
  progress.answered(current, content.took_ms);
  tell("saving", "saving");
  outbox.put("/v1/preferences", content, { item, words: saved }); // before a list is asked for that may name it
  next();
}

const choose = (choice) => answer({ choice }, `saved: ${WORDS[choice]}`);

function undo() {
  const last = history.pop();
  if (!last) return tell("saved", "nothing to undo");
  if (outbox.takeOut(last.uid)) tell("saved", "undone");
  else outbox.put("/v1/undo", { uid: uid(), of: last.uid }, { item: last.item, words: "undone" });
  if (current) queue.unshift(current);
  queue = [last.was, ...queue.filter((one) => key(one) !== key(last))];
  isEmpty = false;
  progress.undone(last.was);
  return next();
}

function skip() {
  if (!current || !seenAt) return;
  const { item } = current;
  gone.add(key(current));
  outbox.put("/v1/skip", { item }, { item, words: "skipped: it comes back later" });
  next();
}

function flag() {
  if (!current) return;
  outbox.put("/v1/flags", { project, query_id: current.query.query_id, why: note }, { words: "the query is flagged" });
}

const slow = stop(project, () => {
  if (seenAt) seenAt = performance.now(); // the stop is nobody's time to answer
  fill();
});

// Keys and buttons.

const open = (id) => { if (current || id === "help" || id === "rubric-text") $(id).showModal(); };

const KEYS = {
  ArrowLeft: () => choose("left"), ArrowRight: () => choose("right"), "=": () => choose("tie"), e: () => choose("tie"),
  b: () => choose("both-bad"), u: undo, s: skip, f: flag, x: () => open("why"), n: () => open("noting"),
  r: () => open("rubric-text"), "?": () => open("help"), t: () => { marks = !marks; if (current) show(); },
  m: () => { for (const more of document.querySelectorAll(".more")) more.click(); },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const dialog = document.querySelector("dialog[open]");
  if (dialog) {
    slow.key(dialog, event);
    const reasons = dialog.id === "why" && /^[1-9]$/.test(event.key) ? dialog.querySelectorAll("[data-reason]") : [];
    const button = reasons[Number(event.key) - 1];
    if (button) {
      event.preventDefault();
      button.click();
    }
    return;
  }
  const act = !(event.target.matches("input, textarea") && !event.target.closest("dialog")) && KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

document.addEventListener("click", (event) => {
  const node = event.target.closest("button");
  if (!node) return;
  if (node.dataset.choice) choose(node.dataset.choice);
  else if (node.dataset.help !== undefined) open("help");
  else if (node.dataset.rubric !== undefined) open("rubric-text");
  else if (node.dataset.reason) {
    $("why").close();
    answer({ cannot_tell: node.dataset.reason }, "saved: can't tell");
  } else if (node.dataset.goOn !== undefined) slow.goOn();
  else if (node.dataset.close !== undefined) node.closest("dialog").close();
  else if (node.id === "cannot") open("why");
  else if (node.id === "note") open("noting");
  else if (node.id === "skip") skip();
  else if (node.id === "undo" || node.dataset.undo !== undefined) undo();
  else if (node.dataset.look !== undefined) fill();
  else if (node.dataset.flag !== undefined) flag();
});

$("noting").addEventListener("close", () => { note = $("note-text").value.trim(); });
addEventListener("online", fill);

outbox.adopt().then(() => {
  outbox.send();
  return fill();
}).then(progress.measure); // the first pair before its number
