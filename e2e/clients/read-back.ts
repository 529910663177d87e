import type { ListedSpan, SpanRecord } from "@agate/protocol";
import { listedSpanSchema, spanRecordSchema } from "@agate/protocol/schemas";

/** Reads a trace through the HTTP API and checks that it is what the contract says. */
export async function readTrace(serverUrl: string, traceId: string): Promise<SpanRecord> {
  return readRecord(`${serverUrl}/observability/traces/${traceId}/`);
}

/** The same of one span and what is below it. */
export async function readSpan(serverUrl: string, spanId: string): Promise<SpanRecord> {
  return readRecord(`${serverUrl}/observability/spans/${spanId}/`);
}

/** The newest traces that a query finds, each as its top. */
export async function findTraces(serverUrl: string, query: string): Promise<ListedSpan[]> {
  const { items } = (await readJson(`${serverUrl}/observability/traces/?${query}`)) as {
    items: unknown[];
  };
  return items.map((item) => listedSpanSchema.parse(item));
}

async function readRecord(url: string): Promise<SpanRecord> {
  return spanRecordSchema.parse(await readJson(url));
}

async function readJson(url: string): Promise<unknown> {
  const response = await fetch(url);
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${body}`);
  return JSON.parse(body);
}

/** A tree as the workflow itself answers with it: only the platform knows whose project it is. */
export function withoutProject(record: SpanRecord): SpanRecord {
  const children = record.children?.map(withoutProject) ?? null;
  return { ...record, project_id: null, children };
}

/** The span and all below it, parents first. */
export function spansOf(record: SpanRecord): SpanRecord[] {
  return [record, ...(record.children ?? []).flatMap(spansOf)];
}

/** The only span of that name below (or at) a record. */
export function spanNamed(record: SpanRecord, name: string): SpanRecord {
  const [span, ...others] = spansOf(record).filter((candidate) => candidate.name === name);
  if (span === undefined || others.length > 0) {
    const names = spansOf(record).map((candidate) => candidate.name);
    throw new Error(`Expected one span "${name}" among ${JSON.stringify(names)}`);
  }
  return span;
}

/**
 * The tree drawn with names and kinds, one line a span.
 *
 * @example "WORKFLOW answer\n  LLM chat gpt-4o-mini"
 */
export function outline(record: SpanRecord, depth = 0): string {
  const line = `${"  ".repeat(depth)}${record.spankind} ${record.name}`;
  return [line, ...(record.children ?? []).map((child) => outline(child, depth + 1))].join("\n");
}
