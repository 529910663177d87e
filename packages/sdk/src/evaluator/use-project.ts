import { environment } from "../runtime/environment.ts";

/**
 * Makes spans, configurations and traces those of the project that `AGATE_PROJECT` names, for callers
 * that may choose one: it is added to every request to the platform. Only an evaluator has this variable,
 * which `agate eval --project` sets; the SDK itself takes the project of its key.
 */
export function useProject(): void {
  const project = environment("AGATE_PROJECT");
  const platform = environment("AGATE_BASE_URL");
  if (project === undefined || platform === undefined) return;
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const isRequest = input instanceof Request;
    if (!String(isRequest ? input.url : input).startsWith(`${platform}/`)) {
      return fetch(input, init);
    }
    const headers = new Headers(init?.headers ?? (isRequest ? input.headers : undefined));
    headers.set("agate-project", project);
    return fetch(input, { ...init, headers });
  };
}
