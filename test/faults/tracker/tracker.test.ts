import { refusalStorm } from "./refusal-storm.ts";
import { spoiledAnswers } from "./spoiled-answers.ts";
import { testSuite } from "../suite-test.ts";

testSuite(spoiledAnswers);
testSuite(refusalStorm);
