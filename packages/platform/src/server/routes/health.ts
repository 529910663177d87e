import { VERSION } from "../../version.ts";
import { jsonAnswer, opaqueAnswer, type Problem, problemsAnswer } from "../answer.ts";
import type { Readiness, ReadinessCheck } from "../health/readiness.ts";
import type { Route } from "../route.ts";
import { route, success } from "../route.ts";

export interface HealthDependencies {
  /** Fires when the server begins to end: a load balancer is to send nothing more. */
  readonly closing: AbortSignal;
  readonly readiness: Pick<Readiness, "failing">;
}

/** For clients. The routes are public, so details are only in the log. */
const MESSAGES: Readonly<Record<ReadinessCheck, string>> = {
  builds: "Live builds are being started.",
  disk: "The data directory cannot be written to, or its disk is full.",
  store: "The span store does not answer.",
  registry: "The registry does not answer.",
  secrets: "The server lacks the key of stored secrets.",
};

const OK = jsonAnswer(JSON.stringify({ status: "ok", version: VERSION }));

/** Whether the server is up, alive, and ready for calls. */
export function healthRoutes({ closing, readiness }: HealthDependencies): readonly Route[] {
  const shuttingDown = opaqueAnswer("shutting_down", { "retry-after": "5" });
  return [
    route({
      method: "GET",
      path: "/health",
      access: "public",
      id: "getHealth",
      tag: "platform",
      summary: "Is the server up?",
      success: success("Health", "It answers."),
      errors: ["shutting_down"],
      answer: () => (closing.aborted ? shuttingDown : OK),
    }),
    route({
      method: "GET",
      path: "/health/live",
      access: "public",
      id: "getLiveness",
      tag: "platform",
      summary: "Is the process alive?",
      description:
        "For a liveness probe: 200 as long as the process answers, also while it starts builds, waits for a database or shuts down.",
      success: success("Health", "It answers."),
      errors: [],
      answer: () => OK,
    }),
    route({
      method: "GET",
      path: "/health/ready",
      access: "public",
      id: "getReadiness",
      tag: "platform",
      summary: "Can the server take calls?",
      description:
        "For a readiness probe: 503 until every live build has started or has failed to start once, while the disk is full, a database does not answer or the key of stored secrets is missing, and once the server shuts down. Each entry of `detail` names a check that fails: `builds`, `disk`, `store`, `registry` or `secrets`. Outcomes are kept for 2 seconds, so that frequent probes cost nothing.",
      success: success("Health", "Every check passes."),
      errors: ["not_ready", "shutting_down"],
      answer: async () => {
        if (closing.aborted) return shuttingDown;
        const [first, ...others] = (await readiness.failing()).map(asProblem);
        if (first === undefined) return OK;
        return problemsAnswer([first, ...others], { "retry-after": "1" });
      },
    }),
  ];
}

function asProblem({ check }: { readonly check: ReadinessCheck }): Problem {
  return { type: "not_ready", loc: ["check", check], msg: MESSAGES[check] };
}
