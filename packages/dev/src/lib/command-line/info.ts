import type { CommandModule } from '@botwright/framework/start'

export const configure: CommandModule['configure'] = (command, done) => {
  command.option('--json', 'print the result as JSON', false).action(async ({ json }: { json: boolean }) => {
    const { runInfo } = await import('../info-command.ts')
    done(await runInfo({ folder: process.cwd(), json }))
  })
}
