import type {
  CopiedRegistry,
  MigrationObserver,
  MigrationOutcome,
  ProjectComparison,
  TraceName,
} from "@agate/platform/offline";
import { formatCount, formatDuration, plural } from "@agate/protocol/format";
import { printableLine } from "../../terminal/printable.ts";
import { progressBar, startProgress } from "../../terminal/progress.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { listLines } from "../client/paged-list.ts";

type Finished = Extract<MigrationOutcome, { kind: "finished" }>;

/** Traces that are named one by one. */
const MOST_NAMED = 10;

/** What is in the first store and not, or not the same, in the second. */
export function differenceLines({ lacking, missing, trees }: Finished): string[] {
  const { differing, compared } = trees;
  return [
    ...lacking.map((comparison) => `  ${describe(comparison)}`),
    ...namedLines(
      `${plural(missing.length, "trace")} missing or incomplete in the second:`,
      missing,
    ),
    ...namedLines(
      `${differing.length} of ${plural(compared, "compared trace")} differ:`,
      differing,
    ),
  ];
}

function namedLines(title: string, traces: readonly TraceName[]): string[] {
  if (traces.length === 0) return [];
  const named = traces.slice(0, MOST_NAMED);
  return [
    `  ${title}`,
    ...named.map(
      ({ project, traceId }) => `    ${printableLine(`${traceId} of project ${project}`)}`,
    ),
    ...(traces.length > named.length
      ? [`    and ${traces.length - named.length} more: --json names them all`]
      : []),
  ];
}

/** What the second store holds besides: nothing is wrong with that. */
export function moreLines({ exceeding }: Finished): string[] {
  return exceeding.map((comparison) => `The second store holds more: ${describe(comparison)}.`);
}

function describe({ project, from, to }: ProjectComparison): string {
  const [before, after] = [from, to].map(
    ({ traces, spans, scores }) =>
      `${plural(spans, "span")} in ${plural(traces, "trace")}${from.scores + to.scores > 0 ? ` and ${plural(scores, "score")}` : ""}`,
  );
  return printableLine(`project ${project} has ${before} in the first and ${after} in the second`);
}

/** Where lines cannot be drawn over, one comes this often. */
const LINE_EVERY_MS = 10_000;

interface ShownMigration extends MigrationObserver, Disposable {
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

/** For `--json`: shows no progress. */
export const silentMigration: ShownMigration = {
  copied: () => {},
  waiting: () => {},
  compared: () => {},
  finished: () => {},
  [Symbol.dispose]: () => {},
};

/** Enough to compare two of them by eye; the document has all of it. */
const SHOWN_DIGITS = 16;

/** What was copied, table by table, and that it is the same. */
export function* copiedLines(
  terminal: Terminal,
  { tables, archives }: CopiedRegistry,
): Generator<string> {
  yield* listLines(
    terminal,
    [{ title: "TABLE", least: 12 }, { title: "ROWS", align: "right" }, { title: "SHA-256" }],
    tables.map(({ table, rows, sha256 }) => [
      table,
      formatCount(rows),
      sha256.slice(0, SHOWN_DIGITS),
    ]),
    "",
  );
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const files = archives === 0 ? "" : `, and the files of ${plural(archives, "build")}`;
  yield `Copied ${plural(rows, "row")}${files}. Both registries hold the same.`;
}

/** Which builds do not serve any more, and where. */
export function lostLines({ lost }: CopiedRegistry): string[] {
  return lost.map(({ project, application, build, environments }) =>
    printableLine(
      `Build ${build} of ${application} in the project ${project} is live in ${LIST.format(environments)}, and its files are gone: it cannot start from the copy. Deploy it again.`,
    ),
  );
}

const LIST = new Intl.ListFormat("en");

export function copiedDocument({ tables, archives, lost }: CopiedRegistry): string {
  return JSON.stringify({ tables, copied_builds: archives, lost_builds: lost });
}
