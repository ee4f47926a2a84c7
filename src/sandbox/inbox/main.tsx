import { render } from "preact";
import { InboxPage } from "./page.tsx";

render(<InboxPage />, document.body);
