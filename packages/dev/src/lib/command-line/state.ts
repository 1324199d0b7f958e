import { type CommandEntry, configureState } from '@botwright/framework/start'

export const configure: CommandEntry['configure'] = (command, run) =>
  configureState(command, run, async () => (await import('../commands/state-files.ts')).readStateFiles(run.io))
