import { compareHistories } from "./compare-histories.fixture.ts";

compareHistories(Number(process.env.AGATE_TEST_HISTORIES ?? 30));
