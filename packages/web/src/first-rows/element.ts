/** An element with classes and content. Text is never markup here. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...content: readonly Node[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  made.append(...content);
  return made;
}

/** Recorded text: it keeps its direction to itself. */
export function recorded(content: string, className = ""): HTMLElement {
  return element("bdi", className, text(content));
}

export function text(content: string): Text {
  return document.createTextNode(content);
}
