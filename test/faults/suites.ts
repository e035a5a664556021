/** All fault suites, in the order in which they are best run: the long ones first. */
import { f1 } from "./f1.ts";
import { f2 } from "./f2.ts";
import { f3 } from "./f3.ts";
import { f5 } from "./f5.ts";
import { f6 } from "./f6.ts";
import { f7 } from "./f7.ts";
import { f8 } from "./f8.ts";
import { f9 } from "./f9.ts";
import { f10 } from "./f10.ts";
import { f14 } from "./f14.ts";
import { f15 } from "./f15.ts";
import { f18 } from "./f18.ts";
import { f19 } from "./f19.ts";
import { f20 } from "./f20.ts";
import { f21 } from "./f21.ts";
import { f23 } from "./f23.ts";
import { f24 } from "./f24.ts";
import type { Suite } from "./suite.ts";

export const suites: readonly Suite[] = [
  f20,
  f2,
  f18,
  f3,
  f8,
  f1,
  f9,
  f23,
  f21,
  f19,
  f14,
  f6,
  f24,
  f15,
  f5,
  f10,
  f7,
];
