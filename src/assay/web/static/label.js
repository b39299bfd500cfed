// The labelling page. What was answered waits in an outbox that names its rater until the server has it; each answer
// carries the item that was on the screen and an id of its own, so that no retry counts twice and no key press grades
// what was not seen.

const body = document.body;
const { base, project, rater, csrf } = body.dataset;
const needsEnter = body.dataset.enter === "yes";
const $ = (id) => document.getElementById(id);
const AHEAD = 6;
const OUTBOX = `assay outbox ${project} ${rater}`;

let queue = [];          // items that were fetched and not answered
let current = null;      // the item on the screen
let seenAt = 0;          // when it was painted; 0 until then
let staged = null;       // a grade that waits for Enter
let said = {};           // dimensions of the current item
let note = "";
let history = [];        // answers of this page, the last one last
let outbox = JSON.parse(localStorage.getItem(OUTBOX) || "[]");
let sending = false;
let fetching = false;
let gone = new Set();    // items that left the page while a fetch was on its way: its answer may still name them
const skipping = new Set();
let isEmpty = false;
let isWaiting = false;   // the pilot is labelled, and the raters do not agree on it yet
let wait = 0;
let marks = true;
let given = 0;

const dimensions = [...document.querySelectorAll("[data-dimension]")].map((node) => node.dataset.dimension);

function uid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function ask(method, path, content) {
  const answer = await fetch(base + path, {
    method,
    headers: { "content-type": "application/json", "x-csrf-token": csrf, accept: "application/json" },
    body: content === undefined ? undefined : JSON.stringify(content),
  });
  if (answer.status === 401) {
    location.assign(`${base}/sign-in`);
    throw new TypeError("signed out");
  }
  const told = await answer.json().catch(() => ({}));
  return { ok: answer.ok, code: answer.status, told };
}

function tell(state, words) {
  $("saving").dataset.state = state;
  $("saved").textContent = words;
  $("says").textContent = words;
}

function unsaved() {
  const n = outbox.length;
  if (n) tell("offline", `${n} not saved yet, retrying; kept in this browser`);
}

function keep() {
  localStorage.setItem(OUTBOX, JSON.stringify(outbox));
}

// Fetching.

const key = (one) => `${one.item} ${one.turn}`;

const isKnown = (one) =>
  gone.has(key(one)) || [...(current ? [current] : []), ...queue, ...outbox].some((held) => key(held) === key(one));

async function fill() {
  if (fetching) return;
  fetching = true;
  gone = new Set([...outbox.map(key), ...skipping]);
  try {
    const { ok, told } = await ask("GET", `/v1/projects/${project}/items?n=${Math.min(12, AHEAD + outbox.length + 1)}`);
    if (ok) {
      queue.push(...told.items.filter((one) => !isKnown(one)));
      isEmpty = told.items.length === 0 && outbox.length === 0 && skipping.size === 0;
      isWaiting = told.waits === "pilot";
    }
  } catch {
    setTimeout(fill, 2000);
  } finally {
    fetching = false;
  }
  if (!current) next();
}

// Showing.

function words(text) {
  return [...new Set((text || "").toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) || [])];
}

