import { z } from "zod";
import { SCOPES, type Scope } from "./registry/access.ts";

/** `GET /session`: who is signed in to the page, and which project they see. */
export interface Session {
  /** Null while not signed in: the platform requires an API key. */
  readonly caller: SessionCaller | null;
  /** The one project that the caller sees; null without a caller. */
  readonly project: { readonly id: string; readonly slug: string } | null;
}

export interface SessionCaller {
  /** The name of the key, or `local`. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The environments that its key is limited to; null: no limit. */
  readonly environments: readonly string[] | null;
  /** Sent no key to a platform on the same machine: may choose the project and create new ones. */
  readonly is_operator: boolean;
}

export const sessionSchema: z.ZodType<Session> = z
  .strictObject({
    caller: z
      .strictObject({
        name: z.string().meta({ description: "Name of the key, or `local`." }),
        scopes: z.array(z.enum(SCOPES)),
        environments: z
          .array(z.string())
          .nullable()
          .meta({ description: "The environments that its key is limited to; null: no limit." }),
        is_operator: z.boolean().meta({
          description: "Sent no key to a server on the same machine; may choose the project.",
        }),
      })
      .nullable()
      .meta({ description: "Null while not signed in: the server requires an API key." }),
    project: z
      .strictObject({ id: z.string(), slug: z.string() })
      .nullable()
      .meta({ description: "The one project that the caller sees." }),
  })
  .meta({
    id: "Session",
    examples: [
      {
        caller: { name: "ci", scopes: ["read"], environments: null, is_operator: false },
        project: { id: "default", slug: "default" },
      },
    ],
  });
