/** Brings whoever has just tried to send a form to what is wrong in it. */
export function focusFirstProblem(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-problem]')?.focus();
}
