import type { Run, RunResult, RunScore } from "@agate/protocol";
import type { EvaluationScore } from "@agate/protocol/evaluator";
import type { RunRef, Runs } from "../registry/runs/run-registry.ts";
import type { StoredOutput, StoredOutputs } from "./stored-outputs.ts";

/** An earlier run of a platform. */
export interface EarlierRun {
  readonly run: Pick<Run, "columns" | "scorers">;
  /** Whether the evaluator can read the traces of its calls. */
  readonly hasTraces: boolean;
  /** All results of a case in a column. */
  results(column: string, row: string): Promise<readonly RunResult[]>;
}

/** Cases whose results are held: the trials of a case are called one after the other. */
export const MOST_HELD = 64;
/** Characters of JSON that they have at most. The case that was read last is held, however large it is. */
export const MOST_HELD_CHARACTERS = 16 * 1024 * 1024;
const PAGE = 100;

/** The candidate's outputs of an earlier run, read case by case as they are asked for. */
export function earlierOutputs({ run, hasTraces, results }: EarlierRun): StoredOutputs {
  const column = run.columns[0]?.name ?? "";
  const held = new HeldResults((row) => results(column, row));
  return {
    scorers: Object.fromEntries(run.scorers.map(({ name, version }) => [name, version])),
    hasTraces,
    async find(row, trial) {
      const result = (await held.of(row)).find((each) => each.trial === trial);
      return result && storedOutput(result);
    },
  };
}

interface HeldCase {
  readonly reading: Promise<readonly RunResult[]>;
  /** 0 until it was read. */
  characters: number;
}

/** The results of the cases that were asked for last. */
class HeldResults {
  readonly #read: (row: string) => Promise<readonly RunResult[]>;
  /** Oldest first. */
  readonly #cases = new Map<string, HeldCase>();
  #characters = 0;

  constructor(read: (row: string) => Promise<readonly RunResult[]>) {
    this.#read = read;
  }

  of(row: string): Promise<readonly RunResult[]> {
    const known = this.#cases.get(row);
    if (known !== undefined) return known.reading;
    const added: HeldCase = { reading: this.#read(row), characters: 0 };
    this.#cases.set(row, added);
    this.#shrink();
    void added.reading.then(
      (results) => {
        if (this.#cases.get(row) !== added) return;
        added.characters = JSON.stringify(results).length;
        this.#characters += added.characters;
        this.#shrink();
      },
      // To be read again: the registry may be there by then.
      () => this.#cases.get(row) === added && this.#drop(row),
    );
    return added.reading;
  }

  #shrink(): void {
    for (const row of this.#cases.keys()) {
      const isTooLarge = this.#characters > MOST_HELD_CHARACTERS && this.#cases.size > 1;
      if (this.#cases.size <= MOST_HELD && !isTooLarge) return;
      this.#drop(row);
    }
  }

  #drop(row: string): void {
    this.#characters -= this.#cases.get(row)?.characters ?? 0;
    this.#cases.delete(row);
  }
}

/** Of the registry that this server has. Without the run, nothing is found. */
export async function registeredOutputs(
  runs: Pick<Runs, "get" | "results">,
  ref: RunRef,
): Promise<StoredOutputs> {
  const found = await runs.get(ref);
  const run = found.kind === "done" ? found.value : { columns: [], scorers: [] };
  return earlierOutputs({
    run,
    hasTraces: true,
    async results(column, row) {
      const all: RunResult[] = [];
      // Large outputs make short pages.
      for (let after: number | null | undefined = null; after !== undefined; ) {
        const page = await runs.results(ref, { column, case: row }, { limit: PAGE, after });
        if (page.kind === "refused") return all;
        all.push(...page.value.items);
        after = page.value.next ?? undefined;
      }
      return all;
    },
  });
}

function storedOutput(result: RunResult): StoredOutput {
  const { output, is_output_cut: isCut, trace_id, span_id, latency_ms: latency } = result;
  const scores = Object.fromEntries(result.scores.map((score) => [score.name, scoreOf(score)]));
  const figures = { trace_id, span_id, latency, scores };
  if (result.status === "error") {
    return { ...figures, error: result.error ?? "The call failed." };
  }
  if (!isCut) return { ...figures, output, error: null };
  return { ...figures, error: "The output is larger than 256 KiB, and was not stored in full." };
}

function scoreOf({ status, value, label, explanation, error }: RunScore): EvaluationScore {
  switch (status) {
    case "ok":
      return {
        status,
        value: value ?? 0,
        ...(label !== null && { label }),
        ...(explanation !== null && { explanation }),
      };
    case "skipped":
      return { status, explanation: error ?? "" };
    case "failed":
      return { status, error: error ?? "" };
  }
}
