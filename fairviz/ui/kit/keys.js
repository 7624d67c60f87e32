// Streamlit's shortcuts have no effect while any input has the focus, also a switch, which takes no text. The page's keys
// are handed to the page there, and in a menu that is closed, where the next letter would be typed into it. In an open
// menu and in every text field, letters stay letters; Escape and, in a field of one line, Enter leave the field.
if (!window.fairvizKeys) {
  window.fairvizKeys = true;
  const TEXTLESS = ["checkbox", "radio", "range", "button", "submit"];
  window.addEventListener("keydown", (event) => {
    const field = event.target, hint = document.querySelector(".fv-keyhint");
    const isLine = field instanceof HTMLInputElement, isField = isLine || field instanceof HTMLTextAreaElement;
    if (!hint || !isField || field.closest("[role=dialog]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const isMenu = field.getAttribute("role") === "combobox", takesText = !isMenu && !TEXTLESS.includes(field.type);
    if (takesText) {
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
