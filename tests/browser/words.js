// The words on screen above a height: prose, and labels of figures and tables, each label once. Text of documents is
// counted apart. A word has two letters. Parts of the frame (the side bar, the menus) are outside the main block.
(height) => {
  const DOCUMENT = ".fv-text, .fv-document, mark, [data-document]";
  const counted = { prose: [], labels: new Set(), documents: [] };
  const shown = (element, box) =>
    box.width > 1 && box.height > 1 && box.top < height && box.bottom > 0 && box.left < innerWidth &&
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const count = (node) => {
    const element = node.parentElement;
    if (!element || element.closest('style, script, [data-testid="stIconMaterial"], span[role=img]')) return;
    const range = document.createRange();
    range.selectNodeContents(node);
    if (!shown(element, range.getBoundingClientRect())) return;
    const words = node.textContent.trim().split(/\s+/).filter((word) => /\p{L}{2}/u.test(word));
    if (element.closest(DOCUMENT)) counted.documents.push(...words);
    else if (element.closest("svg, table, [role=grid]")) words.forEach((word) => counted.labels.add(word));
    else counted.prose.push(...words);
  };
  const walk = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.nodeType === Node.TEXT_NODE) count(node);
      else if (node.shadowRoot) walk(node.shadowRoot);
    }
  };
  walk(document.querySelector('[data-testid="stMain"]'));
  return [counted.prose, [...counted.labels], counted.documents];
}
