import { FIRST_ANSWERS_ID } from "@agate/protocol";
import type { QueryClient } from "@tanstack/react-query";
import type { PlatformClient } from "./platform-client.ts";
import { readFirstAnswers } from "./read-first-answers.ts";
import { sessionQuery } from "./session.ts";

/**
 * Puts the answers of the document into the cache, as if they had been asked for. Not as initial data of the
 * queries: when the session changes, these are reset to nothing.
 */
export function keepFirstAnswers(queries: QueryClient, client: PlatformClient): void {
  const first = readFirstAnswers();
  document.getElementById(FIRST_ANSWERS_ID)?.remove();
  if (first === null) return;
  queries.setQueryData(sessionQuery(client).queryKey, first.session);
  if (first.traces !== null) queries.setQueryData(firstTracesKey(client), first.traces);
}

/** Where the list of the document waits for the page that shows it. */
export function firstTracesKey({ project }: PlatformClient): readonly unknown[] {
  return [project, "first-traces"];
}
