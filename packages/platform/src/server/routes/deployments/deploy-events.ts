import type { IncomingHttpHeaders } from "node:http";
import type { DeployEvents } from "@agate/protocol";
import type { DeployOutcome, DeployProgress } from "../../../deployments/deployer.ts";
import type { Answer, FullAnswer, StreamAnswer } from "../../answer.ts";
import {
  comment,
  EVENT_STREAM,
  eventStreamAnswer,
  serverSentEvents,
} from "../../live/server-sent-event.ts";
import { undeployedAnswer } from "./deploy-answer.ts";

const HEARTBEAT_MS = 10_000;

/** Whether a request asks for the steps of a deploy as they happen. */
export function wantsEvents(headers: IncomingHttpHeaders): boolean {
  return (headers.accept ?? "")
    .split(",")
    .some((type) => type.split(";")[0]?.trim().toLowerCase() === EVENT_STREAM);
}

/**
 * Begins a deploy and answers with its steps. It goes on to its end whether or not anybody reads
 * them: a lost connection must not leave it to chance which build serves.
 *
 * @param answerError What is answered for an error that nobody expected, which it logs.
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
