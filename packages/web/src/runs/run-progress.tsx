import type { Run } from "@agate/protocol";
import { useId } from "react";
import { StartRunButton } from "../start-run/start-run-button.tsx";
import { waitText } from "./run-text.ts";
import { sameAgain } from "./same-again.ts";

/** How far a running run is, or what it waits for. */
export function RunProgress({ run }: { readonly run: Run }) {
  const wait = waitText(run);
  return (
    <div className="flex flex-col gap-1">
      <progress
        aria-label="Progress"
        value={run.results}
        max={Math.max(run.items, 1)}
        // Browsers draw their own bar unless each part of it has a style.
        className="h-1.5 w-full max-w-xl appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
      />
      {wait !== null && <p className="text-ink-soft">{wait}</p>}
    </div>
  );
}

/** Why a run ended without a verdict, and a way to start it again. */
export function RunEnd({ run }: { readonly run: Run }) {
  const id = useId();
  const again = sameAgain(run);
  return (
    <section
      aria-labelledby={id}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg border border-line bg-sunken px-3 py-2"
    >
      <div className="min-w-0">
        <h2 id={id} className="font-medium">
          {run.status === "stopped" ? "The run was stopped" : "The run could not be carried out"}
        </h2>
        {run.reason !== null && <p className="whitespace-pre-wrap wrap-anywhere">{run.reason}</p>}
      </div>
      {again !== null && <StartRunButton preset={again}>Start again…</StartRunButton>}
    </section>
  );
}
