import type { DeployResult } from "@agate/protocol";
import type { Paint } from "../../terminal/paint.ts";
import { printableLine } from "../../terminal/printable.ts";
import { formatRevision } from "../client/revision-ref.ts";

/** What serves now, what is live, and where to call it. */
export function* servedLines(
  { application, build, deployment }: DeployResult,
  url: string,
  paint: Paint,
): Generator<string> {
  const app = printableLine(application.slug);
  yield `Build ${build.number} serves ${paint("bold", app)}.`;
  if (build.allow !== null && build.allow.length > 0) {
    yield `It may use ${build.allow.join(", ")}, as package.json requests.`;
  }
  if (deployment !== null) {
    const { variant, environment } = deployment;
    yield printableLine(`${formatRevision(variant)} is live in ${environment}.`);
  }
  for (const route of build.routes ?? []) {
    const path = route === "/" ? "" : printableLine(route);
    yield `  ${paint("cyan", `${url}/services/${app}/run${path}`)}`;
  }
}
