import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type ItemResult, itemKey } from "@agate/platform/evaluations";
import { isRecord } from "@agate/protocol";
import type { ScorerConfigs } from "@agate/protocol/evaluator";
import type { PinnedTestset } from "./load-cases.ts";

/** The configurations that the scorers of a run have. */
export interface PinnedScorers {
  /** Null: the code's own defaults. */
  readonly revision: number | null;
  readonly configs: ScorerConfigs;
}

/** What a run was started with. Results can be added to it only by the same. */
export interface RunHeader {
  readonly run: string;
  readonly evaluation: string;
  readonly started_at: string;
  readonly seed: number;
  readonly trials: number;
  /** What the columns are called. */
  readonly columns: { readonly candidate: string; readonly baseline: string | null };
  /** Of the platform; null where the cases are from a file or the evaluation. */
  readonly testset: PinnedTestset | null;
  /** A hash of the cases. */
  readonly cases: string;
  /** Version by scorer. */
  readonly scorers: Readonly<Record<string, string>>;
  /** Of the scorers' configurations; null where they are the code's own. */
  readonly scorers_revision: number | null;
  /** The git commit of the code. */
  readonly commit: string | null;
  /** The address of the platform that has its traces. */
  readonly platform: string | null;
}

/** The last line of a run that has all its results. */
const FINISHED = '{"finished":true}';
/** Beyond it, the oldest runs of a project are deleted. */
const MOST_RUNS = 50;

/** Where the runs of a project are kept: `.agate/evaluations/RUN.jsonl`. */
function folderOf(project: string): string {
  return join(project, ".agate", "evaluations");
}

/** A run's results as a file: a line for its header, one for each result, one when it is finished. */
export class KeptRun implements Disposable {
  readonly header: RunHeader;
  readonly path: string;
  readonly #file: number;

  private constructor(header: RunHeader, path: string, file: number) {
    this.header = header;
    this.path = path;
    this.#file = file;
  }

  static create(project: string, header: RunHeader): KeptRun {
    const folder = folderOf(project);
    mkdirSync(folder, { recursive: true });
    deleteOldest(folder);
    const path = join(folder, `${header.run}.jsonl`);
    const kept = new KeptRun(header, path, openSync(path, "wx"));
    kept.#write(header);
    return kept;
  }

  /** Opens a run to add results. What was written of a line when the process died is cut off. */
  static resume({ header, path, bytes }: ReadRun): KeptRun {
    const file = openSync(path, "a");
    ftruncateSync(file, bytes);
    return new KeptRun(header, path, file);
  }

  add(result: ItemResult): void {
    this.#write(result);
  }

  finish(): void {
    this.#write(JSON.parse(FINISHED));
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #write(value: unknown): void {
    writeSync(this.#file, `${JSON.stringify(value)}\n`);
  }
}

/** A run that was read from its file. */
export interface ReadRun {
  readonly header: RunHeader;
  readonly path: string;
  readonly isFinished: boolean;
  /** Of its whole lines. */
  readonly bytes: number;
  /** Each once, one at a time: outputs may be large. */
  results(): Iterable<ItemResult>;
  /** The candidate's result of a case and trial. */
  find(row: string, trial: number): ItemResult | undefined;
}

/** Undefined where the project has no such run. */
export function readRun(project: string, run: string): ReadRun | undefined {
  if (!/^[\w-]+$/.test(run)) return undefined;
  return readRunFile(join(folderOf(project), `${run}.jsonl`));
}

/** The last run of an evaluation that is not finished. */
export function unfinishedRun(project: string, evaluation: string): ReadRun | undefined {
  const newest = runFiles(folderOf(project)).toSorted((one, other) => other.time - one.time);
  for (const { path } of newest) {
    const run = readRunFile(path);
    if (run?.header.evaluation === evaluation && !run.isFinished) return run;
  }
  return undefined;
}

function readRunFile(path: string): ReadRun | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const [first, ...lines] = whole.split("\n").filter((line) => line !== "");
  const header: unknown = first === undefined ? undefined : JSON.parse(first);
  if (!isRecord(header) || typeof header.run !== "string") return undefined;
  const isFinished = lines.at(-1) === FINISHED;
  const results = isFinished ? lines.slice(0, -1) : lines;
  let places: Map<string, number> | undefined;
  const place = () => {
    places ??= new Map(results.map((line, index) => [itemKey(JSON.parse(line)), index]));
    return places;
  };
  return {
    header: header as unknown as RunHeader,
    path,
    isFinished,
    bytes: Buffer.byteLength(whole),
    *results() {
      for (const index of place().values()) yield JSON.parse(results[index] ?? "") as ItemResult;
    },
    find(row, trial) {
      const index = place().get(itemKey({ column: "candidate", case: row, trial }));
      return index === undefined ? undefined : (JSON.parse(results[index] ?? "") as ItemResult);
    },
  };
}

function deleteOldest(folder: string): void {
  const oldest = runFiles(folder).toSorted((one, other) => one.time - other.time);
  for (const { path } of oldest.slice(0, Math.max(0, oldest.length - MOST_RUNS + 1))) {
    rmSync(path, { force: true });
  }
}

function runFiles(folder: string): { readonly path: string; readonly time: number }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => {
      const path = join(folder, name);
      return { path, time: statSync(path).mtimeMs };
    });
}
