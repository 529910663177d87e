import { PlugZap } from "lucide-react";
import { useSyncExternalStore } from "react";
import type { Connection } from "../api/connection.ts";

/** Says that the platform does not answer, for as long as it does not. */
export function ConnectionBanner({ connection }: { readonly connection: Connection }) {
  const isUp = useSyncExternalStore(connection.subscribe, () => connection.isUp);
  return (
    <div role="status">
      {!isUp && (
        <p className="flex items-center justify-center gap-2 bg-warning-soft px-4 py-1.5 font-medium text-warning">
          <PlugZap size={16} aria-hidden className="shrink-0" />
          Agate does not answer. The page goes on by itself as soon as it does.
        </p>
      )}
    </div>
  );
}
