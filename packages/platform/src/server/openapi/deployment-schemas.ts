import { buildSchema } from "@agate/protocol/schemas";
import { z } from "zod";

// What deployments answer with; what is in it is in @agate/protocol.

export const buildListSchema = z
  .strictObject({
    items: z.array(buildSchema),
    next_cursor: z.string().nullable().meta({ description: "Null on the last page." }),
  })
  .meta({ id: "BuildList" });
