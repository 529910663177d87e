/** Where the platform is and who is asking. */
export interface Connection {
  /** Without a slash at its end. It may have a path. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Slug or id of the project, for those who may choose one. */
  readonly project: string | undefined;
}

export const DEFAULT_URL = "http://127.0.0.1:4100";

/** Header values are printable ASCII: anything else is a copy that went wrong. */
const HEADER_VALUE = /^[\u0021-\u007e]+$/;

export type ConnectionOutcome =
  | { readonly kind: "connection"; readonly connection: Connection }
  | { readonly kind: "wrong"; readonly reason: string };

interface ConnectionFlags {
  readonly url?: string;
  readonly apiKey?: string;
  readonly project?: string;
}

/** What the options say, else the environment, else the defaults. */
export function readConnection(
  flags: ConnectionFlags,
  environment: Readonly<Record<string, string | undefined>>,
): ConnectionOutcome {
  const url = flags.url ?? (environment.AGATE_BASE_URL || DEFAULT_URL);
  const apiKey = flags.apiKey ?? (environment.AGATE_API_KEY || undefined);
  const { project } = flags;
  const base = readBaseUrl(url);
  if (base === undefined) {
    const source = flags.url === undefined ? "AGATE_BASE_URL" : "--url";
    return wrong(`${source} ${wrongUrl(url, DEFAULT_URL)}`);
  }
  if (apiKey !== undefined && !HEADER_VALUE.test(apiKey)) {
    const source = flags.apiKey === undefined ? "AGATE_API_KEY" : "--api-key";
    return wrong(`${source} is not a valid key: it is empty or has invalid characters`);
  }
  if (project !== undefined && !HEADER_VALUE.test(project)) {
    return wrong(`--project must be the name or id of a project (got '${project}')`);
  }
  return { kind: "connection", connection: { url: base, apiKey, project } };
}

/** The address without the slash at its end; undefined if it is none. */
export function readBaseUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.search !== "" || url.hash !== "" || url.username !== "") return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** What an option is told of that {@link readBaseUrl} does not take. A password in it is not repeated. */
export function wrongUrl(text: string, example: string): string {
  if (text.includes("@"))
    return `must be an address like ${example}, without a user and a password`;
  return `must be an address like ${example} (got '${text}')`;
}

function wrong(reason: string): ConnectionOutcome {
  return { kind: "wrong", reason };
}
