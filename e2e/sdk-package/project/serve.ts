import * as ag from "@agate/sdk";
import { app } from "./workflow.ts";

const { url } = await ag.serve({ app, port: 0 });
console.log(url);
