import type {
  RouteBinding,
  RowDiff,
  TestRow,
  TestSet,
  TestSetCommit,
  TestSetDiff,
  TestSetRevision,
} from "@agate/protocol";
import { readJsonl } from "@agate/protocol/testsets";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Page } from "./applications.ts";
import type { PlatformClient } from "./platform-client.ts";

const PATH = "/registry/testsets";

function testSetPath(testSet: string): string {
  return `${PATH}/${encodeURIComponent(testSet)}`;
}

/** Everything that is asked about test sets has a key that begins with this. */
export function testSetsKey(client: PlatformClient): readonly unknown[] {
  return [client.project, "testsets"];
}

export function testSetsQuery(client: PlatformClient) {
  return queryOptions({
    queryKey: [...testSetsKey(client), "all"],
    queryFn: async ({ signal }) =>
      (await client.get<{ items: readonly TestSet[] }>(PATH, { signal })).items,
  });
}

export function testSetQuery(client: PlatformClient, testSet: string) {
  return queryOptions({
    queryKey: [...testSetsKey(client), testSet, "itself"],
    queryFn: ({ signal }) => client.get<TestSet>(testSetPath(testSet), { signal }),
  });
}

/** A revision without its rows; it never changes. */
export function testSetRevisionQuery(client: PlatformClient, testSet: string, revision: number) {
  return queryOptions({
    queryKey: [...testSetsKey(client), testSet, "revision", revision],
    queryFn: ({ signal }) =>
      client.get<TestSetRevision>(`${testSetPath(testSet)}/revisions/${revision}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: revision > 0,
  });
}

const ROWS_PER_PAGE = 100;

interface RowPage extends Page<TestRow> {
  readonly revision: number;
}

/** The rows of a revision, a page at a time. They never change, except that rows can be purged. */
export function testRowsQuery(client: PlatformClient, testSet: string, revision: number) {
  return infiniteQueryOptions({
    queryKey: [...testSetsKey(client), testSet, "rows", revision],
    queryFn: ({ signal, pageParam }) =>
      client.get<RowPage>(`${testSetPath(testSet)}/revisions/${revision}/rows`, {
        query: { limit: ROWS_PER_PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: RowPage) => page.next_cursor,
    enabled: revision > 0,
  });
}

export function testSetHistoryQuery(client: PlatformClient, testSet: string) {
  return infiniteQueryOptions({
    queryKey: [...testSetsKey(client), testSet, "history"],
    queryFn: ({ signal, pageParam }) =>
      client.get<Page<TestSetRevision>>(`${testSetPath(testSet)}/revisions`, {
        query: { limit: 50, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<TestSetRevision>) => page.next_cursor,
  });
}

export function testSetDiffQuery(
  client: PlatformClient,
  testSet: string,
  { from, to }: { readonly from: number; readonly to: number },
) {
  return infiniteQueryOptions({
    queryKey: [...testSetsKey(client), testSet, "diff", from, to],
    queryFn: ({ signal, pageParam }) =>
      client.get<TestSetDiff>(`${testSetPath(testSet)}/diff`, {
        query: { from, to, limit: 100, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: TestSetDiff) => page.next_cursor,
  });
}

/** All rows of a revision; of revision 0, none. */
export async function readAllRows(
  client: PlatformClient,
  testSet: string,
  revision: number,
): Promise<readonly TestRow[]> {
  if (revision === 0) return [];
  const path = `${testSetPath(testSet)}/revisions/${revision}/export`;
  const read = readJsonl(await (await client.open("GET", path, undefined)).text());
  if (read.kind === "faults")
    throw new Error(`The platform sent an invalid row: ${read.faults[0].msg}`);
  return read.rows;
}

export interface NewTestSet {
  readonly slug: string;
  readonly bound_to: RouteBinding | null;
}

export function createTestSet(client: PlatformClient, created: NewTestSet) {
  return client.send<TestSet>("POST", PATH, created);
}

export function changeTestSet(
  client: PlatformClient,
  testSet: string,
  change: { readonly slug?: string; readonly bound_to?: RouteBinding | null },
) {
  return client.send<TestSet>("PATCH", testSetPath(testSet), change);
}

export function deleteTestSet(client: PlatformClient, testSet: string) {
  return client.send<undefined>("DELETE", testSetPath(testSet));
}

/** Deletes the content of a row from all revisions and runs. */
export function purgeRow(client: PlatformClient, testSet: string, row: string) {
  const path = `${testSetPath(testSet)}/rows/${encodeURIComponent(row)}/purge`;
  return client.send<undefined>("POST", path);
}

export interface RowsCommit {
  readonly upsert: readonly TestRow[];
  readonly delete: readonly string[];
  /** What it was made from; 0 for the first. Refused as `revision_stale` where another came first. */
  readonly base_revision: number;
  readonly message?: string;
}

export function commitRows(client: PlatformClient, testSet: string, commit: RowsCommit) {
  return client.send<TestSetCommit>("POST", `${testSetPath(testSet)}/revisions`, commit);
}

export interface AddedCall {
  readonly trace_id: string;
  readonly span_id: string;
  readonly with_output: boolean;
}

/** What the platform takes in one request; each makes a revision. */
const CALLS_PER_REQUEST = 100;

/** Adds recorded calls as rows, without those whose inputs a row has already; gives how many. */
export async function addSpans(
  client: Pick<PlatformClient, "send">,
  testSet: string,
  calls: readonly AddedCall[],
): Promise<number> {
  let sum = 0;
  for (let at = 0; at < calls.length; at += CALLS_PER_REQUEST) {
    const spans = calls.slice(at, at + CALLS_PER_REQUEST);
    const message = "Add recorded calls";
    const path = `${testSetPath(testSet)}/spans`;
    sum += (await client.send<{ added: number }>("POST", path, { spans, message })).added;
  }
  return sum;
}

export interface NewerRevision {
  readonly revision: number;
  /** How its rows differ. */
  readonly items: readonly RowDiff[];
}

/** The latest revision, and the whole difference from an earlier one. */
export async function readTestSetDiff(
  client: PlatformClient,
  testSet: string,
  from: number,
): Promise<NewerRevision> {
  const { latest_revision: to } = await client.get<TestSet>(testSetPath(testSet));
  const items: RowDiff[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: TestSetDiff = await client.get<TestSetDiff>(`${testSetPath(testSet)}/diff`, {
      query: { from, to, limit: 1000, cursor },
    });
    for (const item of page.items) items.push(item);
    cursor = page.next_cursor;
  }
  return { revision: to, items };
}

export function readTestSet(client: PlatformClient, testSet: string): Promise<TestSet> {
  return client.get<TestSet>(testSetPath(testSet));
}
