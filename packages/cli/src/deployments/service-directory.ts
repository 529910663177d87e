import type { Service } from "./service.ts";

/** Which service answers for an application now. The gateway asks it for every request. */
export interface ServiceDirectory {
  /** By slug or id; undefined when the project has no such application, or no build serves it. */
  find(project: string, application: string): Service | undefined;
}
