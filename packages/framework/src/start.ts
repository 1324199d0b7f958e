export { buildManifestName, readBuild, type BuildManifest, type BuiltBot } from './cli/build-manifest.ts'
export { createLog, readLogLevel } from './cli/log.ts'
export { eventKey } from '@botwright/events/event'
export { makePrivateFolder } from '@botwright/sqlite'
export { cleanLine } from './cli/crash.ts'
export { mapStacks } from './link/errors/source-line.ts'
export { wholeStack } from './link/errors/whole-error.ts'
export { loadEnvFile, readEnv, readEnvFile, readPorts, type BotEnv } from './cli/env.ts'
export { readPackageJson, type PackageJson } from './cli/package-json.ts'
export { runProgram } from './cli/cli-program.ts'
export { captureIo, processIo, type CapturedIo, type ProgramIo } from './cli/program-io.ts'
export { pipeOutput, type ProgramOutput, type ThreadIo } from './link/thread-io.ts'
export { loadReason } from './bot/load-reason.ts'
export { commandsWarning } from './bot/commands/registered.ts'
export { planCommands, type CommandPlan } from './runtime/start/register-commands.ts'
export {
  configureExplain,
  ownCommands,
  readEventId,
  readEventIds,
  type CommandEntry,
  type CommandGroup,
  type CommandRun,
  type ExplainGiven,
} from './cli/commands.ts'
export { readWorkers } from './cli/readers.ts'
export type { RunningBot, StartBotOptions } from './runtime/ports/running-bot.ts'
export type { BotEnd, BotStats, RenewedRuns } from './runtime/ports/bot-facts.ts'
export type { Observer } from './runtime/ports/observer.ts'
export { startBot } from './runtime/start/start-bot.ts'
export { deleteEndedRuns, isAlive, markTemporaryBot } from './cli/stores/temporary-bots.ts'
export { withOverrides, type ConfigOverrides } from './runtime/config/read-config.ts'
export { diskTrouble } from './runtime/disk-trouble.ts'
export { exitCodeOf, exitCodes } from './cli/exit-codes.ts'
export { didYouMean, eventNames, nearestWord } from './author/did-you-mean.ts'
export { entryOf, handlerFolders } from './author/files/file-name.ts'
export { layerOf, layersAround } from './author/files/manifest.ts'
export { rulesText } from './author/texts/phrase.ts'
export { inEnglish } from './author/texts/phrase.ts'
export { table as frameworkTexts } from './author/texts/table.ts'
export { createCall, type Call } from '@botwright/rest'
export { proxyFor, Transport, type Answer } from '@botwright/rest/transport'
export { checkCluster } from './cli/cluster/find-cluster.ts'
export { durationMs } from './author/time/duration.ts'
export { stateKey } from './author/state/scope.ts'
export { MemoryStore } from './author/state/memory-store.ts'
export { RouteTable, type KnownRoute } from './features/routes/route-table.ts'
export { type SwitchView, switchOff, switchOn } from './features/switches/change.ts'
export { findName } from './features/switches/find-name.ts'
