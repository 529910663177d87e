import { earlierOutputs, type StoredOutputs } from "@agate/platform/evaluations";
import type { Run, RunResult } from "@agate/protocol";
import { apiPath } from "../api-client/api-client.ts";
import { ApiFailure } from "../api-client/api-failure.ts";
import type { EvalPlatform } from "./report-run.ts";

interface ResultPage {
  readonly items: readonly RunResult[];
  readonly next_cursor: string | null;
}

const PAGE = 100;

/**
 * The candidate's outputs of a run that the platform has, read case by case as they are scored: a run of
 * 50,000 cases is never in memory as a whole. Undefined where there is no such run.
 */
export async function platformOutputs(
  { api }: EvalPlatform,
  id: string,
): Promise<StoredOutputs | undefined> {
  const run = await readRun(api, id);
  if (run === undefined) return undefined;
  return earlierOutputs({
    run,
    hasTraces: true,
    async results(column, row) {
      const path = apiPath`/registry/runs/${id}/results`;
      const all: RunResult[] = [];
      // Large outputs make short pages.
      for (let cursor: string | undefined | null; cursor !== null; ) {
        const query = { column, case: row, limit: PAGE, cursor };
        const { value }: { value: ResultPage } = await api.get<ResultPage>(path, query);
        all.push(...value.items);
        cursor = value.next_cursor;
      }
      return all;
    },
  });
}

async function readRun(api: EvalPlatform["api"], id: string): Promise<Run | undefined> {
  try {
    return (await api.get<Run>(apiPath`/registry/runs/${id}`)).value;
  } catch (error) {
    const isMissing =
      error instanceof ApiFailure && error.why.kind === "refused" && error.why.status === 404;
    if (isMissing) return undefined;
    throw error;
  }
}
