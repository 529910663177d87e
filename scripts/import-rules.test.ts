import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const repository = join(import.meta.dirname, "..");
const biome = join(repository, "node_modules/@biomejs/biome/bin/biome");

/** Each line: a file, and what it imports. */
const forbidden: readonly (readonly [file: string, statement: string])[] = [
  ["packages/platform/src/server/a.ts", 'import { x } from "../commands/x.ts";'],
  ["packages/platform/src/server/b.ts", 'import { x } from "../start-platform.ts";'],
  ["packages/platform/src/ingest/a.ts", 'import { x } from "../server/x.ts";'],
  ["packages/platform/src/ingest/b.ts", 'import { x } from "../traces/x.ts";'],
  ["packages/platform/src/ingest/deep/c.ts", 'import { x } from "../../commands/x.ts";'],
  ["packages/platform/src/ingest/deep/d.ts", 'import { x } from "../../start-platform.ts";'],
  ["packages/platform/src/traces/a.ts", 'import { x } from "../server/x.ts";'],
  ["packages/platform/src/traces/b.ts", 'import { x } from "../ingest/x.ts";'],
  ["packages/platform/src/traces/c.ts", 'import { x } from "../commands/x.ts";'],
  ["packages/platform/src/traces/d.ts", 'import { x } from "../start-platform.ts";'],
  ["packages/platform/src/stores/a.ts", 'import { x } from "../commands/x.ts";'],
  ["packages/platform/src/stores/b.ts", 'import { x } from "../server/x.ts";'],
  ["packages/platform/src/stores/c.ts", 'import { x } from "../ingest/x.ts";'],
  ["packages/platform/src/stores/sqlite/d.ts", 'import { x } from "../../traces/x.ts";'],
  ["packages/platform/src/stores/e.ts", 'import { x } from "../start-platform.ts";'],
  ["packages/platform/src/ingest/e.ts", 'import { x } from "../registry/x.ts";'],
  ["packages/platform/src/traces/deep/e.ts", 'import { x } from "../../registry/x.ts";'],
  ["packages/platform/src/stores/f.ts", 'import { x } from "../registry/x.ts";'],
  ["packages/platform/src/stores/registry/g.ts", 'import { x } from "../../registry/x.ts";'],
  ["packages/platform/src/threads/a.ts", 'import { x } from "../stores/x.ts";'],
  ["packages/platform/src/threads/b.ts", 'import { x } from "@agate/spans";'],
  ["packages/cli/src/packing/a.ts", 'import { x } from "../server/x.ts";'],
  ["packages/cli/src/packing/b.ts", 'import { x } from "../stores/x.ts";'],
  ["packages/cli/src/packing/deep/c.ts", 'import { x } from "../../registry/x.ts";'],
  ["packages/cli/src/packing/d.ts", 'import type { x } from "../deployments/x.ts";'],
  ["packages/cli/src/packing/e.ts", 'import { x } from "../commands/x.ts";'],
  ["packages/cli/src/dev/a.ts", 'import { x } from "../commands/x.ts";'],
  ["packages/cli/src/dev/b.ts", 'import { x } from "../api-client/x.ts";'],
  ["packages/platform/src/server/dev.ts", 'import { x } from "../dev/x.ts";'],
  ["packages/cli/src/packing/dev.ts", 'import { x } from "../dev/x.ts";'],
  ["packages/platform/src/deployments/deep/dev.ts", 'import { x } from "../../dev/x.ts";'],
  ["packages/cli/src/project-template/a.ts", 'import { x } from "../registry/x.ts";'],
  ["packages/platform/src/server/template.ts", 'import { x } from "../project-template/x.ts";'],
  ["packages/platform/src/deployments/a.ts", 'import { x } from "../packing/x.ts";'],
  ["packages/platform/src/server/d.ts", 'import { x } from "../packing/x.ts";'],
  ["packages/platform/src/deployments/a.ts", 'import { x } from "../server/x.ts";'],
  ["packages/platform/src/deployments/b.ts", 'import { x } from "../commands/x.ts";'],
  ["packages/platform/src/deployments/builds/c.ts", 'import { x } from "../../ingest/x.ts";'],
  ["packages/platform/src/deployments/builds/d.ts", 'import { x } from "../../traces/x.ts";'],
  ["packages/platform/src/deployments/builds/e.ts", 'import { x } from "../../packing/x.ts";'],
  ["packages/platform/src/deployments/f.ts", 'import { x } from "../start-platform.ts";'],
  ["packages/platform/src/deployments/builds/g.ts", 'import { x } from "../hosting/x.ts";'],
  [
    "packages/platform/src/deployments/processes/h.ts",
    'import { x } from "../create-deployer.ts";',
  ],
  ["packages/platform/src/deployments/gateway/i.ts", 'import { x } from "../processes/x.ts";'],
  ["packages/platform/src/registry/deployed-a.ts", 'import { x } from "../deployments/x.ts";'],
  ["packages/platform/src/registry/deployed-b.ts", 'import { x } from "../server/x.ts";'],
  ["packages/platform/src/stores/deployed.ts", 'import { x } from "../deployments/x.ts";'],
  ["packages/platform/src/ingest/deployed.ts", 'import { x } from "../deployments/x.ts";'],
  ["packages/platform/src/access/a.ts", 'import { x } from "../server/x.ts";'],
  ["packages/platform/src/access/b.ts", 'import { x } from "../ingest/x.ts";'],
  ["packages/platform/src/access/c.ts", 'import { x } from "../traces/x.ts";'],
  ["packages/platform/src/access/d.ts", 'import { x } from "../registry/x.ts";'],
  ["packages/platform/src/access/e.ts", 'import { x } from "../start-platform.ts";'],
  ["packages/platform/src/access/f.ts", 'import { x } from "../create-key-offline.ts";'],
  ["packages/platform/src/ingest/access.ts", 'import { x } from "../access/x.ts";'],
  ["packages/platform/src/traces/access.ts", 'import { x } from "../access/x.ts";'],
  ["packages/platform/src/registry/access.ts", 'import { x } from "../access/x.ts";'],
  ["packages/platform/src/stores/access.ts", 'import { x } from "../access/x.ts";'],
  ["packages/platform/src/store-copy/a.ts", 'import { x } from "../commands/x.ts";'],
  ["packages/platform/src/store-copy/b.ts", 'import { x } from "../terminal/x.ts";'],
  ["packages/platform/src/store-copy/c.ts", 'import { x } from "../registry/x.ts";'],
  ["packages/platform/src/stores/copied.ts", 'import { x } from "../store-copy/x.ts";'],
  ["packages/platform/src/server/copied.ts", 'import { x } from "../store-copy/x.ts";'],
  ["packages/platform/src/store-copy/d.ts", 'import { x } from "../registry-copy/x.ts";'],
  ["packages/platform/src/backup/a.ts", 'import { x } from "../server/x.ts";'],
  ["packages/platform/src/backup/b.ts", 'import { x } from "../registry/x.ts";'],
  ["packages/platform/src/stores/backed.ts", 'import { x } from "../backup/x.ts";'],
  ["packages/platform/src/registry-copy/a.ts", 'import { x } from "../commands/x.ts";'],
  ["packages/platform/src/registry-copy/b.ts", 'import { x } from "../store-copy/x.ts";'],
  ["packages/platform/src/registry-copy/c.ts", 'import { x } from "../registry/x.ts";'],
  ["packages/platform/src/deployments/copied.ts", 'import { x } from "../registry-copy/x.ts";'],
  ["packages/cli/src/api-client/a.ts", 'import { x } from "../commands/x.ts";'],
  ["packages/cli/src/api-client/b.ts", 'import { x } from "../terminal/x.ts";'],
  ["packages/cli/src/api-client/c.ts", 'import { x } from "@agate/spans";'],
  ["packages/cli/src/terminal/a.ts", 'import { x } from "../api-client/x.ts";'],
  ["packages/cli/src/terminal/b.ts", 'import type { x } from "@agate/protocol";'],
  ["packages/platform/src/server/routes/client.ts", 'import { x } from "../../api-client/x.ts";'],
  ["packages/platform/src/deployments/printed.ts", 'import { x } from "../terminal/x.ts";'],
  ["packages/platform/src/start-platform.ts", 'import { x } from "./commands/x.ts";'],
  ["packages/platform/src/create-key-offline.ts", 'import { x } from "./commands/x.ts";'],
  ["packages/cli/src/leaf-c.ts", 'import { x } from "./create-key-offline.ts";'],
  ["packages/cli/src/leaf-a.ts", 'import { x } from "./stores/x.ts";'],
  ["packages/cli/src/leaf-b.ts", 'import { x } from "./start-platform.ts";'],
  ["packages/spans/src/dialects/a.ts", 'import { x } from "../record/x.ts";'],
  ["packages/spans/src/dialects/b.ts", 'import { x } from "../pricing/x.ts";'],
  ["packages/spans/src/dialects/c.ts", 'import { x } from "../span-tree/x.ts";'],
  ["packages/spans/src/pricing/a.ts", 'import { x } from "../record/x.ts";'],
  ["packages/spans/src/pricing/b.ts", 'import { x } from "../dialects/x.ts";'],
  ["packages/spans/src/pricing/c.ts", 'import { x } from "../span-tree/x.ts";'],
  ["packages/spans/src/span-tree/a.ts", 'import { x } from "../record/x.ts";'],
  ["packages/spans/src/span-tree/b.ts", 'import { x } from "../dialects/x.ts";'],
  ["packages/spans/src/span-tree/c.ts", 'import { x } from "../pricing/x.ts";'],
  ["packages/spans/src/record/a.ts", 'import { x } from "node:fs";'],
  ["packages/spans/src/record/b.ts", 'import { x } from "zod";'],
  ["packages/spans/src/record/c.ts", 'import { x } from "@agate/cli";'],
  ["packages/spans/src/record/d.ts", 'import { x } from "../../../sdk/src/x.ts";'],
  ["packages/spans/src/record/e.ts", 'import { x } from "./otlp-span.fixture.ts";'],
  ["packages/cli/src/commands/a.ts", 'import { x } from "@agate/sdk/source";'],
  ["packages/cli/src/commands/b.ts", 'import { x } from "../../../web/src/x.ts";'],
  ["packages/cli/src/commands/c.ts", 'import { x } from "../../../protocol/src/x.ts";'],
  ["packages/cli/src/commands/e.ts", 'import { x } from "../../../spans/src/x.ts";'],
  ["packages/sdk/src/a.ts", 'import { x } from "@agate/cli";'],
  ["packages/sdk/src/b.ts", 'import { x } from "../../cli/src/x.ts";'],
  ["packages/sdk/src/c.ts", 'import { x } from "../../spans/src/x.ts";'],
  ["packages/sdk/src/server/a.ts", 'import { x } from "../app/x.ts";'],
  ["packages/sdk/src/server/b.ts", 'import { x } from "../index.ts";'],
  ["packages/sdk/src/server/c.ts", 'import { x } from "../client/x.ts";'],
  ["packages/sdk/src/server/d.ts", 'import { x } from "../node/x.ts";'],
  ["packages/sdk/src/routes/a.ts", 'import { x } from "../server/x.ts";'],
  ["packages/sdk/src/routes/b.ts", 'import type { x } from "../app/x.ts";'],
  ["packages/sdk/src/config-source/a.ts", 'import { x } from "../routes/x.ts";'],
  ["packages/sdk/src/config-source/b.ts", 'import { x } from "../server/x.ts";'],
  ["packages/sdk/src/tracing/a.ts", 'import { x } from "../config-source/x.ts";'],
  ["packages/sdk/src/tracing/b.ts", 'import { x } from "../routes/x.ts";'],
  ["packages/sdk/src/context/a.ts", 'import { x } from "../tracing/x.ts";'],
  ["packages/sdk/src/context/b.ts", 'import { x } from "../config-source/x.ts";'],
  ["packages/sdk/src/config/a.ts", 'import { x } from "../runtime/x.ts";'],
  ["packages/sdk/src/config/b.ts", 'import { x } from "../context/x.ts";'],
  ["packages/sdk/src/config/c.ts", 'import { x } from "zod";'],
  ["packages/sdk/src/config/d.ts", 'import type { x } from "zod/v4";'],
  ["packages/sdk/src/runtime/a.ts", 'import { x } from "../config/x.ts";'],
  ["packages/sdk/src/runtime/b.ts", 'import { x } from "node:async_hooks";'],
  ["packages/sdk/src/tracing/c.ts", 'import type { x } from "node:http";'],
  ["packages/sdk/src/server/e.ts", 'import { x } from "@agate/protocol/schemas";'],
  ["packages/sdk/src/assets/a.ts", 'import { x } from "../config/x.ts";'],
  ["packages/sdk/src/assets/b.ts", 'import { x } from "@agate/protocol";'],
  ["packages/sdk/src/version.ts", 'import { x } from "./runtime/x.ts";'],
  ["packages/sdk/src/client/a.ts", 'import { x } from "../app/x.ts";'],
  ["packages/sdk/src/client/b.ts", 'import { x } from "../routes/x.ts";'],
  ["packages/sdk/src/client/c.ts", 'import type { x } from "../tracing/x.ts";'],
  ["packages/sdk/src/client/d.ts", 'import { x } from "@agate/protocol";'],
  ["packages/sdk/src/client/e.ts", 'import { type x } from "../config/x.ts";'],
  ["packages/sdk/src/node/a.ts", 'import { x } from "../app/x.ts";'],
  ["packages/sdk/src/node/b.ts", 'import { x } from "../tracing/x.ts";'],
  ["packages/sdk/src/elsewhere/a.ts", 'import { x } from "../app/x.ts";'],
  ["packages/sdk/src/elsewhere/b.ts", 'import { x } from "node:http";'],
  ["packages/sdk/src/runner/a.ts", 'import { x } from "../server/x.ts";'],
  ["packages/sdk/src/runner/b.ts", 'import { x } from "../node/x.ts";'],
  ["packages/sdk/src/app/a.ts", 'import { x } from "../runner/x.ts";'],
  ["packages/sdk/src/server/f.ts", 'import { x } from "../runner/x.ts";'],
  ["packages/web/src/a.ts", 'import { x } from "@agate/cli";'],
  ["packages/web/src/b.ts", 'import { x } from "../../sdk/src/x.ts";'],
  ["packages/web/src/c.ts", 'import { x } from "../../spans/src/x.ts";'],
  ["packages/protocol/src/a.ts", 'import { x } from "node:fs";'],
  ["packages/protocol/src/b.ts", 'import { x } from "@agate/cli";'],
  ["packages/protocol/src/c.ts", 'import { x } from "../../cli/src/x.ts";'],
  ["packages/protocol/src/e.ts", 'import { x } from "../../spans/src/x.ts";'],
  ["packages/cli/src/commands/d.ts", 'import { x } from "vitest";'],
  ["packages/platform/src/server/c.ts", 'import { x } from "fast-check";'],
  ["packages/platform/src/stores/f.ts", 'import { x } from "ajv/dist/2020.js";'],
  ["packages/protocol/src/d.ts", 'import { x } from "./x.test.ts";'],
  ["packages/platform/src/stores/g.ts", 'import { x } from "./span-store.contract.ts";'],
  // The other ways to name a module.
  ["packages/platform/src/stores/h.ts", 'import type { x } from "../server/x.ts";'],
  ["packages/platform/src/stores/i.ts", 'export { x } from "../server/x.ts";'],
  ["packages/platform/src/stores/j.ts", 'import "../server/x.ts";'],
  ["packages/platform/src/stores/k.ts", 'export const x = await import("../server/x.ts");'],
  ["packages/web/src/traces/a.ts", 'import { x } from "../app/x.ts";'],
  ["packages/web/src/traces/b.tsx", 'import { x } from "../playground/x.ts";'],
  ["packages/web/src/playground/state/a.ts", 'import { x } from "../../traces/x.ts";'],
  ["packages/web/src/dashboard/a.ts", 'import { x } from "../registry/x.ts";'],
  ["packages/web/src/registry/a.ts", 'import { x } from "../dashboard/x.ts";'],
  ["packages/web/src/sign-in/a.ts", 'import { x } from "../traces/x.ts";'],
  ["packages/web/src/trace-view/a.tsx", 'import { x } from "../playground/x.ts";'],
  ["packages/web/src/revisions/a.tsx", 'import { x } from "../app/x.ts";'],
  ["packages/web/src/api/a.ts", 'import { x } from "../design/x.ts";'],
  ["packages/web/src/design/a.tsx", 'import { x } from "../api/x.ts";'],
  ["packages/web/src/format/a.ts", 'import { x } from "node:fs";'],
];

