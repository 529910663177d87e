import type { DeployResult } from "../../packages/protocol/src/registry/build.ts";

/** An application on a running platform. */
export interface DeployClient {
  deploy(archive: Uint8Array<ArrayBuffer>, query?: string): Promise<Response>;
  /** The same where it must go well. */
  mustDeploy(archive: Uint8Array<ArrayBuffer>, query?: string): Promise<DeployResult>;
  activate(build: number, environment?: string): Promise<DeployResult>;
  /** Any request below the application. */
  send(method: string, path: string, body?: object): Promise<Response>;
  /** Calls a route through the gateway. */
  call(path: string, body: object, headers?: Record<string, string>): Promise<Response>;
}

export function deployClient(url: string, application = "support"): DeployClient {
  const base = `${url}/registry/applications/${application}`;
  const deploy: DeployClient["deploy"] = (archive, query = "?environment=production") =>
    fetch(`${base}/builds${query}`, {
      method: "POST",
      headers: { "content-type": "application/gzip" },
      body: archive,
    });
  const send: DeployClient["send"] = (method, path, body) =>
    fetch(`${base}${path}`, {
      method,
      ...(body && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
  return {
    deploy,
    send,
    mustDeploy: async (archive, query) => result(await deploy(archive, query)),
    activate: async (build, environment = "production") =>
      result(await send("POST", `/builds/${build}/activate`, { environment })),
    call: (path, body, headers = {}) =>
      fetch(`${url}/services/${application}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
  };
}

async function result(response: Response): Promise<DeployResult> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as DeployResult;
}
