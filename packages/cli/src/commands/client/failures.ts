/** An expected failure: exit code 1. The message says what to do. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  /** Printed below the message; already without control characters. */
  readonly lines: readonly string[];

  constructor(message: string, lines: readonly string[] = []) {
    super(message);
    this.lines = lines;
  }
}

/** Invalid usage that commander can't detect: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}
