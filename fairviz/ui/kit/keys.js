// Streamlit's shortcuts have no effect while any input has the focus, also a switch, which takes no text. The page's keys
// are handed to the page there, and in a menu that is closed, where the next letter would be typed into it. In an open
// menu and in every text field, letters stay letters; Escape and, in a field of one line, Enter leave the field. While
// one has the focus, the body says so, and the style sheet shows the hint.
if (!window.fairvizKeys) {
  window.fairvizKeys = true;
  const TEXTLESS = ["checkbox", "radio", "range", "button", "submit"].map((kind) => `[type=${kind}]`);
  const TEXTS = `textarea, input:not([role=combobox], ${TEXTLESS})`, OF_PAGE = `[data-testid=stMain] :is(${TEXTS})`;
  const tell = () => document.body.toggleAttribute("data-typing", Boolean(document.activeElement?.matches(OF_PAGE)));
  for (const kind of ["focusin", "focusout", "keyup", "pointerup"]) window.addEventListener(kind, tell);
  window.addEventListener("keydown", (event) => {
    const field = event.target, hint = document.querySelector(".fv-keyhint");
    const isLine = field instanceof HTMLInputElement, isField = isLine || field instanceof HTMLTextAreaElement;
    if (!hint || !isField || field.closest("[role=dialog]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const isMenu = field.getAttribute("role") === "combobox";
    if (field.matches(TEXTS)) {
      if (event.key === "Escape" || (event.key === "Enter" && isLine)) setTimeout(() => field.blur()); // once it is read
      return;
    }
    if (isMenu && (field.getAttribute("aria-expanded") === "true" || !field.closest("[data-testid=stSelectbox]"))) return;
    if (event.key.length > 1 || !hint.dataset.keys.includes(event.key.toLowerCase())) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isMenu) field.blur();
    document.body.dispatchEvent(new KeyboardEvent("keydown", {
      key: event.key, code: event.code, keyCode: event.keyCode, which: event.which, bubbles: true, cancelable: true,
    }));
  }, true);
}
