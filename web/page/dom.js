/* dom.js — elements from a tag, properties and children; text only ever as text */

/* h("p", { class: "note", onclick: f, hidden: true }, "text", element, null) */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

/* A button that stays where the keyboard is when it cannot be used: aria-disabled, not disabled. */
export function button(label, use, properties = {}) {
  const element = h("button", { type: "button", ...properties }, label);
  element.addEventListener("click", () => {
    if (element.getAttribute("aria-disabled") !== "true") use();
  });
  return element;
}
export function setUsable(element, isUsable) {
  element.setAttribute("aria-disabled", String(!isUsable));
}

/* A button that copies what a field holds; `said` tells how it went. */
export function copyButton(label, from, said) {
  return button(label, async () => {
    from.select();
    try {
      await navigator.clipboard.writeText(from.value);
      said.textContent = "Copied.";
    } catch {
      said.textContent = "It is marked: copy it with your keyboard.";
    }
  });
}
