import { DEV_BUILD, type LogLine } from "@agate/protocol";
import * as z from "zod/mini";
import type { ApplicationRef, Builds } from "../../../registry/registry.ts";
import type { RegistryRefusal } from "../../../registry/registry-outcome.ts";
import { opaqueAnswer, problemsAnswer } from "../../answer.ts";
import { choice, integer, text } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { content } from "../../route.ts";
import { registryRoute } from "../registry/registry-route.ts";
import type { DeploymentRouteDependencies } from "./builds.ts";

const NDJSON = "application/x-ndjson";
const DEFAULT_TAIL = 100;

const logsQuery = () =>
  z.object({
    build: z.optional(
      text({
        description: "Only of this build: its number or id; 0 is what `agate dev` runs.",
        example: "3",
      }),
    ),
    environment: z.optional(
      text({
        description: "Only of this environment: the slug that it had when the line was printed.",
        example: "production",
      }),
    ),
    tail: z._default(
      integer({ description: "How many of the last lines." }, { least: 0, most: 10_000 }),
      DEFAULT_TAIL,
    ),
    follow: z.optional(
      choice({ description: "`true` goes on with new lines as they come." }, ["true", "false"]),
    ),
  });

/** What the builds of an application print, and what became of them. */
export function logsRoute(dependencies: DeploymentRouteDependencies): Route {
  const { deployer, applications, builds, closing, maxBodyBytes } = dependencies;
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: "/registry/applications/{app}/logs",
    tag: "deployments",
    access: "read",
    id: "readLogs",
    summary: "Read what the builds of an application print",
    description:
      'A JSON object a line, oldest first: `{"time", "build", "environment", "stream", "line"}`. `stream` is `stdout`, `stderr` or `platform`, by which the platform tells what became of a build. `build` is its number, 0 for what `agate dev` runs. With `follow=true` it ends when the server stops.',
    query: logsQuery,
    success: content(NDJSON, "The lines."),
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
              environment: query.environment ?? null,
              tail: query.tail,
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
