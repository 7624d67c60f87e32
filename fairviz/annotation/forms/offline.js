"use strict";
// Every answer is in the storage of this browser, under the form's link, before the next document is shown. The storage
// is read again before each change, so that two windows of one file lose nothing. Texts are set as text, never as HTML.
const form = JSON.parse(document.getElementById("form").textContent);
const at = (id) => document.getElementById(id);
const KEY = `fairviz ${form.link}`, COUNT = form.questions.length, UNDECIDED = "I cannot decide";
const replies = [...form.choices.map((label) => ["label", label]), ["undecided", ""]];
let state = { copy: "", name: form.name, answers: {} }, number = 0, keeps = true, unsaved = false;

function load() {
  try {
    const text = localStorage.getItem(KEY);
    if (text) state = JSON.parse(text);
  } catch { keeps = false; }
  state.copy ||= Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function change(how) {
  load();
  how(state);
  unsaved = true;
  try { localStorage.setItem(KEY, JSON.stringify(state)); } catch { keeps = false; }
}

const now = () => new Date().toISOString().slice(0, 19) + "Z";
const empty = { said: "nothing", label: "", comment: "" };
const answerOf = (place) => state.answers[place] ?? empty;
const isOpen = (place) => answerOf(place).said === "nothing";
const spoken = ({ said, label }) => (said === "label" ? label : UNDECIDED);

/** The first document without an answer from this one on, else the first of all; 0 where none is. */
function openFrom(start) {
  const open = form.questions.map((_, place) => place + 1).filter(isOpen);
  return open.find((place) => place >= start) ?? open[0] ?? 0;
}

function answer(said, label) {
  const isNew = isOpen(number), comment = at("comment").value;
  change(({ answers }) => { answers[number] = { said, label, comment, time: now() }; });
  go(isNew ? openFrom(number + 1) : number);
}

function comment() {
  const { said, label } = answerOf(number);
  change(({ answers }) => { answers[number] = { said, label, comment: at("comment").value, time: now() }; });
}

function go(place) {
  number = place;
  show();
  if (number) at("comment").value = answerOf(number).comment;
  at("text").scrollTop = 0;
  document.activeElement?.blur();
}

function show() {
  const answered = COUNT - form.questions.filter((_, place) => isOpen(place + 1)).length, first = openFrom(1);
  at("done").value = answered / COUNT;
  at("count").textContent = `${answered} of ${COUNT} answered`;
  at("card").hidden = !number;
  at("end").hidden = Boolean(number);
  at("ended").textContent = `All ${COUNT} documents are answered. Export the answers, and send the file back.`;
  at("export").classList.toggle("chosen", !first);
  at("warning").hidden = keeps;
  at("warning").textContent = "This browser keeps nothing for this file. Export the answers before you close it.";
  if (document.activeElement !== at("name")) at("name").value = state.name;
  if (!number) return;
  const { title, text, suggestion } = form.questions[number - 1], given = answerOf(number);
  at("place").textContent = `Document ${number} of ${COUNT}`;
  at("title").textContent = title;
  at("title").hidden = !title;
  at("text").textContent = text;
  at("suggestion").textContent = suggestion ? `Suggested: ${suggestion}. Decide for yourself.` : "";
  at("suggestion").hidden = !suggestion;
  at("stored").textContent = isOpen(number) ? "No answer yet." : `Stored: ${spoken(given)}. Another answer replaces it.`;
  replies.forEach(([said, label], place) => {
    at("answers").children[place].classList.toggle("chosen", given.said === said && given.label === label);
  });
  at("previous").disabled = number === 1;
  at("next").disabled = number === COUNT;
  at("first").disabled = first === number;
  at("first").textContent = first ? "First without an answer" : "Finish";
}

function exportAnswers() {
  load();
  const { copy, name, answers } = state;
  const lines = Object.keys(answers).map(Number).sort((one, other) => one - other)
    .map((place) => ({ number: place, ...answers[place] }));
  const head = { fairviz: "labelling answers", version: 1, link: form.link, copy, person: form.person, name,
    questions: COUNT, lines: lines.length, exported: now() };
  const text = [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  link.download = `answers-${form.person}.jsonl`;
  link.click();
  URL.revokeObjectURL(link.href);
  unsaved = false;
  at("exported").textContent = `Exported: ${link.download}. Send it to whoever gave you this form.`;
}

/** Adds the answers of an earlier export that are newer than those of this browser. */
async function addExport(file) {
  let told = "This file is not an export of this form.";
  try {
    const [head, ...lines] = (await file.text()).trim().split("\n").map((line) => JSON.parse(line));
    if (head.link === form.link && lines.length === head.lines) {
      let added = 0;
      change((mine) => {
        mine.copy = head.copy;
        mine.name ||= head.name;
        for (const { number: place, said, label, comment, time } of lines) {
          if (!form.questions[place - 1] || time <= (mine.answers[place]?.time ?? "")) continue;
          mine.answers[place] = { said, label, comment, time };
          added += 1;
        }
      });
      go(openFrom(1));
      told = `${added} of ${lines.length} answers added.`;
    }
  } catch { /* told above */ }
  at("exported").textContent = told;
}

replies.forEach(([said, label], place) => {
  const button = document.createElement("button"), key = document.createElement("kbd");
  key.textContent = said === "label" ? place + 1 : 0;
  button.append(...(key.textContent.length > 1 ? [] : [key, " "]), said === "label" ? label : UNDECIDED);
  button.addEventListener("click", () => answer(said, label));
  at("answers").append(button);
});
at("comment").addEventListener("input", comment);
at("name").addEventListener("input", () => change((mine) => { mine.name = at("name").value; }));
at("previous").addEventListener("click", () => go(number - 1));
at("next").addEventListener("click", () => go(number + 1));
at("first").addEventListener("click", () => go(openFrom(1)));
at("again").addEventListener("click", () => go(COUNT));
at("export").addEventListener("click", exportAnswers);
at("go_on").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", async () => {
  if (at("file").files.length) await addExport(at("file").files[0]);
  at("file").value = "";
});

document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) { // in a text field keys are letters
    if (event.key === "Escape" || (event.key === "Enter" && field === at("name"))) field.blur();
    return;
  }
  const key = event.key.toLowerCase();
  const press = { arrowleft: "previous", arrowright: "next", e: "export" }[key];
  const reply = key === "0" ? replies.length - 1 : "123456789".indexOf(key);
  if (press === "export" || (press && number)) at(press).click();
  else if (number && key === "c") at("comment").focus();
  else if (number && key.length === 1 && reply >= 0 && (key === "0" || reply < form.choices.length)) answer(...replies[reply]);
  else return;
  event.preventDefault();
});
window.addEventListener("storage", (event) => { // another window of this file
  if (event.key !== KEY) return;
  load();
  show();
});
window.addEventListener("beforeunload", (event) => { if (!keeps && unsaved) event.preventDefault(); });

change(() => {});
unsaved = false;
go(openFrom(1));
