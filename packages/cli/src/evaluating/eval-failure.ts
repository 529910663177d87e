/** An evaluation could not run, for a reason that its user can fix. */
export class EvalFailure extends Error {
  override readonly name = "EvalFailure";
  /** Printed below the message. */
  readonly lines: readonly string[];

  constructor(message: string, lines: readonly string[] = []) {
    super(message);
    this.lines = lines;
  }
}
