import type { ApplicationEvaluations } from "@agate/protocol";
import * as z from "zod/mini";
import type { EvaluatedBuild, Evaluators } from "../../../evaluations/evaluators.ts";
import type { ApplicationRef, Registry } from "../../../registry/registry.ts";
import { done, type RegistryOutcome, refused } from "../../../registry/registry-outcome.ts";
import { name } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { success } from "../../route.ts";
import { outcomeAnswer, registryRoute } from "../registry/registry-route.ts";

export interface DeclaredEvaluationsDependencies {
  readonly registry: Pick<Registry, "applications" | "builds">;
  readonly evaluators: Pick<Evaluators, "newest" | "describe">;
  readonly maxBodyBytes: number;
}

const NO_EVALUATIONS: ApplicationEvaluations = { build: null, evaluations: [], problem: null };

/** The evaluations of an application that the platform can start runs of. */
export function declaredEvaluationsRoute({
  registry,
  evaluators,
  maxBodyBytes,
}: DeclaredEvaluationsDependencies): Route {
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: "/registry/applications/{app}/evaluations",
    access: "read",
    tag: "evaluations",
    id: "listEvaluations",
    summary: "List the evaluations of an application",
    description:
      "As the eval files of a build declare them. The first request for a build starts it with its eval files, with the variables of the environment `development`, which takes some seconds; then its evaluations are stored.",
    query: () =>
      z.object({
        build: z.optional(
          name({
            description: "Number or id of a build; without it, the newest build with eval files.",
            example: "3",
          }),
        ),
      }),
    success: success("ApplicationEvaluations", "The evaluations, or why they could not be read."),
    errors: ["build_not_found"],
    answer: async ({ ref, query }, reply) => {
      const found = await findCode(ref, query.build);
      if (found.kind === "refused") return outcomeAnswer(found, reply);
      return reply(found.value === null ? NO_EVALUATIONS : await evaluationsOf(found.value));
    },
  });

  async function evaluationsOf(code: EvaluatedBuild): Promise<ApplicationEvaluations> {
    const { build } = code;
    const described = await evaluators.describe(code);
    if (described.kind === "described") {
      return { build, evaluations: described.evaluations, problem: null };
    }
    const problem = [described.reason, ...described.log].join("\n");
    return { build, evaluations: [], problem };
  }

  async function findCode(
    ref: ApplicationRef,
    number: string | undefined,
  ): Promise<RegistryOutcome<EvaluatedBuild | null>> {
    const found = await registry.applications.get(ref);
    if (found.kind === "refused") return found;
    const { id, slug } = found.value;
    const application = { project: ref.project, application: { id, slug } };
    if (number === undefined) return done((await evaluators.newest(application)) ?? null);
    const build = await registry.builds.get(ref, number);
    if (build.kind === "refused") return refused({ ...build.problems[0], loc: ["query", "build"] });
    return done({ ...application, build: { id: build.value.id, number: build.value.number } });
  }
}
