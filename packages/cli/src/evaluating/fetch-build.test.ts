import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveFiles } from "@agate/platform/build-archive";
import { BUILD_FORMAT, type Build, type BuildManifest } from "@agate/protocol";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createApiClient } from "../api-client/api-client.ts";
import { ApiFailure } from "../api-client/api-failure.ts";
import { EvalFailure } from "./eval-failure.ts";
import { fetchBuild } from "./fetch-build.ts";

const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

/** @param program Its only file. */
async function packed(program: string) {
  const bytes = Buffer.from(program);
  const manifest = JSON.stringify({
    format: BUILD_FORMAT,
    application: "echo",
    entry: "app.js",
    sdk_version: "0.0.9",
    node: ">=22",
    install: null,
    files: [{ path: "app.js", size: bytes.length, sha256: sha256(bytes) }],
  } satisfies BuildManifest);
  const files = new Map([
    ["agate-build.json", Buffer.from(manifest)],
    ["app.js", bytes],
  ]);
  return { archive: await archiveFiles(files), sha256: sha256(manifest) };
}

const PROGRAM = "// process.env.AGATE_EVALUATOR_SOCKET";
const { archive: ARCHIVE, sha256: MANIFEST_SHA256 } = await packed(PROGRAM);

let folder: string;
let answer: (response: ServerResponse) => void;
let requests: string[];
const server = createServer((request, response) => {
  requests.push(request.url ?? "");
  answer(response);
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-fetch-"));
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  answer = (response) => response.end(ARCHIVE);
  requests = [];
});

function fetched(
  limits = { archive: ARCHIVE.length, unpacked: 1e6 },
  manifest_sha256 = MANIFEST_SHA256,
) {
  const { port } = server.address() as AddressInfo;
  const api = createApiClient({
    url: `http://127.0.0.1:${port}`,
    apiKey: undefined,
    project: undefined,
  });
  const build = { id: "bld_1", number: 7, allow: [], manifest_sha256 } as unknown as Build;
  const { signal } = new AbortController();
  const platform = { api, describe: String };
  return fetchBuild({ platform, application: "echo", build, folder, signal }, limits);
}

it("refuses an archive beyond a limit, of other bytes than the record says, or cut off", async () => {
  const tooLarge = { archive: ARCHIVE.length - 1, unpacked: 1e6 };
  await expect(fetched(tooLarge)).rejects.toThrow(EvalFailure);
  await expect(fetched({ archive: 1e6, unpacked: 100 })).rejects.toThrow(
    "Build 7 can't be run here: its archive is unusable: It unpacks to more than 100 bytes.",
  );
  await expect(fetched(undefined, sha256("another"))).rejects.toThrow(EvalFailure);
  answer = (response) => {
    response.setHeader("content-length", ARCHIVE.length);
    response.write(ARCHIVE.subarray(0, 50), () => response.destroy());
  };
  await expect(fetched()).rejects.toThrow(ApiFailure);
});

it("takes an archive up to the limit, and downloads a build once", async () => {
  const first = await fetched();
  expect(await readFile(join(first.folder, first.entry), "utf8")).toBe(PROGRAM);
  expect(await fetched()).toMatchObject(first);
  expect(requests).toEqual(["/registry/applications/echo/builds/bld_1/archive"]);
});

it("refuses a build whose SDK has no evaluators, without starting it", async () => {
  const old = await packed("// process.env.AGATE_LISTEN");
  answer = (response) => response.end(old.archive);
  const limits = { archive: old.archive.length, unpacked: 1e6 };
  await expect(fetched(limits, old.sha256)).rejects.toThrow(
    "Build 7 can't be run here. It was packed with @agate/sdk 0.0.9, which cannot run evaluations. Update @agate/sdk to 0.1.0 or later, and deploy the code again.",
  );
});
