import type { CommandModule } from '@botwright/framework/start'

export const configure: CommandModule['configure'] = (command, done) => {
  command.action(async () => {
    const { runCheck } = await import('../check-command.ts')
    done(await runCheck({ folder: process.cwd() }))
  })
}
