/**
 * Moves the focus to the next case or column when one is removed, or to the previous one: keyboard users
 * would otherwise start again at the top of the page.
 *
 * @param mark The attribute that holds the id.
 */
export function focusNeighbor(mark: "data-case" | "data-column", id: number): void {
  const ids = Array.from(document.querySelectorAll(`[${mark}]`), (each) => each.getAttribute(mark));
  const place = ids.indexOf(String(id));
  const neighbor = ids[place + 1] ?? ids[place - 1];
  // After the render: a single remaining column is in another layout.
  requestAnimationFrame(() => {
    const controls = document.querySelector(`[${mark}="${neighbor}"]`);
    controls?.querySelector<HTMLElement>("button, select")?.focus();
  });
}

/** Focuses the first input of a case that was just added. */
export function focusLastCase(): void {
  requestAnimationFrame(() => {
    const last = [...document.querySelectorAll("[data-case]")].at(-1);
    last?.querySelector<HTMLElement>("textarea, input, select, [contenteditable=true]")?.focus();
  });
}

/**
 * Scrolls to the first output unless one is visible: on a phone, all forms lie between the run button and
 * the outputs.
 *
 * @param around Contains the outputs.
 */
export function scrollToOutput(around: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const outputs = [...(around?.querySelectorAll("[data-output]") ?? [])];
    if (!outputs.some(isVisible)) outputs[0]?.scrollIntoView({ block: "center" });
  });
}

function isVisible(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
