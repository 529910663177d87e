/** How the overview of `agate` is divided, in this order. */
export const HEADINGS = {
  start: "Start:",
  deploy: "Deploy:",
  registry: "Registry:",
  observe: "Observe:",
  administer: "Administer:",
} as const;

/** For `addHelpText("after", …)`. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}

/** Arguments that many commands have: `.argument(...APP)`. */
export const APP = ["<app>", "name or id of the application"] as const;
export const VARIANT = ["<variant>", "name or id of the variant"] as const;
export const ENVIRONMENT = ["<environment>", "name or id of the environment"] as const;
export const PROJECT = ["<project>", "name or id of the project"] as const;
