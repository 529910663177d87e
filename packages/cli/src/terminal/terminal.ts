import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { WriteStream } from "node:tty";
import { styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Colours a text where the stream shows colours; NO_COLOR and FORCE_COLOR are obeyed. */
export type Paint = (style: Style, text: string) => string;

/** Colours for one stream: the other one may well be a file. */
function paintFor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Paint {
  const isColoured = showsColours(stream, env);
  return (style, text) =>
    text === "" || !isColoured ? text : styleText(style, text, { validateStream: false });
}

/** As `styleText` decides for a stream, but by the variables of the command. */
function showsColours(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  // The method of terminals, for pipes too: it reads nothing but the variables.
  const depth = () => WriteStream.prototype.getColorDepth.call(stream, env);
  return (env.FORCE_COLOR !== undefined || stream.isTTY) && depth() > 2;
}

/** Where a command talks: results to standard output, everything else to standard error. */
export interface Terminal {
  /** Columns of standard output; undefined in a pipe or a file, where nothing is cut. */
  readonly columns: number | undefined;
  /** Whether a person can be asked: standard input and standard error are a terminal. */
  readonly canAsk: boolean;
  /** Whether a line on standard error can be drawn over. */
  readonly canAnimate: boolean;
  /** Colours of standard output. */
  readonly paint: Paint;
  /** Colours of standard error. */
  readonly paintNote: Paint;
  /** Fires when the reader of standard output is gone: `agate traces --follow | head`. */
  readonly unread: AbortSignal;
  /** To standard output, as it is. Resolves when there is room for more. */
  write(text: string | Uint8Array): Promise<void>;
  /** A line to standard output. */
  print(line: string): void;
  /** A line to standard error. */
  note(line: string): void;
  /** To standard error, as it is. */
  writeNote(text: string): void;
}

interface Streams {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** The terminal of a process. */
export function openTerminal({ env, stdin, stdout, stderr }: Streams): Terminal {
  const unread = new AbortController();
  stdout.once("error", () => unread.abort());
  return {
    // A terminal that does not know its size says 0.
    columns: stdout.isTTY ? stdout.columns || 80 : undefined,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    canAnimate: stderr.isTTY === true && env.TERM !== "dumb",
    paint: paintFor(stdout, env),
    paintNote: paintFor(stderr, env),
    unread: unread.signal,
    write: (text) =>
      new Promise((resolve) => {
        if (unread.signal.aborted || stdout.write(text)) return resolve();
        // A broken pipe never drains.
        stdout.once("drain", resolve);
        unread.signal.addEventListener("abort", () => resolve(), { once: true });
      }),
    print: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    writeNote: (text) => void stderr.write(text),
  };
}

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

/** Asks a person on standard error for a text that is not shown while it is typed; null if the input ends. */
export async function askHidden(question: string): Promise<string | null> {
  process.stderr.write(question);
  // What the line editor draws is the text itself.
  const output = new Writable({ write: (_chunk, _encoding, written) => written() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const closed = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
  lines.once("SIGINT", () => {
    lines.close();
    process.kill(process.pid, "SIGINT");
  });
  const answer = await Promise.race([lines.question(""), closed]);
  lines.close();
  process.stderr.write("\n");
  return answer;
}
