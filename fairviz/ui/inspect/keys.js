// The page's keys in a menu that is closed: an option was chosen, the menu keeps the focus, and the next letter would be
// typed into it. It is handed to the page instead. In an open menu, and in every text field, letters stay letters.
if (!window.fairvizKeys) {
  window.fairvizKeys = true;
  window.addEventListener("keydown", (event) => {
    const field = event.target;
    const closed = field instanceof HTMLInputElement && field.getAttribute("role") === "combobox"
      && field.getAttribute("aria-expanded") !== "true" && field.closest("[data-testid=stSelectbox]");
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && /^[1-9npu]$/i.test(event.key);
    if (!closed || !plain || !document.querySelector(".st-key-inspect_keys")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    field.blur();
    document.body.dispatchEvent(new KeyboardEvent("keydown", {
      key: event.key, code: event.code, keyCode: event.keyCode, which: event.which, bubbles: true, cancelable: true,
    }));
  }, true);
}
