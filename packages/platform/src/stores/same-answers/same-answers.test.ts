import { compareHistories } from "./compare-histories.fixture.ts";

compareHistories(2);
