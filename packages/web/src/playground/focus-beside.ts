/**
 * Keeps the place of somebody who works with keys when a case or a column is removed: the focus goes to the
 * next one, or to the one before.
 *
 * @param mark The attribute that has the number of each.
 */
export function focusBeside(mark: "data-case" | "data-column", id: number): void {
  const ids = Array.from(document.querySelectorAll(`[${mark}]`), (each) => each.getAttribute(mark));
  const place = ids.indexOf(String(id));
  const beside = ids[place + 1] ?? ids[place - 1];
  // Once it is drawn anew: a single column that is left is in another layout.
  requestAnimationFrame(() => {
    const controls = document.querySelector(`[${mark}="${beside}"]`);
    controls?.querySelector<HTMLElement>("button, select")?.focus();
  });
}
