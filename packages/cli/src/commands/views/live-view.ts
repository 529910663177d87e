import type { ConfigNote, DeployedBuild, Deployment, DeployResult } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import { printableLine } from "../../terminal/printable.ts";
import type { Paint } from "../../terminal/terminal.ts";
import { formatRevision } from "../client/revision-ref.ts";

/** What is live now, what the build makes of its configuration, and where to call it. */
export function* servedLines(
  { application, build, deployment, notes }: DeployResult,
  url: string,
  paint: Paint,
): Generator<string> {
  const app = printableLine(application.slug);
  const environment = printableLine(deployment.environment);
  yield `${printableLine(capitalized(formatLive(deployment)))} is live in ${environment} of ${paint("bold", app)}.`;
  if (build.allow !== null && build.allow.length > 0) {
    yield `Permissions from package.json: ${build.allow.join(", ")}.`;
  }
  yield* noteLines(notes, deployment);
  for (const route of build.routes ?? []) {
    const path = route === "/" ? "" : printableLine(route);
    yield `  ${paint("cyan", `${url}/services/${app}@${environment}/run${path}`)}`;
  }
}

/** So many of each kind are named; `--json` has more. */
const MOST_NAMED = 8;
/** So many defaults are shown with their values. */
const MOST_VALUES = 3;

/** Fields that the revision and the build do not share. */
export function* noteLines(
  notes: readonly ConfigNote[],
  { variant }: Pick<Deployment, "variant">,
): Generator<string> {
  const revision = printableLine(formatRevision(variant));
  const ignored = notes.flatMap((note) =>
    note.kind === "ignored"
      ? [note.field === null ? note.route : `${note.route}.${note.field}`]
      : [],
  );
  if (ignored.length > 0)
    yield `Ignored fields of ${revision}, not in the code: ${named(ignored)}.`;
  const unset = notes.filter((note) => note.kind === "default");
  // Of many, the names alone: a revision that sets nothing would fill the screen at each deploy.
  const withValues = unset.length <= MOST_VALUES;
  const defaults = unset.map(({ route, field, value }) =>
    withValues ? `${route}.${field}=${shownValue(value)}` : `${route}.${field}`,
  );
  if (defaults.length > 0) {
    yield `Defaults of the code, not set in ${revision}: ${named(defaults)}.`;
  }
}

/** Variables do not move with a promotion: names that the target lacks, and how to set them. */
export function* missingVariableLines({
  application,
  deployment: { environment, promoted_from },
  missing_variables: missing,
}: Pick<DeployResult, "application" | "deployment" | "missing_variables">): Generator<string> {
  if (missing.length === 0) return;
  const [first = ""] = missing;
  yield `Variables of ${printableLine(promoted_from ?? "the source")} that ${printableLine(environment)} lacks: ${named(missing)}.`;
  yield `  agate env set ${printableLine(application.slug)} ${printableLine(environment)} ${printableLine(first)}`;
}

function named(fields: readonly string[]): string {
  const shown = fields
    .slice(0, MOST_NAMED)
    .map((field) => printableLine(field))
    .join(", ");
  const more = fields.length - MOST_NAMED;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** @example formatLive(deployment) // "build 3 with default@2" */
export function formatLive({ build, variant }: Pick<Deployment, "build" | "variant">): string {
  return `${formatBuild(build)} with ${formatRevision(variant)}`;
}

/** @example formatBuild({ id, number: 3, kind: "external" }) // "build 3 (external)" */
export function formatBuild(build: DeployedBuild | null): string {
  if (build === null) return "no build";
  return build.kind === "external" ? `build ${build.number} (external)` : `build ${build.number}`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
