import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { RedactionRules } from "@agate/protocol";
import { NO_REDACTION } from "@agate/protocol";
import { Redactor } from "@agate/spans/redaction";

/** Characters of a line that are kept. */
const LONGEST_LINE = 16 * 1024;
/** Characters beyond them that are redacted along with them: what is hidden may lie across the cut. */
const BEYOND = 4 * 1024;
/** Bytes that are kept of a second's output, and of a burst. */
const BYTES_PER_SECOND = 1024 * 1024;
const BURST_BYTES = 4 * BYTES_PER_SECOND;

export interface LineRedaction {
  /** A whole line as it may be kept. */
  redact(line: string): string;
  /** Characters of the longest text that it hides. */
  readonly longest: number;
}

export interface LineLimits {
  readonly burstBytes: number;
}

/**
 * Reads a process's output line by line, as fast as it comes: a program that prints is never held
 * up, because a slow workflow is worse than a gap in its log. What is more than 1 MB a second is
 * thrown away unread, and the log says how much that was. Lines are redacted before they are cut, and
 * of a line that a gap goes through nothing is kept: half of a secret must not be.
 *
 * @returns Tells what is left once the stream has ended: a last line without its end.
 */
export function readLines(
  stream: Readable,
  onLine: (line: string) => void,
  redaction: LineRedaction = { redact: (line) => line, longest: 0 },
  { burstBytes }: LineLimits = { burstBytes: BURST_BYTES },
): () => void {
  let decoder = new StringDecoder("utf8");
  /** The beginning of a line whose end has not come yet. */
  let open = "";
  /** Characters of the open line that were too many. */
  let cut = 0;
  let allowance = burstBytes;
  let refilled = performance.now();
  let thrownAway = 0;
  /** Whether the beginning of the line that comes next was thrown away. */
  let isBroken = false;
  const waiting: Buffer[] = [];

  const beyond = () => Math.max(BEYOND, redaction.longest);
  const finishLine = (): void => {
    const redacted = redaction.redact(open.endsWith("\r") ? open.slice(0, -1) : open);
    // The end of what was kept may be the beginning of something to hide.
    const sure = cut === 0 ? redacted.length : Math.max(0, redacted.length - beyond());
    const shown = redacted.slice(0, Math.min(sure, LONGEST_LINE));
    const more = redacted.length - shown.length + cut;
    onLine(more > 0 ? `${shown} … and ${more} characters more` : shown);
    open = "";
    cut = 0;
  };
  const extendLine = (text: string): void => {
    const room = LONGEST_LINE + beyond() - open.length;
    open += text.slice(0, Math.max(0, room));
    cut += Math.max(0, text.length - Math.max(0, room));
  };
  const tellGap = (): void => {
    if (thrownAway === 0) return;
    onLine(
      `[agate] ${thrownAway.toLocaleString("en")} bytes of output are missing here: not more than 1 MB a second is kept.`,
    );
    thrownAway = 0;
  };
  const throwAway = (chunk: Buffer): void => {
    thrownAway += chunk.length + Buffer.byteLength(open) + cut;
    open = "";
    cut = 0;
    isBroken = true;
    decoder = new StringDecoder("utf8");
  };
  const read = (chunk: Buffer): void => {
    const now = performance.now();
    const earned = ((now - refilled) / 1000) * BYTES_PER_SECOND;
    allowance = Math.min(burstBytes, allowance + earned);
    refilled = now;
    // Having run dry, it waits for a quarter of a second's worth: a gap is one line, not thousands.
    if (
      allowance <
      chunk.length + (thrownAway > 0 ? Math.min(burstBytes, BYTES_PER_SECOND) / 4 : 0)
    ) {
      throwAway(chunk);
      return;
    }
    allowance -= chunk.length;
    let whole = chunk;
    if (isBroken) {
      const end = chunk.indexOf("\n");
      thrownAway += end < 0 ? chunk.length : end + 1;
      if (end < 0) return;
      whole = chunk.subarray(end + 1);
      isBroken = false;
    }
    tellGap();
    const lines = decoder.write(whole).split("\n");
    for (const [index, text] of lines.entries()) {
      extendLine(text);
      if (index < lines.length - 1) finishLine();
    }
  };
  const readNext = (): void => {
    const chunk = waiting.shift();
    if (chunk !== undefined) read(chunk);
  };

  stream.on("data", (chunk: Buffer) => {
    waiting.push(chunk);
    // Not at once: the process tells its secrets by another channel, before it prints them. This turn of the
    // event loop may have read what was printed after it looked at the channel; the next turn looks again.
    setImmediate(() => setImmediate(readNext));
  });
  // A pipe that cannot be read any more has ended: the process goes on without it.
  stream.on("error", () => {});
  return () => {
    while (waiting.length > 0) readNext();
    tellGap();
    if (open !== "") finishLine();
  };
}

