import type { CommandModule } from '@botwright/framework/start'

export const configure: CommandModule['configure'] = (command, done) => {
  command.option('--json', 'print the result as JSON', false).action(async ({ json }: { json: boolean }) => {
    const { runCheck } = await import('../check-command.ts')
    done(await runCheck({ folder: process.cwd(), json }))
  })
}
