import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Characters of a line that are kept. */
const LONGEST_LINE = 16 * 1024;
/** Bytes that are kept of a second's output, and of a burst. */
const BYTES_PER_SECOND = 1024 * 1024;
const BURST_BYTES = 4 * BYTES_PER_SECOND;

/**
 * Reads a process's output line by line, as fast as it comes: a program that prints is never held
 * up, because a slow workflow is worse than a gap in its log. What is more than 1 MB a second is
 * thrown away unread, and the log says how much that was.
 *
 * @returns Tells what is left once the stream has ended: a last line without its end.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): () => void {
  let decoder = new StringDecoder("utf8");
  /** The beginning of a line whose end has not come yet. */
  let open = "";
  /** Characters of the open line that were too many. */
  let cut = 0;
  let allowance = BURST_BYTES;
  let refilled = performance.now();
  let thrownAway = 0;

  const finishLine = (): void => {
    const line = cut > 0 ? `${open} … and ${cut} characters more` : open;
    onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    open = "";
    cut = 0;
  };
  const extendLine = (text: string): void => {
    const room = LONGEST_LINE - open.length;
    open += text.slice(0, room);
    cut += Math.max(0, text.length - room);
  };
  const tellGap = (): void => {
    if (thrownAway === 0) return;
    if (open !== "") finishLine();
    onLine(
      `[agate] ${thrownAway.toLocaleString("en")} bytes of output are missing here: not more than 1 MB a second is kept.`,
    );
    thrownAway = 0;
  };

  stream.on("data", (chunk: Buffer) => {
    const now = performance.now();
    const earned = ((now - refilled) / 1000) * BYTES_PER_SECOND;
    allowance = Math.min(BURST_BYTES, allowance + earned);
    refilled = now;
    // Having run dry, it waits for a quarter of a second's worth: a gap is one line, not thousands.
    if (allowance < chunk.length + (thrownAway > 0 ? BYTES_PER_SECOND / 4 : 0)) {
      thrownAway += chunk.length;
      decoder = new StringDecoder("utf8");
      return;
    }
    allowance -= chunk.length;
    tellGap();
    const lines = decoder.write(chunk).split("\n");
    for (const [index, text] of lines.entries()) {
      extendLine(text);
      if (index < lines.length - 1) finishLine();
    }
  });
  // A pipe that cannot be read any more has ended: the process goes on without it.
  stream.on("error", () => {});
  return () => {
    tellGap();
    if (open !== "") finishLine();
  };
}
