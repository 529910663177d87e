import type { SpanRecord } from "@agate/protocol";
import { expect, vi } from "vitest";

export const TEXT =
  "Agate is a stone with bands. Agate grows in lava, where water leaves bands of silica in bubbles. It is sold in shops.";
/** What the template's workflow answers in two sentences, and in one. */
export const BOTH =
  "Agate is a stone with bands. Agate grows in lava, where water leaves bands of silica in bubbles.";
export const BEST = "Agate grows in lava, where water leaves bands of silica in bubbles.";

export interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly traceId: string;
  readonly detail: readonly { readonly msg: string; readonly type: string }[] | undefined;
}

/** Calls an endpoint of a new project's workflow. */
export async function call(url: string, body: object = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ inputs: { text: TEXT }, ...body }),
  });
  const answer = (await response.json()) as { [name: string]: unknown };
  return {
    status: response.status,
    data: answer.data,
    traceId: answer.trace_id as string,
    detail: answer.detail as Answer["detail"],
  };
}

/** A trace, as soon as the platform has it. */
export function traceOf(platform: string, traceId: string): Promise<SpanRecord> {
  return vi.waitFor(
    async () => {
      const response = await fetch(`${platform}/observability/traces/${traceId}/`);
      expect(response.status).toBe(200);
      return (await response.json()) as SpanRecord;
    },
    { timeout: 60_000, interval: 50 },
  );
}
