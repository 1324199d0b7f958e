#!/usr/bin/env node
// This file must run on old versions of Node, where it prints how to upgrade.
const version = process.versions.node
const [major, minor] = version.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) await import('../dist/cli.js')
else {
  console.error(
    `create-bot requires Node 20.19 or newer; this is ${version}. Install a newer version: https://nodejs.org`,
  )
  process.exitCode = 1
}