const allowed: readonly (readonly [file: string, statement: string])[] = [
  ["packages/cli/src/commands/ok.ts", 'import { x } from "../start-platform.ts";'],
  ["packages/cli/src/commands/fine.ts", 'import { x } from "../server/x.ts";'],
  ["packages/cli/src/commands/pack.ts", 'import { x } from "../packing/x.ts";'],
  ["packages/cli/src/packing/ok.ts", 'import { x } from "@agate/protocol";'],
  ["packages/cli/src/dev/ok.ts", 'import { x } from "../start-platform.ts";'],
  ["packages/cli/src/dev/fine.ts", 'import { x } from "../packing/x.ts";'],
  ["packages/cli/src/dev/services.ts", 'import { x } from "../deployments/x.ts";'],
  ["packages/cli/src/commands/dev.ts", 'import { x } from "../dev/x.ts";'],
  ["packages/cli/src/project-template/ok.ts", 'import { x } from "../version.ts";'],
  ["packages/platform/src/backup/ok.ts", 'import { x } from "../stores/sqlite/x.ts";'],
  ["packages/platform/src/server/backup.ts", 'import { x } from "../backup/x.ts";'],
  ["packages/platform/src/store-copy/ok.ts", 'import { x } from "../traces/x.ts";'],
  ["packages/cli/src/commands/copied.ts", 'import { x } from "../store-copy/x.ts";'],
  ["packages/platform/src/registry-copy/ok.ts", 'import { x } from "../stores/registry/x.ts";'],
  ["packages/platform/src/registry-copy/builds.ts", 'import { x } from "../deployments/x.ts";'],
  ["packages/cli/src/commands/client.ts", 'import { x } from "../api-client/x.ts";'],
  ["packages/cli/src/commands/deep/printed.ts", 'import { x } from "../../terminal/x.ts";'],
  ["packages/cli/src/api-client/ok.ts", 'import type { x } from "@agate/protocol";'],
  ["packages/cli/src/terminal/ok.ts", 'import { x } from "node:util";'],
  ["packages/platform/src/server/ok.ts", 'import { x } from "../ingest/x.ts";'],
  ["packages/platform/src/server/fine.ts", 'import { x } from "../traces/x.ts";'],
  ["packages/platform/src/server/routes/own.ts", 'import { x } from "../health.ts";'],
  ["packages/platform/src/ingest/ok.ts", 'import { x } from "../stores/x.ts";'],
  ["packages/platform/src/traces/ok.ts", 'import { x } from "@agate/spans";'],
  ["packages/platform/src/server/access.ts", 'import { x } from "../access/x.ts";'],
  ["packages/platform/src/server/deployed.ts", 'import { x } from "../deployments/x.ts";'],
  ["packages/platform/src/deployments/ok-a.ts", 'import { x } from "../registry/x.ts";'],
  ["packages/platform/src/deployments/hosting/ok-b.ts", 'import { x } from "../processes/x.ts";'],
  ["packages/platform/src/access/ok.ts", 'import { x } from "../stores/registry/x.ts";'],
  ["packages/cli/src/commands/key.ts", 'import { x } from "../create-key-offline.ts";'],
  ["packages/platform/src/stores/ok.ts", 'import { x } from "@agate/spans";'],
  ["packages/platform/src/stores/leaf.ts", 'import { x } from "../version.ts";'],
  ["packages/platform/src/ingest/thread.ts", 'import { x } from "../threads/x.ts";'],
  ["packages/platform/src/ingest/prices.ts", 'import { x } from "@agate/spans/prices";'],
  ["packages/spans/src/span-tree/ok.ts", 'import { x } from "@agate/protocol";'],
  ["packages/spans/src/dialects/ok.ts", 'import { x } from "../otlp-span.ts";'],
  ["packages/spans/src/record/ok.ts", 'import { x } from "../dialects/x.ts";'],
  ["packages/spans/src/record/fine.ts", 'import { x } from "../pricing/x.ts";'],
  ["packages/spans/src/record/tree.ts", 'import { x } from "../span-tree/x.ts";'],
  ["packages/spans/src/record/own.ts", 'import { x } from "./x.ts";'],
  ["packages/spans/src/record/ok.test.ts", 'import { x } from "node:fs";'],
  ["packages/sdk/src/ok.ts", 'import { x } from "@agate/spans";'],
  ["packages/sdk/src/fine.ts", 'import { x } from "@agate/protocol";'],
  ["packages/sdk/src/index.ts", 'export { x } from "./app/x.ts";'],
  ["packages/sdk/src/app/ok.ts", 'import { x } from "../server/x.ts";'],
  ["packages/sdk/src/app/serve.ts", 'export const x = await import("#serve");'],
  ["packages/sdk/src/server/ok.ts", 'import { x } from "../routes/x.ts";'],
  ["packages/sdk/src/server/version.ts", 'import { x } from "../version.ts";'],
  ["packages/sdk/src/routes/ok.ts", 'import { x } from "../config-source/x.ts";'],
  ["packages/sdk/src/config-source/ok.ts", 'import { x } from "../tracing/x.ts";'],
  ["packages/sdk/src/tracing/ok.ts", 'import { x } from "../context/x.ts";'],
  ["packages/sdk/src/tracing/prices.ts", 'import { x } from "@agate/spans/prices";'],
  ["packages/sdk/src/context/ok.ts", 'import { x } from "../runtime/x.ts";'],
  ["packages/sdk/src/config/ok.ts", 'import { x } from "@agate/protocol";'],
  ["packages/sdk/src/config/ok.test.ts", 'import { x } from "zod";'],
  ["packages/sdk/src/assets/ok.ts", 'import { x } from "./x.ts";'],
  ["packages/sdk/src/client/ok.ts", 'import type { x } from "../app/x.ts";'],
  ["packages/sdk/src/client/fine.ts", 'import type { x } from "@agate/protocol";'],
  ["packages/sdk/src/client/events.ts", 'import { x } from "../runtime/x.ts";'],
  ["packages/sdk/src/node/ok.ts", 'import { x } from "node:http";'],
  ["packages/sdk/src/node/fine.ts", 'import type { x } from "../app/x.ts";'],
  ["packages/sdk/src/node/server.ts", 'import { x } from "../server/x.ts";'],
  ["packages/sdk/src/elsewhere/ok.ts", 'import type { x } from "../app/x.ts";'],
  ["packages/sdk/src/runner/ok.ts", 'import { x } from "../app/x.ts";'],
  ["packages/sdk/src/runner/fine.ts", 'import { x } from "../runtime/x.ts";'],
  ["packages/platform/src/stores/schemas.ts", 'import { x } from "@agate/protocol/schemas";'],
  ["packages/platform/src/stores/ok.test.ts", 'import { x } from "../server/x.ts";'],
  ["packages/platform/src/stores/fine.test.ts", 'import { x } from "vitest";'],
  ["packages/platform/src/stores/span-store.contract.ts", 'import { x } from "vitest";'],
  ["packages/platform/src/stores/stored-span.fixture.ts", 'import { x } from "fast-check";'],
  ["packages/cli/src/other-leaf.ts", 'import { x } from "./version.ts";'],
  ["packages/web/src/app/ok.tsx", 'import { x } from "../traces/x.ts";'],
  ["packages/web/src/traces/ok.tsx", 'import { x } from "../trace-view/x.tsx";'],
  ["packages/web/src/playground/state/ok.ts", 'import { x } from "../../api/x.ts";'],
  ["packages/web/src/trace-view/ok.tsx", 'import { x } from "../value-view/x.tsx";'],
  ["packages/web/src/api/ok.ts", 'import type { x } from "@agate/protocol";'],
  ["packages/web/src/design/ok.tsx", 'import { x } from "./x.ts";'],
];

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string };
}

