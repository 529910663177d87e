import { describeShutdown } from "./shutdown.fixture.ts";

describeShutdown("SIGINT");
