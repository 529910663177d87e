/** The command cannot do what it was asked for: exit code 1. The message tells what to do. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  /** Printed below the message as they are: safe to print already. */
  readonly lines: readonly string[];

  constructor(message: string, lines: readonly string[] = []) {
    super(message);
    this.lines = lines;
  }
}

/** The command line itself is wrong in a way that its grammar cannot tell: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}
