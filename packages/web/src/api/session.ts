import { includesScope, type Project, type Scope, type Session } from "@agate/protocol";
import { queryOptions, useMutation } from "@tanstack/react-query";
import type { PlatformClient } from "./platform-client.ts";
import { usePlatform } from "./platform-context.tsx";

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

/** Has the cookie set, which every request from then on carries. */
export function useSignIn() {
  const client = usePlatform();
  return useMutation({
    mutationFn: (key: string) => client.send<Session>("POST", "/session", { key }),
    onSuccess: announce,
  });
}

export function useSignOut(onError?: (error: Error) => void) {
  const client = usePlatform();
  return useMutation({
    mutationFn: () => client.send<undefined>("DELETE", "/session"),
    onSuccess: announce,
    ...(onError && { onError }),
  });
}

const CHANNEL = "agate-session";

/** Tabs share the cookie: the other tabs must not keep showing the previous session's data. */
function announce(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("changed");
  channel.close();
}

/** Calls back after a sign-in or sign-out, in this tab or in another. */
export function onSessionChange(listener: () => void): void {
  new BroadcastChannel(CHANNEL).addEventListener("message", listener);
}
