import { serve } from "@agate/sdk";
import "./nothing.ts";

await serve();
process.send?.("listening");
