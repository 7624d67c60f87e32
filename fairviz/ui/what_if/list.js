// One list: rows that are dragged or moved by keys. All texts are data: they are only ever written as text. What was
// done is shown at once, and sent with a number until the page says that it has it.
const element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

const written = (piece, groups) => {
  const [text, group] = piece;
  const made = element("span", group < 0 ? "" : "gendered", text);
  if (group >= 0) {
    const look = groups[group];
    made.style.borderBottom = `2px ${look.line} ${look.colour}`;
    made.style.background = `${look.colour}26`;
  }
  return made;
};

const menu = (row, data, act) => {
  const select = element("select", "label");
  select.setAttribute("aria-label", `Label of ${row.id}`);
  for (const label of [...data.labels, { name: "", shape: "" }]) {
    const option = element("option", "", label.name ? `${label.shape} ${label.name}` : data.nolabel);
    option.value = label.name;
    option.selected = label.name === row.label;
    select.append(option);
  }
  const look = data.labels.find((label) => label.name === row.label);
  select.style.borderColor = look ? look.colour : "var(--st-border-color)";
  select.style.color = look ? look.colour : "inherit";
  select.onchange = () => act({ kind: "label", id: row.id, label: select.value }, `${row.id}: ${select.value || data.nolabel}`);
  return select;
};

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector("ol");
  const said = parentElement.querySelector(".said");
  const swap = parentElement.querySelector(".swap");
  const held = root.fairviz ??= { pending: [], next: 0, rows: [], ticked: [], opened: [], focus: "", list: "" };
  if (held.list !== data.list) Object.assign(held, { list: data.list, pending: [], ticked: [], opened: [], focus: "" });
  held.pending = held.pending.filter((action) => action.number > data.done);
  held.next = Math.max(held.next, data.done);
  if (!held.pending.length) held.rows = data.rows;
  const hint = parentElement.querySelector(".hint");
  Object.assign(hint, { textContent: data.hint, title: data.keys });

  const send = () => setTriggerValue("asked", { list: data.list, actions: held.pending });
  const act = (action, words) => {
    held.next += 1;
    held.pending.push({ ...action, number: held.next });
    said.textContent = words;
    send();
  };
  const place = (id) => held.rows.findIndex((row) => row.id === id);

  const move = (id, to) => {
    const from = place(id);
    const rank = Math.min(Math.max(to, 1), data.length);
    if (from < 0 || rank === from + 1) return;
    const rows = [...held.rows];
    const [row] = rows.splice(from, 1);
    if (rank <= held.rows.length) rows.splice(rank - 1, 0, row);
    held.rows = rows;
    held.focus = id;
    act({ kind: "move", id, to: rank }, `${id} from rank ${from + 1} to ${rank}`);
    draw(true);
  };

  const tick = (id) => {
    held.ticked = held.ticked.includes(id) ? held.ticked.filter((name) => name !== id) : [...held.ticked, id].slice(-2);
    draw(true);
  };

  const open = (id) => {
    held.opened = held.opened.includes(id) ? held.opened.filter((name) => name !== id) : [...held.opened, id];
    held.focus = id;
    draw(true);
  };

  swap.onclick = () => {
    const [first, second] = held.ticked;
    const [a, b] = [place(first), place(second)];
    if (a < 0 || b < 0) return;
    const rows = [...held.rows];
    [rows[a], rows[b]] = [rows[b], rows[a]];
    Object.assign(held, { rows, ticked: [] });
    act({ kind: "swap", id: first, other: second }, `${first} and ${second} swapped`);
    draw(false);
  };

  const keys = (event, row, rank) => {
    if (event.target !== event.currentTarget) return;
    const steps = { ArrowUp: rank - 1, ArrowDown: rank + 1, Home: 1, End: held.rows.length };
    if (event.key === " " && !event.altKey) tick(row.id);
    else if (event.key === "Enter" && !event.altKey) open(row.id);
    else if (!(event.key in steps) || event.ctrlKey || event.metaKey) return;
    else if (event.altKey) move(row.id, steps[event.key]);
    else {
      const other = held.rows[Math.min(Math.max(steps[event.key], 1), held.rows.length) - 1];
      held.focus = other.id;
      draw(true);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const head = (row, rank) => {
    const line = element("div", "head");
    const box = element("input");
    Object.assign(box, { type: "checkbox", checked: held.ticked.includes(row.id), tabIndex: -1 });
    box.setAttribute("aria-label", `Tick ${row.id}`);
    box.onchange = () => { held.focus = row.id; tick(row.id); };
    line.append(box, element("b", "name", row.id));
    if (data.relabels) line.append(menu(row, data, (action, words) => { held.focus = row.id; act(action, words); }));
    if (row.relabelled) line.append(element("span", "was", `was ${row.before}`));
    line.append(element("span", "omega", row.omega), element("span", "grade", row.grade));
    if (row.was !== rank) line.append(element("span", "moved", `${row.was > rank ? "▲" : "▼"} was ${row.was}`));
    if (row.words) {
      const words = element("button", row.reworded ? "words reworded" : "words", row.reworded ? "↺" : "⇄");
      words.type = "button";
      words.title = row.reworded ? "Put its gender words back" : "Replace its gender words: she becomes he";
      words.setAttribute("aria-label", `${words.title} (${row.id})`);
      words.onclick = () => act({ kind: "words", id: row.id }, `gender words of ${row.id}`);
      line.append(words);
    }
    return line;
  };

  const made = (row, at) => {
    const rank = at + 1;
    const item = element("li", rank === data.cutoff && rank < held.rows.length ? "last" : "");
    item.dataset.id = row.id;
    item.tabIndex = (held.focus ? held.focus === row.id : at === 0) ? 0 : -1;
    item.draggable = true;
    item.setAttribute("aria-label", `Rank ${rank}: ${row.id}, ${row.label || data.nolabel}, ${row.omega}`);
    item.setAttribute("aria-keyshortcuts", "Alt+ArrowUp Alt+ArrowDown Space Enter");
    item.classList.toggle("ticked", held.ticked.includes(row.id));
    item.classList.toggle("opened", held.opened.includes(row.id));
    const text = element("div", "text fv-text");
    text.onclick = () => open(row.id);
    text.append(...row.pieces.map((piece) => written(piece, data.groups)));
    const body = element("div", "body");
    body.dataset.document = row.id;
    body.append(head(row, rank), text);
    item.append(element("span", "rank", String(rank)), body);
    item.onkeydown = (event) => keys(event, row, rank);
    item.onfocus = () => { held.focus = row.id; for (const other of root.children) other.tabIndex = other === item ? 0 : -1; };
    item.ondragstart = (event) => {
      held.dragged = row.id;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", String(rank));
      item.classList.add("dragged");
    };
    item.ondragend = () => { held.dragged = undefined; draw(false); };
    item.ondragover = (event) => {
      if (held.dragged === undefined) return;
      event.preventDefault();
      const below = event.clientY > item.getBoundingClientRect().top + item.offsetHeight / 2;
      for (const other of root.children) other.classList.remove("above", "below");
      item.classList.add(below ? "below" : "above");
      held.gap = at + (below ? 1 : 0);
    };
    item.ondrop = (event) => {
      event.preventDefault();
      const from = place(held.dragged);
      if (from >= 0) move(held.dragged, held.gap > from ? held.gap : held.gap + 1);
    };
    return item;
  };

  const draw = (focus) => {
    const scroll = root.scrollTop;
    root.replaceChildren(...held.rows.map(made));
    root.scrollTop = scroll;
    swap.disabled = held.ticked.length !== 2;
    swap.hidden = !held.ticked.length;
    const item = focus && [...root.children].find((row) => row.dataset.id === held.focus);
    if (item) item.focus({ preventScroll: true }), item.scrollIntoView({ block: "nearest" });
  };

  const active = root.getRootNode().activeElement;
  const within = active && root.contains(active);
  if (held.dragged === undefined) draw(false);
  if (within) {
    const item = [...root.children].find((row) => row.dataset.id === held.focus);
    const same = active.className && item && item.querySelector(`${active.localName}.${active.className.split(" ")[0]}`);
    (active.localName === "li" ? item : same || item)?.focus({ preventScroll: true });
  }
  if (held.pending.length) send();
}
