import { AGATE_ATTRIBUTES, type ListedSpan } from "@agate/protocol";

/** A recorded call of a route, with everything needed to repeat it. */
export interface RouteCall {
  readonly spanId: string;
  readonly app: string;
  /** As declared: `/summarize`, `/`. */
  readonly route: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly inputs: unknown;
}

/** The call that a span records; null if it is no call, or names no application. */
export function routeCallOf(span: ListedSpan): RouteCall | null {
  const route = span.metadata.attributes[AGATE_ATTRIBUTES.route];
  const app = span.metadata.application;
  if (typeof route !== "string" || !route.startsWith("/") || app === null) return null;
  return {
    spanId: span.id,
    app,
    route,
    config: span.config ?? {},
    inputs: span.content.inputs ?? {},
  };
}

/** How to reach the platform. */
interface Access {
  /** `http://127.0.0.1:4100` */
  readonly origin: string;
  /** The selected project, where it is not the caller's default. */
  readonly project: string | null;
  readonly needsKey: boolean;
}

/** The shell command that gets a span. */
export function spanCurl(spanId: string, access: Access): string {
  return curl([
    quoted(`${access.origin}/observability/spans/${encodeURIComponent(spanId)}/`),
    ...accessHeaders(access),
  ]);
}

/** The shell command that repeats a call with the same configuration and inputs. */
export function callCurl({ app, route, config, inputs }: RouteCall, access: Access): string {
  const path = route === "/" ? "" : route;
  const url = `${access.origin}/services/${encodeURIComponent(app)}/playground/run${path}`;
  return curl([
    quoted(url),
    ...accessHeaders(access),
    `-H ${quoted("content-type: application/json")}`,
    `--data-raw ${quoted(JSON.stringify({ config, inputs }))}`,
  ]);
}

function accessHeaders({ project, needsKey }: Access): readonly string[] {
  return [
    // In double quotes, so that the shell expands the variable.
    ...(needsKey ? ['-H "authorization: Bearer $AGATE_API_KEY"'] : []),
    ...(project === null ? [] : [`-H ${quoted(`agate-project: ${project}`)}`]),
  ];
}

function curl(parts: readonly string[]): string {
  return `curl -s ${parts.join(" \\\n  ")}`;
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
