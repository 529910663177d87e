/** Lets one type into a case that was added just now. */
export function focusLastCase(): void {
  requestAnimationFrame(() => {
    const last = [...document.querySelectorAll("[data-case]")].at(-1);
    last?.querySelector<HTMLElement>("textarea, input, select, [contenteditable=true]")?.focus();
  });
}
