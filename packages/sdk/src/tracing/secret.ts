import { environment } from "../runtime/environment.ts";
import { processSecrets } from "./process-secrets.ts";

/**
 * Reads a secret from the environment. From then on its value is replaced by `[secret:NAME]` in
 * every span, warning and error of Agate's.
 *
 * @example
 * const openai = new OpenAI({ apiKey: ag.secret("OPENAI_API_KEY") });
 */
export function secret(name: string): string {
  const value = environment(name);
  if (value === undefined) {
    throw new Error(
      `The secret ${name} is not there: set the environment variable ${name} before the process starts.`,
    );
  }
  processSecrets.add(name, value);
  return value;
}
