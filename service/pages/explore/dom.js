// Elements are only ever made here and filled with text: filings are written by strangers, so nothing of them may become
// markup. That means no innerHTML anywhere, and no attribute whose value is run.

/** Returns a new element. Attributes that are false are left out; children are elements, or text. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** Returns a new button; pressed is called when it is. */
export function button(attributes, pressed, ...children) {
  const made = element("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", pressed);
  return made;
}

/** Puts others in place of children; the focus stays on the one with the same key, or on the first where that is gone. */
export function refill(place, ...children) {
  const held = place.contains(document.activeElement) && document.activeElement.dataset.key;
  place.replaceChildren(...children);
  if (typeof held !== "string") return;
  const buttons = [...place.querySelectorAll("[data-key]")];
  (buttons.find((button) => button.dataset.key === held) ?? buttons[0])?.focus();
}

/** Returns a button that copies what copied is then; where that is not allowed, refused is called. */
export function copying(name, attributes, copied, refused) {
  const made = button(attributes, async () => {
    made.textContent = await navigator.clipboard.writeText(copied()).then(() => "Copied", refused);
  }, name);
  made.addEventListener("blur", () => (made.textContent = name));
  return made;
}

/** Returns the first element that a selector matches. */
export const one = (selector, within = document) => within.querySelector(selector);
