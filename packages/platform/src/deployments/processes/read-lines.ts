import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

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
  let waiting: Buffer[] = [];

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
  const readWaiting = (): void => {
    const chunks = waiting;
    waiting = [];
    for (const chunk of chunks) read(chunk);
  };

  stream.on("data", (chunk: Buffer) => {
    // Not at once: the process tells its secrets by another channel, before it prints them. Both may be
    // readable in the same turn of the event loop, in any order.
    if (waiting.push(chunk) === 1) setImmediate(readWaiting);
  });
  // A pipe that cannot be read any more has ended: the process goes on without it.
  stream.on("error", () => {});
  return () => {
    readWaiting();
    tellGap();
    if (open !== "") finishLine();
  };
}
