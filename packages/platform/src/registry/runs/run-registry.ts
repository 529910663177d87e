import type {
  AddedCases,
  AddedResults,
  NewRunCase,
  Run,
  RunCase,
  RunItem,
  Runner,
  RunPlan,
  RunReport,
  RunResult,
  RunScore,
  RunScorer,
  RunStatus,
  RunTestset,
  ScorerKind,
} from "@agate/protocol";
import type { Page, PageRequest } from "../paging.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import type { CostStop } from "./cost-stop.ts";

/** A run of a project, by its id. */
export interface RunRef {
  /** The project's id. */
  readonly project: string;
  readonly run: string;
}

/** A run that is to be carried out. */
export interface OpenRun extends RunRef {
  /** Servers that carry it out. */
  readonly workers: number;
  /** Items without a result. */
  readonly left: number;
  readonly concurrency: number;
}

/** Runs of evaluations: their cases, the results that clients or the platform add, and the verdict. */
export interface Runs {
  /**
   * Creates a run, and its application if that is missing. A request with the id and the content of an
   * earlier one answers its run.
   */
  create(project: string, run: RunRequest, by: string): Promise<RegistryOutcome<Run>>;
  /** The run of an earlier request with this id; refused where that was another; undefined without one. */
  earlier(ref: RunRef, asked: unknown): Promise<RegistryOutcome<Run> | undefined>;
  /** Newest first. */
  list(project: string, filter: RunFilter, page: PageRequest): Promise<RegistryOutcome<Page<Run>>>;
  get(ref: RunRef): Promise<RegistryOutcome<Run>>;
  /** With its figures: of the results so far while it is running. */
  report(ref: RunRef): Promise<RegistryOutcome<RunReport>>;
  /** The platform's runs that have not ended, of all projects, oldest first. */
  toCarryOut(): Promise<readonly OpenRun[]>;
  /** The first case of an id stays. */
  addCases(ref: RunRef, cases: readonly NewRunCase[]): Promise<RegistryOutcome<AddedCases>>;
  /** The first result of an item stays, even if another server holds its lease by now. */
  addResults(ref: RunRef, results: readonly ResultToAdd[]): Promise<RegistryOutcome<KeptResults>>;
  /** By case, column and trial. */
  results(
    ref: RunRef,
    filter: ResultFilter,
    page: ForwardPage,
  ): Promise<RegistryOutcome<Page<RunResult>>>;
  /** In the order that they were added in; those that got worse: worst first. */
  cases(
    ref: RunRef,
    filter: CaseFilter,
    page: ForwardPage,
  ): Promise<RegistryOutcome<Page<RunCase>>>;
  /** Ends a run. `finished` judges it by its gates; a run without cases has failed. */
  end(ref: RunRef, ending: RunEnding): Promise<RegistryOutcome<Run>>;
  /** With its cases and results. */
  delete(ref: RunRef): Promise<RegistryOutcome<Run>>;
  /**
   * Deletes the content of a test set's row from all runs: inputs, outputs, errors and explanations.
   * Values of scores stay. @returns in how many runs.
   */
  purge(project: string, row: { readonly testset: string; readonly row: string }): Promise<number>;
  /** What runs have of a test set's row, run by run: after a purge, without texts. */
  scoresOfRow(
    project: string,
    row: { readonly testset: string; readonly row: string },
  ): AsyncIterable<{ readonly run: string; readonly items: readonly ScoredItem[] }>;
  /** Takes items to call, for a while: those never taken, and those whose lease has expired. */
  lease(ref: RunRef, asked: LeaseRequest): Promise<RegistryOutcome<RunLease>>;
  /** Adds results and leases items, in one transaction: what the results free can be leased at once. */
  exchange(ref: RunRef, asked: ExchangeRequest): Promise<RegistryOutcome<ExchangedItems>>;
  /** Extends what is left of a lease, and the worker's own presence. @returns how many items it still has. */
  renew(ref: RunRef, lease: { readonly token: string; readonly ms: number }): Promise<number>;
  /** Gives what is left of a lease back, for others to take at once. */
  release(ref: RunRef, token: string): Promise<void>;
}

