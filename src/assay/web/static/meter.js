// How far the rater has come: of the query, of the project, and how long the rest may take. The server's numbers are
// taken when no answer is on its way; between, this page counts its own answers.

import { ask } from "./outbox.js";

const LAST = 21;       // answers from which the pace is taken
const FEWEST = 5;      // below that nothing is said of it
const EVERY = 20;      // answers after which the server is asked again: others label too
const APART = 5_000;   // ms between two questions

const $ = (id) => document.getElementById(id);

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// What is left at a pace, in words; nothing where the pace is not known or nothing is left.
export function rest(left, seconds) {
  if (left <= 0 || seconds.length < FEWEST) return "";
  const minutes = (left * median(seconds)) / 60;
  const says = (n, unit) => `about ${n} ${unit}${n === 1 ? "" : "s"} left at your pace`;
  if (minutes < 1) return "less than a minute left at your pace";
  return minutes < 90 ? says(Math.round(minutes), "minute") : says(Math.round(minutes / 60), "hour");
}

// unit: what is answered, "document" or "pair". outbox: what waits there is not counted by the server yet.
export function meter(project, unit, outbox) {
  const queries = new Map();  // of each query: answers that were given, and how many there are
  let share = null;           // { done, of, is_rough } of the project; none until the server has said it
  let seconds = [];           // that the last answers took
  let moves = 0;              // answers and undoings of this page
  let isStale = true;
  let isAsking = false;
  let askedAt = -Infinity;
  let current = null;
  let isEmpty = false;

  // Says, when it is called after an answer of the server, whether that answer counts all that was said here.
  function beginning() {
    const before = moves;
    const isQuiet = outbox.waiting().length === 0;
    return () => isQuiet && before === moves;
  }

  function draw() {
    const count = current && queries.get(current.query.query_id);
    $("place-block").hidden = !count;
    if (count) {
      const of = Math.max(1, count.of);
      $("place").textContent = `${unit} ${Math.min(count.done + 1, of)} of ${of}`;
    }
    $("progress").hidden = $("meter").hidden = !share;
    if (!share) return;
    const { done } = share;
    const of = isEmpty ? done : Math.max(share.of, done + (current ? 1 : 0));
    const says = `of ${share.is_rough && !isEmpty ? "about " : ""}${of}`;
    const pace = rest(of - done, seconds);
    $("given").textContent = done;
    $("given-of").textContent = says;
    $("pace").textContent = pace;
    $("filled").setAttribute("width", of ? (100 * done) / of : 0);
    $("meter").setAttribute("aria-valuemax", Math.max(1, of));
    $("meter").setAttribute("aria-valuenow", done);
    $("meter").setAttribute("aria-valuetext", `${done} ${says} ${unit}s${pace ? `, ${pace}` : ""}`);
  }

  async function measure() {
    if (!isStale || isAsking || performance.now() - askedAt < APART) return;
    isAsking = true;
    askedAt = performance.now();
    const isWhole = beginning();
    try {
      const { ok, told } = await ask("GET", `/v1/projects/${project}/share`);
      if (ok && (isWhole() || !share)) {
        isStale = !isWhole();
        share = told;
        ({ seconds } = told);
        draw();
      }
    } catch {
      isStale = true; // no connection: asked again at a later document
    } finally {
      isAsking = false;
    }
  }

  function move(item, n) {
    moves += 1;
    if (moves % EVERY === 0) isStale = true;
    const count = queries.get(item.query.query_id);
    if (count) count.done = Math.max(0, count.done + n);
    if (share) share.done = Math.max(0, share.done + n);
  }

  return {
    beginning,
    // Items came: `isWhole` where their numbers count all that was said here.
    take(items, isWhole) {
      for (const { query, count } of items)
        if (count && (isWhole || !queries.has(query.query_id))) queries.set(query.query_id, { ...count });
      draw();
    },
    answered(item, ms) {
      seconds = [...seconds, ms / 1000].slice(-LAST);
      move(item, 1);
    },
    undone(item) {
      seconds = seconds.slice(0, -1);
      move(item, -1);
    },
    // Something was said that this page has not counted.
    doubt() { isStale = true; },
    show(item, empty = false) {
      if (empty && !isEmpty) isStale = true;
      current = item;
      isEmpty = empty;
      draw();
      if (share || !item) measure();
    },
    measure,
  };
}
