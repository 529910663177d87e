import {
  type CallAttempt,
  type CallTarget,
  type ColumnRole,
  createPerformer,
  type EvaluatorClient,
  type ItemPerformer,
  type PerformedColumn,
  type StoredOutputs,
} from "@agate/platform/evaluations";
import { type Build, isRecord } from "@agate/protocol";
import type { DeclaredEvaluation, ScorerConfigs } from "@agate/protocol/evaluator";

/** Where the outputs of a column come from. */
export type RunColumn =
  /** This code, with its own configuration or with one of the platform's. */
  | {
      readonly kind: "code";
      /** As it was asked for: `env:production`. */
      readonly ref: string;
      /** With the revision that it is pinned to. */
      readonly label: string;
      readonly target: CallTarget;
    }
  /** A build that is live in an environment, with the configuration that is live there. */
  | {
      readonly kind: "build";
      readonly ref: string;
      readonly label: string;
      readonly target: CallTarget;
      readonly build: Build;
    }
  /** An application that runs elsewhere. */
  | { readonly kind: "url"; readonly label: string; readonly url: string }
  /** The outputs of an earlier run, scored anew. */
  | {
      readonly kind: "stored";
      readonly label: string;
      /** The address of the platform that has its traces. */
      readonly platform: string | null;
      readonly outputs: Pick<StoredOutputs, "find" | "scorers">;
    };

export type RunColumns = Readonly<Partial<Record<ColumnRole, RunColumn>>>;

/** How spans and platforms name a column: as it was asked for. */
export function refOf(column: RunColumn): string {
  return column.kind === "code" || column.kind === "build" ? column.ref : column.label;
}

interface PerformerOptions {
  readonly client: EvaluatorClient;
  /** Those of the builds that columns name, by the ids of these. */
  readonly builds: ReadonlyMap<string, EvaluatorClient>;
  readonly evaluation: DeclaredEvaluation;
  /** The configurations that the run's scorers are pinned to. */
  readonly configs: ScorerConfigs;
  readonly run: string;
  readonly columns: RunColumns;
  /** The address of the platform that traces can be read from. */
  readonly platform: string | undefined;
}

/** Makes the calls of a run by its columns; all scores are the evaluator's. */
export function performerOf(options: PerformerOptions): ItemPerformer {
  const { client, evaluation, configs, run, columns } = options;
  const performed = Object.fromEntries(
    Object.entries(columns).map(([role, column]) => [role, performedColumn(column, options)]),
  );
  return createPerformer({ scorer: client, evaluation, configs, run, columns: performed });
}

function performedColumn(
  column: RunColumn,
  { client, builds, evaluation: { route }, run, platform }: PerformerOptions,
): PerformedColumn {
  const ref = refOf(column);
  switch (column.kind) {
    case "code":
    case "build": {
      const caller = column.kind === "code" ? client : builds.get(column.build.id);
      if (caller === undefined) throw new Error(`${column.label} was not started.`);
      return {
        kind: "called",
        ref,
        hasTraces: true,
        call: ({ case: row, trial }) => {
          const item = { run, case: row.id, trial, column: column.ref };
          return caller.call(route, row.inputs, item, column.target);
        },
      };
    }
    case "url":
      return {
        kind: "called",
        ref,
        hasTraces: false,
        call: ({ case: row }) => callElsewhere(column.url, route, row.inputs),
      };
    case "stored": {
      const hasTraces = platform === column.platform;
      return { kind: "stored", ref, outputs: { ...column.outputs, hasTraces } };
    }
  }
}

/** Calls a route of an application that runs elsewhere: its cost is not known here. */
async function callElsewhere(url: string, route: string, inputs: unknown): Promise<CallAttempt> {
  const began = performance.now();
  const figures = { trace_id: null, span_id: null, latency: null, cost: null } as const;
  try {
    const response = await fetch(`${url}/run${route === "/" ? "" : route}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ inputs }),
    });
    const latency = performance.now() - began;
    const body: unknown = await response.json();
    if (response.ok && isRecord(body))
      return { ...figures, latency, output: body.data, error: null };
    const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
    const isBusy = [429, 503, 529].includes(response.status);
    const retryAfterMs = retryAfter >= 0 ? retryAfter * 1000 : undefined;
    return {
      ...figures,
      error: `${url} answered ${response.status}: ${messageIn(body)}`,
      ...(isBusy && { overload: { retryAfterMs } }),
    };
  } catch (error) {
    const { message, cause } = error as Error;
    return { ...figures, error: cause instanceof Error ? `${message}: ${cause.message}` : message };
  }
}

function messageIn(body: unknown): string {
  const detail: unknown = isRecord(body) ? body.detail : undefined;
  const texts = Array.isArray(detail)
    ? detail.map((each) => (isRecord(each) ? each.msg : each))
    : [];
  return texts.length > 0 ? texts.join(" ") : "no reason was given";
}