/** A run as it is asked for. */
export interface RunRequest {
  /** Null: one is made. */
  readonly id: string | null;
  /** Slug or id. */
  readonly application: string;
  readonly evaluation: string;
  readonly runner: Runner;
  readonly testset: RunTestset;
  readonly scorers: readonly RunScorer[];
  readonly scorers_revision: number | null;
  readonly trials: number;
  readonly columns: readonly AskedColumn[];
  readonly gate: Run["gate"];
  readonly commit: string | null;
  readonly message: string;
  /** Null: a random one. */
  readonly seed: number | null;
  /** Of a run that the platform carries out. */
  readonly plan?: RunPlan | undefined;
  /** What the client sent where that was resolved to this request: it makes the request the same. */
  readonly asked?: unknown;
}

export interface AskedColumn {
  readonly name: string;
  readonly ref: string;
  /** Number or id of a build of the application. */
  readonly build: string | null;
  readonly variant: string | null;
  readonly variant_id?: string | undefined;
  readonly revision: number | null;
}

/** What is stored of a case beside its id. */
export interface CaseContent {
  readonly inputs: unknown;
  readonly expected?: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface RunFilter {
  /** Slug or id. */
  readonly application: string | null;
  readonly evaluation: string | null;
  readonly status: RunStatus | null;
}

export type ResultToAdd = Omit<RunResult, "is_output_cut" | "created_at">;

/** A result without what was put out. */
export interface ScoredItem
  extends Pick<RunResult, "column" | "case" | "trial" | "trace_id" | "span_id" | "created_at"> {
  /** Each with the kind of its scorer. */
  readonly scores: readonly (RunScore & { readonly kind: ScorerKind })[];
}

export interface KeptResults extends AddedResults {
  /** What the run has now of each item that was sent: of those ignored, what was there before. */
  readonly kept: readonly ScoredItem[];
}

export interface ResultFilter {
  readonly column: string | null;
  readonly case: string | null;
}

export interface CaseFilter {
  /** Only cases that the candidate is worse on than the baseline. */
  readonly worse: boolean;
  /** Which score is compared; null: any. */
  readonly score: string | null;
}

/** A part of a list, from its beginning on. */
export interface ForwardPage {
  readonly limit: number;
  /** `next` of the page before; null begins. */
  readonly after: number | null;
}

export type RunEnding =
  | { readonly status: "finished" }
  | { readonly status: "stopped" | "failed"; readonly reason: string | null };

export interface LeaseRequest {
  /** How many items at most. */
  readonly count: number;
  /** How long they are not given to others. */
  readonly ms: number;
  /** The server that asks; with it, leases are counted: see {@link LeasingWorker}. */
  readonly worker?: LeasingWorker | undefined;
}

/** A server that carries a run out beside others. */
export interface LeasingWorker {
  /** The token of all its leases. */
  readonly id: string;
  /** Items that all workers together have leased at most. Each may have its share of them. */
  readonly most: number;
}

/** An item to call. */
export interface LeasedItem extends RunItem {
  /** What its case has; null where that was purged. */
  readonly content: CaseContent | null;
}

export interface RunLease {
  readonly token: string;
  readonly expires_at: string;
  readonly items: readonly LeasedItem[];
  /** Items that are leased, these and those of other workers. */
  readonly leased: number;
  /** The run as it is now. */
  readonly run: Run;
  /** Why the run's cost ceiling lets no more items be leased. */
  readonly stop: CostStop | undefined;
}

export interface ExchangeRequest {
  readonly results: readonly ResultToAdd[];
  readonly lease: LeaseRequest;
}

export interface ExchangedItems {
  /** As {@link KeptResults} has them. */
  readonly kept: KeptResults["kept"];
  readonly lease: RunLease;
}
