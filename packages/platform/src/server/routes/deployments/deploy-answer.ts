import type { IncomingHttpHeaders } from "node:http";
import type { DeployEvents, DeployResult } from "@agate/protocol";
import type {
  DeployOutcome,
  DeployProblem,
  DeployProgress,
  Undeployed,
} from "../../../deployments/deployer.ts";
import type { Answer, FullAnswer, StreamAnswer } from "../../answer.ts";
import { opaqueAnswer, problemsAnswer } from "../../answer.ts";
import { flag } from "../../inputs/input-kinds.ts";
import {
  comment,
  EVENT_STREAM,
  eventStreamAnswer,
  serverSentEvents,
} from "../../live/server-sent-event.ts";

const RETRY_AFTER = { "retry-after": "5" };
const MOST_LINES = 20;

/** A field of the bodies that change what is live. */
export const ALLOW_BREAKING = () =>
  flag({ description: "Accepts that values and routes in use are dropped." });

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
  return outcome.kind === "deployed" ? answer(outcome.result) : refusalAnswer(outcome);
}

/** As {@link undeployedAnswer}, with what the build printed last. */
export function refusalAnswer(outcome: Undeployed): FullAnswer {
  if (outcome.kind !== "refused" || outcome.log.length === 0) return undeployedAnswer(outcome);
  const [first, ...others] = outcome.problems;
  return undeployedAnswer({ ...outcome, problems: [withLog(first, outcome.log), ...others] });
}

function withLog(problem: DeployProblem, log: readonly string[]): DeployProblem {
  return { ...problem, msg: [problem.msg, ...log.slice(-MOST_LINES)].join("\n") };
}

const HEARTBEAT_MS = 10_000;

/** Whether a request asks for the steps of a deploy as they happen. */
export function wantsEvents(headers: IncomingHttpHeaders): boolean {
  return (headers.accept ?? "")
    .split(",")
    .some((type) => type.split(";")[0]?.trim().toLowerCase() === EVENT_STREAM);
}

/**
 * Begins a deploy and answers with its steps. It goes on to its end when the client
 * disconnects: a lost connection must not decide which build serves.
 *
 * @param answerError Logs an unexpected error, and makes the answer for it.
 */
export function deployEvents(
  deploy: (progress: DeployProgress) => Promise<DeployOutcome>,
  answerError: (error: unknown) => Answer,
): StreamAnswer {
  const events: Uint8Array[] = [];
  let isOver = false;
  let wake = () => {};
  const tell = <Name extends keyof DeployEvents>(name: Name, data: DeployEvents[Name]) => {
    events.push(serverSentEvents(name, [JSON.stringify(data)]));
    wake();
  };
  const end = (outcome: DeployOutcome) => {
    if (outcome.kind === "deployed") tell("deployed", outcome.result);
    else tell("refused", refusalOf(undeployedAnswer(outcome), logOf(outcome)));
  };
  deploy({
    begun: (step, detail) => tell("step", { step, state: "begun", detail }),
    done: (step, detail) => tell("step", { step, state: "done", detail }),
  })
    .then(end)
    .catch((error: unknown) => {
      const answer = answerError(error);
      if (answer.kind === "full") tell("refused", refusalOf(answer, []));
    })
    .finally(() => {
      isOver = true;
      wake();
    });

  async function* read(signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    yield comment("deploying");
    const heartbeat = setInterval(() => {
      events.push(comment("still deploying"));
      wake();
    }, HEARTBEAT_MS);
    signal.addEventListener("abort", () => wake());
    try {
      while (!signal.aborted) {
        yield* events.splice(0);
        if (events.length > 0) continue;
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      clearInterval(heartbeat);
    }
  }
  return eventStreamAnswer(read);
}

function refusalOf({ status, body }: FullAnswer, log: readonly string[]): DeployEvents["refused"] {
  const { detail } = JSON.parse(String(body)) as Pick<DeployEvents["refused"], "detail">;
  return { status, detail, log };
}

function logOf(outcome: DeployOutcome): readonly string[] {
  return outcome.kind === "refused" ? outcome.log : [];
}
