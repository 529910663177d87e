// The workflow as a worker: its settings are bindings.
import * as ag from "@agate/sdk";
import { declareRoutes } from "./workflow.ts";

ag.init({ redact: ["password"] });
declareRoutes(undefined);

// biome-ignore lint/style/noDefaultExport: Cloudflare's form of a worker.
export default ag.app();
