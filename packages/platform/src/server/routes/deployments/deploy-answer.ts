import type { DeployResult } from "@agate/protocol";
import type { DeployOutcome, DeployProblem, Undeployed } from "../../../deployments/deployer.ts";
import type { FullAnswer } from "../../answer.ts";
import { opaqueAnswer, problemsAnswer } from "../../errors/error-answer.ts";

const RETRY_AFTER = { "retry-after": "5" };
const MOST_LINES = 20;

/** Why a deploy did not go well, as an answer; what the build printed stays out of it. */
export function undeployedAnswer(outcome: Undeployed): FullAnswer {
  switch (outcome.kind) {
    case "refused":
      return problemsAnswer(outcome.problems);
    case "unavailable":
      return opaqueAnswer("store_unavailable", RETRY_AFTER);
    case "stopping":
      return opaqueAnswer("shutting_down", RETRY_AFTER);
  }
}

/** What came of a deploy as one answer: what the build printed last is part of the first message. */
export function deployAnswer(
  outcome: DeployOutcome,
  answer: (result: DeployResult) => FullAnswer,
): FullAnswer {
  if (outcome.kind === "deployed") return answer(outcome.result);
  if (outcome.kind !== "refused" || outcome.log.length === 0) return undeployedAnswer(outcome);
  const [first, ...others] = outcome.problems;
  return undeployedAnswer({ ...outcome, problems: [withLog(first, outcome.log), ...others] });
}

function withLog(problem: DeployProblem, log: readonly string[]): DeployProblem {
  return { ...problem, msg: [problem.msg, ...log.slice(-MOST_LINES)].join("\n") };
}
