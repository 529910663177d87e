import { type ResultsPlace, writeScores } from "../../../evaluations/record-results.ts";
import type { Registry } from "../../../registry/registry.ts";
import { opaqueAnswer } from "../../answer.ts";
import type { Route } from "../../route.ts";
import { noContent } from "../../route.ts";
import { outcomeAnswer, registryRoute } from "../registry/registry-route.ts";
import { TEST_SET } from "./test-sets.ts";

const RETRY_AFTER_SECONDS = "5";

interface PurgeDependencies extends Pick<ResultsPlace, "store" | "now"> {
  readonly registry: Pick<Registry, "runs" | "testSets">;
  readonly maxBodyBytes: number;
  readonly onStoreUnavailable: (reason: string) => void;
}

/** `POST /registry/testsets/{testset}/rows/{row}/purge` */
export function purgeRowRoute({
  registry: { testSets, runs },
  store,
  maxBodyBytes,
  now,
  onStoreUnavailable,
}: PurgeDependencies): Route {
  return registryRoute(maxBodyBytes, {
    method: "POST",
    path: `${TEST_SET}/rows/{row}/purge`,
    tag: "testsets",
    access: "admin",
    id: "purgeTestRow",
    summary: "Purge a row of a test set",
    description:
      "Deletes its inputs, expected value, metadata, tags and source from all revisions, for good, and its outputs, errors and explanations from all runs. Its id stays, marked `purged`, and cannot get another content.",
    success: noContent("Its content is gone."),
    errors: ["store_unavailable"],
    answer: async ({ caller: { project }, params }, reply) => {
      const purged = await testSets.purge(project, params.testset, params.row);
      if (purged.kind === "refused") return outcomeAnswer(purged, () => reply());
      const row = { testset: purged.value.slug, row: params.row };
      // Traces have the explanations, too: the same scores again, without texts, replace them.
      for await (const { run, items } of runs.scoresOfRow(project, row)) {
        const failed = await writeScores({ store, now }, { project, run }, items);
        if (failed === undefined) continue;
        onStoreUnavailable(failed.reason);
        return opaqueAnswer("store_unavailable", { "retry-after": RETRY_AFTER_SECONDS });
      }
      return reply();
    },
  });
}
