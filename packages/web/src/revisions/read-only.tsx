import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import type { ComponentProps } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";
import { Button } from "../design/button.tsx";

/** What stands at everything that is disabled for it. */
export const NEEDS_ADMIN = "Your key only reads: changes need one with the scope admin.";

/** The same at what runs code on the server. */
const NEEDS_DEPLOY = "Your key may not deploy: this needs one with the scope deploy.";

/** Why the reader may not change the registry, or what it runs; null where they may. */
export function useReadOnlyReason(scope: "admin" | "deploy" = "admin"): string | null {
  const session = useQuery(sessionQuery(usePlatform()));
  if (session.data === undefined || mayDo(session.data, scope)) return null;
  return scope === "admin" ? NEEDS_ADMIN : NEEDS_DEPLOY;
}

interface ChangeButtonProps extends ComponentProps<typeof Button> {
  /** What a key needs for it; `admin` unless given. */
  readonly scope?: "admin" | "deploy";
}

/** A button that changes the registry: who may only read is told why it does not for them. */
export function ChangeButton({ refusal, scope, ...rest }: ChangeButtonProps) {
  const readOnlyReason = useReadOnlyReason(scope);
  return <Button refusal={readOnlyReason ?? refusal} {...rest} />;
}

/** Says once on a page why everything that changes something is disabled. */
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
