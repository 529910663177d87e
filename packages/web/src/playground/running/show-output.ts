/**
 * Brings what comes out into sight, unless some of it is: the button may be far above, on a phone for
 * example, where all forms lie between.
 *
 * @param around Has the outputs in it.
 */
export function showOutput(around: HTMLElement | null): void {
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
