#!/usr/bin/env node
// CommonJS, so that Node's compile cache (from Node 22) is on before the program is loaded.
// oxlint-disable-next-line typescript/no-require-imports
require('node:module').enableCompileCache?.()
import('../dist/joined/cli.js')
