import type { DeclaredEvaluation } from "./evaluator-api.ts";

/** The evaluations that the platform can start runs of. */
export interface ApplicationEvaluations {
  /** Whose eval files declare them; null where no build has any, and for the code that `agate dev` runs. */
  readonly build: { readonly id: string; readonly number: number } | null;
  readonly evaluations: readonly DeclaredEvaluation[];
  /** Why the eval files could not be read, with the last lines of output; null where they could. */
  readonly problem: string | null;
}
