import { AGATE_ATTRIBUTES, type ListedSpan } from "@agate/protocol";

/** A recorded call of a route, with everything that is needed to call it again. */
export interface RouteCall {
  readonly spanId: string;
  readonly app: string;
  /** As declared: `/summarize`, `/`. */
  readonly route: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly inputs: unknown;
}

/** The call that a span records; null if it is none, or of an application that nobody names. */
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

/** How this page reaches the platform. */
interface Access {
  /** `http://127.0.0.1:4100` */
  readonly origin: string;
  /** The project that was chosen, where it is not the caller's own. */
  readonly project: string | null;
  readonly needsKey: boolean;
}

/** Reads a span, as a line for a shell. */
export function spanCurl(spanId: string, access: Access): string {
  return curl([
    quoted(`${access.origin}/observability/spans/${encodeURIComponent(spanId)}/`),
    ...accessHeaders(access),
  ]);
}

/** Calls the route again with the same configuration and inputs, as a line for a shell. */
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
    // In double quotes, so that the shell puts the key in.
    ...(needsKey ? ['-H "authorization: Bearer $AGATE_API_KEY"'] : []),
    ...(project === null ? [] : [`-H ${quoted(`agate-project: ${project}`)}`]),
  ];
}

function curl(parts: readonly string[]): string {
  return `curl -s ${parts.join(" \\\n  ")}`;
}

/** One word of a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
