// For `@botwright/dev`, whose commands do more than those for production.

export { llmsTxt, docsPages } from './docs/docs.ts'
export { configure as configureDoctor } from './doctor/configure-doctor.ts'
export { fault, type Finding, ok, warning } from './doctor/finding.ts'
export { faultsOf, lookAtPackageFile } from './doctor/look-at-build.ts'
export { lookAtDatabase, lookAtNode } from './doctor/look-at-machine.ts'
export { lookAtClock } from './doctor/look-at-service.ts'
export { EventLines, resultWords } from './events/event-line.ts'
export { runInfo as inspectInfo } from './info-command.ts'
export { packageFolder, packageVersions } from './package-versions.ts'
export { readCount, readFile, readProgram, readSince } from './readers.ts'
export { configure as configureState } from './state/configure-state.ts'
export * from './terminal.ts'
