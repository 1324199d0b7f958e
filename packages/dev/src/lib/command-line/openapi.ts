import type { CommandModule } from '@botwright/framework/start'

export const configure: CommandModule['configure'] = (command, done) => {
  command
    .option('--people', "print the document of the people's API of the local service", false)
    .option('--out <file>', 'write to a file (default: standard output)')
    .action(async (options: { people: boolean; out?: string }) => {
      const { runOpenApi } = await import('../openapi-command.ts')
      done(await runOpenApi(options))
    })
}
