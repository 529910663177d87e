import { gzipSync } from "node:zlib";
import type { SpanRecord } from "@agate/protocol";
import { type ModelLog, otlpLogs } from "./model-log.ts";
import { type ModelScore, scoreBody } from "./model-score.ts";
import { type ModelSpan, otlpRequest } from "./model-span.ts";

/** A page of a list. */
interface Page {
  readonly items: readonly object[];
  readonly next_cursor: string | null;
}

/** A record without its children, and how deep it was nested. */
export interface NestedRecord {
  readonly record: object;
  readonly depth: number;
}

/** Asks a platform over HTTP, for one of its projects. */
export class PlatformClient {
  readonly #url: string;
  readonly #slug: string;
  /** As records name it. */
  readonly projectId: string;

  private constructor(url: string, slug: string, projectId: string) {
    this.#url = url;
    this.#slug = slug;
    this.projectId = projectId;
  }

  /** Creates a project. */
  static async inNewProject(url: string, slug: string): Promise<PlatformClient> {
    const response = await fetch(`${url}/registry/projects`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ slug }),
    });
    if (response.status !== 201) throw await unexpected(response);
    const { id } = (await response.json()) as { id: string };
    return new PlatformClient(url, slug, id);
  }

  /** Sends spans in one request, and waits until they are acknowledged. */
  async send(spans: readonly ModelSpan[], compression: "none" | "gzip"): Promise<void> {
    const json = otlpRequest(spans);
    const response = await this.#ask("/v1/traces", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(compression === "gzip" && { "content-encoding": "gzip" }),
      },
      body: compression === "gzip" ? gzipSync(json) : json,
    });
    const answer = await response.text();
    if (response.status !== 200 || answer.includes("rejectedSpans")) {
      throw new Error(
        `The platform did not take ${spans.length} spans: ${response.status} ${answer}`,
      );
    }
  }

  /** Sends log records in one request, and gives how many were rejected. */
  async sendLogs(logs: readonly ModelLog[]): Promise<number> {
    const response = await this.#ask("/v1/logs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: otlpLogs(logs),
    });
    const { partialSuccess } = (await parsed(response)) as {
      partialSuccess?: { rejectedLogRecords: string };
    };
    return Number(partialSuccess?.rejectedLogRecords ?? 0);
  }

  /** Sends scores in one request; their ids, or the places of those that their traces have no room for. */
  async putScores(
    scores: readonly ModelScore[],
  ): Promise<{ readonly ids: readonly string[] } | { readonly rejected: readonly number[] }> {
    const response = await this.#ask("/observability/scores/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ scores: scores.map(scoreBody) }),
    });
    if (response.status !== 422) return (await parsed(response)) as { ids: string[] };
    const { detail } = (await response.json()) as {
      detail: { type: string; loc: [0, 0, number] }[];
    };
    const rejected = detail.map(({ type, loc }) => {
      if (type !== "score_limit") throw new Error(JSON.stringify(detail));
      return loc[2];
    });
    return { rejected };
  }

  /** Deletes a trace, and gives the status. */
  async delete(traceId: string): Promise<number> {
    const response = await this.#ask(`/observability/traces/${traceId}/`, { method: "DELETE" });
    await response.body?.cancel();
    return response.status;
  }

  /** A trace or a span with everything below it, parents before children; null for a 404. */
  async readTree(path: `traces/${string}` | `spans/${string}`): Promise<NestedRecord[] | null> {
    const response = await this.#ask(`/observability/${path}/`);
    if (response.status === 404) {
      await response.body?.cancel();
      return null;
    }
    return flattened((await parsed(response)) as SpanRecord);
  }

  /**
   * All records of a list, page after page, and the length of each page.
   *
   * @param between Done after each page but the last.
   */
  async readList(
    kind: "traces" | "spans",
    parameters: Readonly<Record<string, string>>,
    between: () => Promise<void> = async () => {},
  ): Promise<{ readonly items: readonly object[]; readonly pages: readonly number[] }> {
    const items: object[] = [];
    const pages: number[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ ...parameters, ...(cursor !== null && { cursor }) });
      const page = (await this.get(`/observability/${kind}/?${query}`)) as Page;
      items.push(...page.items);
      pages.push(page.items.length);
      cursor = page.next_cursor;
      if (cursor !== null) await between();
    } while (cursor !== null);
    return { items, pages };
  }

  async get(path: string): Promise<unknown> {
    return parsed(await this.#ask(path));
  }

  #ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...init.headers, "agate-project": this.#slug };
    return fetch(this.#url + path, { ...init, headers });
  }
}

/** The body of a 200, which must be JSON. */
async function parsed(response: Response): Promise<unknown> {
  if (response.status !== 200) throw await unexpected(response);
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${response.url} is a 200 with invalid JSON: ${(error as Error).message}`);
  }
}

async function unexpected(response: Response): Promise<Error> {
  return new Error(`${response.url} answered ${response.status} ${await response.text()}`);
}

function flattened(top: SpanRecord): NestedRecord[] {
  const records: NestedRecord[] = [];
  const rest = [{ span: top, depth: 0 }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { children, ...record } = next.span;
    records.push({ record, depth: next.depth });
    if (children === null || children === undefined) continue;
    if (children.length === 0)
      throw new Error(`The children of leaf ${record.id} are [], not null`);
    for (const child of children.toReversed()) rest.push({ span: child, depth: next.depth + 1 });
  }
  return records;
}
