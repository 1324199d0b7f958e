#!/usr/bin/env node
// Node is ready for CommonJS 10 ms earlier than for a module.
// oxlint-disable-next-line typescript/no-require-imports
require('../dist/joined/cli.cjs')
