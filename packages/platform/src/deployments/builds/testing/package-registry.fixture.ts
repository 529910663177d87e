import { createHash } from "node:crypto";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { fileEntry } from "./build-archive.fixture.ts";

/** A package: its files, package.json among them. */
export type PackageFiles = Readonly<Record<string, string>>;

/** Serves tarballs of packages on the loopback address, as a package registry does. */
export interface PackageRegistry extends AsyncDisposable {
  /** How often a tarball was asked for. */
  readonly requests: number;
  /** Publishes packages; gives package.json and package-lock.json of a project that needs them. */
  publish(packages: Readonly<Record<string, PackageFiles>>): Promise<Record<string, string>>;
}

export async function startPackageRegistry(): Promise<PackageRegistry> {
  const tarballs = new Map<string, Uint8Array>();
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    requests++;
    const tarball = tarballs.get(incoming.url ?? "");
    outgoing.writeHead(tarball === undefined ? 404 : 200).end(tarball);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    get requests() {
      return requests;
    },
    async publish(packages) {
      const locked: Record<string, object> = {};
      for (const [name, files] of Object.entries(packages)) {
        const path = `/${name}/-/${name}-1.0.0.tgz`;
        const entries = Object.entries(files).map(([file, text]) =>
          fileEntry(`package/${file}`, text),
        );
        const tarball = gzipSync(await packTar(entries));
        tarballs.set(path, tarball);
        locked[`node_modules/${name}`] = {
          version: "1.0.0",
          resolved: `http://127.0.0.1:${port}${path}`,
          integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
          ...(files["package.json"]?.includes("postinstall") && { hasInstallScript: true }),
        };
      }
      const project = {
        name: "agate-build",
        version: "0.0.0",
        dependencies: Object.fromEntries(Object.keys(packages).map((name) => [name, "1.0.0"])),
      };
      return {
        "package.json": JSON.stringify(project),
        "package-lock.json": JSON.stringify({
          name: project.name,
          version: project.version,
          lockfileVersion: 3,
          requires: true,
          packages: { "": project, ...locked },
        }),
      };
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** package.json of version 1.0.0. */
export function packageJson(name: string, more: object = {}): string {
  return JSON.stringify({ name, version: "1.0.0", main: "index.js", ...more });
}
