import { z } from "zod";

/** What the processes of an environment on one server do. */
const SERVER_STATES = ["serving", "idle", "crash_loop"] as const;
export type ServerState = (typeof SERVER_STATES)[number];

/** What one server runs in one environment, as it has reported. */
export interface ServerStatus {
  /** The server's own name for this run of it. */
  readonly server: string;
  /** The environment's slug. */
  readonly environment: string;
  /** The number of the build. */
  readonly build: number | null;
  readonly state: ServerState;
  /** How many of its processes take calls. */
  readonly processes: number;
  /** How often a process had to be started anew since the build was activated there. */
  readonly restarts: number;
  /** How a process ended last; null while none has. */
  readonly last_exit: string | null;
  /** The resident size of its processes together; null where it is not known. */
  readonly memory_bytes: number | null;
  readonly reported_at: string;
}

export const serverStatusSchema: z.ZodType<ServerStatus> = z
  .strictObject({
    server: z.string().meta({ description: "The server's own name for this run of it." }),
    environment: z.string().meta({ description: "Slug of the environment." }),
    build: z
      .int()
      .positive()
      .nullable()
      .meta({ description: "Number of the build; null where it was deleted." }),
    state: z.enum(SERVER_STATES).meta({
      description:
        "`serving`: processes take calls. `idle`: none does, as it sleeps or is being started. `crash_loop`: none does, as it ended again and again.",
    }),
    processes: z.int().nonnegative().meta({ description: "How many of its processes take calls." }),
    restarts: z.int().nonnegative().meta({
      description:
        "How often a process had to be started anew since the build was activated there.",
    }),
    last_exit: z
      .string()
      .nullable()
      .meta({ description: "How a process ended last; null while none has." }),
    memory_bytes: z.int().nonnegative().nullable().meta({
      description:
        "Resident size of its processes together, to the MiB; null where it is not known: shortly after their start, and on servers that are not on Linux.",
    }),
    reported_at: z.iso.datetime(),
  })
  .meta({
    id: "ServerStatus",
    examples: [
      {
        server: "agate-7d9c-3f1a",
        environment: "production",
        build: 3,
        state: "serving",
        processes: 1,
        restarts: 0,
        last_exit: null,
        memory_bytes: 88_080_384,
        reported_at: "2026-11-15T10:00:00.000Z",
      },
    ],
  });
