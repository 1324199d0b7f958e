#!/usr/bin/env node
// Node is ready for CommonJS 10 ms earlier than for a module.
// eslint-disable-next-line @typescript-eslint/no-require-imports
require('../dist/joined/cli.cjs')
