import { DEV_BUILD, type LogLine } from "@agate/protocol";
import type { ApplicationRef, Builds } from "../../../registry/registry.ts";
import type { RegistryRefusal } from "../../../registry/registry-outcome.ts";
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
    description: "Only of this build: its number or id; 0 is what `agate dev` runs.",
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
      'A JSON object a line, oldest first: `{"time", "build", "stream", "line"}`. `stream` is `stdout`, `stderr` or `platform`, by which the platform tells what became of a build. `build` is its number, 0 for what `agate dev` runs. With `follow=true` it ends when the server stops.',
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
      const build = await buildNumber(builds, ref, query.build);
      if (typeof build === "object" && build !== null) return problemsAnswer(build.problems);
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
              build,
              tail: query.tail ?? DEFAULT_TAIL,
              follow,
              signal,
            }),
          ),
      };
    },
  });
}

/** Null: of every build. */
async function buildNumber(
  builds: Builds,
  ref: ApplicationRef,
  named: string | undefined,
): Promise<number | null | RegistryRefusal> {
  if (named === undefined) return null;
  if (named === String(DEV_BUILD)) return DEV_BUILD;
  const build = await builds.get(ref, named);
  return build.kind === "refused" ? build : build.value.number;
}

async function* encoded(lines: AsyncIterable<LogLine>): AsyncGenerator<Uint8Array, void> {
  for await (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
}
