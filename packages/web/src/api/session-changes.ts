import type { Session } from "@agate/protocol";
import { useMutation } from "@tanstack/react-query";
import { usePlatform } from "./platform-context.tsx";

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

/** The cookie is that of every tab: what the others show belongs to somebody else now. */
function announce(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("changed");
  channel.close();
}

/** Calls back whenever somebody signs in or out, in this tab or in another. */
export function onSessionChange(listener: () => void): void {
  new BroadcastChannel(CHANNEL).addEventListener("message", listener);
}
