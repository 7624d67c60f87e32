// The systems of the page: a click hides a system or shows it again, Shift and a click shows it alone. Names are data and
// are only written as text.
const SVG = "http://www.w3.org/2000/svg";

const shape = (name, attributes) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

const picture = (system) => {
  const svg = shape("svg", { viewBox: "-15 -9 30 18", width: 30, height: 18, "aria-hidden": "true" });
  svg.append(shape("line", {
    x1: -15, x2: 15, y1: 0, y2: 0, stroke: system.colour, "stroke-width": 2, "stroke-dasharray": system.dash,
  }));
  svg.append(shape("path", {
    d: system.path, transform: `scale(${system.scale})`, "vector-effect": "non-scaling-stroke",
    stroke: system.colour, "stroke-width": system.hollow ? 1.5 : 0,
    fill: system.hollow ? "var(--st-background-color)" : system.colour,
  }));
  return svg;
};

const made = (system) => {
  const button = document.createElement("button");
  button.type = "button";
  const name = document.createElement("span");
  name.textContent = system.name;
  button.append(picture(system), name);
  return button;
};

export default function ({ data, parentElement, setTriggerValue }) {
  const bar = parentElement.querySelector("[role=group]");
  const kept = JSON.stringify(data.systems.map(({ shown, chosen, hint, ...look }) => look));
  if (bar.dataset.kept !== kept) {
    bar.replaceChildren(...data.systems.map(made));
    bar.dataset.kept = kept;
  }
  data.systems.forEach((system, place) => {
    const button = bar.children[place];
    const ask = (alone) => setTriggerValue("asked", { name: system.name, alone });
    button.setAttribute("aria-pressed", String(system.shown));
    button.classList.toggle("chosen", system.chosen);
    button.title = system.hint;
    button.onclick = (event) => ask(event.shiftKey);
    button.onkeydown = (event) => {
      if (!event.shiftKey || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      ask(true);
    };
    button.onkeyup = (event) => { if (event.shiftKey && event.key === " ") event.preventDefault(); };
  });
  const all = parentElement.querySelector(".all");
  all.hidden = !data.hidden;
  all.querySelector("span").textContent = data.hidden;
  all.querySelector("button").onclick = () => setTriggerValue("asked", { name: "", alone: false });
}
