import { environment } from "../runtime/environment.ts";
import { processSecrets } from "./process-secrets.ts";

const TELL_PLATFORM = Symbol.for("agate.secret");

/**
 * Reads a secret from the environment. From then on its value is replaced by `[secret:NAME]` in
 * every span, warning and error of Agate's, and in what a deployed build prints.
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
  // Where a platform runs this process: it keeps the value out of what the program prints.
  (globalThis as { [TELL_PLATFORM]?: (name: string, value: string) => void })[TELL_PLATFORM]?.(
    name,
    value,
  );
  return value;
}
