/**
 * Keeps the place of somebody who works with keys when a case or a column is removed: the focus goes to the
 * next one, or to the one before.
 *
 * @param mark The attribute that has the number of each.
 */
export function focusNeighbor(mark: "data-case" | "data-column", id: number): void {
  const ids = Array.from(document.querySelectorAll(`[${mark}]`), (each) => each.getAttribute(mark));
  const place = ids.indexOf(String(id));
  const beside = ids[place + 1] ?? ids[place - 1];
  // Once it is drawn anew: a single column that is left is in another layout.
  requestAnimationFrame(() => {
    const controls = document.querySelector(`[${mark}="${beside}"]`);
    controls?.querySelector<HTMLElement>("button, select")?.focus();
  });
}

/** Lets one type into a case that was added just now. */
export function focusLastCase(): void {
  requestAnimationFrame(() => {
    const last = [...document.querySelectorAll("[data-case]")].at(-1);
    last?.querySelector<HTMLElement>("textarea, input, select, [contenteditable=true]")?.focus();
  });
}

/**
 * Brings what comes out into sight, unless some of it is: the button may be far above, on a phone for
 * example, where all forms lie between.
 *
 * @param around Has the outputs in it.
 */
export function scrollToOutput(around: HTMLElement | null): void {
  // Once it is drawn.
  requestAnimationFrame(() => {
    const outputs = [...(around?.querySelectorAll("[data-output]") ?? [])];
    if (!outputs.some(isInSight)) outputs[0]?.scrollIntoView({ block: "center" });
  });
}

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
