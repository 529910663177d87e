import { Link } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { Button, buttonClass } from "../design/button.tsx";
import { EmptyState } from "../design/empty-state.tsx";

interface NotThereProps {
  readonly traceId: string;
  readonly isLooking: boolean;
  readonly onRetry: () => void;
}

/** Stands where a trace is not found. */
export function NotThere({ traceId, isLooking, onRetry }: NotThereProps) {
  return (
    <EmptyState icon={SearchX} title="Trace not found">
      <p>
        It has not arrived yet, or it was deleted. Traces appear about a second after a call, and
        this page shows the trace when it arrives.
      </p>
      <p className="max-w-full font-mono text-xs break-all">{traceId}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button disabled={isLooking} onClick={onRetry}>
          {isLooking ? "Loading…" : "Retry"}
        </Button>
        <Link to="/traces" className={buttonClass("quiet")}>
          All traces
        </Link>
      </div>
    </EmptyState>
  );
}
