import { accountSuite } from "../account-suite.ts";
import { historySuite } from "../history-suite.ts";
import { onceSuite } from "../once-suite.ts";
import { optOutsSuite } from "../opt-outs-suite.ts";
import { folderKeeper } from "../keeper.ts";

onceSuite(folderKeeper);
optOutsSuite(folderKeeper);
historySuite(folderKeeper);
accountSuite(folderKeeper);