function marked(node, text, asked) {
  node.replaceChildren();
  if (!marks || !asked.length) {
    node.textContent = text;
    return;
  }
  const escaped = asked.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(${escaped.join("|")})`, "giu");
  for (const piece of text.split(pattern)) {
    if (asked.includes(piece.toLowerCase())) {
      const mark = document.createElement("mark");
      mark.textContent = piece;
      node.append(mark);
    } else node.append(piece);
  }
}

function show() {
  const { query, document: doc } = current;
  const asked = words(query.text);
  $("query").textContent = query.text;
  for (const id of ["query", "need"]) query.language ? ($(id).lang = query.language) : $(id).removeAttribute("lang");
  $("need").textContent = query.need || "";
  $("need-block").hidden = !query.need;
  marked($("title"), (doc && (doc.title || doc.doc_id)) || "(no document)", asked);
  $("text").replaceChildren();
  for (const part of ((doc && doc.text) || "").split(/\n\s*\n/)) {
    if (!part.trim()) continue;
    const p = document.createElement("p");
    marked(p, part, asked);
    $("text").append(p);
  }
  $("stamp").textContent = doc && doc.captured_at ? `snapshot ${doc.captured_at}` : "as it was when the project was made";
  $("article").hidden = false;
  $("wait").hidden = true;
  $("doc").scrollTop = 0;
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
  if (!current) {
    $("article").hidden = true;
    $("wait").hidden = false;
    $("query").textContent = "";
    $("need-block").hidden = true;
    $("wait").textContent = !isEmpty ? "Loading the next document …" : isWaiting
      ? "You have labelled the pilot. The rest opens when every rater has, and they agree; then load this page again."
      : "Nothing is left for you here. Thank you.";
    if (!isEmpty) setTimeout(fill, outbox.length ? 150 : 0);
    return;
  }
  show();
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
  for (const button of document.querySelectorAll("[data-confirm]")) button.hidden = !(needsEnter && isReady);
}

const active = () => dimensions.find((name) => !(name in said));

// Answering.

function answer(what) {
  if (!current || !seenAt) return;
  const one = {
    uid: uid(), item: current.item, turn: current.turn, note,
    took_ms: Math.min(Math.round(performance.now() - seenAt), 86_400_000), ...what,
  };
  outbox.push(one);
  gone.add(key(one));
  keep();
  history.push({ ...one, was: current });
  given += 1;
  $("given").textContent = given;
  tell("saving", "saving");
  next();
  send();
}

function stage(grade) {
  if (!current || !seenAt) return;
  staged = grade;
  press();
  if (!needsEnter) confirm();
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

async function send() {
  if (sending) return;
  sending = true;
  try {
    while (outbox.length) {
      const one = outbox[0];
      const { ok, code, told } = await ask("POST", "/v1/grades", one);
      if (!ok && (code >= 500 || code === 429)) throw new TypeError("try again");
      outbox = outbox.filter((held) => held.uid !== one.uid);
      keep();
      wait = 0;
      if (ok) tell("saved", one.cannot_tell ? "saved: can't tell" : `saved: grade ${told.grade}`);
      else {
        history = history.filter((held) => held.uid !== one.uid);
        tell("offline", `not taken: ${told.what || code}`);
        fill();
      }
    }
  } catch {
    unsaved();
    wait = Math.min(wait ? wait * 2 : 500, 15_000);
    setTimeout(() => { sending = false; send(); }, wait);
    return;
  }
  sending = false;
  if (!current) fill();
}

async function undo() {
  const last = history.pop();
  if (!last) return tell("saved", "nothing to undo");
  const back = () => {
    if (current) queue.unshift(current);
    queue = [last.was, ...queue.filter((one) => one.item !== last.item || one.turn !== last.turn)];
    given = Math.max(0, given - 1);
    $("given").textContent = given;
    isEmpty = false;
    next();
  };
  const waiting = outbox.findIndex((one) => one.uid === last.uid);
  if (waiting > 0 || (waiting === 0 && !sending)) {  // the server does not know it yet
    outbox.splice(waiting, 1);
    keep();
    back();
    return tell("saved", "undone");
  }
  const own = uid();
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      if (!outbox.some((one) => one.uid === last.uid)) {
        const { ok, told } = await ask("POST", "/v1/undo", { uid: own, of: last.uid });
        if (ok) back();
        return tell(ok ? "saved" : "offline", ok ? "undone" : `not undone: ${told.what}`);
      }
    } catch { /* no connection: tried again below */ }
    await new Promise((done) => setTimeout(done, 500));
  }
  history.push(last);
  return tell("offline", "not undone: no connection");
}

async function skip() {
  if (!current || !seenAt) return;
  const off = current;
  skipping.add(key(off));
  gone.add(key(off));
  next();
  try {
    await ask("POST", "/v1/skip", { item: off.item, turn: off.turn });
    tell("saved", "skipped: it comes back later");
  } catch {
    queue.push(off);
    tell("offline", "no connection: it stays in your list");
  } finally {
    skipping.delete(key(off));
  }
}

async function flag() {
  if (!current) return;
  try {
    const { ok } = await ask("POST", "/v1/flags", { project, query_id: current.query.query_id, why: note });
    tell(ok ? "saved" : "offline", ok ? "the query is flagged" : "not flagged");
  } catch {
    tell("offline", "not flagged: no connection");
  }
}

// Keys and buttons.

const open = (id) => { if (current || id === "help") $(id).showModal(); };

const KEYS = {
  u: undo, s: skip, f: flag, x: () => open("why"), n: () => open("noting"), r: () => open("rubric-text"),
  "?": () => open("help"), t: () => { marks = !marks; if (current) show(); }, Enter: confirm,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const dialog = document.querySelector("dialog[open]");
  if (dialog) {
    if (dialog.id === "why" && /^[1-9]$/.test(event.key)) {
      const button = dialog.querySelectorAll("[data-reason]")[Number(event.key) - 1];
      if (button) { event.preventDefault(); button.click(); }
    }
    return;
  }
  if (event.target.matches("input, textarea")) return;
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
  if (act && !(event.key === "Enter" && event.target.matches("button, a"))) {
    event.preventDefault();
    act();
  }
});

document.addEventListener("click", (event) => {
  const node = event.target.closest("button");
  if (!node) return;
  if (node.dataset.grade !== undefined) stage(Number(node.dataset.grade));
  else if (node.dataset.value !== undefined) say(node.closest("[data-dimension]").dataset.dimension, Number(node.dataset.value));
  else if (node.dataset.confirm !== undefined) confirm();
  else if (node.dataset.help !== undefined) open("help");
  else if (node.dataset.rubric !== undefined) open("rubric-text");
  else if (node.dataset.reason !== undefined) { $("why").close(); answer({ cannot_tell: node.dataset.reason }); }
  else if (node.dataset.close !== undefined) node.closest("dialog").close();
  else if (node.id === "cannot") open("why");
  else if (node.id === "note") open("noting");
  else if (node.id === "skip") skip();
  else if (node.id === "undo") undo();
  else if (node.id === "flag") flag();
});

$("noting").addEventListener("close", () => { note = $("note-text").value.trim(); });
addEventListener("online", () => { wait = 0; send(); fill(); });
addEventListener("beforeunload", (event) => { if (outbox.length) event.preventDefault(); });

if (outbox.length) unsaved();
send();
fill();
