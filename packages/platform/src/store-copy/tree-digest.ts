import { createHash } from "node:crypto";
import type { SpanStore } from "../stores/span-store.ts";
import { TraceGoneError } from "../stores/span-store.ts";
import { readTree } from "../traces/read-tree.ts";
import type { TraceName } from "./trace-sample.ts";

/** SHA-256 of a trace as it is answered, whatever its size; null when it is not there. */
export async function treeDigest(
  store: SpanStore,
  { project, traceId }: TraceName,
): Promise<string | null> {
  const answer = await readTree(store, project, { kind: "trace", traceId });
  if (answer.kind === "missing") return null;
  const digest = createHash("sha256");
  if (answer.kind === "whole") return digest.update(answer.json).digest("hex");
  try {
    for await (const chunk of answer.chunks) digest.update(chunk);
  } catch (error) {
    if (error instanceof TraceGoneError) return null;
    throw error;
  }
  return digest.digest("hex");
}
