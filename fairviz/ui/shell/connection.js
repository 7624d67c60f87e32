(() => {
  // Says in words that the page has lost its server, instead of the page's grey, and keeps what was typed.
  const SOON = 2500; // milliseconds without a connection before a word
  const STATE = "data-test-connection-state";
  const PLACE = "fairviz_typed";
  const FIELDS = "input[type=text]:not([role=combobox]), textarea";
  const FOREIGN = "[role=dialog]";
  let lost = 0, box = null, wasConnected = false;

  const address = new URL(BASE + "_stcore/health", location.origin);
  const name = (field) => {
    const holder = field.closest("[class*='st-key-']");
    const key = holder ? [...holder.classList].find((one) => one.startsWith("st-key-")) : "";
    return `${key} ${field.getAttribute("aria-label") || field.placeholder || ""}`;
  };
  const page = () => location.pathname;

  function keep() {
    const typed = {};
    for (const field of document.querySelectorAll(FIELDS)) if (field.value) typed[name(field)] = field.value;
    try { sessionStorage.setItem(PLACE, JSON.stringify({ page: page(), typed })); } catch { /* storage is off */ }
  }

  // Writes kept texts into fields that are empty, as if they were typed; they count when the field is left.
  function restore() {
    let kept = null;
    try { kept = JSON.parse(sessionStorage.getItem(PLACE)); } catch { /* storage is off */ }
    if (!kept || kept.page !== page()) return;
    for (const field of document.querySelectorAll(FIELDS)) {
      const text = kept.typed[name(field)];
      if (text === undefined) continue;
      if (!field.value) {
        const kind = field.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
        Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(field, text);
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
      delete kept.typed[name(field)];
    }
    try {
      if (Object.keys(kept.typed).length) sessionStorage.setItem(PLACE, JSON.stringify(kept));
      else sessionStorage.removeItem(PLACE);
    } catch { /* storage is off */ }
  }

  async function isThere() {
    try {
      return (await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(5000) })).ok;
    } catch { return false; }
  }

  function show(text, remedy) {
    if (!box) {
      box = document.createElement("div");
      box.id = "fairviz-connection";
      box.setAttribute("role", "alert");
      box.style.cssText = "position:fixed;z-index:2147483647;top:0;left:0;right:0;padding:.8rem 1.2rem;display:flex;" +
        "gap:1rem;align-items:center;justify-content:center;background:#7a1f1f;color:#fff;" +
        "font:1rem/1.4 system-ui,sans-serif";
      const words = document.createElement("span");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Reload";
      button.style.cssText = "padding:.3rem 1rem;border:1px solid #fff;border-radius:.4rem;background:#fff;" +
        "color:#7a1f1f;font:inherit;cursor:pointer";
      button.onclick = () => { keep(); location.reload(); };
      box.append(words, button);
      document.documentElement.append(box);  // an open dialog makes what is in the body inert
    }
    box.firstChild.textContent = `${text} ${remedy}`;
  }

  function hide() {
    if (box) box.remove();
    box = null;
    lost = 0;
  }

  async function look() {
    const app = document.querySelector(`[${STATE}]`);
    const state = app ? app.getAttribute(STATE) : "";
    for (const dialog of document.querySelectorAll(FOREIGN)) {
      if (!dialog.textContent.includes("yourscript.py")) continue;
      (dialog.closest("[data-testid=stDialog]") || dialog).style.display = "none";
    }
    if (state === "CONNECTED" || state === "STATIC_CONNECTED") {
      if (!wasConnected || lost) hide();
      wasConnected = true;
      restore();
      return;
    }
    lost = lost || Date.now();
    if (wasConnected && !box) keep();
    if (Date.now() - lost < (wasConnected ? SOON : 6 * SOON)) return;
    const kept = wasConnected ? "What you typed is kept." : "";
    if (!box) show("This page has lost its connection.", kept);
    if (await isThere()) {
      if (lost) show("This page has lost its connection, and its server is there.", `${kept} Reload to go on.`);
    } else if (lost) show("This page has lost its server.", `${RESTART} ${kept}`);
  }

  const repeat = async () => { try { await look(); } finally { setTimeout(repeat, 500); } };
  repeat();
})();
