#!/usr/bin/env node
import { main, systemHost } from "../dist/main.js";

// All output is flushed by then. What may be left is a connection that stalls in its handshake: nobody waits for it.
process.exit(await main(process.argv.slice(2), systemHost()));
