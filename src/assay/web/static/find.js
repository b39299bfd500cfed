// The search of the labelling page: a rater looks for further documents of the query, and adds one to the own list. It
// shows what every rater may see of a document, and not whether a system found it.

import { speak } from "./document.js";
import { mark, terms } from "./mark.js";
import { ask } from "./outbox.js";

const $ = (id) => document.getElementById(id);
const AROUND = 160; // letters of an excerpt on each side of the first word that was looked for

const CAME = {
  added: "added: it comes next in your list",
  labelled: "you have labelled that one already",
  enough: "enough people label that one",
};

function excerpt(text, words) {
  const at = Math.max(0, ...words.map(({ text: word }) => text.toLowerCase().indexOf(word)).filter((i) => i > 0).slice(0, 1));
  const start = at > AROUND ? text.indexOf(" ", at - AROUND) + 1 : 0;
  const end = start + 2 * AROUND;
  return `${start ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`;
}

// add(doc, query): puts a document into the outbox.
export function finder(project, { add }) {
  let query = null;
  let asking = 0;
  let pressed = null; // the button whose document is on its way

  function row(doc, words) {
    const item = document.createElement("li");
    const title = document.createElement("h3");
    title.textContent = doc.title || doc.doc_id;
    title.id = `found-${doc.doc_hash.slice(0, 12)}`;
    const text = document.createElement("p");
    text.textContent = excerpt(doc.text, words);
    for (const node of [title, text]) {
      speak(node, doc);
      mark(node, words);
    }
    const button = document.createElement("button");
    button.textContent = "Add to my list";
    button.setAttribute("aria-describedby", title.id);
    button.addEventListener("click", () => {
      button.disabled = true;
      button.textContent = "Added";
      pressed = button;
      $("find-says").textContent = "adding";
      add(doc, query);
    });
    item.append(title, text, button);
    return item;
  }

  async function look() {
    const words = $("find-words").value.trim();
    if (!words) return;
    asking += 1;
    const mine = asking;
    $("find-says").textContent = "searching";
    $("found").replaceChildren();
    try {
      const { ok, told } = await ask("GET", `/v1/projects/${project}/documents?q=${encodeURIComponent(words)}`);
      if (mine !== asking) return;
      if (!ok) { $("find-says").textContent = told.what; return; }
      const n = told.documents.length;
      $("find-says").textContent = n ? `${n} document${n > 1 ? "s" : ""}` : "no document holds all these words";
      $("found").append(...told.documents.map((doc) => row(doc, terms(words, query.language))));
    } catch {
      $("find-says").textContent = "no connection: try again";
    }
  }

  $("find-form").addEventListener("submit", (event) => { event.preventDefault(); look(); });
  $("find").addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault(); // a field of this kind would be emptied first
      $("find").close();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const stops = [$("find-words"), ...$("found").querySelectorAll("button:not([disabled])")];
    const to = stops[stops.indexOf(document.activeElement) + step];
    if (to) { event.preventDefault(); to.focus(); }
  });

  return {
    // Which query it is about from now on.
    of(one) {
      if (query && query.query_id === one.query_id) return;
      query = one;
      $("find-query").textContent = one.text;
      speak($("find-query"), one);
      speak($("find-words"), one);
      $("find-words").value = "";
      $("found").replaceChildren();
      $("find-says").textContent = "";
    },
    open() {
      if (query) $("find").showModal();
    },
    // What came of an addition, in words.
    came({ state }) {
      const words = CAME[state] || `not added: ${state}`;
      $("find-says").textContent = words;
      if (pressed && !CAME[state]) Object.assign(pressed, { disabled: false, textContent: "Add to my list" });
      return words;
    },
  };
}
