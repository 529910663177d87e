import { formatDuration } from "@agate/protocol/format";
import { printableLine } from "./printable.ts";
import type { Terminal } from "./terminal.ts";
import { padText } from "./text-width.ts";
import { durationBar } from "./tree-lines.ts";

/** Long work, step after step, on standard error. */
export interface Progress extends Disposable {
  /** Begins a step; one that is under way counts as done. */
  begin(step: string, detail?: string): void;
  /** How far the step under way has come. In a pipe nothing is printed before its end. */
  update(detail: string): void;
  /** What is to be read of the step under way beside its time. */
  done(detail?: string): void;
  /** The step under way went wrong. */
  failed(): void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const FRAME_MS = 80;
const CLEAR_LINE = "\r\u001b[2K";

/** A line for each step. In a terminal the step under way is drawn in place; in a pipe a line comes when it is over. */
export function startProgress(terminal: Terminal, stepWidth: number): Progress {
  const { paintNote: paint } = terminal;
  let current: { step: string; detail: string; since: number } | undefined;
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;

  function line(mark: string, detail: string): string {
    if (current === undefined) return "";
    const time = formatDuration(Math.max(1, Math.round(performance.now() - current.since)));
    const said = detail === "" ? "" : `  ${printableLine(detail)}`;
    return `${mark} ${padText(current.step, stepWidth)}  ${paint("dim", padText(time, 7, "right"))}${said}`;
  }
  function draw(): void {
    if (current === undefined) return;
    frame = (frame + 1) % FRAMES.length;
    const spinner = paint("cyan", FRAMES[frame] ?? "");
    terminal.writeNote(CLEAR_LINE + line(spinner, current.detail));
  }
  function end(mark: string, detail: string): void {
    if (current === undefined) return;
    clearInterval(timer);
    terminal.writeNote(`${terminal.canAnimate ? CLEAR_LINE : ""}${line(mark, detail)}\n`);
    current = undefined;
  }
  const done = (detail?: string) => end(paint("green", "✓"), detail ?? current?.detail ?? "");
  return {
    begin: (step, detail = "") => {
      done();
      current = { step, detail, since: performance.now() };
      if (!terminal.canAnimate) return;
      draw();
      timer = setInterval(draw, FRAME_MS);
      timer.unref();
    },
    update: (detail) => {
      if (current !== undefined) current = { ...current, detail };
    },
    done,
    failed: () => end(paint("red", "✗"), current?.detail ?? ""),
    // After a failure, so that the error does not follow a half-drawn line.
    [Symbol.dispose]: () => end(paint("red", "✗"), current?.detail ?? ""),
  };
}

/** For `--json`: shows no progress. */
export const silentProgress: Progress = {
  begin: () => {},
  update: () => {},
  done: () => {},
  failed: () => {},
  [Symbol.dispose]: () => {},
};

const COLUMNS = 20;

/**
 * How much of something is done.
 *
 * @example progressBar(3, 8) // "███████▌░░░░░░░░░░░░  37%"
 */
export function progressBar(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  // A bar is never empty; nothing done is.
  const bar = share > 0 ? durationBar({ start: 0, end: share }, { start: 0, end: 1 }, COLUMNS) : "";
  // Down: 100% is for what is over.
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `${bar.trimEnd().padEnd(COLUMNS, "░")} ${percent}`;
}
