import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";

/** What stands at everything that is disabled for it. */
export const NEEDS_ADMIN = "Your key only reads: changes need one with the scope admin.";

/** The same at what runs code on the server. */
const NEEDS_DEPLOY = "Your key may not deploy: this needs one with the scope deploy.";

/** Why the reader may not change the registry, or what it runs; null where they may. */
export function useMayChange(scope: "admin" | "deploy" = "admin"): string | null {
  const session = useQuery(sessionQuery(usePlatform()));
  if (session.data === undefined || mayDo(session.data, scope)) return null;
  return scope === "admin" ? NEEDS_ADMIN : NEEDS_DEPLOY;
}
