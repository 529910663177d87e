/** How everything looks that a value is typed into or chosen in. */
export const CONTROL_CLASS =
  "w-full rounded-md border border-line-strong/60 bg-surface px-2.5 text-ink transition-colors hover:border-line-strong disabled:opacity-60 aria-invalid:border-danger";