let folder: string;
let complaints: ReadonlyMap<string, readonly Diagnostic[]>;

function categories(file: string): readonly string[] {
  return (complaints.get(file) ?? []).map(({ category }) => category);
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
}

/** The lint of this repository over a folder that holds nothing but these files. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-import-rules-"));
  for (const file of ["biome.jsonc", "import-rules.grit", ".gitignore"]) {
    await cp(join(repository, file), join(folder, file));
  }
  for (const [file, statement] of [...forbidden, ...allowed]) {
    await write(file, statement.startsWith("import {") ? `${statement}\nx();\n` : `${statement}\n`);
  }
  await write("packages/platform/src/stores/egg.ts", 'import { hen } from "./hen.ts";\nhen();\n');
  await write(
    "packages/platform/src/stores/hen.ts",
    'import "./egg.ts";\nexport function hen(): void {}\n',
  );
  await write(
    "packages/platform/src/stores/left.ts",
    'import type { Right } from "./right.ts";\nexport type Left = Right | 1;\n',
  );
  await write(
    "packages/platform/src/stores/right.ts",
    'import type { Left } from "./left.ts";\nexport type Right = Left[];\n',
  );
  const lint = promisify(execFile)(
    process.execPath,
    [biome, "lint", "--reporter=json", "--max-diagnostics=none"],
    { cwd: folder },
  );
  // Biome exits with 1 because it has found what it should; its report is what counts.
  const { stdout } = await lint.catch((failure: { stdout: string }) => failure);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  complaints = Map.groupBy(diagnostics, (diagnostic) => diagnostic.location.path);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("lint", () => {
  it.each(forbidden)("%s may not say %s", (file) => {
    expect(categories(file)).toContain("plugin");
  });

  it.each(allowed)("%s may say %s", (file) => {
    expect(categories(file)).not.toContain("plugin");
  });

  it.each(["egg", "hen", "left", "right"])("sees %s in a cycle", (name) => {
    const file = `packages/platform/src/stores/${name}.ts`;
    expect(categories(file)).toContain("lint/suspicious/noImportCycles");
  });
});
