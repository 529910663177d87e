import { calledProvider } from "../pricing/provider-names.ts";

/** Of provider and response id together. Ids of real providers have up to about 70 characters. */
export const LONGEST_CALL = 256;

/**
 * An id with fewer characters is not unique: Ollama's OpenAI endpoint draws `chatcmpl-0` to
 * `chatcmpl-998`, and models in tests answer with the same id every time.
 */
export const UNIQUE_ID = 16;

/**
 * What all reports of one call to a model have in common, within a trace: the provider and its id of
 * the answer. Null for names too long to be kept with each span.
 */
export function callKey(provider: string | null, responseId: string): string | null {
  if ((provider?.length ?? 0) + responseId.length > LONGEST_CALL) return null;
  return `${provider === null ? "" : (calledProvider(provider) ?? "")} ${responseId}`;
}
