/** How the tool ends, for scripts. Listed in docs/guide/running-the-server.md and docs/reference/command-line.md. */
export const EXIT_CODES = {
  ok: 0,
  /** It could not do, or go on with, what it was asked for; standard error says why. */
  failed: 1,
  /** The command line itself was wrong: nothing was tried. */
  usage: 2,
} as const;

/** An expected failure: exit code 1. The message says what to do. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  /** Printed below the message; already without control characters. */
  readonly lines: readonly string[];
  /** How the tool ends: 1, but for commands whose 1 means something else. */
  readonly exitCode: number;

  constructor(
    message: string,
    lines: readonly string[] = [],
    exitCode: number = EXIT_CODES.failed,
  ) {
    super(message);
    this.lines = lines;
    this.exitCode = exitCode;
  }
}

/** Invalid usage that commander can't detect: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}
