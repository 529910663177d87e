import type { LogLine } from "../../../deployments/deployer.ts";
import { opaqueAnswer, problemsAnswer } from "../../errors/error-answer.ts";
import { choiceParameter, integerParameter, textParameter } from "../../query/parameter-kinds.ts";
import { registryRoute } from "../registry/registry-route.ts";
import type { Route } from "../route.ts";
import type { DeploymentRouteDependencies } from "./deployment-route-dependencies.ts";

const NDJSON = "application/x-ndjson";
const DEFAULT_TAIL = 100;

const PARAMETERS = {
  build: textParameter({
    name: "build",
    description: "Only of this build: its number or id.",
    example: "3",
  }),
  tail: integerParameter(
    { name: "tail", description: "How many of the last lines." },
    { least: 0, most: 10_000, default: DEFAULT_TAIL },
  ),
  follow: choiceParameter(
    { name: "follow", description: "`true` goes on with new lines as they come." },
    ["true", "false"],
  ),
};

/** What the builds of an application print, and what became of them. */
export function logsRoute(dependencies: DeploymentRouteDependencies): Route {
  const { deployer, applications, builds, closing, maxBodyBytes } = dependencies;
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: "/registry/applications/{app}/logs",
    access: "read",
    id: "readLogs",
    summary: "Read what the builds of an application print",
    description:
      'A JSON object a line, oldest first: `{"time", "build", "stream", "line"}`. `stream` is `stdout`, `stderr` or `platform`, by which the platform tells what became of a build. With `follow=true` it ends when the server stops.',
    query: PARAMETERS,
    success: {
      status: 200,
      description: "The lines.",
      body: { [NDJSON]: { schema: { type: "string" } } },
    },
    errors: ["build_not_found", "text_too_long", "shutting_down"],
    answer: async ({ ref, query }) => {
      const application = await applications.get(ref);
      if (application.kind === "refused") return problemsAnswer(application.problems);
      const build = query.build === undefined ? null : await builds.get(ref, query.build);
      if (build?.kind === "refused") return problemsAnswer(build.problems);
      if (closing.aborted) return opaqueAnswer("shutting_down", { "retry-after": "5" });
      const follow = query.follow === "true";
      return {
        kind: "stream",
        status: 200,
        contentType: NDJSON,
        headers: { "cache-control": "no-store", "x-accel-buffering": "no" },
        headFirst: follow,
        open: (signal) =>
          encoded(
            deployer.logs(application.value.id, {
              build: build?.value.number ?? null,
              tail: query.tail ?? DEFAULT_TAIL,
              follow,
              signal,
            }),
          ),
      };
    },
  });
}

async function* encoded(lines: AsyncIterable<LogLine>): AsyncGenerator<Uint8Array, void> {
  for await (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
}
