/** How the tool ends, for scripts. Listed in docs/guide/running-the-server.md and docs/reference/command-line.md. */
export const EXIT_CODES = {
  ok: 0,
  /** It could not do, or go on with, what it was asked for; standard error says why. */
  failed: 1,
  /** The command line itself was wrong: nothing was tried. */
  usage: 2,
} as const;
