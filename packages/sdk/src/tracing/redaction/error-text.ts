/** Attributes with the words of an error, which may quote what a call was given. */
const MESSAGES: ReadonlySet<string> = new Set(["exception.message", "error.message"]);
const STACKS: ReadonlySet<string> = new Set(["exception.stacktrace", "error.stack"]);

// V8's lines, then those of JavaScriptCore and SpiderMonkey.
const FRAME =
  /^\s+at (?:.*[\s(])?[^\s()]+:\d+:\d+\)?$|^\s+at .*\((?:<anonymous>|native|index \d+)\)$|^\S*@\S+:\d+:\d+$/;

export function isErrorMessage(attribute: string): boolean {
  return MESSAGES.has(attribute);
}

export function isErrorStack(attribute: string): boolean {
  return STACKS.has(attribute);
}

/** A stack without the message that is in front of it: the error's type, and where it came from. */
export function stackWithoutMessage(stack: string, type: unknown, message: unknown): string {
  // First as a whole: a message may have lines that look like a stack's.
  const rest =
    typeof message === "string" && message !== "" ? stack.replaceAll(message, "") : stack;
  const frames = rest.split("\n").filter((line) => FRAME.test(line));
  return [...(typeof type === "string" ? [type] : []), ...frames].join("\n");
}
