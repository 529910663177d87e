import type { Run, RunCase, RunReport, RunResult } from "@agate/protocol";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Page } from "./applications.ts";
import type { PlatformClient } from "./platform-client.ts";

const PATH = "/registry/runs";

/** The platform adds up all results of a running run whenever it is asked: a large one is asked about less. */
const REFRESHES = [
  { upToResults: 1000, ms: 1000 },
  { upToResults: 20_000, ms: 3000 },
] as const;
const LARGEST_REFRESH_MS = 15_000;
/** The list of runs has no figures to add up. */
const LIST_REFRESH_MS = 3000;
const RUNS_PER_PAGE = 25;
const CASES_PER_PAGE = 50;
const RESULTS_PER_PAGE = 50;

function runPath(run: string): string {
  return `${PATH}/${encodeURIComponent(run)}`;
}

/** Everything that is asked about runs has a key that begins with this. */
export function runsKey(client: PlatformClient): readonly unknown[] {
  return [client.project, "runs"];
}

export interface RunFilter {
  readonly application?: string;
  readonly evaluation?: string;
}

/** Runs, newest first. */
export function runsQuery(client: PlatformClient, filter: RunFilter) {
  return infiniteQueryOptions({
    queryKey: [...runsKey(client), "all", filter],
    queryFn: ({ signal, pageParam }) =>
      client.get<Page<Run>>(PATH, {
        query: { ...filter, limit: RUNS_PER_PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<Run>) => page.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isRunning)) ? LIST_REFRESH_MS : false,
  });
}

/** A run with its figures. */
export function runQuery(client: PlatformClient, run: string) {
  return queryOptions({
    queryKey: [...runsKey(client), "one", run],
    queryFn: ({ signal }) => client.get<RunReport>(runPath(run), { signal }),
    refetchInterval: ({ state }) => state.data !== undefined && refreshMs(state.data),
  });
}

/** The figures of a run that has ended: they do not change any more. */
export function endedRunQuery(client: PlatformClient, { id, status }: Run) {
  return queryOptions({
    queryKey: [...runsKey(client), "ended", id],
    queryFn: ({ signal }) => client.get<RunReport>(runPath(id), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: status !== "running",
  });
}

/** The cases of a run, a page at a time; `worse`: only those that the candidate is worse on. */
export function runCasesQuery(client: PlatformClient, run: Run, worse: boolean) {
  return infiniteQueryOptions({
    // By status: once a run has ended, its cases are read a last time.
    queryKey: [...runsKey(client), "cases", run.id, worse, run.status],
    queryFn: ({ signal, pageParam }) =>
      client.get<Page<RunCase>>(`${runPath(run.id)}/cases`, {
        query: { limit: CASES_PER_PAGE, cursor: pageParam, worse: worse ? "true" : undefined },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<RunCase>) => page.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs(run),
  });
}

/** What came of a case: its results in all columns, a page at a time. */
export function caseResultsQuery(client: PlatformClient, run: Run, id: string) {
  return infiniteQueryOptions({
    queryKey: [...runsKey(client), "results", run.id, id, run.status],
    queryFn: ({ signal, pageParam }) =>
      client.get<Page<RunResult>>(`${runPath(run.id)}/results`, {
        query: { case: id, limit: RESULTS_PER_PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<RunResult>) => page.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs(run),
  });
}

export function stopRun(client: PlatformClient, run: string) {
  return client.send<Run>("POST", `${runPath(run)}/stop`, { reason: "Stopped on the page." });
}

export function deleteRun(client: PlatformClient, run: string) {
  return client.send<undefined>("DELETE", runPath(run));
}

/** After which time what is shown of a run is asked for again; false once it has ended. */
export function refreshMs(run: Pick<Run, "status" | "results">): number | false {
  if (!isRunning(run)) return false;
  const found = REFRESHES.find(({ upToResults }) => run.results <= upToResults);
  return found?.ms ?? LARGEST_REFRESH_MS;
}

function isRunning({ status }: Pick<Run, "status">): boolean {
  return status === "running";
}
