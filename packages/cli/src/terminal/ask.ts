import { createInterface } from "node:readline/promises";

/** Asks a person on standard error; true for `y` and `yes`. An end of the input is a no. */
export async function askYesNo(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  // Ctrl-C is a signal again, not a character that the reader keeps to itself.
  lines.once("SIGINT", () => {
    lines.close();
    process.kill(process.pid, "SIGINT");
  });
  const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}
