import type { ResolvedConfig, RevisionRef, RouteParams } from "@agate/protocol";
import { findApplication } from "./queries/find-application.ts";
import { findRevision } from "./queries/find-revision.ts";
import type { ApplicationRef } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import type { RegistryOutcome } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";

/** What a running workflow asks for: see docs/reference/config-resolution.md. */
export async function resolveConfig(
  { db }: RegistryContext,
  ref: ApplicationRef,
  which: RevisionRef,
): Promise<RegistryOutcome<ResolvedConfig>> {
  const application = await findApplication(db, ref);
  if (application.kind === "refused") return application;
  const { id, slug } = application.value;
  const found = await findRevision(db, id, which, (part) => ["query", part]);
  if (found.kind === "refused") {
    const [problem] = found.problems;
    if (which.kind === "environment" && problem.type === "deployment_not_found") {
      const { environment } = which;
      // Whoever runs a workflow reads this, and is not at the platform just now.
      const msg = `Nothing is deployed to ${environment} of ${slug}. Deploy a revision: agate deployments create ${slug} ${environment} default.`;
      return refused({ ...problem, msg });
    }
    const asksForLatest = which.kind === "variant" && which.revision === null;
    return asksForLatest && problem.type === "revision_not_found"
      ? refused({ ...problem, type: "variant_not_found", loc: ["query", "variant"] })
      : found;
  }
  const { variant, environment, params } = found.value;
  return done({
    application: { id, slug },
    variant,
    environment: environment?.slug ?? null,
    params: JSON.parse(params) as RouteParams,
  });
}
