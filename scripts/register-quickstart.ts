import { readFile } from "node:fs/promises";

/** What is read of `agate.config.json`: docs/reference/config-file.md. */
interface ConfigFile {
  readonly application: string;
  readonly variants: Readonly<Record<string, object>>;
  readonly environments: Readonly<Record<string, string>>;
}

export interface Registration {
  readonly platformUrl: string;
  /** The running workflow, which tells what its routes take. */
  readonly workflowUrl: string;
  readonly configFile: string;
}

/**
 * Makes a workflow known to a platform, with the variants and deployments of its configuration file.
 * An environment that anything was ever deployed to is left as it is.
 *
 * @throws Error that says what the platform would not do.
 */
export async function registerQuickstart(registration: Registration): Promise<void> {
  const file = JSON.parse(await readFile(registration.configFile, "utf8")) as ConfigFile;
  const { application, variants, environments } = file;
  const applications = `${registration.platformUrl}/registry/applications`;
  const there = `${applications}/${application}`;

  await send("POST", applications, { slug: application }, "slug_taken");
  const openapi = await (await fetch(`${registration.workflowUrl}/openapi.json`)).json();
  const untouched: string[] = [];
  for (const environment of Object.keys(environments)) {
    const history = `${there}/environments/${environment}/deployments?limit=1`;
    const { items } = (await send("GET", history)) as { items: unknown[] };
    if (items.length === 0) untouched.push(environment);
    await send("PUT", `${there}/schema?environment=${environment}`, openapi);
  }
  for (const [variant, params] of Object.entries(variants)) {
    await send("POST", `${there}/variants`, { slug: variant }, "slug_taken");
    const first = { params, base_revision: 0 };
    await send("POST", `${there}/variants/${variant}/revisions`, first, "revision_stale");
  }
  for (const environment of untouched) {
    const variant = environments[environment];
    await send("POST", `${there}/environments/${environment}/deployments`, { variant });
  }
}

/** @param otherwise A refusal that means that it is done already. */
async function send(
  method: string,
  url: string,
  body?: unknown,
  otherwise?: string,
): Promise<unknown> {
  const key = process.env.AGATE_API_KEY;
  const response = await fetch(url, {
    method,
    headers: {
      "content-type": "application/json",
      ...(key && { authorization: `Bearer ${key}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (response.ok) return answer;
  const { detail } = answer as { detail: { type: string; msg: string }[] };
  if (detail.some(({ type }) => type === otherwise)) return undefined;
  throw new Error(detail.map(({ msg }) => msg).join(" "));
}
