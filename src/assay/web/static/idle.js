// Nothing is on the screen: what would be pressed about a document is put away, and the page says what comes next.

const $ = (id) => document.getElementById(id);
const EVERY_MS = 30_000; // between two looks at a queue that is closed

const WORDS = {
  document: { loads: "Loading the next document …", did: "labelled" },
  pair: { loads: "Loading the next two documents …", did: "compared" },
};

const DONE = "Nothing is left for you here. Thank you.";
const closed = (did) =>
  `You have ${did} the pilot. The rest opens when every rater has, and they agree. This page looks for it twice a minute.`;

// unit: what is answered, "document" or "pair". look: asks the server for more.
export function idle(unit, look) {
  const { loads, did } = WORDS[unit];
  let timer = 0;

  function say(words) {
    if ($("wait").textContent !== words) $("wait").textContent = words; // said once, not at every look
    $("wait").hidden = false;
  }

  function end() {
    clearTimeout(timer);
    delete document.body.dataset.idle;
    for (const id of ["wait", "ways-on"]) $(id).hidden = true;
  }

  return {
    end,
    // The next one is on its way: it takes a moment, and everything stays where it is.
    loading() {
      end();
      say(loads);
    },
    // Nothing comes by itself; isClosed: the pilot is answered and the queue behind it closed. canUndo: of this page.
    begin(isClosed, canUndo) {
      say(isClosed ? closed(did) : DONE);
      document.body.dataset.idle = isClosed ? "pilot" : "done";
      $("ways-on").hidden = false;
      $("undo-last").hidden = !canUndo;
      clearTimeout(timer);
      if (isClosed) timer = setTimeout(look, EVERY_MS);
    },
  };
}
