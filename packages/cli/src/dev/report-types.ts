import type { CodeProblem } from "../packing/code-problem.ts";
import type { DevEvent } from "./dev-event.ts";
import type { TypeCheck } from "./type-checker.ts";

/** Errors that are shown in full; the rest is counted. */
const MOST_SHOWN = 5;

/** Tells what came of each check of the types: nothing while there is nothing wrong. */
export function reportTypes(tell: (event: DevEvent) => void): (check: TypeCheck) => void {
  let last: readonly CodeProblem[] = [];
  let lastFailure: string | undefined;
  return (check) => {
    if (check.kind === "failed") {
      if (check.reason !== lastFailure) tell({ event: "types-unchecked", reason: check.reason });
      lastFailure = check.reason;
      return;
    }
    const { errors } = check;
    if (errors.length > 0) {
      tell({
        event: "type-errors",
        problems: errors.slice(0, MOST_SHOWN),
        count: errors.length,
        unchanged: JSON.stringify(errors) === JSON.stringify(last),
      });
    } else if (last.length > 0) tell({ event: "types-fixed" });
    last = errors;
    lastFailure = undefined;
  };
}
