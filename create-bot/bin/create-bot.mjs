#!/usr/bin/env node
// Nothing newer than this may stand in this file: it tells who runs an old Node what to do.
const version = process.versions.node
const [major, minor] = version.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) await import('../dist/cli.js')
else {
  console.error(`create-bot needs Node 20.19 or newer, and this is ${version}: https://nodejs.org`)
  process.exitCode = 1
}
