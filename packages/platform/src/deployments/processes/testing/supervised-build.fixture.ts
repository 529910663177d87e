import { onTestFinished } from "vitest";
import type { Lease, ServiceUnavailable } from "../../services.ts";
import type { ProcessRoom } from "../process-room.ts";
import type { SupervisedBuild } from "../process-slot.ts";
import type { BuildProgram } from "../spawn-build.ts";
import type { BuildProcess } from "../start-build-process.ts";
import { askSocket, startBuildProcess } from "../start-build-process.ts";
import type { SupervisionEvent } from "../supervision-events.ts";
import { Supervisor, type SupervisorLimits } from "../supervisor.ts";
import { buildProgram, processGroups, workflowSource } from "./build-program.fixture.ts";

const GROUPS = processGroups();

/** A supervisor of real processes, and what it told. */
export function supervise(limits: Partial<SupervisorLimits> = {}, room?: ProcessRoom) {
  const events: SupervisionEvent[] = [];
  const supervisor = new Supervisor(
    { id: "app_1", slug: "support" },
    (event) => events.push(event),
    limits,
    room,
  );
  onTestFinished(() => supervisor.close({ drainMs: 0, stopMs: 0 }));
  const kinds = () => events.map((event) => `${event.kind} ${event.build}`);
  return { supervisor, events, kinds };
}

/** A program as a build, with the program. */
export async function supervisedProgram(
  number: number,
  source: string,
): Promise<SupervisedBuild & { readonly program: BuildProgram }> {
  const program = await buildProgram(source);
  return {
    number,
    program,
    start: (signal) =>
      startBuildProcess(program, { onLine: () => {}, timeoutMs: 30_000, signal, groups: GROUPS }),
  };
}

export async function supervised(number: number, source: string): Promise<SupervisedBuild> {
  const { start } = await supervisedProgram(number, source);
  return { number, start };
}

/** A program that answers with a text. */
export const saying = (text: string) => workflowSource(`response.end(${JSON.stringify(text)});`);

/** Starts a process that is gone after the test. */
export async function running(build: SupervisedBuild): Promise<BuildProcess> {
  const process = await build.start(new AbortController().signal);
  if (process.kind === "failed") throw new Error(process.reason);
  onTestFinished(() => process.stop(0));
  return process;
}

export async function lease(supervisor: Supervisor): Promise<Lease> {
  const outcome = await supervisor.acquire();
  if (outcome.kind === "unavailable") throw new Error(outcome.reason);
  return outcome;
}

export async function refusal(supervisor: Supervisor): Promise<ServiceUnavailable> {
  const outcome = await supervisor.acquire();
  if (outcome.kind === "lease") throw new Error("It is available.");
  return outcome;
}

export async function ask(held: Lease): Promise<string> {
  const options = { signal: AbortSignal.timeout(10_000), mostBytes: 1_000 };
  return (await askSocket(held.socketPath, "/", options)).body;
}
