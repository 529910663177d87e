import type { MigrationObserver } from "@agate/platform/offline";
import { formatCount, formatDuration, plural } from "@agate/protocol/format";
import { startProgress } from "../../terminal/progress.ts";
import { progressBar } from "../../terminal/progress-bar.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Where lines cannot be drawn over, one comes this often. */
const LINE_EVERY_MS = 10_000;

export interface ShownMigration extends MigrationObserver, Disposable {
  finished(): void;
}

/** The progress of a migration on standard error: a bar in a terminal, a line now and then elsewhere. */
export function showMigration(terminal: Terminal): ShownMigration {
  const progress = startProgress(terminal, "compare".length);
  let step: "open" | "copy" | "compare" = "open";
  let begun = { at: 0, spans: 0 };
  let printedAt = performance.now();
  // In a pipe its line would only stand before the reason why a store was not opened.
  if (terminal.canAnimate) progress.begin(step);

  function enter(next: "copy" | "compare", detail: string): void {
    if (step !== next) progress.begin(next, detail);
    step = next;
  }
  function update(detail: string): void {
    progress.update(detail);
    if (terminal.canAnimate || performance.now() - printedAt < LINE_EVERY_MS) return;
    printedAt = performance.now();
    terminal.note(`… ${step}  ${detail}`);
  }
  return {
    copied: (spans, total) => {
      if (step === "open") begun = { at: performance.now(), spans };
      enter("copy", "");
      const figures = `${formatCount(spans)} of ${plural(total, "span")}`;
      const pace = paceOf(spans - begun.spans, total - spans, performance.now() - begun.at);
      update(`${progressBar(spans, total)} ${figures}${pace}`);
    },
    waiting: (reason) => update(`waiting: ${reason}`),
    compared: (traces, total) => {
      enter("compare", "");
      update(`${progressBar(traces, total)} ${formatCount(traces)} of ${plural(total, "trace")}`);
    },
    finished: () => progress.done(),
    [Symbol.dispose]: () => progress[Symbol.dispose](),
  };
}

/** Spans a second, and the time that the rest will take at that. */
function paceOf(done: number, left: number, ms: number): string {
  // Earlier it would jump about.
  if (ms < 1_000 || done <= 0) return "";
  const perSecond = (done / ms) * 1000;
  const rest = left > 0 ? `, ${formatDuration((left / perSecond) * 1000)} left` : "";
  return `, ${formatCount(Math.round(perSecond))}/s${rest}`;
}

/** Nobody is to see it. */
export const silentMigration: ShownMigration = {
  copied: () => {},
  waiting: () => {},
  compared: () => {},
  finished: () => {},
  [Symbol.dispose]: () => {},
};
