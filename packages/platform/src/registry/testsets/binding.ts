import type { RouteBinding, RouteSchema } from "@agate/protocol";
import { shownValue, unknownName } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { findRepresentativeBuild, routesOfBuild } from "../build-rows.ts";
import { findApplication } from "../registry-context.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done, refused } from "../registry-outcome.ts";
import type { TestSetRow } from "./test-set-rows.ts";

interface BindingColumns {
  readonly application_id: string | null;
  readonly route: string | null;
}

/** The columns of a binding, which names the application by slug or id; refused where there is no such application or route. */
export async function findBinding(
  db: RegistryDatabase,
  project: string,
  binding: RouteBinding | null,
): Promise<RegistryOutcome<BindingColumns>> {
  if (binding === null) return done({ application_id: null, route: null });
  const found = await findApplication(db, { project, application: binding.application });
  if (found.kind === "refused") {
    const [problem] = found.problems;
    return refused({ ...problem, loc: ["body", "bound_to", "application"] });
  }
  const { id, slug } = found.value;
  const routes = await routesOf(db, id);
  if (routes === null) {
    const msg = `No workflow has told yet which routes ${shownValue(slug)} has. Deploy or register it first.`;
    return refused({ type: "schema_not_found", loc: ["body", "bound_to", "application"], msg });
  }
  const names = routes.map(({ route }) => route);
  if (names.includes(binding.route)) return done({ application_id: id, route: binding.route });
  const msg = unknownName("route", binding.route, names);
  return refused({ type: "test_set_invalid", loc: ["body", "bound_to", "route"], msg });
}

async function routesOf(
  db: RegistryDatabase,
  applicationId: string,
): Promise<readonly RouteSchema[] | null> {
  const build = await findRepresentativeBuild(db, applicationId);
  return (build && routesOfBuild(build)) ?? null;
}

/** The JSON Schema that a test set's inputs must satisfy; null where it is bound to no route. */
export async function inputSchemaOf(
  db: RegistryDatabase,
  { slug, application_id: id, application, route }: TestSetRow,
): Promise<RegistryOutcome<RouteSchema["inputs"] | null>> {
  if (id === null || route === null) return done(null);
  const found = (await routesOf(db, id))?.find((each) => each.route === route);
  if (found !== undefined) return done(found.inputs);
  const msg = `${slug} is bound to ${route} of ${application}, which has no such route any more. Bind it to another route, or to none.`;
  return refused({ type: "test_set_invalid", loc: ["path", "testset"], msg });
}
