import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";

/** What stands at everything that is disabled for it. */
export const NEEDS_ADMIN = "Your key only reads: changes need one with the scope admin.";

/** Why the reader may not change the registry; null where they may. */
export function useMayChange(): string | null {
  const session = useQuery(sessionQuery(usePlatform()));
  return session.data === undefined || mayDo(session.data, "admin") ? null : NEEDS_ADMIN;
}
