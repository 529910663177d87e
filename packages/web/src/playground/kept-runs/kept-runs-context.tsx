import { createContext, useContext } from "react";
import type { KeptRuns } from "./kept-runs.ts";

const KeptRunsContext = createContext<KeptRuns | null>(null);

export const KeptRunsProvider = KeptRunsContext.Provider;

/** The outputs that this browser keeps. */
export function useKeptRuns(): KeptRuns {
  const kept = useContext(KeptRunsContext);
  if (kept === null) throw new Error("useKeptRuns is used outside of KeptRunsProvider.");
  return kept;
}
