import type { CommandModule } from '@botwright/framework/start'

export const configure: CommandModule['configure'] = (command, done) => {
  command
    .option('--people', "the people's side of the local service instead", false)
    .option('--out <file>', 'write it into a file (default: print it)')
    .action(async (options: { people: boolean; out?: string }) => {
      const { runOpenApi } = await import('../openapi-command.ts')
      done(await runOpenApi(options))
    })
}
