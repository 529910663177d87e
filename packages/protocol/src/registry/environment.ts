import type { Deployment } from "./deployment.ts";

/** Where a revision can be live: `production`, say. */
export interface Environment {
  readonly id: string;
  readonly slug: string;
  readonly created_at: string;
  /** What is live there. */
  readonly deployment: Deployment | null;
}
