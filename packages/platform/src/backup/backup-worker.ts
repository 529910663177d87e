import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { lowerThreadPriority } from "../threads/spawn-thread.ts";
import type { StageRequest } from "./stage-backup.ts";
import { stageBackup } from "./stage-backup.ts";

// Copying takes a core for seconds: ingest and reads come first.
lowerThreadPriority();
(parentPort as MessagePort).postMessage(stageBackup(workerData as StageRequest));
