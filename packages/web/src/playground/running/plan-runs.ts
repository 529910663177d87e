import type { RouteSchema } from "@agate/protocol";
import { checkConfig } from "../../config-form/check-config.ts";
import { parseDraft } from "../../input-form/input-draft.ts";
import type { ReadyColumn } from "../columns/column-view.ts";
import type { TestCase } from "../state/workspace.ts";
import type { RunRequest } from "./run.ts";
import { runKey } from "./run-board.ts";

export interface PlannedRun {
  readonly key: string;
  readonly request: RunRequest;
}

/** What can be run now, and what has to be mended before the rest can. */
export interface RunPlan {
  readonly runs: readonly PlannedRun[];
  /** Columns whose configuration the workflow would refuse. */
  readonly columns: readonly number[];
  /** Cases whose inputs are not finished. */
  readonly cases: readonly number[];
}

/** Each of these columns on each of these cases. */
export function planRuns(
  route: RouteSchema,
  columns: readonly ReadyColumn[],
  cases: readonly TestCase[],
): RunPlan {
  const isFine = ({ values }: ReadyColumn) => checkConfig(route, values).length === 0;
  const parsed = cases.map(({ id, draft }) => ({ id, ...parseDraft(route.inputs, draft) }));
  return {
    runs: parsed.flatMap((each) =>
      each.kind === "invalid"
        ? []
        : columns.filter(isFine).map((column) => ({
            key: runKey(column.column.id, each.id),
            request: {
              config: column.values,
              inputs: each.inputs,
              variant: variantOf(column),
            },
          })),
    ),
    columns: columns.filter((column) => !isFine(column)).map(({ column }) => column.id),
    cases: parsed.filter(({ kind }) => kind === "invalid").map(({ id }) => id),
  };
}

/** A draft without changes is still what it was made from. */
function variantOf({ base, changed }: ReadyColumn): string | null {
  if (base === null || base.revision === 0) return null;
  return `${base.variant}@${base.revision}${changed.length > 0 ? "; edited" : ""}`;
}
