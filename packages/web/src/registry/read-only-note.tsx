import { Lock } from "lucide-react";
import { useMayChange } from "../revisions/use-may-change.ts";

/** Says once on a page why everything that changes something is disabled. */
export function ReadOnlyNote() {
  const forbidden = useMayChange();
  if (forbidden === null) return null;
  return (
    <p className="mx-4 mb-3 flex items-center gap-2 rounded-lg bg-sunken px-3 py-2 text-ink-soft md:mx-6">
      <Lock size={15} aria-hidden className="shrink-0" />
      {forbidden}
    </p>
  );
}
