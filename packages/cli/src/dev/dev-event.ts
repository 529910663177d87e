import type { RegistryProblem } from "@agate/platform/dev";
import type { CodeProblem } from "../packing/code-problem.ts";

/** What there is to tell while somebody develops. Programs read the same as JSON, a line each. */
export type DevEvent =
  /** The platform answers. The workflow follows, unless something is wrong with it. */
  | { readonly event: "started"; readonly url: string; readonly application: string }
  /** The workflow answers for the first time. */
  | { readonly event: "ready"; readonly routes: readonly string[]; readonly ms: number }
  /** Another version of it answers. */
  | { readonly event: "reloaded"; readonly ms: number }
  /** The code cannot be built. `serving`: whether an earlier version goes on. */
  | {
      readonly event: "broken";
      readonly problems: readonly CodeProblem[];
      readonly serving: boolean;
    }
  /** The code was built and started, and did not come to answering. What it printed was told before. */
  | {
      readonly event: "unusable";
      readonly reason: string;
      /** Where it threw, if that is known. */
      readonly problem: CodeProblem | null;
      readonly serving: boolean;
    }
  /** It answered, and has ended. */
  | { readonly event: "crashed"; readonly reason: string; readonly restartMs: number }
  /** The code calls the application something else than it is registered as. */
  | { readonly event: "renamed"; readonly from: string; readonly to: string }
  /** What is live no longer fits the code, or the registry refuses what the code says of itself. */
  | { readonly event: "misfit"; readonly problems: readonly RegistryProblem[] }
  /** The program has read a file of the project that a deployed build would not have. */
  | { readonly event: "not-packed"; readonly file: string }
  /** The types were checked, after a save. The workflow is served in any case. */
  | {
      readonly event: "type-errors";
      /** The first few. */
      readonly problems: readonly CodeProblem[];
      /** Of all. */
      readonly count: number;
      /** Whether these are the errors that were told the time before. */
      readonly unchanged: boolean;
    }
  /** There are none any more. */
  | { readonly event: "types-fixed" }
  /** The compiler failed before it had checked anything. */
  | { readonly event: "types-unchecked"; readonly reason: string }
  | { readonly event: "output"; readonly stream: "stdout" | "stderr"; readonly line: string }
  | ServedCall
  /** It is being ended. */
  | { readonly event: "ending" };

/** A call of the workflow that is over. */
export interface ServedCall {
  readonly event: "call";
  readonly method: string;
  readonly path: string;
  /** 499 where the client went away before the answer began. */
  readonly status: number;
  /** The client went away before the end of the answer; else not there. */
  readonly cancelled?: true;
  readonly ms: number;
  readonly trace_id: string | null;
}
