import type { Usage } from "@agate/protocol";
import { calledProvider } from "../pricing/provider-names.ts";

/** Of provider and response id together. Ids of real providers have up to about 70 characters. */
export const LONGEST_CALL = 256;

// Ollama's OpenAI endpoint draws from these 999: two calls of a trace may well have the same one.
const REUSED_ID = /^(?:chatcmpl|cmpl)-\d{1,3}$/;

/**
 * What all reports of one call to a model have in common, within a trace: the provider and its id of
 * the answer. Null for names too long to be kept with each span.
 */
export function callKey(
  provider: string | null,
  responseId: string,
  usage: Usage | null,
): string | null {
  if ((provider?.length ?? 0) + responseId.length > LONGEST_CALL) return null;
  const key = `${provider === null ? "" : (calledProvider(provider) ?? "")} ${responseId}`;
  if (!REUSED_ID.test(responseId)) return key;
  return `${key} ${usage?.input_tokens ?? ""} ${usage?.output_tokens ?? ""}`;
}