/** A shorter text would be found inside ordinary words. */
const SHORTEST = 4;
/** Of a line of a secret with several lines, such as a private key: shorter ones say nothing. */
const SHORTEST_LINE = 8;
/** A program that told more would only slow its own output down. */
const MOST = 1_000;

/** What a build's process sends when `ag.secret` was called in it. */
interface SecretMessage {
  readonly agate: "secret";
  readonly name: string;
  readonly value: string;
}

/** The secrets that a build's process has read, to be kept out of what it prints. */
export class OutputSecrets {
  /** What to hide, and by what it is replaced. Longest first: one may be the beginning of another. */
  #hidden: readonly (readonly [text: string, replacement: string])[] = [];

  /** How many characters the longest has: a text that is cut may end inside it. */
  get longest(): number {
    return this.#hidden[0]?.[0].length ?? 0;
  }

  /** Takes a message of the process. What is no message about a secret is ignored. */
  take(message: unknown): void {
    if (!isSecretMessage(message) || this.#hidden.length >= MOST) return;
    const { name, value } = message;
    const known = new Map(this.#hidden);
    for (const form of formsOf(value)) {
      if (!known.has(form)) known.set(form, `[secret:${name}]`);
    }
    this.#hidden = [...known].sort(([a], [b]) => b.length - a.length);
  }

  redact(line: string): string {
    let redacted = line;
    for (const [text, replacement] of this.#hidden) {
      if (redacted.includes(text)) redacted = redacted.replaceAll(text, () => replacement);
    }
    return redacted;
  }
}

function isSecretMessage(message: unknown): message is SecretMessage {
  const { agate, name, value } = (message ?? {}) as Record<string, unknown>;
  return (
    agate === "secret" &&
    typeof name === "string" &&
    typeof value === "string" &&
    value.trim().length >= SHORTEST
  );
}

// As it is, line by line, and as JSON, util.inspect, URLs and basic authentication write it.
function formsOf(value: string): Set<string> {
  const trimmed = value.trim();
  const lines = trimmed.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE);
  const plain = trimmed.includes("\n") ? lines : [trimmed, ...lines];
  const quoted = JSON.stringify(trimmed).slice(1, -1);
  const encoded = [quoted, JSON.stringify(quoted).slice(1, -1), trimmed.replaceAll("'", "\\'")];
  const base64 = Buffer.from(trimmed).toString("base64");
  return new Set([...plain, ...encoded, encodeURIComponent(trimmed.toWellFormed()), base64]);
}

/** The current redactor of each project, for lines of output. */
export class ProjectRedactors {
  readonly #redactionOf: (project: string) => string | null;
  readonly #none = new Redactor(NO_REDACTION);
  readonly #known = new Map<string, { readonly json: string; readonly redactor: Redactor }>();

  constructor(redactionOf: (project: string) => string | null) {
    this.#redactionOf = redactionOf;
  }

  of(project: string): Redactor {
    const json = this.#redactionOf(project);
    if (json === null) return this.#none;
    const known = this.#known.get(project);
    if (known?.json === json) return known.redactor;
    const redactor = new Redactor(JSON.parse(json) as RedactionRules);
    this.#known.set(project, { json, redactor });
    return redactor;
  }
}

/** The last lines of something, for a message about its end. */
export class RecentLines {
  readonly #most: number;
  #lines: string[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(line: string): void {
    this.#lines.push(line);
    // In strides: taking one off the front for every line would move all of them each time.
    if (this.#lines.length >= 2 * this.#most) this.#lines = this.#lines.slice(-this.#most);
  }

  /** Oldest first. */
  list(): readonly string[] {
    return this.#lines.slice(-this.#most);
  }
}
