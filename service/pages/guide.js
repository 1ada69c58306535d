// The additions to the guide's pages: a search over all of them, buttons that copy, samples in other languages.

const narrow = globalThis.matchMedia?.("(width < 50rem)"); // as in pages.css

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** The requests of a sample in a shell: [{ url, headers }]; null where it does anything but request. */
export function requestsOf(sample) {
  const lines = sample.trim().replace(/\\\n\s*/g, " ").split("\n");
  const requests = lines.map((line) => {
    const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, plain]) => single ?? double ?? plain);
    const request = { url: "", headers: {} };
    if (words.shift() !== "curl") return null;
    while (words.length) {
      const word = words.shift();
      if (word === "-H") {
        const [, name, value] = words.shift()?.match(/^([^:]+):\s*(.*)$/) ?? [];
        request.headers[name] = value;
      } else if (/^https?:\/\//.test(word) && !request.url) request.url = word;
      else return null;
    }
    return request.url ? request : null;
  });
  return requests.includes(null) ? null : requests;
}

const keyed = (value, key) => (value === "$KEY" ? key : JSON.stringify(value));
const listed = (headers, key) => `{${Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${keyed(value, key)}`).join(", ")}}`;

/** The same requests in Python and JavaScript. */
export const languages = {
  Python: (requests) => `import os, requests\n\n${requests.map(({ url, headers }) =>
    `response = requests.get(${JSON.stringify(url)},\n    headers=${listed(headers, 'os.environ["KEY"]')})\nprint(response.json())`).join("\n\n")}`,
  JavaScript: (requests) => requests.map(({ url, headers }, i) =>
    `${i ? "" : "let response;\n"}response = await fetch(${JSON.stringify(url)},\n  { headers: ${listed(headers, "process.env.KEY")} });\nconsole.log(await response.json());`).join("\n\n"),
};

/** The sections of all pages: { title, heading, text }. */
export function sectionsOf(markdown) {
  const sections = [];
  let title = "", fenced = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) fenced = !fenced;
    const [, marks, heading] = (!fenced && line.match(/^(##?) (.*)/)) || [];
    if (marks === "#") title = heading;
    if (marks) sections.push({ title, heading: marks === "#" ? "" : heading.replaceAll("`", ""), text: "" });
    else if (sections.length) sections.at(-1).text += `${line}\n`;
  }
  return sections;
}

/** The sections that have all words, those with them in a title first. */
export function find(sections, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const score = ({ title, heading, text }) => words.reduce((sum, word) => {
    const points = heading.toLowerCase().includes(word) ? 8 : title.toLowerCase().includes(word) ? 5 : text.toLowerCase().includes(word) ? 1 : -Infinity;
    return sum + points;
  }, 0);
  return words.length ? sections.map((section) => ({ section, points: score(section) })).filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points).slice(0, 12).map(({ section }) => section) : [];
}

/** A heading as the anchor that goldmark gives it. */
export const anchorOf = (heading) => heading.toLowerCase().trim().replace(/[^a-z0-9 _-]/g, "").replace(/ /g, "-");

function search() {
  const [form, box, list] = ["#find", "#words", "#found"].map((selector) => document.querySelector(selector));
  const pages = new Map([...document.querySelectorAll("#pages a")].map((link) => [link.textContent, link.href]));
  let sections = null;
  form.hidden = false;
  const show = async () => {
    sections ??= sectionsOf(await (await fetch("../llms-full.txt")).text());
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.hidden = !words.length;
    const found = find(sections, box.value).filter(({ title }) => pages.has(title)).map(({ title, heading, text }) => {
      const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 40);
      const href = `${pages.get(title)}${heading && `#${anchorOf(heading)}`}`;
      return element("li", {}, element("a", { href }, heading ? `${title}: ${heading}` : title, element("span", {}, text.slice(at, at + 140).replace(/\]\([^)]*\)?|[[`*|\n]+/g, " ").slice(0, 110))));
    });
    list.replaceChildren(...(found.length ? found : [element("li", {}, "Nothing has all of these words.")]));
  };
  box.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (event) => {
    const links = [box, ...list.querySelectorAll("a")], to = links.indexOf(document.activeElement) + { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") list.hidden = true;
    if (!links[to]) return;
    event.preventDefault();
    links[to].focus();
  });
  list.addEventListener("click", (event) => event.target.closest("a") && (list.hidden = true));
}

function samples() {
  for (const pre of document.querySelectorAll("main pre")) {
    const text = pre.textContent, place = element("div", { class: "sample" });
    pre.replaceWith(place);
    const copy = element("button", { type: "button", class: "copy", "aria-label": "Copy this sample" }, "Copy");
    copy.addEventListener("click", () => navigator.clipboard.writeText(pre.textContent).then(() => (copy.textContent = "Copied"), () => getSelection().selectAllChildren(pre)));
    copy.addEventListener("blur", () => (copy.textContent = "Copy"));
    const requests = pre.querySelector(".language-sh") && requestsOf(text);
    place.append(element("div", { class: "tools" }, ...(requests ? tabs(pre, text, requests) : []), copy), pre);
  }
}

function tabs(pre, text, requests) {
  const code = pre.querySelector("code"), texts = { curl: text, ...Object.fromEntries(Object.entries(languages).map(([name, write]) => [name, `${write(requests)}\n`])) };
  const buttons = Object.entries(texts).map(([name, body]) => {
    const button = element("button", { type: "button", "data-language": name, "aria-pressed": String(name === "curl") }, name);
    button.addEventListener("click", () => {
      code.textContent = body;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
    });
    return button;
  });
  return buttons;
}

if (globalThis.document) {
  const follow = () => (document.querySelector("#pages details").open = !narrow.matches);
  narrow.addEventListener("change", follow);
  follow();
  search();
  samples();
}
