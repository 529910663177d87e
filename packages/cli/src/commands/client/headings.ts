/** How the overview of `agate` is divided, in this order. */
export const HEADINGS = {
  start: "Start:",
  deploy: "Deploy:",
  registry: "Registry:",
  observe: "Observe:",
  administer: "Administer:",
} as const;
