import { z } from "zod";
import { SCOPES } from "./registry/api-key.ts";
import type { Session } from "./session.ts";

export const sessionSchema: z.ZodType<Session> = z
  .strictObject({
    caller: z
      .strictObject({
        name: z.string().meta({ description: "Name of the key, or `local`." }),
        scopes: z.array(z.enum(SCOPES)),
        is_operator: z.boolean().meta({
          description: "Came without a key to a server on its own machine; may choose the project.",
        }),
      })
      .nullable()
      .meta({ description: "Null: nobody yet, and the server asks for an API key." }),
    project: z
      .strictObject({ id: z.string(), slug: z.string() })
      .nullable()
      .meta({ description: "The one project that the caller sees." }),
  })
  .meta({
    id: "Session",
    examples: [
      {
        caller: { name: "ci", scopes: ["read"], is_operator: false },
        project: { id: "default", slug: "default" },
      },
    ],
  });
