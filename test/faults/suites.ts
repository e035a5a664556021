/** All fault suites, in the order in which they are best run: what takes long, and what wants two cores, first. */
import { f1 } from "./f1.ts";
import { f2 } from "./f2.ts";
import { f3 } from "./f3.ts";
import { f5 } from "./f5.ts";
import { f6 } from "./f6.ts";
import { f7 } from "./f7.ts";
import { f8 } from "./f8.ts";
import { f14 } from "./f14.ts";
import { f15 } from "./f15.ts";
import { f18 } from "./f18.ts";
import { f19 } from "./f19.ts";
import { f20 } from "./f20.ts";
import { f21 } from "./f21.ts";
import { f23 } from "./f23.ts";
import type { Suite } from "./suite.ts";

export const suites: readonly Suite[] = [f18, f2, f3, f1, f15, f14, f19, f21, f23, f6, f8, f5, f7, f20];
