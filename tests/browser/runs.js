// Keeps, as window.fairvizRuns, whether the server still owes this page a run: a test that acts waits for the answer.
// Of Streamlit's messages it reads the numbers of fields: what is asked for goes out, what began and ended comes in.
(() => {
  const ASKED = 11, FRAGMENT = 5; // of BackMsg, and of what it asks for
  const BEGUN = 4, ENDED = 6, EARLY = 2; // of ForwardMsg; a run that ends early is followed by another
  const GONE = 10_000; // milliseconds without a word: the server leaves a part unanswered that its page has lost
  const HANDED_ON = 50; // milliseconds: the page takes the answer over and draws it in timers of its own, set before
  const runs = (window.fairvizRuns = { owed: 0, begun: false, whole: false, number: 0 });
  const known = new WeakSet();

  /** Number and value of each field of a message. */
  function* fields(bytes) {
    let at = 0;
    const number = () => {
      for (let value = 0, unit = 1; ; unit *= 128) {
        value += (bytes[at] & 127) * unit;
        if (bytes[at++] < 128) return value;
      }
    };
    while (at < bytes.length) {
      const key = number(), kind = key & 7;
      if (kind === 0) yield [key >> 3, number()];
      else if (kind === 2) {
        const end = number() + at;
        yield [key >> 3, bytes.subarray(at, end)];
        at = end;
      } else at += kind === 1 ? 8 : 4;
    }
  }

  /** A part that asks while the whole page runs may be gone after it, and is not answered: that is not waited for. */
  function asks(bytes) {
    const asked = new Map(fields(bytes)).get(ASKED);
    if (!asked) return;
    const mine = ++runs.number;
    const part = [...fields(asked)].some(([name, value]) => name === FRAGMENT && value.length);
    if (part && runs.whole) return;
    Object.assign(runs, { owed: mine, begun: false, whole: !part });
    if (part) setTimeout(() => { if (runs.owed === mine && !runs.begun) forget(); }, GONE);
  }

  function hears(bytes) {
    for (const [name, value] of fields(bytes)) {
      if (name === BEGUN) runs.begun = true;
      if (name !== ENDED || value === EARLY || !runs.begun) continue;
      const answered = runs.owed;
      setTimeout(() => { if (runs.owed === answered) forget(); }, HANDED_ON);
    }
  }

  function forget() {
    runs.owed = 0;
    runs.whole = false;
  }

  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (!known.has(this)) {
      known.add(this);
      this.addEventListener("message", (event) => hears(new Uint8Array(event.data)));
      this.addEventListener("close", forget); // nobody answers any more
    }
    asks(new Uint8Array(data));
    return send.call(this, data);
  };
})();
