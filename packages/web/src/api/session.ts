import { includesScope, type Project, type Scope, type Session } from "@agate/protocol";
import { queryOptions } from "@tanstack/react-query";
import type { PlatformClient } from "./platform-client.ts";

/** Who the reader is to the platform. */
export function sessionQuery(client: PlatformClient) {
  return queryOptions({
    queryKey: [client.project, "session"],
    queryFn: ({ signal }) => client.get<Session>("/session", { signal }),
    staleTime: 60_000,
  });
}

export function isSessionQuery({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[1] === "session";
}

/** All projects that the reader may see. */
export function projectsQuery(client: PlatformClient) {
  return queryOptions({
    queryKey: ["projects"],
    queryFn: async ({ signal }) =>
      (await client.get<{ items: readonly Project[] }>("/registry/projects", { signal })).items,
  });
}

/** Whether a session's caller may do what asks for this scope. */
export function mayDo(session: Session | undefined, scope: Scope): boolean {
  const scopes = session?.caller?.scopes ?? [];
  return includesScope(scopes, scope);
}
