import type { Logger } from "pino";
import type { SupervisionEvent } from "../processes/supervision-event.ts";
import { describeSupervision } from "../processes/supervision-event.ts";
import type { NamedApplication } from "../service-directory.ts";
import type { DelayedBuild } from "./delayed-build.ts";
import { describeDelay } from "./delayed-build.ts";

/** What becomes of builds, for the platform's own log: a crash is worth a warning. */
export function logSupervision(
  log: Logger,
  { slug, id }: NamedApplication,
  event: SupervisionEvent,
): void {
  const line = { application: slug, application_id: id, build: event.build };
  const told = `A build: ${describeSupervision(event)}`;
  if (event.kind === "crashed") log.warn({ ...line, output: event.log.slice(-5) }, told);
  else if (event.kind === "start-failed") {
    log.error({ ...line, output: event.failure.log.slice(-5) }, told);
  } else log.info(line, told);
}

/** That this replica does not serve what it should, for the platform's own log. */
export function logDelay(log: Logger, delayed: DelayedBuild): void {
  const { application, build } = delayed.wanted;
  const line = { application: application.slug, application_id: application.id };
  const output = delayed.failure.log.slice(-5);
  log.error({ ...line, build: build.number, output }, `A build: ${describeDelay(delayed)}`);
}
