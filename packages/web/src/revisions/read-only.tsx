import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import type { ComponentProps } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";
import { Button } from "../design/button.tsx";

export const NEEDS_ADMIN = "Read-only: changes need a key with the admin scope.";
const NEEDS_DEPLOY = "Deploying needs a key with the deploy scope.";
const NEEDS_EVALUATE = "Changing test sets and runs needs a key with the evaluate scope.";

/** What a change needs: `either` of the other two. */
export type ChangeScope = "admin" | "deploy" | "either" | "evaluate";

/** Why the user's key cannot change the registry; null if it can. */
export function useReadOnlyReason(scope: ChangeScope = "admin"): string | null {
  const session = useQuery(sessionQuery(usePlatform()));
  const scopes = scope === "either" ? (["admin", "deploy"] as const) : [scope];
  if (session.data === undefined || scopes.some((each) => mayDo(session.data, each))) return null;
  if (scope === "evaluate") return NEEDS_EVALUATE;
  return scope === "deploy" ? NEEDS_DEPLOY : NEEDS_ADMIN;
}

interface ChangeButtonProps extends ComponentProps<typeof Button> {
  /** The scope that the key needs; `admin` by default. */
  readonly scope?: ChangeScope;
}

/** A button that changes the registry. It is disabled, with the reason, for keys without the scope. */
export function ChangeButton({ refusal, scope, ...rest }: ChangeButtonProps) {
  const readOnlyReason = useReadOnlyReason(scope);
  return <Button refusal={readOnlyReason ?? refusal} {...rest} />;
}

/** Explains once per page why its buttons are disabled. */
export function ReadOnlyNote() {
  const readOnlyReason = useReadOnlyReason();
  if (readOnlyReason === null) return null;
  return (
    <p className="mx-4 mb-3 flex items-center gap-2 rounded-lg bg-sunken px-3 py-2 text-ink-soft md:mx-6">
      <Lock size={15} aria-hidden className="shrink-0" />
      {readOnlyReason}
    </p>
  );
}
