// What a rater said waits here until the server has it. Each message carries an id of its own, so that a retry never
// counts twice. Each tab keeps its messages in a place of its own in the browser, which names the rater; what a closed
// tab left behind is sent by the next one, of the same rater and project only.

const { base, csrf, rater } = document.body.dataset;

export function uid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

let isLeaving = false; // to the page that signs in: what waits stays in the browser

// Asks the server, as the rater whose page this is: when somebody else has signed in meanwhile, it refuses. No connection
// is a TypeError; whoever is signed out is led to the page that signs in.
export async function ask(method, path, content) {
  const answer = await fetch(base + path, {
    method,
    headers: {
      "content-type": "application/json", "x-csrf-token": csrf, accept: "application/json",
      ...(rater ? { "x-rater": encodeURIComponent(rater) } : {}),
    },
    body: content === undefined ? undefined : JSON.stringify(content),
  });
  if (answer.status === 401) {
    isLeaving = true;
    location.assign(`${base}/sign-in`);
    throw new TypeError("signed out");
  }
  const told = await answer.json().catch(() => ({}));
  return { ok: answer.ok, code: answer.status, told };
}

// The server could not take it now: too slow, too often, or nobody or somebody else is signed in.
const AGAIN = [401, 403, 408, 425, 429];

const read = (place) => {
  try {
    return JSON.parse(localStorage.getItem(place) || "[]");
  } catch {
    return []; // nothing of ours
  }
};

// A tab holds a lock of the name of its place while it lives: a place whose lock is free belongs to a closed tab.
// Where the browser has no locks (pages without https), a place of a living tab may be read too: its messages are then
// sent twice and count once, and none is taken out again.
const locks = navigator.locks;
const hold = (place) => { if (locks) locks.request(place, () => new Promise(() => {})); };

async function isFree(place) {
  if (!locks) return true;
  const held = (await locks.query()).held || [];
  return !held.some((one) => one.name === place);
}

export class Outbox {
  // sent(message, { ok, code, told }): the server has answered; a message that it refuses is not sent again.
  // waits(n, why): so many messages could not be sent yet and are tried again; why, where it is not the connection.
  // idle(): nothing is left to send.
  constructor(project, rater, { sent, waits, idle = () => {} }) {
    this.prefix = `assay outbox ${project} ${encodeURIComponent(rater)} `; // no name of a rater begins another's
    this.place = this.prefix + uid();
    this.messages = []; // { uid, path, content, item }, the first is sent first
    this.sending = null; // the uid of what is on its way
    this.pause = 0;
    this.timer = 0;
    Object.assign(this, { sent, waits, idle });
    hold(this.place);
    addEventListener("online", () => this.now());
    addEventListener("beforeunload", (event) => { if (this.messages.length && !isLeaving) event.preventDefault(); });
  }

  others() {
    return Object.keys(localStorage).filter((place) => place !== this.place && place.startsWith(this.prefix));
  }

  // What waits in this tab and in the others of the same rater.
  waiting() {
    return [...this.messages, ...this.others().flatMap(read)];
  }

  // Takes over what closed tabs left; how many messages.
  async adopt() {
    const places = this.others();
    let n = 0;
    for (const place of places) {
      if (!(await isFree(place))) continue;
      const fresh = read(place).filter((one) => !this.messages.some((held) => held.uid === one.uid));
      this.messages.unshift(...fresh);
      this.keep();
      localStorage.removeItem(place);
      n += fresh.length;
    }
    return n;
  }

  keep() {
    try {
      if (this.messages.length) localStorage.setItem(this.place, JSON.stringify(this.messages));
      else localStorage.removeItem(this.place);
    } catch {
      this.waits(this.messages.length, "this browser keeps nothing: leave the page open until all is saved");
    }
  }

  // Puts a message in and sends it as soon as what is before it was sent.
  put(path, content, about = {}) {
    const message = { uid: content.uid || uid(), path, content, ...about };
    this.messages.push(message);
    this.keep();
    this.send();
    return message;
  }

  // Takes out a message that the server cannot know yet; false where it is on its way or was sent.
  takeOut(uidOf) {
    const at = this.messages.findIndex((one) => one.uid === uidOf);
    if (at < 0 || this.messages[at].tried || !locks) return false;
    this.messages.splice(at, 1);
    this.keep();
    return true;
  }

  has(item) {
    return this.messages.some((one) => one.item === item);
  }

  // Tries again at once: the connection is back.
  now() {
    clearTimeout(this.timer);
    this.pause = 0;
    this.send();
  }

  async send() {
    if (this.sending) return;
    clearTimeout(this.timer);
    while (this.messages.length) {
      const one = this.messages[0];
      this.sending = one.uid;
      one.tried = true; // from here on the server may have it, whatever is heard of it
      let answer = null;
      try {
        answer = await ask("POST", one.path, one.content);
      } catch { /* no connection: tried again below */ }
      this.sending = null;
      if (!answer || answer.code >= 500 || AGAIN.includes(answer.code)) {
        this.keep();
        this.waits(this.messages.length, answer && answer.code === 403 ? `not saved: ${answer.told.what}` : "");
        this.pause = Math.min(this.pause ? this.pause * 2 : 500, 15_000);
        this.timer = setTimeout(() => this.send(), this.pause);
        return;
      }
      this.pause = 0;
      this.messages = this.messages.filter((held) => held.uid !== one.uid);
      this.keep();
      this.sent(one, answer);
    }
    this.idle();
  }
}
