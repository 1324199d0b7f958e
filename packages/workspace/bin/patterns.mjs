#!/usr/bin/env node
// Runs from the sources, as the checks do.
import './sources.mjs'

await import('../src/patterns.ts')
